//! Reads descriptor sets: exact types and protobuf numbers of all messages.

use std::collections::BTreeMap;

use hubgen_model::{TypeExpr, TypeId};
use indexmap::IndexMap;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

use super::name::{self, Named};
use super::{FieldFacts, TypeFacts};

pub(super) fn read(bytes: &[u8]) -> Result<IndexMap<TypeId, TypeFacts>, String> {
    let set =
        FileDescriptorSet::decode(bytes).map_err(|error| format!("is not a descriptor set: {error}"))?;
    let mut messages = BTreeMap::new();
    for file in &set.file {
        for message in &file.message_type {
            messages.insert(format!("{}.{}", file.package(), message.name()), message);
        }
    }
    let mut types = IndexMap::new();
    for (full, message) in &messages {
        let id = match name::kubernetes(full) {
            Some(Named::Type(id)) => id,
            Some(_) => continue,
            None => match name::by_domain(full) {
                Some(id) => id,
                None => continue,
            },
        };
        if is_strings(message) {
            continue;
        }
        let mut facts = TypeFacts::default();
        for field in &message.field {
            let ty = field_type(field, message, &messages)
                .ok_or_else(|| format!("{full}.{}: a type that is not used in APIs", field.name()))?;
            let number = u32::try_from(field.number()).map_err(|_| format!("{full}: a negative number"))?;
            let field_facts = FieldFacts { ty: Some(ty), number: vec![number], ..FieldFacts::default() };
            facts.fields.insert(field.name().to_owned(), field_facts);
        }
        types.insert(id, facts);
    }
    Ok(types)
}

/// Whether the message is one of upstream's named list types: `message ExtraValue { repeated string
/// items = 1; }`.
fn is_strings(message: &DescriptorProto) -> bool {
    matches!(message.field.as_slice(), [only]
        if only.name() == "items" && only.r#type() == Type::String && only.label() == Label::Repeated)
}

fn field_type(
    field: &FieldDescriptorProto,
    message: &DescriptorProto,
    messages: &BTreeMap<String, &DescriptorProto>,
) -> Option<TypeExpr> {
    let one = match field.r#type() {
        Type::Bool => TypeExpr::Bool,
        Type::Int32 | Type::Uint32 => TypeExpr::Int32,
        Type::Int64 | Type::Uint64 => TypeExpr::Int64,
        Type::Double | Type::Float => TypeExpr::Double,
        Type::String => TypeExpr::String,
        Type::Bytes => TypeExpr::Bytes,
        Type::Message => {
            let full = field.type_name().trim_start_matches('.');
            let entry = message.nested_type.iter().find(|nested| {
                nested.options.as_ref().is_some_and(|options| options.map_entry())
                    && full.strip_suffix(nested.name()).is_some_and(|outer| outer.ends_with('.'))
            });
            if let Some(entry) = entry {
                let value = entry.field.iter().find(|field| field.number() == 2)?;
                return Some(TypeExpr::Map(Box::new(field_type(value, entry, messages)?)));
            }
            match name::kubernetes(full) {
                Some(Named::Scalar(expr)) => expr,
                _ if messages.get(full).is_some_and(|message| is_strings(message)) => TypeExpr::Strings,
                Some(Named::Type(id)) => TypeExpr::Ref(id),
                Some(Named::Foreign) => return None,
                None => TypeExpr::Ref(name::by_domain(full)?),
            }
        }
        _ => return None,
    };
    Some(if field.label() == Label::Repeated { TypeExpr::List(Box::new(one)) } else { one })
}
