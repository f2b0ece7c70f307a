//! Cells of admission policies and their bindings.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

/// The kind of a policy's parameters.
pub fn param_kind(kind: Value<'_>, _: Time) -> Cell {
    Cell::Text(match kind.is_present() {
        true => format!("{}/{}", kind.get("apiVersion").text(), kind.get("kind").text()),
        false => "<unset>".to_owned(),
    })
}

/// The parameters of a binding. Without a namespace, they may be in any.
pub fn param_ref(reference: Value<'_>, _: Time) -> Cell {
    let (name, namespace) = (reference.get("name").text(), reference.get("namespace").text());
    let selector = reference.get("selector");
    Cell::Text(match (name, namespace) {
        ("", _) if selector.is_present() => selector_as_go_prints_it(selector),
        ("", _) => "<unset>".to_owned(),
        (name, "") => format!("*/{name}"),
        (name, namespace) => format!("{namespace}/{name}"),
    })
}

/// A selector in the form in which Go prints the type that upstream has for it.
fn selector_as_go_prints_it(selector: Value<'_>) -> String {
    let labels: String = selector
        .get("matchLabels")
        .entries()
        .into_iter()
        .map(|(key, value)| format!("{key}: {},", value.text()))
        .collect();
    let expression = |expression: Value<'_>| {
        let values: Vec<&str> = expression.get("values").items().map(Value::text).collect();
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            expression.get("key").text(),
            expression.get("operator").text(),
            values.join(" ")
        )
    };
    let expressions: String = selector.get("matchExpressions").items().map(expression).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}
