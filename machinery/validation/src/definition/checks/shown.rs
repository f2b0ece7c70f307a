//! Writes parts of definitions as the API server's messages show them: as JSON of its internal types, which have the names
//! of Go and all of their fields.

use serde_json::Value;

use super::form::{Shared, Version};
use super::props::Props;
use crate::compile::keywords::FLAGS;
use crate::compile::lists::{KEYS, LIST_TYPE, MAP_TYPE};
use crate::rule::RULES;
use crate::text;

/// What a field of a schema contains, which tells how its zero value is written.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Flag,
    /// A value that may be absent: then it is `null`.
    Optional,
    Schema,
    Schemas,
    Map,
    Items,
    OrFlag,
    Dependencies,
    Docs,
    Rules,
}

/// The fields of a schema in the order of the internal type, each with its name there and in JSON.
const FIELDS: [(&str, &str, Kind); 44] = [
    ("ID", "id", Kind::Text),
    ("Schema", "$schema", Kind::Text),
    ("Ref", "$ref", Kind::Optional),
    ("Description", "description", Kind::Text),
    ("Type", "type", Kind::Text),
    ("Nullable", "nullable", Kind::Flag),
    ("Format", "format", Kind::Text),
    ("Title", "title", Kind::Text),
    ("Default", "default", Kind::Optional),
    ("Maximum", "maximum", Kind::Optional),
    ("ExclusiveMaximum", "exclusiveMaximum", Kind::Flag),
    ("Minimum", "minimum", Kind::Optional),
    ("ExclusiveMinimum", "exclusiveMinimum", Kind::Flag),
    ("MaxLength", "maxLength", Kind::Optional),
    ("MinLength", "minLength", Kind::Optional),
    ("Pattern", "pattern", Kind::Text),
    ("MaxItems", "maxItems", Kind::Optional),
    ("MinItems", "minItems", Kind::Optional),
    ("UniqueItems", "uniqueItems", Kind::Flag),
    ("MultipleOf", "multipleOf", Kind::Optional),
    ("Enum", "enum", Kind::Optional),
    ("MaxProperties", "maxProperties", Kind::Optional),
    ("MinProperties", "minProperties", Kind::Optional),
    ("Required", "required", Kind::Optional),
    ("Items", "items", Kind::Items),
    ("AllOf", "allOf", Kind::Schemas),
    ("OneOf", "oneOf", Kind::Schemas),
    ("AnyOf", "anyOf", Kind::Schemas),
    ("Not", "not", Kind::Schema),
    ("Properties", "properties", Kind::Map),
    ("AdditionalProperties", "additionalProperties", Kind::OrFlag),
    ("PatternProperties", "patternProperties", Kind::Map),
    ("Dependencies", "dependencies", Kind::Dependencies),
    ("AdditionalItems", "additionalItems", Kind::OrFlag),
    ("Definitions", "definitions", Kind::Map),
    ("ExternalDocs", "externalDocs", Kind::Docs),
    ("Example", "example", Kind::Optional),
    ("XPreserveUnknownFields", FLAGS.preserves, Kind::Optional),
    ("XEmbeddedResource", FLAGS.embedded, Kind::Flag),
    ("XIntOrString", FLAGS.int_or_string, Kind::Flag),
    ("XListMapKeys", KEYS, Kind::Optional),
    ("XListType", LIST_TYPE, Kind::Optional),
    ("XMapType", MAP_TYPE, Kind::Optional),
    ("XValidations", RULES, Kind::Rules),
];

/// The most bytes that are written of a value. The API server has no such limit.
const MOST: usize = 64 << 10;

/// Text that grows up to a limit.
#[derive(Default)]
struct Text(String);

impl Text {
    fn push(&mut self, text: &str) {
        if self.0.len() < MOST {
            self.0.push_str(text);
        }
    }

    fn finish(mut self) -> String {
        if self.0.len() >= MOST {
            self.0.truncate(self.0.floor_char_boundary(MOST));
            self.0.push('…');
        }
        self.0
    }

    /// Writes an object, with its members in their order.
    fn object<'n>(
        &mut self,
        members: impl IntoIterator<Item = &'n str>,
        mut value: impl FnMut(&mut Self, &'n str),
    ) {
        self.between('{', members, '}', |out, name| {
            out.push(&text::json(&name.into()));
            out.push(":");
            value(out, name);
        });
    }

