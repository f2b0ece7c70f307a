//! Calls the functions of rules with JSON.

use super::fault::{Fault, Result};
use super::{Path, Tree};
use crate::convert::{ConvertError, Failure, Functions, Plain, PlainType, ValueTable, functions, is_unset};
use crate::json::lexer::{Kind, Lexer};
use crate::json::{self, EncodeError, Raw, writer};
use crate::reflect::Slot;
use crate::scalar::{IntOrString, Quantity};
use crate::{Str, StrMap};

/// Calls a function with the members at some paths, of which at least one is there, and after them with what it
/// `reads`. `None` for results that are not written.
///
/// # Errors
/// When a parameter has another type, the function refuses the parameters, or nobody registered it.
pub(super) fn call<'a>(
    own: &Functions,
    name: &str,
    to_hub: bool,
    from: &[Path],
    arguments: Vec<Option<Tree<'a>>>,
    reads: Vec<Option<Tree<'a>>>,
) -> Result<Vec<Option<Tree<'a>>>> {
    let Some(function) = own.find(name).or_else(|| functions::find(name)) else {
        let there = from.iter().zip(&arguments).filter(|(_, argument)| argument.is_some());
        let paths = there.map(|(path, _)| dotted(path)).collect();
        return Err(ConvertError::NoFunction { paths, function: name.to_owned() }.into());
    };
    let types = if to_hub { function.to_hub_takes } else { function.from_hub_takes };
    let is_single = arguments.len() == 1;
    let mut plains = parameters(from, arguments, types)?;
    for (argument, ty) in reads.into_iter().zip(types.iter().skip(from.len())) {
        plains.push(read(argument, *ty)?);
    }
    let results = if to_hub { (function.to_hub)(plains) } else { (function.from_hub)(plains) };
    let results = results.map_err(|failure| fault(failure, name, from))?;
    // One value stands for one other, however empty. Of several, the empty ones are no values.
    let writes_empty = is_single && results.len() == 1;
    results.into_iter().map(|result| write(result, writes_empty)).collect()
}

/// Looks the members at some paths up in a table. `None` for results that are not written.
///
/// # Errors
/// When a member has another type, or no row has the values.
pub(super) fn look_up<'a>(
    table: &ValueTable,
    to_hub: bool,
    from: &[Path],
    values: Vec<Option<Tree<'a>>>,
) -> Result<Vec<Option<Tree<'a>>>> {
    let results = table.run(to_hub, parameters(from, values, table.types(to_hub))?);
    let results = results.map_err(|failure| fault(failure, ValueTable::NAME, from))?;
    results.into_iter().map(|result| write(result, false)).collect()
}

/// The values at some paths, of which each has a type.
fn parameters(from: &[Path], values: Vec<Option<Tree<'_>>>, types: &[PlainType]) -> Result<Vec<Plain>> {
    let mut out = Vec::with_capacity(values.len());
    for ((path, value), ty) in from.iter().zip(values).zip(types) {
        out.push(read(value, *ty).map_err(|fault| fault.below(path.names()))?);
    }
    Ok(out)
}

fn fault(failure: Failure, name: &str, from: &[Path]) -> Fault {
    match failure {
        Failure::Types => Fault::unfit(format!("`{name}` takes other types")),
        Failure::Refused(message) => {
            let paths = from.iter().map(dotted).collect();
            ConvertError::Refused { paths, function: name.to_owned(), message }.into()
        }
    }
}

fn dotted(path: &Path) -> String {
    path.names().collect::<Vec<_>>().join(".")
}

fn read(argument: Option<Tree<'_>>, ty: PlainType) -> Result<Plain> {
    let Some(mut tree) = argument else { return Ok(empty(ty)) };
    Ok(match ty {
        PlainType::Optional(inner) => Plain::Optional(Some(Box::new(read(Some(tree), *inner)?))),
        PlainType::Text => Plain::Text(tree.str()?.as_ref().into()),
        PlainType::Bool => Plain::Bool(scalar(&tree, |lexer| lexer.bool())?),
        PlainType::Int32 => Plain::Int32(scalar(&tree, |lexer| lexer.i32())?),
        PlainType::Int64 => Plain::Int64(scalar(&tree, |lexer| lexer.i64())?),
        PlainType::Double => Plain::Double(scalar(&tree, |lexer| lexer.f64())?),
        PlainType::IntOrString => Plain::IntOrString(match tree.kind() {
            Kind::String => IntOrString::String(tree.str()?.as_ref().into()),
            _ => IntOrString::Int(scalar(&tree, |lexer| lexer.i32())?),
        }),
        PlainType::Quantity => {
            let text = match &tree {
                Tree::Text(text) if tree.kind() == Kind::Number => text.clone(),
                tree => tree.str()?,
            };
            let quantity: std::result::Result<Quantity, _> = text.parse();
            Plain::Quantity(quantity.map_err(|error| Fault::unfit(error.to_string()))?)
        }
        PlainType::List(inner) => {
            let mut list = Vec::new();
            for (index, element) in tree.elements()?.drain(..).enumerate() {
                list.push(read(Some(element), *inner).map_err(|fault| fault.in_element(index))?);
            }
            Plain::List(list)
        }
        PlainType::Map(inner) => {
            let mut map = StrMap::new();
            for (key, value) in tree.members()?.drain(..) {
                let value = read(Some(value), *inner).map_err(|fault| fault.in_element(&key))?;
                map.insert(Str::from(&*key), value);
            }
            Plain::Map(map)
        }
        PlainType::Struct(of) => {
            let mut object = of.new_object();
            json::decode_into(&tree.to_json(), &mut *object).map_err(|error| {
                Fault::from(ConvertError::Unfit {
                    path: error.path().to_owned(),
                    message: error.message().to_owned(),
                })
            })?;
            Plain::Struct(object)
        }
        PlainType::Json => Plain::Json(Raw::new(&tree.to_json())?),
        PlainType::Object => return Err(Fault::unfit("functions over objects do not convert JSON")),
    })
}

