//! Checks that generated code can name the functions of a user's own code.

use hubgen_model::rules::{Function, Problem, Rule, Rules};

use crate::target::{Form, Target};

/// Rules that name functions of the user's crate, if the generated code is not in this crate.
pub fn callees(rules: &[Rules], target: &Target) -> Vec<Problem> {
    if matches!(target.form, Form::Modules { .. }) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (index, rules) in rules.iter().enumerate() {
        for (version, own) in &rules.versions {
            for rule in own.rules.iter().chain(own.types.values().flat_map(|(_, rules)| rules)) {
                if let Rule::Function { function: Function::Own { module, .. }, .. } = &rule.value
                    && module.split("::").next() == Some("crate")
                {
                    out.push(Problem {
                        place: rule.place(index),
                        path: version.to_string(),
                        message: format!("`{module}` is in another crate than the generated code"),
                        help: "generate modules of your crate, or name functions of a crate that generated crates can depend on"
                            .to_owned(),
                    });
                }
            }
        }
    }
    out
}
