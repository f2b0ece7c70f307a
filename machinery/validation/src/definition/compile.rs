//! Compiles the schemas of all versions of a CustomResourceDefinition.

use serde_json::Value;

use super::{Extent, read};
use crate::error::FieldErrors;
use crate::schema::Schema;

/// The schema of a kind at one version.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KindSchema {
    /// The group: `cert-manager.io`.
    pub group: String,
    /// The version: `v1`.
    pub version: String,
    /// The kind: `Certificate`.
    pub kind: String,
    /// The schema of its objects at this version.
    pub schema: Schema,
}

impl Schema {
    /// Compiles the schemas of all versions of a CustomResourceDefinition of `apiextensions.k8s.io/v1`, in their order,
    /// those that are not served included. Nothing else of the definition is checked.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let spec = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    /// let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    /// let kinds = Schema::compile_crd(&json!({
    ///     "apiVersion": "apiextensions.k8s.io/v1",
    ///     "kind": "CustomResourceDefinition",
    ///     "metadata": {"name": "widgets.example.com"},
    ///     "spec": {
    ///         "group": "example.com",
    ///         "names": {"kind": "Widget", "plural": "widgets"},
    ///         "scope": "Cluster",
    ///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}]
    ///     }
    /// }))?;
    /// let [widget] = &kinds[..] else { panic!("one version") };
    /// assert_eq!((&*widget.group, &*widget.version, &*widget.kind), ("example.com", "v1", "Widget"));
    /// assert!(widget.schema.validate(&json!({"spec": {"size": "huge"}})).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// All errors in all schemas, with their paths in the definition: `spec.versions[0].schema.openAPIV3Schema.type`.
    /// Names that are missing are errors, too.
    pub fn compile_crd(definition: &Value) -> Result<Vec<KindSchema>, FieldErrors> {
        let read = read(definition, Extent::Schemas);
        let mut errors: Vec<_> = read.mistakes.into_iter().map(|mistake| mistake.error).collect();
        let mut out = Vec::new();
        for version in read.definition.versions {
            let Some(schema) = version.schema else { continue };
            match Self::compile_at(schema, &version.schema_path) {
                Ok(schema) => out.push(KindSchema {
                    group: read.definition.group.clone(),
                    version: version.name,
                    kind: read.definition.kind.clone(),
                    schema,
                }),
                Err(of_version) => errors.extend(of_version),
            }
        }
        if errors.is_empty() { Ok(out) } else { Err(FieldErrors { errors, more: 0 }) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_errors_have_their_paths_in_the_definition() {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1beta1",
            "spec": {"group": "", "names": {"kind": "Widget"}, "versions": [
                {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"a": {}}}}},
                {"schema": {"openAPIV3Schema": {"type": "object"}}},
                {"name": "v3"},
            ]},
        });
        let errors = Schema::compile_crd(&definition).unwrap_err();
        assert_eq!(
            errors.to_string(),
            "apiVersion: Unsupported value: \"apiextensions.k8s.io/v1beta1\": supported values: \
             \"apiextensions.k8s.io/v1\"\n\
             spec.group: Required value\n\
             spec.versions[1].name: Required value\n\
             spec.versions[2].schema.openAPIV3Schema: Required value: schemas are required\n\
             spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for \
             specified object fields"
        );
        let errors = Schema::compile_crd(&json!({"apiVersion": "apiextensions.k8s.io/v1"})).unwrap_err();
        assert_eq!(
            errors.to_string(),
            "spec.group: Required value\nspec.names.kind: Required value\n\
             spec.versions: Required value: must have at least one version"
        );
    }
}
