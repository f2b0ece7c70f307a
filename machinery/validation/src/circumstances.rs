//! What is validated of an object, and after what.

/// What a server knows of an object before it validates it by its schema. Without any of it, a whole object is validated.
///
/// ```
/// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
/// use hubgen_validation::{Circumstances, Limits, Schema};
/// use serde_json::json;
///
/// let size = json!({"type": "integer", "maximum": 5, "x-kubernetes-validations": [{"rule": "self > 0"}]});
/// let schema = Schema::compile(&json!({"type": "object", "properties": {"size": size}}))?;
/// let (object, blocked) = (json!({"size": 0}), Circumstances { blocks_rules: true, ..Circumstances::default() });
/// let errors = schema.validate_in(&object, None, blocked, Limits::NONE).0.unwrap_err();
/// assert!(errors[0].message.contains("some validation rules were not checked"));
/// let (object, other) = (json!({"size": 6}), Circumstances { is_of_other_kind: true, ..Circumstances::default() });
/// assert!(schema.validate_in(&object, None, other, Limits::NONE).0.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Only the status is validated, as in an update of the subresource `status`.
    pub is_status: bool,
    /// The object names another kind, so that its values are not validated by the schema: only lists by their type, embedded
    /// resources and rules.
    pub is_of_other_kind: bool,
    /// Something else is wrong with the object, because of which no rules are evaluated.
    pub blocks_rules: bool,
}
