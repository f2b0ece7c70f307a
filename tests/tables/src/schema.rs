//! Random types of a hub.

use hubgen_model::{Field, GroupVersion, ListType, Omit, Presence, Type, TypeBody, TypeExpr, TypeId};

use crate::choices::Choices;

/// The group of all random kinds.
pub const GROUP: &str = "example.com";
/// The kind.
pub const KIND: &str = "Thing";

pub fn group_version(version: &str) -> GroupVersion {
    GroupVersion::new(GROUP, version)
}

/// A type with a name and these fields.
pub fn object(version: &str, name: &str, fields: Vec<Field>) -> Type {
    Type {
        id: TypeId::at(group_version(version), name),
        body: TypeBody::Struct(fields),
        kind: None,
        since: None,
        until: None,
        description: None,
        refuses_unknown: false,
        facts: None,
    }
}

/// The types below a kind: the first is that of `spec`, and each refers to later ones only.
pub fn types(choices: &mut Choices<'_>, version: &str) -> Vec<Type> {
    let count = 1 + choices.below(4);
    let name = |at: usize| if at == 0 { "Spec".to_owned() } else { format!("T{at}") };
    let mut out = Vec::new();
    for at in 0..count {
        let mut fields = Vec::new();
        for (letter, _) in ('a'..='z').zip(0..1 + choices.below(4)) {
            let ty = scalar(choices);
            fields.push(field(choices, &format!("{letter}{at}"), ty));
        }
        // Every type but the last refers to the next one, and sometimes to another one.
        for next in at + 1..count {
            if next == at + 1 || choices.once_in(4) {
                let ty = TypeExpr::Ref(TypeId::at(group_version(version), name(next)));
                let ty = match choices.below(6) {
                    0..3 => ty,
                    3 | 4 => TypeExpr::List(Box::new(ty)),
                    _ => TypeExpr::Map(Box::new(ty)),
                };
                fields.push(field(choices, &format!("o{at}{next}"), ty));
            }
        }
        out.push(object(version, &name(at), fields));
    }
    out
}

/// A type without objects.
pub fn scalar(choices: &mut Choices<'_>) -> TypeExpr {
    match choices.below(12) {
        0..4 => TypeExpr::String,
        4 | 5 => TypeExpr::Int32,
        6 => TypeExpr::Bool,
        7 => TypeExpr::Int64,
        8 => TypeExpr::IntOrString,
        9 => TypeExpr::List(Box::new(TypeExpr::String)),
        10 => TypeExpr::Map(Box::new(TypeExpr::String)),
        _ => TypeExpr::Quantity,
    }
}

/// A field as imports of definitions make it, of any presence.
pub fn field(choices: &mut Choices<'_>, name: &str, ty: TypeExpr) -> Field {
    let mut field = Field::new(name, ty);
    set_presence(choices, &mut field);
    if matches!(&field.ty, TypeExpr::List(inner) if **inner == TypeExpr::String) && choices.once_in(3) {
        field.list_type = Some(ListType::Set);
    }
    field
}

/// Makes a field optional, nullable, required, or the same where it is empty and where it is absent.
pub fn set_presence(choices: &mut Choices<'_>, field: &mut Field) {
    let has_empty = matches!(field.ty, TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::String);
    (field.presence, field.omit, field.required) = match choices.below(8) {
        // `null` is the only absent value that a required field has.
        7 => (Presence::Pointer, Omit::Exact, true),
        4 => (Presence::Value, Omit::Exact, true),
        5 => (Presence::Nullable, Omit::Empty, false),
        6 if has_empty => (Presence::Value, Omit::Empty, false),
        _ => (Presence::Pointer, Omit::Empty, false),
    };
}
