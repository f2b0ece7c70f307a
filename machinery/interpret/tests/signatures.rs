//! The functions that rules and defaults can name are those that run: the data in the model and the code agree.

use std::collections::BTreeMap;

use hubgen_kubernetes_functions::{cells, conversions, defaults};
use hubgen_machinery::convert::{self, PlainType};

use hubgen_model::functions::{OF_CELLS, OF_DEFAULTS, OF_RULES};

/// What a rule has to know of a function.
#[derive(Debug, PartialEq)]
struct Signature {
    version: Vec<String>,
    hub: Vec<String>,
    to_hub_takes: Vec<String>,
    from_hub_takes: Vec<String>,
    is_of_kubernetes: bool,
}

#[test]
fn functions_of_rules_are_those_of_the_model() {
    let texts = |types: &[PlainType]| types.iter().map(PlainType::to_string).collect();
    let general = convert::functions::ALL.iter().map(|function| (function, false));
    let kubernetes = conversions::ALL.iter().map(|function| (function, true));
    let code: BTreeMap<&str, Signature> = general
        .chain(kubernetes)
        .map(|(function, is_of_kubernetes)| {
            let signature = Signature {
                version: texts(function.version),
                hub: texts(function.hub),
                to_hub_takes: texts(function.to_hub_takes),
                from_hub_takes: texts(function.from_hub_takes),
                is_of_kubernetes,
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
                is_of_kubernetes: function.is_of_kubernetes,
            };
            (function.name, signature)
        })
        .collect();
    assert!(!code.is_empty());
    assert_eq!(data, code);
}

#[test]
fn functions_of_defaults_are_those_of_the_model() {
    let code: Vec<&str> = defaults::ALL.iter().map(|entry| entry.name).collect();
    let data: Vec<&str> = OF_DEFAULTS.iter().map(|function| function.name).collect();
    assert!(!code.is_empty());
    assert_eq!(data, code);
}

#[test]
fn functions_of_columns_are_those_of_the_model() {
    let code: Vec<&str> = cells::ALL.iter().map(|entry| entry.name).collect();
    assert!(!code.is_empty());
    assert_eq!(code, OF_CELLS);
}