    fn between<T>(
        &mut self,
        open: char,
        all: impl IntoIterator<Item = T>,
        close: char,
        mut one: impl FnMut(&mut Self, T),
    ) {
        self.push(open.encode_utf8(&mut [0; 4]));
        for (at, item) in all.into_iter().enumerate() {
            if self.0.len() >= MOST {
                return;
            }
            if at > 0 {
                self.push(",");
            }
            one(self, item);
        }
        self.push(close.encode_utf8(&mut [0; 4]));
    }

    fn value(&mut self, value: Option<&Value>) {
        self.push(&value.map_or_else(|| "null".to_owned(), text::json));
    }

    fn text(&mut self, props: Props<'_>, key: &str) {
        self.push(&text::json(&props.text(key).into()));
    }

    fn schema(&mut self, schema: Option<Props<'_>>) {
        let Some(schema) = schema else { return self.push("null") };
        self.object(FIELDS.iter().map(|(name, ..)| *name), |out, name| {
            let field = FIELDS.iter().find(|field| field.0 == name);
            if let Some((_, key, kind)) = field {
                out.field(schema, key, *kind);
            }
        });
    }

    fn schemas(&mut self, all: &[Value]) {
        if all.is_empty() {
            return self.push("null");
        }
        self.between('[', all, ']', |out, one| out.schema(Some(Props(one))));
    }

    fn field(&mut self, schema: Props<'_>, key: &str, kind: Kind) {
        let value = schema.get(key);
        match kind {
            Kind::Text => self.text(schema, key),
            Kind::Flag => self.value(Some(&schema.is(key).into())),
            Kind::Optional => self.value(value.filter(|value| *value != &Value::Array(Vec::new()))),
            Kind::Schema => self.schema(value.map(Props)),
            Kind::Schemas => self.schemas(schema.list(key)),
            Kind::Map | Kind::Dependencies if !schema.has_members(key) => self.push("null"),
            Kind::Map => {
                let mut members: Vec<_> = schema.members(key).collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                let names: Vec<_> = members.iter().map(|(name, _)| *name).collect();
                let mut members = members.into_iter();
                self.object(names, |out, _| out.schema(members.next().map(|(_, schema)| schema)));
            }
            Kind::Items => match value {
                None => self.push("null"),
                Some(Value::Array(all)) => self.items(None, all),
                Some(one) => self.items(Some(Props(one)), &[]),
            },
            Kind::OrFlag => match value {
                None => self.push("null"),
                Some(Value::Bool(flag)) => self.push(&format!("{{\"Allows\":{flag},\"Schema\":null}}")),
                Some(schema) => {
                    self.push("{\"Allows\":true,\"Schema\":");
                    self.schema(Some(Props(schema)));
                    self.push("}");
                }
            },
            Kind::Dependencies => {
                let mut names: Vec<_> = schema.members(key).collect();
                names.sort_unstable_by_key(|(name, _)| *name);
                let mut values = names.clone().into_iter();
                self.object(names.iter().map(|(name, _)| *name), |out, _| {
                    let value = values.next().map(|(_, value)| value);
                    let texts = value.filter(|value| value.0.is_array());
                    out.push("{\"Schema\":");
                    out.schema(value.filter(|value| !value.0.is_array()));
                    out.push(",\"Property\":");
                    out.value(texts.map(|texts| texts.0));
                    out.push("}");
                });
            }
            Kind::Docs => match value.map(Props) {
                None => self.push("null"),
                Some(docs) => {
                    self.object(["Description", "URL"], |out, name| out.text(docs, &name.to_lowercase()))
                }
            },
            Kind::Rules => {
                if schema.list(key).is_empty() {
                    return self.push("null");
                }
                self.between('[', schema.list(key), ']', |out, rule| out.rule(Props(rule)));
            }
        }
    }

    fn items(&mut self, one: Option<Props<'_>>, all: &[Value]) {
        self.push("{\"Schema\":");
        self.schema(one);
        self.push(",\"JSONSchemas\":");
        self.schemas(all);
        self.push("}");
    }

