//! The functions that rules and defaults can name are those that run: the data in the model and the code agree.

use std::collections::BTreeMap;

use hubgen_machinery::convert::PlainType;
use hubgen_machinery::{convert, defaults};
use hubgen_model::functions::{OF_DEFAULTS, OF_RULES};

/// What a rule has to know of a function.
#[derive(Debug, PartialEq)]
struct Signature {
    version: Vec<String>,
    hub: Vec<String>,
    to_hub_takes: Vec<String>,
    from_hub_takes: Vec<String>,
    is_exact: bool,
}

#[test]
fn functions_of_rules_are_those_of_the_model() {
    let texts = |types: &[PlainType]| types.iter().map(PlainType::to_string).collect();
    let code: BTreeMap<&str, Signature> = convert::functions::ALL
        .iter()
        .map(|function| {
            let signature = Signature {
                version: texts(function.version),
                hub: texts(function.hub),
                to_hub_takes: texts(function.to_hub_takes),
                from_hub_takes: texts(function.from_hub_takes),
                is_exact: function.exact,
            };
            (function.name, signature)
        })
        .collect();
    let data: BTreeMap<&str, Signature> = OF_RULES
        .iter()
        .map(|function| {
            let [version, hub] = [function.version, function.hub]
                .map(|side| side.iter().map(ToString::to_string).collect::<Vec<_>>());
            let signature = Signature {
                to_hub_takes: version.clone(),
                from_hub_takes: hub.clone(),
                version,
                hub,
                is_exact: function.is_exact,
            };
            (function.name, signature)
        })
        .collect();
    assert!(!code.is_empty());
    assert_eq!(data, code);
}

#[test]
fn functions_of_defaults_are_those_of_the_model() {
    let code: Vec<&str> = defaults::functions::ALL.iter().map(|entry| entry.name).collect();
    let data: Vec<&str> = OF_DEFAULTS.iter().map(|function| function.name).collect();
    assert!(!code.is_empty());
    assert_eq!(data, code);
}
