//! Compares two protobuf messages of the same type, with tolerance for golden files of older
//! releases.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_kubernetes::machinery::protobuf::{PartValue, parts};
use hubgen_kubernetes::machinery::reflect::{Descriptor, Field, Type};

/// The first difference between the content of a file and our output, with names of fields.
///
/// A field that the file lacks may be present with a zero value: upstream always writes plain
/// values, and the field was added later. The names of these fields are added to `added`, such as
/// `Pod.spec`.
pub fn difference(
    file: &[u8],
    ours: &[u8],
    descriptor: &'static Descriptor,
    added: &mut BTreeSet<String>,
) -> Option<String> {
    message(file, ours, Level::of(descriptor), "", added).err()
}

/// The first difference, with names of fields; `None` if the bytes are the same.
pub fn first_difference(expected: &[u8], found: &[u8], descriptor: &'static Descriptor) -> Option<String> {
    if expected == found {
        return None;
    }
    let mut added = BTreeSet::new();
    let difference_found = difference(expected, found, descriptor, &mut added)
        .or_else(|| added.first().map(|field| format!("{field}: expected nothing, found a zero")));
    Some(difference_found.unwrap_or_else(|| "the same fields, but in another order or format".to_owned()))
}

/// The fields of a message, and the number of enclosing messages that JSON inlines.
struct Level {
    name: &'static str,
    fields: Vec<&'static Field>,
    depth: usize,
}

impl Level {
    fn of(descriptor: &'static Descriptor) -> Self {
        Self { name: &descriptor.name, fields: descriptor.fields.iter().collect(), depth: 0 }
    }
}

type Grouped<'b> = BTreeMap<u32, Vec<PartValue<'b>>>;

fn grouped(bytes: &[u8]) -> Result<Grouped<'_>, String> {
    let mut out = Grouped::new();
    for part in parts(bytes) {
        let part = part.map_err(|error| error.to_string())?;
        out.entry(part.number).or_default().push(part.value);
    }
    Ok(out)
}

fn message(
    file: &[u8],
    ours: &[u8],
    Level { name, fields, depth }: Level,
    path: &str,
    added: &mut BTreeSet<String>,
) -> Result<(), String> {
    if file == ours {
        return Ok(());
    }
    let (file, ours) = (grouped(file)?, grouped(ours)?);
    let numbers: BTreeSet<u32> = file.keys().chain(ours.keys()).copied().collect();
    for number in numbers {
        let same: Vec<&'static Field> =
            fields.iter().copied().filter(|field| field.number.get(depth) == Some(&number)).collect();
        let inlined = same.iter().any(|field| field.number.len() > depth + 1);
        let field = same.first().filter(|_| !inlined);
        let path = field.map_or_else(|| path.to_owned(), |field| join(path, &field.name));
        let values = [&file, &ours].map(|side| side.get(&number).map_or(&[][..], Vec::as_slice));
        match values {
            [[], ours] if ours.iter().all(is_zero) => {
                let field = field.map_or_else(|| format!("{number}"), |field| field.name.to_string());
                added.insert(format!("{name}.{field}"));
            }
            [file, ours] if file.len() != ours.len() => {
                return Err(format!(
                    "{path}: number {number} occurs {} times, expected {}",
                    ours.len(),
                    file.len()
                ));
            }
            [file, ours] => {
                for (file, ours) in file.iter().zip(ours) {
                    match (file, ours) {
                        (PartValue::Bytes(file), PartValue::Bytes(ours)) if inlined => {
                            let inner = Level { name, fields: same.clone(), depth: depth + 1 };
                            message(file, ours, inner, &path, added)?;
                        }
                        (PartValue::Bytes(file), PartValue::Bytes(ours)) => {
                            value(file, ours, field.map(|field| &field.ty), &path, added)?;
                        }
                        (file, ours) if file == ours => {}
                        (file, ours) => return Err(format!("{path}: expected {file:?}, found {ours:?}")),
                    }
                }
            }
        }
    }
    Ok(())
}

fn value(
    file: &[u8],
    ours: &[u8],
    ty: Option<&'static Type>,
    path: &str,
    added: &mut BTreeSet<String>,
) -> Result<(), String> {
    if file == ours {
        return Ok(());
    }
    let differs = || format!("{path}: expected {file:02x?}, found {ours:02x?}");
    match ty {
        Some(Type::Struct(ty)) => {
            let descriptor = ty.compiled().expect("kinds with golden files are compiled");
            message(file, ours, Level::of(descriptor), path, added)
        }
        Some(Type::List(node)) => value(file, ours, Some(&node.ty), path, added),
        Some(Type::Map(node)) => {
            let (file, ours) = (grouped(file)?, grouped(ours)?);
            match (file.get(&2).map(Vec::as_slice), ours.get(&2).map(Vec::as_slice)) {
                (Some([PartValue::Bytes(file)]), Some([PartValue::Bytes(ours)])) => {
                    value(file, ours, Some(&node.ty), path, added)
                }
                _ => Err(differs()),
            }
        }
        _ => Err(differs()),
    }
}

/// Whether a field is zero, and so are all fields in it.
fn is_zero(value: &PartValue<'_>) -> bool {
    match value {
        PartValue::Varint(value) | PartValue::Fixed64(value) => *value == 0,
        PartValue::Fixed32(value) => *value == 0,
        PartValue::Bytes(bytes) | PartValue::Group(bytes) => {
            bytes.is_empty() || grouped(bytes).is_ok_and(|parts| parts.values().flatten().all(is_zero))
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
