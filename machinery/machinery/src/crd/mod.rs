//! CustomResourceDefinitions as values, to install the kinds of an API or to validate by their schemas.
//!
//! A [`Crd`] is a whole definition of `apiextensions.k8s.io/v1`, with all versions of its kind, as JSON. It depends on
//! no crate with types for definitions; [`Crd::to`] makes it a value of such a type.
//!
//! A kind with one version needs nothing but its derive: with `storage` in `#[kind(…)]` it implements [`HasCrd`], and
//! its definition is made of its attributes and fields when [`HasCrd::crd`] is called. It is the definition that
//! `hubgen crds` writes for the same source.
//!
//! ```
//! use hubgen_machinery::crd::HasCrd;
//! use hubgen_machinery::{ApiType, StrMap};
//! # #[derive(ApiType)]
//! # struct ObjectMeta {}
//!
//! #[derive(ApiType)]
//! #[kind(group = "example.com", version = "v1", kind = "Widget", namespaced, storage, short("wi"))]
//! #[kind(column("Size" => ".spec.size"))]
//! struct Widget {
//!     metadata: ObjectMeta, // of `hubgen_meta::v1`
//!     #[field(required)]
//!     spec: WidgetSpec,
//! }
//!
//! #[derive(ApiType)]
//! struct WidgetSpec {
//!     #[field(required)]
//!     size: i32,
//!     labels: StrMap<String>,
//! }
//!
//! let crd = Widget::crd();
//! assert_eq!(crd.name(), "widgets.example.com");
//! let version = &crd.value()["spec"]["versions"][0];
//! assert_eq!(version["additionalPrinterColumns"][0]["type"], "integer");
//! assert_eq!(version["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"][0], "size");
//! ```
//!
//! As soon as there is code of `hubgen generate`, every version of a kind returns the definition with all of them:
//! `v1::Certificate::crd()` and `v1alpha2::Certificate::crd()` are the same definition, which `hubgen crds` writes as
//! YAML. The generator also writes a function `crds()`, beside `scheme()`, that returns the definitions of the whole
//! API.

mod derived;

use std::borrow::Cow;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

#[doc(hidden)]
pub use self::derived::{Choice, Column, OneVersion, Scale, Specified};
use crate::reflect::Kind;
use crate::yaml;

/// A kind with a CustomResourceDefinition.
///
/// Every version of the kind implements it, and all return the same definition. The module describes which kinds
/// implement it without generated code.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no CustomResourceDefinition",
    note = "add `storage` to the `#[kind(…)]` of a kind with one version; run `hubgen generate` for one with several"
)]
pub trait HasCrd: Kind {
    /// The definition, with all versions of the kind.
    ///
    /// # Panics
    /// If it is made of the attributes of one version, and the type of a column does not follow from its path, or a
    /// default does not fit its field.
    fn crd() -> Crd;
}

/// A kind whose generated definition replaces the one that the derive makes of one version: for generated code.
#[doc(hidden)]
pub trait GeneratedCrd: Kind {
    /// The definition, with all versions of the kind.
    fn generated_crd() -> Crd;
}

/// A CustomResourceDefinition of `apiextensions.k8s.io/v1`.
///
/// ```
/// use hubgen_machinery::crd::Crd;
/// use serde_json::json;
///
/// let crd = Crd::new(&json!({
///     "apiVersion": "apiextensions.k8s.io/v1",
///     "kind": "CustomResourceDefinition",
///     "metadata": {"name": "widgets.example.com"},
///     "spec": {
///         "group": "example.com",
///         "names": {"kind": "Widget", "plural": "widgets"},
///         "scope": "Cluster",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]
///     }
/// }))
/// .unwrap();
/// assert_eq!(crd.name(), "widgets.example.com");
/// assert_eq!(crd.value()["spec"]["scope"], "Cluster");
/// assert!(crd.yaml().starts_with("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Crd {
    name: Cow<'static, str>,
    json: Cow<'static, str>,
}

impl Crd {
    /// A definition in JSON, whose `metadata.name` is `name`: for generated code.
    #[doc(hidden)]
    pub const fn generated(name: &'static str, json: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), json: Cow::Borrowed(json) }
    }

    /// A definition that was made at run time.
    ///
    /// # Errors
    /// If the value is no CustomResourceDefinition of `apiextensions.k8s.io/v1`, or if its `metadata.name` is not
    /// `<plural>.<group>`. Nothing else is checked; `hubgen_validation` checks its schemas.
    pub fn new(definition: &Value) -> Result<Self, NotACrd> {
        let text = |path: &'static str| {
            let found = path.split('.').try_fold(definition, |value, name| value.get(name));
            found.and_then(Value::as_str).unwrap_or_default()
        };
        let check = |path, expected: &str| match text(path) {
            found if found == expected => Ok(()),
            found => Err(NotACrd { path, expected: expected.to_owned(), found: found.to_owned() }),
        };
        check("apiVersion", "apiextensions.k8s.io/v1")?;
        check("kind", "CustomResourceDefinition")?;
        let name = format!("{}.{}", text("spec.names.plural"), text("spec.group"));
        check("metadata.name", &name)?;
        Ok(Self { name: name.into(), json: definition.to_string().into() })
    }

    /// Its `metadata.name`: `certificates.cert-manager.io`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The definition in JSON.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The definition in YAML, in the layout of `kubectl get -o yaml`.
    pub fn yaml(&self) -> String {
        yaml::from_value(&self.value())
    }

    /// The definition as a tree.
    pub fn value(&self) -> Value {
        self.to().expect("a definition is JSON")
    }

    /// The definition as a value of another type: `hubgen_apiextensions::v1::CustomResourceDefinition`, or the type of
    /// the same name in `k8s-openapi`.
    ///
    /// # Errors
    /// If the definition does not fit the type. It fits those above.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.json)
    }
}

impl fmt::Debug for Crd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Crd").field(&self.name).finish()
    }
}

/// Why a value is no CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a CustomResourceDefinition of apiextensions.k8s.io/v1: `{path}` must be \"{expected}\", not \"{found}\""
)]
pub struct NotACrd {
    path: &'static str,
    expected: String,
    found: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_definition_is_refused() {
        let whole = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.com"},
            "spec": {"group": "example.com", "names": {"plural": "widgets"}},
        });
        assert_eq!(Crd::new(&whole).unwrap().value(), whole);
        let message = |pointer: &str, value: Value| {
            let mut wrong = whole.clone();
            *wrong.pointer_mut(pointer).unwrap() = value;
            Crd::new(&wrong).unwrap_err().to_string()
        };
        let prefix = "not a CustomResourceDefinition of apiextensions.k8s.io/v1: ";
        assert_eq!(
            message("/apiVersion", json!("apiextensions.k8s.io/v1beta1")),
            format!(
                "{prefix}`apiVersion` must be \"apiextensions.k8s.io/v1\", not \"apiextensions.k8s.io/v1beta1\""
            )
        );
        assert_eq!(
            message("/kind", json!(null)),
            format!("{prefix}`kind` must be \"CustomResourceDefinition\", not \"\"")
        );
        assert_eq!(
            message("/spec/names/plural", json!("gadgets")),
            format!("{prefix}`metadata.name` must be \"gadgets.example.com\", not \"widgets.example.com\"")
        );
    }
}