pub(super) fn scalar<T>(
    tree: &Tree<'_>,
    read: impl FnOnce(&mut Lexer<'_>) -> json::lexer::Result<T>,
) -> Result<T> {
    match tree {
        Tree::Text(text) => Ok(read(&mut Lexer::over(text))?),
        tree => Err(Fault::unfit(format!("expected a single value, found {}", tree.kind().name()))),
    }
}

/// The value of a parameter that is absent.
fn empty(ty: PlainType) -> Plain {
    match ty {
        PlainType::Optional(_) => Plain::Optional(None),
        PlainType::Object => Plain::Object(None),
        PlainType::Text => Plain::Text(Str::new()),
        PlainType::Bool => Plain::Bool(false),
        PlainType::Int32 => Plain::Int32(0),
        PlainType::Int64 => Plain::Int64(0),
        PlainType::Double => Plain::Double(0.0),
        PlainType::IntOrString => Plain::IntOrString(IntOrString::default()),
        PlainType::Quantity => Plain::Quantity(Quantity::default()),
        PlainType::List(_) => Plain::List(Vec::new()),
        PlainType::Map(_) => Plain::Map(StrMap::new()),
        PlainType::Json => Plain::Json(Raw::NULL),
        PlainType::Struct(of) => Plain::Struct(of.new_object()),
    }
}

/// A result as JSON; `None` if it is absent, or empty and not to be written.
fn write<'a>(result: Plain, even_if_empty: bool) -> Result<Option<Tree<'a>>> {
    let (result, is_written) = match result {
        Plain::Optional(None) | Plain::Object(_) => return Ok(None),
        Plain::Optional(Some(inner)) => (*inner, true),
        result => (result, even_if_empty),
    };
    if !is_written && is_empty(&result) {
        return Ok(None);
    }
    let mut out = Vec::new();
    append(&mut out, &result).map_err(ConvertError::NotJson)?;
    Ok(Some(Tree::written(out)))
}

fn is_empty(plain: &Plain) -> bool {
    match plain {
        Plain::Bool(value) => !value,
        Plain::Int32(value) => *value == 0,
        Plain::Int64(value) => *value == 0,
        Plain::Double(value) => *value == 0.0,
        Plain::Text(text) => text.is_empty(),
        Plain::List(list) => list.is_empty(),
        Plain::Map(map) => map.is_empty(),
        Plain::Json(json) => json.is_null(),
        Plain::Struct(object) => is_unset(false, &Slot::Struct(&**object)),
        Plain::Optional(None) | Plain::Object(None) => true,
        Plain::IntOrString(_) | Plain::Quantity(_) | Plain::Optional(_) | Plain::Object(_) => false,
    }
}

fn append(out: &mut Vec<u8>, plain: &Plain) -> std::result::Result<(), EncodeError> {
    match plain {
        Plain::Bool(value) => writer::bool(out, *value),
        Plain::Int32(value) => writer::integer(out, i64::from(*value)),
        Plain::Int64(value) => writer::integer(out, *value),
        // A function that computes infinity has no JSON; the API server would refuse any other number as well.
        Plain::Double(value) => writer::float(out, *value).unwrap_or_else(|_| writer::null(out)),
        Plain::Text(text) => writer::string(out, text),
        Plain::IntOrString(IntOrString::Int(value)) => writer::integer(out, i64::from(*value)),
        Plain::IntOrString(IntOrString::String(text)) => writer::string(out, text),
        Plain::Quantity(quantity) => writer::string(out, &quantity.to_string()),
        Plain::Optional(inner) => match inner {
            Some(inner) => append(out, inner)?,
            None => writer::null(out),
        },
        Plain::Object(_) => writer::null(out),
        Plain::List(list) => {
            out.push(b'[');
            for (index, element) in list.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                append(out, element)?;
            }
            out.push(b']');
        }
        Plain::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                writer::string(out, key);
                out.push(b':');
                append(out, value)?;
            }
            out.push(b'}');
        }
        Plain::Json(json) => out.extend_from_slice(json.as_str().as_bytes()),
        Plain::Struct(object) => out.extend(json::encode(&**object)?),
    }
    Ok(())
}
