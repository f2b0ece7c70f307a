//! The public type: a compiled schema.

use std::sync::Arc;

use serde_json::Value;

use crate::circumstances::Circumstances;
use crate::compile::{self, Compiled};
use crate::error::{FieldError, FieldErrors, NO_FIELD};
use crate::findings::{Findings, Limits};
use crate::mistake::{self, Mistake};
use crate::node::Node;
use crate::rule::RULES;
use crate::rules::{self, Evaluation, Stored, Tree};
use crate::unchecked::Unchecked;
use crate::{defaults, embedded, generate, lists, prune, value};

/// What was found in a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// What the API server refuses.
    pub mistakes: Vec<Mistake>,
    /// What has no effect on objects.
    pub unchecked: Vec<Unchecked>,
}

/// Compiles a schema, and checks its rules if the schema is right otherwise.
fn compiled(schema: &Value, path: &str, stored: &Stored<'_>) -> Compiled {
    let mut compiled = compile::compile(schema, path);
    let is_of_rule = |mistake: &Mistake| mistake.error.field.contains(RULES);
    if compiled.mistakes.iter().all(is_of_rule) {
        rules::check(&compiled.root, path, stored, &mut compiled.mistakes);
    }
    compiled
}

/// A structural schema of a CustomResourceDefinition, compiled.
///
/// ```
/// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
/// use hubgen_validation::Schema;
/// use serde_json::json;
///
/// let schema = Schema::compile(&json!({
///     "type": "object",
///     "properties": {
///         "spec": {
///             "type": "object",
///             "required": ["size"],
///             "properties": {
///                 "size": {"type": "integer", "maximum": 5},
///                 "names": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}}
///             }
///         }
///     }
/// }))?;
/// assert!(schema.validate(&json!({"spec": {"size": 3, "names": ["a"]}})).is_ok());
///
/// let errors = schema.validate(&json!({"spec": {"names": ["a", 1]}})).unwrap_err();
/// assert_eq!(errors[0].to_string(), "spec.names[1]: Invalid value: \"integer\": \
///     spec.names[1] in body must be of type string: \"integer\"");
/// assert_eq!(errors[1].to_string(), "spec.size: Required value");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    root: Node,
    rules: Option<Arc<Tree>>,
    unchecked: Vec<Unchecked>,
}

impl Schema {
    /// Compiles the `openAPIV3Schema` of a version of a CustomResourceDefinition.
    ///
    /// # Errors
    /// If the API server would refuse the schema: all errors, with their paths in the schema, and as the API server
    /// writes them.
    ///
    /// ```
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let name = json!({"type": "string", "pattern": "(a"});
    /// let errors = Schema::compile(&json!({"type": "object", "properties": {"name": name, "size": {}}})).unwrap_err();
    /// assert_eq!(errors[0].to_string(), "openAPIV3Schema.properties[name].pattern: Invalid value: \"(a\": must be a \
    ///     valid regular expression, but isn't: error parsing regexp: missing closing ): `(a`");
    /// assert_eq!(errors[1].to_string(), "openAPIV3Schema.properties[size].type: Required value: must not be empty \
    ///     for specified object fields");
    /// ```
    pub fn compile(schema: &Value) -> Result<Self, FieldErrors> {
        Self::compile_at(schema, compile::ROOT)
    }

    /// Compiles a schema that is at `path` in its definition.
    pub(crate) fn compile_at(schema: &Value, path: &str) -> Result<Self, FieldErrors> {
        let Compiled { root, mistakes, unchecked } = compiled(schema, path, &Stored::default());
        mistake::errors(mistakes)?;
        let rules = Tree::of_object(&root, &Stored::default()).map(Arc::new);
        Ok(Self { root, rules, unchecked })
    }

    /// Compiles the schema of a definition that a server has stored: perhaps one that an older server accepted, or a
    /// newer one. Rules may cost more than new ones, and call newer functions; one that does not compile is an error of
    /// each object that it is about.
    ///
    /// # Errors
    /// All other errors, as of [`compile`](Self::compile).
    pub fn compile_stored(schema: &Value) -> Result<Self, FieldErrors> {
        let Compiled { root, mistakes, unchecked } = compile::compile(schema, compile::ROOT);
        mistake::errors(mistakes)?;
        let rules = Tree::of_object(&root, &Stored { all: true, ..Stored::default() }).map(Arc::new);
        Ok(Self { root, rules, unchecked })
    }

