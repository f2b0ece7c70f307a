//! JSON as a value of serde_json.

use serde_json::Value;

use crate::lexer::{Kind, Lexer, Result};

/// Reads the value at the cursor. Of members with the same name the last is used. Integers that need more than 64
/// bits become floats.
///
/// # Errors
/// When it is not JSON.
pub fn read_value(lexer: &mut Lexer<'_>) -> Result<Value> {
    Ok(match lexer.peek()? {
        Kind::Object => {
            let mut members = serde_json::Map::new();
            let mut more = lexer.enter_object()?;
            while more {
                let name = lexer.key()?.into_owned();
                members.insert(name, read_value(lexer)?);
                more = lexer.next_member()?;
            }
            Value::Object(members)
        }
        Kind::Array => {
            let mut elements = Vec::new();
            let mut more = lexer.enter_array()?;
            while more {
                elements.push(read_value(lexer)?);
                more = lexer.next_element()?;
            }
            Value::Array(elements)
        }
        Kind::String => Value::String(lexer.string()?.into_owned()),
        Kind::Number => {
            let start = lexer.clone();
            let text = lexer.number()?;
            if let Ok(integer) = text.parse::<i64>() {
                Value::from(integer)
            } else if let Ok(integer) = text.parse::<u64>() {
                Value::from(integer)
            } else {
                Value::from(start.clone().f64()?)
            }
        }
        Kind::Bool => Value::Bool(lexer.bool()?),
        Kind::Null => {
            lexer.null()?;
            Value::Null
        }
    })
}
