//! Objects whose fields are those of the object around them: the model has the fields only.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_documents::{Diagnostic, Source};
use hubgen_model::{Field, RustName, TypeBody, TypeId};

use super::Written;
use crate::naming::field_name;

/// The flattened objects of each type.
pub(super) type Flattened = BTreeMap<TypeId, Vec<Object>>;

/// A flattened object, whose fields are not yet among those of the type around it.
pub(super) struct Object {
    /// Its type.
    pub ty: TypeId,
    /// The field in Rust that contains it.
    pub name: String,
    /// The position of its fields among the others of the type around it.
    pub at: usize,
    /// Where the field is written.
    pub source: Source,
    pub span: Range<usize>,
}

/// Adds the fields of flattened objects to the types around them.
pub(super) fn expand(written: &mut Written, mut flattened: Flattened, errors: &mut Vec<Diagnostic>) {
    while let Some(id) = flattened.keys().next().cloned() {
        expand_in(&id, written, &mut flattened, errors);
    }
}

fn expand_in(id: &TypeId, written: &mut Written, flattened: &mut Flattened, errors: &mut Vec<Diagnostic>) {
    let Some(objects) = flattened.remove(id) else { return };
    // From the last, so that positions stay right.
    for object in objects.into_iter().rev() {
        expand_in(&object.ty, written, flattened, errors);
        let inner = written.api.find(&object.ty).map(|ty| ty.fields().to_vec()).unwrap_or_default();
        let names: Vec<String> = inner.iter().map(|field| field.name.clone()).collect();
        let inner: Vec<Field> = inner.into_iter().map(|field| within(&object, field)).collect();
        let Some(ty) = written
            .api
            .versions
            .get_mut(&id.group_version)
            .and_then(|version| version.types.get_mut(&id.name))
        else {
            continue;
        };
        let TypeBody::Struct(fields) = &mut ty.body;
        for field in &inner {
            let path = format!("{}.{}", id.name, field.name);
            let mut clash = |message: String, help: &str| {
                errors.push(object.source.error(object.span.clone(), path.clone(), message, help));
            };
            let of = &object.ty.name;
            if fields.iter().any(|other| other.name == field.name) {
                let message = format!("the field is also that of `{of}`, which is flattened");
                clash(message, "give one of them another `name`");
            } else if let Some(other) = fields.iter().find(|other| field_name(other) == field_name(field)) {
                let message =
                    format!("in `{of}`, which is flattened, it has the name of `{}` in Rust", other.name);
                clash(
                    message,
                    "give one of them another name in Rust: the hub may have both beside each other",
                );
            }
        }
        fields.splice(object.at..object.at, inner);
        if let Some(standard) = written.standard.get(&object.ty).cloned() {
            written.standard.entry(id.clone()).or_default().extend(standard);
        }
        for words in written.words.values_mut() {
            let contained = words.fields.iter().filter(|(ty, _)| *ty == object.ty);
            let contained: Vec<_> = contained.map(|(_, name)| (id.clone(), name.clone())).collect();
            words.fields.extend(contained);
        }
        if let Some(place) = written.types.get_mut(id) {
            place.fields.extend(names.into_iter().map(|name| (name, object.span.clone())));
        }
    }
}

/// A field as the type around a flattened object has it.
fn within(object: &Object, field: Field) -> Field {
    let around = field.rust_name.around();
    let path = [(object.name.clone(), object.ty.clone())].into_iter().chain(around.iter().cloned()).collect();
    let rust_name = RustName::Within { path, name: field_name(&field) };
    Field { rust_name, ..field }
}