    /// Finds what [`compile`](Self::compile) would refuse but for expressions in CEL, which need all that they are about and
    /// which [`check_update`](Self::check_update) checks, with how to correct it, for tools that show people their
    /// mistakes. Paths begin with `path`: where the schema is in its document.
    ///
    /// ```
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let checked = Schema::check(&json!({"type": "object", "nullable": true, "size": 1}), "schema");
    /// assert_eq!(checked.mistakes[0].error.field, "schema.nullable");
    /// assert_eq!(checked.mistakes[0].help, "remove it");
    /// assert_eq!(checked.unchecked[0].to_string(), "schema.size: the keyword has no effect");
    /// ```
    pub fn check(schema: &Value, path: &str) -> Checked {
        let Compiled { mistakes, unchecked, .. } = compile::compile(schema, path);
        Checked { mistakes, unchecked }
    }

    /// The schema without its rules in CEL, for those who need objects that it allows otherwise.
    #[must_use]
    pub fn without_rules(self) -> Self {
        Self { rules: None, ..self }
    }

    /// Checks the schema of a version of a definition as [`check`](Self::check) does, and its expressions in CEL: that they
    /// compile, and what they may cost. `old` are the schemas of all versions that the definition had before, whose
    /// expressions may stay as they are; a new definition has none. A schema that is the same as before may have rules that
    /// cost too much.
    ///
    /// ```
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let rule = json!({"rule": "self.all(x, self.all(y, x == y))"});
    /// let list = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [rule]});
    /// let schema = json!({"type": "object", "properties": {"list": list}});
    /// assert_eq!(Schema::check_update(&schema, "schema", &[], false).mistakes.len(), 3);
    /// // The rule alone costs too much, and all rules together.
    /// assert_eq!(Schema::check_update(&schema, "schema", &[&schema], true).mistakes.len(), 2);
    /// ```
    pub fn check_update(schema: &Value, path: &str, old: &[&Value], is_unchanged: bool) -> Checked {
        let old: Vec<Node> = old.iter().map(|old| compile::compile(old, compile::ROOT).root).collect();
        let stored = Stored { schemas: old.iter().collect(), all: false, is_unchanged };
        let Compiled { mistakes, unchecked, .. } = compiled(schema, path, &stored);
        Checked { mistakes, unchecked }
    }

    /// Validates an object as the API server does before it stores it: by the schema, lists by their type, and embedded
    /// resources. Unknown fields are no errors; [`prune`](Self::prune) finds them.
    ///
    /// Metadata at the root is only validated by what the schema requires of it.
    ///
    /// # Errors
    /// If the object is invalid: all errors.
    pub fn validate(&self, object: &Value) -> Result<(), FieldErrors> {
        self.validate_within(object, Limits::NONE)
    }

    /// Validates an object like [`validate`](Self::validate), and keeps errors only up to a limit.
    ///
    /// # Errors
    /// If the object is invalid.
    pub fn validate_within(&self, object: &Value, limits: Limits) -> Result<(), FieldErrors> {
        self.validate_in(object, None, Circumstances::default(), limits).0
    }

    /// Validates an update of an object as the API server does: like a new object, but a value may keep its errors if
    /// it does not change. So a client can write back what it has read, even if the schema has become stricter.
    ///
    /// A value replaces the one with the same name or, in a list of type `map`, with the same keys. Items of
    /// other lists replace no single item. Repeated items and keys in lists are accepted if the old object
    /// has any, and errors of embedded resources never. Upstream calls this ratcheting.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::{Limits, Schema};
    /// use serde_json::json;
    ///
    /// let number = json!({"type": "integer", "maximum": 5});
    /// let schema = Schema::compile(&json!({"type": "object", "properties": {"a": number, "b": number}}))?;
    /// let old = json!({"a": 9, "b": 1});
    /// assert!(schema.validate_update(&json!({"a": 9, "b": 2}), &old, Limits::NONE).is_ok());
    /// let errors = schema.validate_update(&json!({"a": 8, "b": 2}), &old, Limits::NONE).unwrap_err();
    /// assert_eq!(errors[0].field, "a");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the object is invalid where it differs from the old one.
    pub fn validate_update(&self, object: &Value, old: &Value, limits: Limits) -> Result<(), FieldErrors> {
        self.validate_update_warning(object, old, limits).0
    }

    /// Validates an update like [`validate_update`](Self::validate_update), and returns the warnings that the API server
    /// sends: errors of rules about values that did not change.
    ///
    /// # Errors
    /// If the object is invalid where it differs from the old one.
    pub fn validate_update_warning(
        &self,
        object: &Value,
        old: &Value,
        limits: Limits,
    ) -> (Result<(), FieldErrors>, Vec<String>) {
        self.validate_in(object, Some(old), Circumstances::default(), limits)
    }

