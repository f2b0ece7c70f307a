//! Schemas below `allOf`, `anyOf`, `oneOf` and `not`, which may restrict values and not describe their structure.

use crate::compile::keywords::FLAGS;
use crate::compile::nested::{STRUCTURE, nested_metadata, not_structural};
use crate::definition::checks::props::{Additional, Props};
use crate::error::FieldError;
use crate::pattern::Pattern;
use crate::rule::RULES;

pub(super) struct Nested<'f> {
    pub(super) found: &'f mut Vec<FieldError>,
}

impl Nested<'_> {
    /// Checks the alternatives of a schema, and its pattern. `skips` is whether `anyOf` is that of a number or a text,
    /// `skips_first` whether that of the first schema of `allOf` is.
    pub(super) fn alternatives(&mut self, schema: Props<'_>, path: &str, skips: bool, skips_first: bool) {
        if !skips {
            for (at, nested) in schema.schemas("anyOf") {
                self.check(nested, &format!("{path}.anyOf[{at}]"), false);
            }
        }
        for (at, nested) in schema.schemas("allOf") {
            self.check(nested, &format!("{path}.allOf[{at}]"), skips_first && at == 0);
        }
        for (at, nested) in schema.schemas("oneOf") {
            self.check(nested, &format!("{path}.oneOf[{at}]"), false);
        }
        if let Some(not) = schema.not() {
            self.check(not, &format!("{path}.not"), false);
        }
        let pattern = schema.text("pattern");
        if !pattern.is_empty()
            && let Err(error) = Pattern::new(pattern)
        {
            let why = format!("must be a valid regular expression, but isn't: {error}");
            self.found.push(FieldError::invalid_text(format!("{path}.pattern"), pattern, &why));
        }
    }

    fn check(&mut self, schema: Props<'_>, path: &str, skips: bool) {
        self.alternatives(schema, path, skips, false);
        if let Some(item) = schema.item() {
            self.check(item, &format!("{path}.items"), false);
        }
        for (name, property) in schema.members("properties") {
            self.check(property, &format!("{path}.properties[{name}]"), false);
        }
        match schema.additional() {
            Additional::Absent | Additional::Flag(false) => {}
            Additional::Flag(true) | Additional::Schema(_) => {
                self.forbid(path, "additionalProperties", "undefined")
            }
        }
        for (keyword, required) in STRUCTURE {
            let is_set = match keyword {
                "default" | "x-kubernetes-list-type" | "x-kubernetes-map-type" => schema.has(keyword),
                "nullable" => schema.is(keyword),
                keyword if [FLAGS.preserves, FLAGS.embedded, FLAGS.int_or_string].contains(&keyword) => {
                    schema.is(keyword)
                }
                "x-kubernetes-list-map-keys" => !schema.list(keyword).is_empty(),
                _ => !schema.text(keyword).is_empty(),
            };
            if is_set {
                self.forbid(path, keyword, required);
            }
        }
        if !schema.list(RULES).is_empty() {
            self.forbid(path, RULES, "empty");
        }
        if schema.property("metadata").is_some() {
            self.found.push(nested_metadata(&format!("{path}.properties[metadata]")));
        }
    }

    fn forbid(&mut self, path: &str, keyword: &str, required: &str) {
        self.found.push(not_structural(path, keyword, required));
    }
}
