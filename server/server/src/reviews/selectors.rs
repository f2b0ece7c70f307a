//! The selectors of what a review asks for. No decision depends on them yet, but wrong ones are told.

use hubgen_authorization::v1::ResourceAttributes;
use hubgen_machinery::Str;

use crate::selector;
use crate::validation::Violation;

const PATH: &str = "spec.resourceAttributes";

/// What is wrong with the selectors.
pub(super) fn violations(attributes: &ResourceAttributes) -> Vec<Violation> {
    let mut violations = Vec::new();
    if let Some(selector) = &attributes.field_selector {
        let rows = selector.requirements.iter().map(|row| (&row.key, &row.operator, row.values.as_slice()));
        check("fieldSelector", &selector.raw_selector, rows.collect(), &mut violations);
    }
    if let Some(selector) = &attributes.label_selector {
        let rows = selector.requirements.iter().map(|row| (&row.key, &row.operator, row.values.as_slice()));
        check("labelSelector", &selector.raw_selector, rows.collect(), &mut violations);
    }
    violations
}

/// The key, the operator and the values of a requirement.
type Row<'a> = (&'a Str, &'a Str, &'a [Str]);

fn check(name: &str, raw: &str, rows: Vec<Row<'_>>, violations: &mut Vec<Violation>) {
    let path = format!("{PATH}.{name}");
    match (raw.is_empty(), rows.is_empty()) {
        (true, true) => {
            let why = format!("when {path} is specified, requirements or rawSelector is required");
            violations.push(Violation::required(format!("{path}.requirements"), &why));
        }
        (false, false) => {
            let why = "may not specified at the same time as requirements";
            violations.push(Violation::invalid(format!("{path}.rawSelector"), raw, why));
        }
        _ => {}
    }
    for (index, (key, operator, values)) in rows.into_iter().enumerate() {
        let at = |field: &str| format!("{path}.requirements[{index}].{field}");
        if key.is_empty() {
            violations.push(Violation::required(at("key"), "must be specified"));
        }
        match (&**operator, values.is_empty()) {
            ("In" | "NotIn", true) => {
                let why = "must be specified when `operator` is 'In' or 'NotIn'";
                violations.push(Violation::required(at("values"), why));
            }
            ("Exists" | "DoesNotExist", false) => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                violations.push(Violation::forbidden(at("values"), why));
            }
            _ => {}
        }
    }
}

/// What the answer tells of a selector that cannot be parsed. A decision without it is about more objects.
pub(super) fn ignored(attributes: &ResourceAttributes) -> Option<String> {
    let selector = attributes.label_selector.as_ref()?;
    let is_wrong = !selector.raw_selector.is_empty() && !selector::parses_labels(&selector.raw_selector);
    is_wrong.then(|| format!("{PATH}.labelSelector ignored due to parse error"))
}
