//! Checks for errors that span several documents or concern Rust only: names that are not valid in
//! Rust, duplicate protobuf numbers and kinds, infinite types. The checks run before any code is
//! emitted, so that all errors are reported with their position in the schemas, and none by the
//! compiler.

mod callees;
mod collisions;
mod crates;
pub(crate) mod facts;
mod kinds;
mod mapped;
mod one_of;
mod texts;
mod words;

pub use self::callees::callees;
pub use self::crates::{families, groups_with_one_name};
pub use self::facts::has_infinite_types;
pub use self::mapped::defaults;
pub use self::one_of::one_of;
pub use self::texts::Texts;
pub use self::words::words;

use hubgen_documents::schema::Fault;
use hubgen_model::{Api, GroupVersion, TypeId};

use crate::target::Target;

/// The errors found so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    /// Reports an error in a document as a whole.
    fn document(&mut self, group_version: &GroupVersion, message: String, help: &str) {
        self.0.push(Fault::in_version(group_version, message, help));
    }

    /// Reports an error in a type.
    fn ty(&mut self, id: &TypeId, message: String, help: &str) {
        self.0.push(Fault::in_type(id, &[], message, help));
    }

    /// Reports an error below some keys of a type.
    fn below(&mut self, id: &TypeId, keys: &[&str], message: String, help: &str) {
        self.0.push(Fault::in_type(id, keys, message, help));
    }

    /// Reports an error in a property.
    fn field(&mut self, id: &TypeId, field: &str, message: String, help: &str) {
        self.0.push(Fault::in_field(id, field, message, help));
    }

    /// Each error once, although both directions of a conversion have it.
    fn once(mut self) -> Vec<Fault> {
        self.0.sort_by(|a, b| (&a.group_version, &a.keys).cmp(&(&b.group_version, &b.keys)));
        self.0.dedup_by(|a, b| (&a.group_version, &a.keys) == (&b.group_version, &b.keys));
        self.0
    }

    /// Finds the errors that concern Rust and definitions.
    fn of_facts_and_kinds(&mut self, api: &Api, is_whole: bool) {
        facts::check(api, self);
        kinds::check(api, is_whole, self);
    }
}

/// All errors in the API that prevent valid Rust code. If `is_whole` is false, the API lacks the documents that could
/// not be read.
pub fn check(api: &Api, target: &Target, is_whole: bool) -> Vec<Fault> {
    let mut faults = Faults::default();
    crates::check(api, target, &mut faults);
    collisions::check(api, &mut faults);
    faults.of_facts_and_kinds(api, is_whole);
    faults.0
}

/// The errors among those of [`check`] that concern definitions. They have no names in Rust.
pub fn definitions(api: &Api, _: &Target, is_whole: bool) -> Vec<Fault> {
    let mut faults = Faults::default();
    faults.of_facts_and_kinds(api, is_whole);
    faults.0
}
