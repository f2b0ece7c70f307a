//! A kind of your own: the derive gives it JSON, protobuf, deep copy and reflection.
//!
//! A number on every field makes a type a protobuf message too. A number that is used twice, is
//! missing or is reserved does not compile.

use std::error::Error;

use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::{ApiType, json, protobuf, yaml};

/// A kind: it is written with `apiVersion` and `kind`.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
struct Widget {
    #[field(number = 1, required)]
    size: i32,
    /// A pointer: 0 and absent are different values.
    #[field(number = 2)]
    spares: Option<i32>,
    #[field(number = 3, list = map("name"))]
    parts: Vec<Part>,
}

#[derive(ApiType)]
struct Part {
    #[field(number = 1, required)]
    name: String,
    #[field(number = 2)]
    weight: Option<Quantity>,
}

const WIDGET: &str = "
size: 3
spares: 0
parts:
- name: wheel
  weight: 1500m
";

fn main() -> Result<(), Box<dyn Error>> {
    let widget: Widget = json::decode(&yaml::to_json(WIDGET)?)?;
    println!("{}", String::from_utf8(json::encode(&widget)?)?);

    let message = protobuf::encode(&widget);
    println!("{} bytes in protobuf: {message:02x?}", message.len());
    assert_eq!(protobuf::decode::<Widget>(&message)?, widget);

    // Errors name the place and what was expected.
    let error = json::decode::<Widget>(br#"{"parts": [{"name": 7}]}"#).unwrap_err();
    println!("{error}");
    Ok(())
}