    /// Validates a new object, or an update of an `old` one, in [circumstances](Circumstances) that a server knows of. Returns the
    /// warnings of [`validate_update_warning`](Self::validate_update_warning), too.
    ///
    /// # Errors
    /// If the object is invalid where it differs from the old one.
    pub fn validate_in(
        &self,
        object: &Value,
        old: Option<&Value>,
        circumstances: Circumstances,
        limits: Limits,
    ) -> (Result<(), FieldErrors>, Vec<String>) {
        let Circumstances { is_status, is_of_other_kind, blocks_rules } = circumstances;
        let mut found = Findings::new(limits);
        if !is_of_other_kind {
            self.validate_values(object, old, is_status, &mut found);
        }
        if !is_status {
            embedded::validate(&self.root, object, "", &mut found);
        }
        self.validate_lists(object, old, &mut found);
        if blocks_rules {
            found.block();
        }
        let warnings = self.evaluate_rules(object, old, &mut found);
        (found.into_result(), warnings)
    }

    /// Adds the errors of values, of the status alone or of the whole object.
    fn validate_values(&self, object: &Value, old: Option<&Value>, is_status: bool, found: &mut Findings) {
        if !is_status {
            return value::validate(&self.root, object, old, "", found);
        }
        if let (Some(node), Some(status)) = (self.root.properties.get("status"), object.get("status")) {
            let old = old.and_then(|old| old.get("status"));
            value::validate(node, status, old, "status", found);
        }
    }

    /// Adds the errors of lists of type `set` and `map`, unless the old object has such errors, too.
    fn validate_lists(&self, object: &Value, old: Option<&Value>, found: &mut Findings) {
        let mut before = Findings::new(Limits { errors: 0, bytes: 0 });
        if let Some(old) = old {
            lists::validate(&self.root, old, &mut before);
        }
        if before.is_empty() {
            lists::validate(&self.root, object, found);
        }
    }

    /// Evaluates the rules, unless there are errors because of which the API server does not.
    fn evaluate_rules(&self, object: &Value, old: Option<&Value>, found: &mut Findings) -> Vec<String> {
        let Some(tree) = &self.rules else { return Vec::new() };
        if found.block_rules() {
            let why = "some validation rules were not checked because the object was invalid; correct the existing \
                       errors to complete validation";
            found.add(FieldError::invalid(NO_FIELD, &Value::Null, why));
            return Vec::new();
        }
        let evaluation = Evaluation {
            tree,
            node: &self.root,
            path: "",
            is_update: old.is_some(),
            budget: rules::PER_OBJECT,
            limit: rules::PER_CALL,
        };
        evaluation.run(object, old, found).warnings
    }

    /// Validates only the status of an object, as the API server does with an update of the subresource `status`.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::{Limits, Schema};
    /// use serde_json::json;
    ///
    /// let phase = json!({"type": "string", "enum": ["Ready"]});
    /// let status = json!({"type": "object", "properties": {"phase": phase}});
    /// let schema = Schema::compile(&json!({"type": "object", "required": ["spec"], "properties": {"status": status}}))?;
    /// let object = json!({"status": {"phase": "Bad"}});
    /// let errors = schema.validate_status(&object, Limits::NONE).unwrap_err();
    /// assert_eq!(errors.len(), 1);
    /// assert_eq!(errors[0].field, "status.phase");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the status is invalid.
    pub fn validate_status(&self, object: &Value, limits: Limits) -> Result<(), FieldErrors> {
        self.validate_status_of(object, None, limits).0
    }

    /// Validates only the status of an object, like [`validate_status`](Self::validate_status), but a value may keep
    /// its errors if it does not change, as in [`validate_update`](Self::validate_update).
    ///
    /// # Errors
    /// If the status is invalid where it differs from the old one.
    pub fn validate_status_update(
        &self,
        object: &Value,
        old: &Value,
        limits: Limits,
    ) -> Result<(), FieldErrors> {
        self.validate_status_of(object, Some(old), limits).0
    }

    /// Validates only the status of an object like [`validate_status_update`](Self::validate_status_update), and returns
    /// the warnings that the API server sends, as [`validate_update_warning`](Self::validate_update_warning) does.
    ///
    /// # Errors
    /// If the status is invalid where it differs from the old one.
    pub fn validate_status_update_warning(
        &self,
        object: &Value,
        old: &Value,
        limits: Limits,
    ) -> (Result<(), FieldErrors>, Vec<String>) {
        self.validate_status_of(object, Some(old), limits)
    }

    fn validate_status_of(
        &self,
        object: &Value,
        old: Option<&Value>,
        limits: Limits,
    ) -> (Result<(), FieldErrors>, Vec<String>) {
        let circumstances = Circumstances { is_status: true, ..Circumstances::default() };
        self.validate_in(object, old, circumstances, limits)
    }

