//! Facts that the derive cannot check, because it sees neither other types nor regular expressions.

use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{IntOrString, Quantity};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::ObjectMeta;

type Name = Str;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Worker", namespaced, storage)]
#[object(keywords = r#"{"pattern": "a", "colour": 1}"#)]
pub struct Worker {
    pub metadata: ObjectMeta,
    pub spec: Option<WorkerSpec>,
}

#[derive(ApiType)]
pub struct WorkerSpec {
    #[field(pattern = "(")]
    pub pattern: Str,
    #[field(pattern = r"^(?=a)")]
    pub ahead: Option<Name>,
    #[field(minimum = 1)]
    pub alias: Name,
    #[field(min_length = 1)]
    pub size: Size,
    #[field(items(minimum = 1))]
    pub object: Size,
    #[field(values(minimum = 1))]
    pub same: Size,
    #[field(items(pattern = "["))]
    pub items: Vec<Str>,
    #[field(values(items(pattern = "[")))]
    pub values: StrMap<Vec<Name>>,
    #[field(max_items = 1)]
    pub port: IntOrString,
    #[field(min_length = 1)]
    pub color: Color,
    #[field(maximum = 2)]
    pub color_of_number: Color,
    #[field(keywords = r#"{"enum": ["a"]}"#)]
    pub words: Str,
    #[field(keywords = r#"{"description": "a"}"#)]
    pub described: Str,
    #[field(keywords = r#"{"maxLength": 1}"#)]
    pub length: Str,
    #[field(keywords = r#"{"x-kubernetes-validations": []}"#)]
    pub rules: Str,
    #[field(keywords = r#"{"uniqueItems": true}"#)]
    pub unique: Vec<Str>,
    #[field(keywords = r#"{"items": {}}"#)]
    pub inner: Vec<Str>,
    #[field(keywords = r#"{"type": "string"}"#)]
    pub ty: Raw,
    #[field(schema = r#"{"type": "text"}"#)]
    pub schema: Raw,
    #[field(keywords = r#"{"nullable": "yes"}"#)]
    pub quantity: Option<Quantity>,
}

#[derive(ApiType)]
pub struct Size {
    pub width: i32,
}

#[derive(ApiType)]
pub enum Color {
    Red,
    Blue,
}