    fn rule(&mut self, rule: Props<'_>) {
        let names = ["Rule", "Message", "MessageExpression", "Reason", "FieldPath", "OptionalOldSelf"];
        self.object(names, |out, name| {
            let key = format!("{}{}", name[..1].to_lowercase(), &name[1..]);
            match name {
                "Reason" | "OptionalOldSelf" => out.value(rule.get(&key)),
                _ => out.text(rule, &key),
            }
        });
    }

    fn version(&mut self, version: &Version<'_>) {
        let Version { json, shared } = version;
        let Shared { schema, subresources, columns, selectable } = shared;
        let json = Props(json);
        let names = [
            "Name",
            "Served",
            "Storage",
            "Deprecated",
            "DeprecationWarning",
            "Schema",
            "Subresources",
            "AdditionalPrinterColumns",
            "SelectableFields",
        ];
        self.object(names, |out, name| match name {
            "Name" => out.text(json, "name"),
            "DeprecationWarning" => out.value(json.get("deprecationWarning")),
            "Schema" => match schema {
                None => out.push("null"),
                Some(schema) => {
                    out.push("{\"OpenAPIV3Schema\":");
                    out.schema(Props(schema).get("openAPIV3Schema").map(Props));
                    out.push("}");
                }
            },
            "Subresources" => out.subresources(subresources.map(Props)),
            "AdditionalPrinterColumns" => out.list(columns, Self::column),
            "SelectableFields" => {
                out.list(selectable, |out, field| {
                    out.object(["JSONPath"], |out, _| out.text(field, "jsonPath"))
                });
            }
            name => out.value(Some(&json.is(&name.to_lowercase()).into())),
        });
    }

    fn list(&mut self, all: &[Value], one: impl Fn(&mut Self, Props<'_>)) {
        if all.is_empty() {
            return self.push("null");
        }
        self.between('[', all, ']', |out, item| one(out, Props(item)));
    }

    fn column(&mut self, column: Props<'_>) {
        self.object(
            ["Name", "Type", "Format", "Description", "Priority", "JSONPath"],
            |out, name| match name {
                "Priority" => out.value(Some(column.get("priority").unwrap_or(&0.into()))),
                "JSONPath" => out.text(column, "jsonPath"),
                name => out.text(column, &name.to_lowercase()),
            },
        );
    }

    fn subresources(&mut self, subresources: Option<Props<'_>>) {
        let Some(subresources) = subresources else { return self.push("null") };
        self.object(["Status", "Scale"], |out, name| match (name, subresources.get(&name.to_lowercase())) {
            (_, None) => out.push("null"),
            ("Status", _) => out.push("{}"),
            (_, Some(scale)) => {
                let scale = Props(scale);
                out.object(["SpecReplicasPath", "StatusReplicasPath", "LabelSelectorPath"], |out, name| {
                    match name {
                        "SpecReplicasPath" => out.text(scale, "specReplicasPath"),
                        "StatusReplicasPath" => out.text(scale, "statusReplicasPath"),
                        _ => out.value(scale.get("labelSelectorPath")),
                    }
                });
            }
        });
    }
}

/// A schema.
pub(super) fn schema(schema: Props<'_>) -> String {
    let mut out = Text::default();
    out.schema(Some(schema));
    out.finish()
}

/// `items` with a schema for each position.
pub(super) fn items(all: &[Value]) -> String {
    let mut out = Text::default();
    out.items(None, all);
    out.finish()
}

/// The versions of a definition.
pub(super) fn versions(all: &[Version<'_>]) -> String {
    if all.is_empty() {
        // A list that is absent and one that is empty differ only here, and the former is what clients send.
        return "null".to_owned();
    }
    let mut out = Text::default();
    out.between('[', all, ']', Text::version);
    out.finish()
}

/// The fields of a schema that are not zero, in the order of the internal type, with their names there and in JSON.
pub(super) fn members(schema: Props<'_>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_set = move |key: &str| match schema.get(key) {
        None => false,
        // A flag that may be absent is there, whatever its value is.
        Some(Value::Bool(false)) => {
            [FLAGS.preserves, "additionalProperties", "additionalItems"].contains(&key)
        }
        Some(Value::String(text)) => !text.is_empty() || matches!(key, "$ref" | LIST_TYPE | MAP_TYPE),
        Some(Value::Array(items)) => !items.is_empty() || key == "items",
        Some(_) => true,
    };
    FIELDS.into_iter().filter(move |(_, key, _)| is_set(key)).map(|(name, key, _)| (name, key))
}
