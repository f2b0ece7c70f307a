//! Defaults that descriptors contain, for types without generated tables.

use std::fmt;

use super::is_unset;
use crate::json;
use crate::reflect::{Descriptor, Field, Reflect, SlotMut, StructType, Type};

/// Sets each absent field that has a default in its attribute, `#[field(default = "7")]`: in the object, and in all
/// objects in it that are present, items of lists and values of maps included. A default may contain objects, whose
/// fields get their defaults, too.
///
/// This is what the API server does with objects of a kind by the schema of its definition, except inside of types that
/// contain themselves, where schemas end. A field that is no `Option` is absent if it is zero, as it is in JSON. A
/// second call changes nothing.
///
/// Types with tables of `hubgen generate` have these defaults there, too: their Scheme sets them.
///
/// # Panics
/// If a default does not fit its field. [`check`] finds it without an object.
///
/// ```
/// use hubgen_machinery::{ApiType, defaults};
///
/// #[derive(ApiType)]
/// struct Backup {
///     #[field(default = "7")]
///     keep: Option<i32>,
///     targets: Vec<Target>,
///     retry: Option<Retry>,
/// }
///
/// #[derive(ApiType)]
/// struct Target {
///     #[field(default = "\"local\"")]
///     region: String,
/// }
///
/// #[derive(ApiType)]
/// struct Retry {
///     #[field(default = "3")]
///     limit: Option<i32>,
/// }
///
/// let mut backup = Backup { keep: Some(0), targets: vec![Target::default()], retry: None };
/// defaults::set(&mut backup);
/// assert_eq!(backup.keep, Some(0), "a value stays");
/// assert_eq!(backup.targets[0].region, "local");
/// assert_eq!(backup.retry, None, "no object is created for the defaults in it");
/// ```
pub fn set(object: &mut dyn Reflect) {
    let described = object.descriptor().share();
    for (index, field) in described.fields.iter().enumerate() {
        if let Some(default) = field.facts.default()
            && is_unset(object, &[index])
            && let Err(error) = json::decode_slot(default.as_bytes(), &field.ty, object.write(index))
        {
            panic!("{}", WrongDefault::new(&described, field, &error));
        }
        if field.ty.descriptor().is_some() {
            set_in(object.write(index));
        }
    }
}

fn set_in(slot: SlotMut<'_>) {
    match slot {
        SlotMut::Optional(value) if value.is_present() => set_in(value.insert()),
        SlotMut::Member(value, index) if value.active() == index => set_in(value.activate(index)),
        SlotMut::Struct(value) => set(value),
        SlotMut::List(list) => (0..list.len()).for_each(|index| set_in(list.get_mut(index))),
        SlotMut::Map(map) => map.visit_mut(&mut |_, value| set_in(value)),
        _ => {}
    }
}

/// Checks that all defaults of a type and of the types of its fields fit their fields, for tests.
///
/// The derive checks most of it at compile time, but not what is inside of lists, maps and objects, nor the syntax of
/// times, quantities and the like.
///
/// ```
/// use hubgen_machinery::reflect::ApiType as _;
/// use hubgen_machinery::scalar::Duration;
/// use hubgen_machinery::{ApiType, defaults};
///
/// #[derive(ApiType)]
/// struct Job {
///     #[field(default = "\"soon\"")]
///     after: Option<Duration>,
/// }
///
/// let error = defaults::check(Job::describe()).unwrap_err();
/// assert_eq!(error.to_string().lines().next().unwrap(), "Job.after: the default \"soon\" does not fit the field");
/// ```
///
/// # Errors
/// The first default that does not fit.
pub fn check(descriptor: &'static Descriptor) -> Result<(), WrongDefault> {
    check_all(descriptor, &mut Vec::new())
}

fn check_all(descriptor: &'static Descriptor, seen: &mut Vec<*const Descriptor>) -> Result<(), WrongDefault> {
    if seen.contains(&std::ptr::from_ref(descriptor)) {
        return Ok(());
    }
    seen.push(descriptor);
    for (index, field) in descriptor.fields.iter().enumerate() {
        if let Some(default) = field.facts.default() {
            let mut object = descriptor.new_object();
            json::decode_slot(default.as_bytes(), &field.ty, object.write(index))
                .map_err(|error| WrongDefault::new(descriptor, field, &error))?;
        }
        if let Some(below) = compiled(&field.ty) {
            check_all(below, seen)?;
        }
    }
    Ok(())
}

/// The compiled struct in a type, if any.
fn compiled(ty: &Type) -> Option<&'static Descriptor> {
    match ty {
        Type::Struct(StructType::Compiled(describe)) => Some(describe()),
        Type::List(node) | Type::Map(node) => compiled(&node.ty),
        _ => None,
    }
}

/// A default that does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDefault {
    field: String,
    default: String,
    reason: String,
}

impl WrongDefault {
    #[cold]
    fn new(descriptor: &Descriptor, field: &Field, error: &json::Error) -> Self {
        Self {
            field: format!("{}.{}", &*descriptor.name, field.name),
            default: field.facts.default().unwrap_or_default().to_owned(),
            reason: error.to_string(),
        }
    }
}

impl fmt::Display for WrongDefault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, default, reason } = self;
        write!(f, "{field}: the default {default} does not fit the field\n  {reason}")
    }
}

impl std::error::Error for WrongDefault {}