    /// Drops fields that the schema does not know, in metadata too, and returns their paths.
    ///
    /// The API server does the same with every object that it receives. For `fieldValidation=Warn`, its default, it
    /// sends a warning for each path, `unknown field "spec.colour"`; for `Strict` it refuses the object.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "properties": {"spec": {
    ///     "type": "object", "properties": {"color": {"type": "string"}}
    /// }}}))?;
    /// let mut object = json!({"kind": "Paint", "spec": {"colour": "red"}});
    /// assert_eq!(schema.prune(&mut object), ["spec.colour"]);
    /// assert_eq!(object, json!({"kind": "Paint", "spec": {}}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune::object(&self.root, object)
    }

    /// Drops members that are null where the schema does not allow null and has no default.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "properties": {
    ///     "a": {"type": "string"}, "b": {"type": "string", "nullable": true}
    /// }}))?;
    /// let mut object = json!({"a": null, "b": null});
    /// schema.drop_nulls(&mut object);
    /// assert_eq!(object, json!({"b": null}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn drop_nulls(&self, object: &mut Value) {
        defaults::drop_nulls(object, &self.root);
    }

    /// Sets the defaults of members that are absent, or null where the schema does not allow it.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "properties": {
    ///     "size": {"type": "integer", "default": 1}
    /// }}))?;
    /// let mut object = json!({"size": null});
    /// schema.set_defaults(&mut object);
    /// assert_eq!(object, json!({"size": 1}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_defaults(&self, object: &mut Value) {
        defaults::set(object, &self.root);
    }

    /// Does with an object what the API server does with one that it receives, in this order: drops
    /// [unknown fields](Self::prune) and [nulls](Self::drop_nulls), [sets defaults](Self::set_defaults), and
    /// [validates](Self::validate). Returns the paths of unknown fields.
    ///
    /// # Errors
    /// If the object is invalid then.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "required": ["size"], "properties": {
    ///     "size": {"type": "integer", "default": 1}
    /// }}))?;
    /// let mut object = json!({"colour": "red"});
    /// assert_eq!(schema.admit(&mut object)?, ["colour"]);
    /// assert_eq!(object, json!({"size": 1}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn admit(&self, object: &mut Value) -> Result<Vec<String>, FieldErrors> {
        let unknown = self.prune(object);
        self.drop_nulls(object);
        self.set_defaults(object);
        self.validate(object)?;
        Ok(unknown)
    }

    /// Generates an object that the schema allows, for tests: without `apiVersion`, `kind` and `metadata`. It has
    /// members that may be absent or not, `null` where that is allowed, `[]`, `{}`, `""` and zero, and texts that match
    /// patterns and formats. Rules in CEL may refuse it, because they are not evaluated.
    ///
    /// All choices come from `bytes`. No bytes give a small object, usually only with what is required, and the same
    /// bytes the same object: a tool that shrinks the bytes shrinks the object. A few hundred random bytes give an
    /// object with many members. `words` are names of fields with texts that are often tried for them.
    ///
    /// Returns `None` if no attempt gives a valid object. That is so if there is none, and may be so if alternatives
    /// (`anyOf`, `not` and so on) allow very few.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "required": ["name"], "properties": {
    ///     "name": {"type": "string", "pattern": "^[a-z]+-[0-9]{2}$"},
    ///     "size": {"type": "integer", "minimum": 3, "maximum": 5},
    /// }}))?;
    /// assert_eq!(schema.generate(&[], &[]), Some(json!({"name": "a-00"})));
    /// let object = schema.generate(&[7, 1, 3, 201, 5, 1, 9, 44], &[]).unwrap();
    /// assert!(schema.validate(&object).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate(&self, bytes: &[u8], words: &[(&str, &str)]) -> Option<Value> {
        generate::object(&self.root, bytes, words)
    }

    /// What [`validate`](Self::validate) does not check, because the API server ignores it, too.
    ///
    /// ```
    /// # fn main() -> Result<(), hubgen_validation::FieldErrors> {
    /// use hubgen_validation::Schema;
    /// use serde_json::json;
    ///
    /// let schema = Schema::compile(&json!({"type": "object", "properties": {"size": {
    ///     "type": "integer", "format": "port"
    /// }}}))?;
    /// let unchecked: Vec<String> = schema.unchecked().iter().map(ToString::to_string).collect();
    /// assert_eq!(unchecked, [
    ///     "openAPIV3Schema.properties[size].format: the format `port` has no effect",
    /// ]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unchecked(&self) -> &[Unchecked] {
        &self.unchecked
    }
}
