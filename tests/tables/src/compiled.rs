//! Compares compiled tables with the interpreter. Crates that [`written`](crate::written) writes call it.

use std::process::ExitCode;
use std::sync::Arc;

use hubgen_laws::objects::{Source, bytes, json_object};
use hubgen_machinery::scheme::{Conversion, KindEntry, Scheme};

use crate::check::{Interpreted, interpreted, kubernetes};
use crate::edits::Edit;
use crate::table::Table;

/// A seed, and the Scheme that is generated for its table.
pub type Compiled = (u64, fn() -> Scheme);

/// Converts `objects` objects of each version to each other one, compiled and interpreted, and prints what differs.
pub fn compare(tables: &[Compiled], objects: u64) -> ExitCode {
    let kubernetes = kubernetes();
    let (mut compared, mut wrong) = (0_u64, 0);
    for (seed, scheme) in tables {
        let table = Table::new(&bytes(*seed), &Edit::FITTING);
        let result = match interpreted(&table, &kubernetes, None) {
            Ok(Some(interpreted)) => differences(&scheme(), &interpreted, objects, &mut compared),
            Ok(None) => Err("compiled, and refused by the interpreter".to_owned()),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            wrong += 1;
            eprintln!("seed {seed}: {error}");
        }
    }
    println!(
        "{} of {} compiled tables convert {compared} objects as the interpreter does",
        tables.len() - wrong,
        tables.len()
    );
    if wrong == 0 && compared > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn differences(
    compiled: &Scheme,
    interpreted: &Interpreted,
    objects: u64,
    compared: &mut u64,
) -> Result<(), String> {
    let words: Vec<(&str, &str)> =
        interpreted.words.iter().map(|(field, word)| (&**field, &**word)).collect();
    for from in versions(&interpreted.scheme) {
        for count in 0..objects {
            let bytes = bytes(count);
            let json = json_object(from.object().descriptor(), &mut Source::new(&bytes, &words)).to_string();
            let [one, other] = [compiled, &interpreted.scheme].map(|scheme| answers(scheme, &json));
            *compared += 1;
            for (one, other) in one.into_iter().zip(other) {
                if one != other {
                    let [one, other] = [one, other].map(|answer| answer.unwrap_or_else(|error| error));
                    return Err(format!("compiled: {one}\ninterpreted: {other}\n     of: {json}"));
                }
            }
        }
    }
    Ok(())
}

fn versions(scheme: &Scheme) -> impl Iterator<Item = &Arc<KindEntry>> {
    scheme.kinds().filter(|entry| matches!(entry.conversion, Conversion::Hub(_)))
}

/// An object at every version, typed and as JSON that is not decoded, and each of these at every version again.
fn answers(scheme: &Scheme, json: &str) -> Vec<Result<String, String>> {
    let mut out = Vec::new();
    for to in versions(scheme) {
        for is_typed in [true, false] {
            let converted = convert(scheme, json, to, is_typed);
            if let Ok(converted) = &converted {
                out.extend(versions(scheme).map(|to| convert(scheme, converted, to, is_typed)));
            }
            out.push(converted);
        }
    }
    out
}

fn convert(scheme: &Scheme, json: &str, to: &Arc<KindEntry>, is_typed: bool) -> Result<String, String> {
    let converted = if is_typed {
        let (object, _) = scheme.decode(json.as_bytes()).map_err(|error| error.to_string())?;
        let object = scheme.convert(object, to).map_err(|error| error.to_string())?;
        object.encode().map_err(|error| error.to_string())
    } else {
        scheme.convert_json(json.as_bytes(), to).map_err(|error| error.to_string())
    };
    String::from_utf8(converted?).map_err(|error| error.to_string())
}
