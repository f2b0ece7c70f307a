//! What the API server warns of in a definition that it accepts.

use std::collections::BTreeSet;

use super::form::Form;
use super::props::Props;
use crate::compile::lists::LIST_TYPE;
use crate::format::Format;
use crate::text::quoted;

/// What is to be warned of, each once: formats that are not checked, and sets of what is not scalar.
pub(super) fn of(form: &Form<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let mut sets = BTreeSet::new();
    for schema in form.schemas() {
        visit(schema, &mut |schema| {
            let format = schema.text("format");
            let warning = format!("unrecognized format {}", quoted(format));
            if !format.is_empty() && !is_known(format, schema.ty()) && !out.contains(&warning) {
                out.push(warning);
            }
            let items = schema.item().filter(|_| schema.word(LIST_TYPE) == Some("set")).map_or("", Props::ty);
            if matches!(items, "object" | "array") {
                sets.insert(format!(
                    "x-kubernetes-list-type: set for items of type \"{items}\" is not supported by server-side apply or CEL \
                     validation rules"
                ));
            }
        });
    }
    out.extend(sets);
    out
}

fn is_known(format: &str, ty: &str) -> bool {
    match ty {
        "" | "string" => Format::named(format).is_some(),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Visits a schema, and all below.
fn visit<'a>(schema: Props<'a>, each: &mut dyn FnMut(Props<'a>)) {
    let each = std::cell::RefCell::new(each);
    schema.any(&|schema| {
        (each.borrow_mut())(schema);
        false
    });
}
