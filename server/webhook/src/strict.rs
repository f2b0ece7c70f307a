//! What an API server would refuse in an object, although a conversion could make something of it.

use hubgen_machinery::json::lexer::{Error, ErrorKind, Kind, Lexer};

/// The members of `metadata` that identify an object. Upstream reads each as a string, or not at all.
const NAMES: [&str; 5] = ["name", "generateName", "namespace", "uid", "resourceVersion"];

/// Checks that an object and its metadata have no member twice: which of the two counts would decide what the object
/// is. Further inside, the last one counts, as for API servers. Checks also that what identifies the object are texts.
///
/// # Errors
/// The path, and what was expected.
pub(crate) fn check(object: &str) -> Result<(), String> {
    let mut lexer = Lexer::new(object.as_bytes()).map_err(|error| message("", &error))?;
    members(&mut lexer, "", |lexer, name| match name {
        "metadata" => {
            // What is no object is an error of the conversion.
            if lexer.peek()? != Kind::Object {
                return lexer.skip().map(|()| None);
            }
            let found = members(lexer, "metadata.", |lexer, name| {
                if NAMES.contains(&name) && lexer.peek()? != Kind::Null {
                    return lexer.string().map(|_| None);
                }
                lexer.skip().map(|()| None)
            });
            Ok(found.err())
        }
        _ => lexer.skip().map(|()| None),
    })
}

/// Reads the members of an object. `read` reads the value of one, and may tell what is wrong in it.
fn members<'a>(
    lexer: &mut Lexer<'a>,
    path: &str,
    mut read: impl FnMut(&mut Lexer<'a>, &str) -> Result<Option<String>, Error>,
) -> Result<(), String> {
    let of = |error: Error| message(path.trim_end_matches('.'), &error);
    let mut seen = Vec::new();
    let mut more = lexer.enter_object().map_err(of)?;
    while more {
        let name = lexer.key().map_err(of)?;
        if seen.contains(&name) {
            return Err(format!("{path}{name}: the object has this member twice; remove one"));
        }
        match read(lexer, &name) {
            Ok(None) => {}
            Ok(Some(wrong)) => return Err(wrong),
            Err(error) => return Err(message(&format!("{path}{name}"), &error)),
        }
        seen.push(name);
        more = lexer.next_member().map_err(of)?;
    }
    Ok(())
}

fn message(path: &str, error: &Error) -> String {
    match error.kind() {
        ErrorKind::Mismatch if !path.is_empty() => format!("{path}: {}", error.message()),
        _ => error.message().to_owned(),
    }
}
