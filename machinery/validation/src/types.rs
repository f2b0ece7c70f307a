//! Validates objects of types with `#[derive(ApiType)]`, by the schemas that follow from the types.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use hubgen_machinery::reflect::{ApiType, Descriptor, Lent};
use hubgen_machinery::{defaults, json, structural};

use crate::error::{FieldError, FieldErrors};
use crate::schema::Schema;

/// The schema of a type: that of its descriptor, as `crd()` of a kind contains it. It is compiled when it is asked for
/// the first time.
///
/// ```
/// use hubgen_machinery::ApiType;
/// use serde_json::json;
///
/// #[derive(ApiType)]
/// struct Widget {
///     #[field(default = "1")]
///     size: Option<i32>,
/// }
///
/// let mut received = json!({"color": "red"});
/// let unknown = hubgen_validation::schema_of::<Widget>().admit(&mut received).unwrap();
/// assert_eq!(unknown, ["color"]);
/// assert_eq!(received, json!({"size": 1}));
/// ```
///
/// # Panics
/// If the API server would refuse the schema of the type: a default is invalid, for example. The message has the type
/// and all errors. Call it in a test.
#[must_use]
pub fn schema_of<T: ApiType>() -> Arc<Schema> {
    static SCHEMAS: LazyLock<RwLock<HashMap<TypeId, Arc<Schema>>>> = LazyLock::new(RwLock::default);
    let key = TypeId::of::<T>();
    // Entries are whole even if a schema panicked.
    if let Some(schema) = SCHEMAS.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(schema);
    }
    let schema = Arc::new(compile(T::describe()));
    Arc::clone(SCHEMAS.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(schema))
}

fn compile(descriptor: &'static Descriptor) -> Schema {
    let name = &*descriptor.name;
    defaults::check(descriptor).unwrap_or_else(|error| panic!("{error}"));
    Schema::compile(&structural::schema(descriptor))
        .unwrap_or_else(|errors| panic!("the schema of {name} is invalid:\n{errors}"))
}

/// Validates an object by the [schema of its type](schema_of), as the API server validates what a client writes.
///
/// Set defaults before, as the API server does: `hubgen_machinery::defaults::set`. Names, labels and the rest of the
/// metadata are not part of the schema, and rules in CEL are not evaluated.
///
/// ```
/// use hubgen_machinery::{ApiType, Str};
///
/// #[derive(ApiType)]
/// struct Widget {
///     #[field(list = map("name"))]
///     parts: Vec<Part>,
///     #[field(one_of("small", "large"))]
///     size: Str,
/// }
///
/// #[derive(ApiType)]
/// struct Part {
///     #[field(required)]
///     name: Str,
/// }
///
/// let part = || Part { name: "a".into() };
/// let widget = Widget { size: "huge".into(), parts: vec![part(), part()] };
/// let errors = hubgen_validation::validate(&widget).unwrap_err();
/// let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
/// assert_eq!(errors, [
///     r#"size: Unsupported value: "huge": supported values: "small", "large""#,
///     r#"parts[1]: Duplicate value: {"name":"a"}"#,
/// ]);
/// ```
///
/// # Errors
/// If the object is invalid: all errors, with the words of the API server. If it contains what is not JSON, such as an
/// infinite number, this is the only error.
///
/// # Panics
/// As [`schema_of`].
pub fn validate<T: ApiType>(object: &T) -> Result<(), FieldErrors> {
    let schema = schema_of::<T>();
    let json = json::encode(Lent::new(object)).map_err(|error| {
        let error = FieldError::invalid_shown(error.path(), "<no JSON>", error.message());
        FieldErrors { errors: vec![error], more: 0 }
    })?;
    let value = serde_json::from_slice(&json).expect("an encoded object is JSON");
    schema.validate(&value)
}
