//! Converts the objects of CustomResourceDefinitions by rules that come with them.
//!
//! A definition brings its rules in an [annotation](hubgen_definitions::RULES): the text of the kind's file of rules, as it is
//! in a repository. [`DefinitionRules`] is what a server asks for each definition; it plans the rules and interprets them
//! ([`hubgen_interpret`]). Objects convert as JSON that is not decoded, so that partial objects stay partial, and what a
//! version cannot represent is stashed in an annotation of the object.
//!
//! ```
//! use hubgen_definitions::{Conversions, RULES};
//! use hubgen_rules::DefinitionRules;
//! use serde_json::json;
//!
//! let version = |name: &str, field: &str, is_stored: bool| {
//!     let spec = json!({"type": "object", "properties": {field: {"type": "string"}}});
//!     let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
//!     json!({"name": name, "served": true, "storage": is_stored, "schema": schema})
//! };
//! let rules = "
//! hub = 'example.com/v1'
//!
//! ['example.com/v1beta1']
//! move = [['spec.note', 'spec.remark']]
//! ";
//! let mut definition = json!({
//!     "metadata": {"name": "widgets.example.com", "annotations": {RULES: rules}},
//!     "spec": {
//!         "group": "example.com",
//!         "names": {"kind": "Widget", "plural": "widgets"},
//!         "scope": "Namespaced",
//!         "versions": [version("v1", "remark", true), version("v1beta1", "note", false)],
//!     },
//! });
//! let conversions = DefinitionRules::default();
//! let converter = conversions.converter(&definition).unwrap().unwrap();
//! let widget = json!({"apiVersion": "example.com/v1beta1", "kind": "Widget", "metadata": {}, "spec": {"note": "a"}});
//! assert_eq!(converter.convert(widget, "example.com/v1").unwrap()["spec"], json!({"remark": "a"}));
//!
//! definition["metadata"]["annotations"][RULES] = rules.replace("spec.note", "spec.nota").into();
//! let mistakes = conversions.converter(&definition).err().unwrap();
//! assert_eq!(mistakes[0].field, "metadata.annotations[conversion.hubgen.dev/rules]");
//! assert!(mistakes.iter().any(|mistake| mistake.message.contains("line 5, column 9: ")), "{mistakes:?}");
//! ```
//!
//! # The text
//!
//! It is the file `rules/GROUP.KIND.toml` of a repository, whose format is in
//! [schemas/kubernetes/rules/README.md](https://docs.rs/hubgen-schemas). After a line `#: shared.toml`, the text goes on with the
//! tables of `rules/shared.toml` that the kind uses. After a line `#: types.toml`, it goes on with names of types that tables of rules
//! are for: a table for each version, with paths of fields and the names of the types there. `hubgen crds --with-rules` writes
//! all of it.

mod conversions;
mod parts;
mod read;
mod renamed;
mod types;
mod written;

pub use hubgen_definitions::RULES;

pub use self::conversions::DefinitionRules;
pub use self::read::{converter, interpreted, own_functions};
pub use self::written::text;
