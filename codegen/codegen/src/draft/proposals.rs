//! Operators that the names and types of fields suggest. A person decides: each is a comment with its reason.

use hubgen_model::{Api, Field, GroupVersion, Multiple, NumberText, Presence, TimeUnit, TypeExpr};
use hubgen_plan::{Difference, What};

use super::moves::letters;
use super::{field, quoted};

/// What the end of a name says about the number in the field.
const COUNTED: [(&str, NumberText); 14] = [
    ("Milliseconds", NumberText::Duration(TimeUnit::Millisecond)),
    ("Millis", NumberText::Duration(TimeUnit::Millisecond)),
    ("Seconds", NumberText::Duration(TimeUnit::Second)),
    ("Secs", NumberText::Duration(TimeUnit::Second)),
    ("Minutes", NumberText::Duration(TimeUnit::Minute)),
    ("Hours", NumberText::Duration(TimeUnit::Hour)),
    ("Percentage", NumberText::Percent),
    ("Percent", NumberText::Percent),
    ("KiB", NumberText::Quantity(Multiple::Kibi)),
    ("Ki", NumberText::Quantity(Multiple::Kibi)),
    ("MiB", NumberText::Quantity(Multiple::Mebi)),
    ("Mi", NumberText::Quantity(Multiple::Mebi)),
    ("GiB", NumberText::Quantity(Multiple::Gibi)),
    ("Gi", NumberText::Quantity(Multiple::Gibi)),
];

/// Names of fields that often contain the key of an item, likely ones first.
const KEYS: [&str; 3] = ["name", "key", "id"];

/// The operators that the differences of some versions from the hub suggest: version, and comment.
pub(super) fn proposals(
    api: &Api,
    kind: &str,
    hub: &GroupVersion,
    found: &[Difference],
) -> Vec<(GroupVersion, String)> {
    let mut out = Vec::new();
    for Difference { version, path, what } in found {
        let Some(own) = field(api, version, kind, path) else { continue };
        let of_hub = |path: &str| field(api, hub, kind, path);
        match what {
            What::OnlyInHub | What::TwoTypes(_) => {}
            What::Types(_) => {
                let Some(other) = of_hub(path) else { continue };
                let both = Both { api, own, other, from: path, to: path };
                out.extend(both.digits().or_else(|| both.keyed()).map(|text| (version.clone(), text)));
            }
            What::OnlyInVersion => {
                let only_in_hub =
                    found.iter().filter(|it| it.version == *version && it.what == What::OnlyInHub);
                for Difference { path: to, .. } in only_in_hub {
                    let Some(other) = of_hub(to) else { continue };
                    let both = Both { api, own, other, from: path, to };
                    let proposed =
                        both.counted().or_else(|| both.keyed().filter(|_| letters(path) == letters(to)));
                    out.extend(proposed.map(|text| {
                        (version.clone(), format!("{text} Remove their lines in `add` and `keep` then."))
                    }));
                }
            }
        }
    }
    out
}

/// A field of the version and one of the hub that may be the same.
struct Both<'a> {
    api: &'a Api,
    own: &'a Field,
    other: &'a Field,
    from: &'a str,
    to: &'a str,
}

impl Both<'_> {
    /// `timeoutSeconds` and `timeout`.
    fn counted(&self) -> Option<String> {
        let (suffix, form) = COUNTED.iter().find(|(suffix, _)| self.from.ends_with(suffix))?;
        let stem = self.from.strip_suffix(suffix)?;
        if !self.is_number_and_text() || letters(stem) != letters(self.to) {
            return None;
        }
        let unit = form.unit().map(|unit| format!(", unit = {}", quoted(unit))).unwrap_or_default();
        let rule = format!("{}, as = {}{unit}", self.paths(), quoted(form.name()));
        Some(format!(
            "Perhaps a number in a text, since its name ends with `{suffix}`: number = [{{ {rule} }}]."
        ))
    }

    /// A number and a text with the same path.
    fn digits(&self) -> Option<String> {
        let rule = format!("{}, as = \"text\"", self.paths());
        self.is_number_and_text().then(|| {
            format!("Perhaps a number in a text, since one is a number and the other a text: number = [{{ {rule} }}].")
        })
    }

    fn is_number_and_text(&self) -> bool {
        matches!(self.own.ty, TypeExpr::Int32 | TypeExpr::Int64)
            && matches!(self.other.ty, TypeExpr::String | TypeExpr::IntOrString)
            && self.other.enumeration.is_empty()
            && (self.own.presence == Presence::Value) == (self.other.presence == Presence::Value)
    }

    /// A map, and a list of objects with a name.
    fn keyed(&self) -> Option<String> {
        let (TypeExpr::Map(value), TypeExpr::List(item)) = (&self.own.ty, &self.other.ty) else {
            return None;
        };
        let TypeExpr::Ref(item) = &**item else { return None };
        let item = self.api.find(item)?;
        let is_key = |name: &&&str| {
            item.field(name)
                .is_some_and(|field| field.ty == TypeExpr::String && field.presence == Presence::Value)
        };
        let key = KEYS.iter().find(is_key)?;
        let mut rule = format!("{}, key = {}", self.paths(), quoted(key));
        if value.named().is_none() {
            let mut values = item.named().filter(|field| field.ty == **value && field.name != **key);
            let (Some(only), None) = (values.next(), values.next()) else { return None };
            rule.push_str(&format!(", value = {}", quoted(&only.name)));
        }
        Some(format!("Perhaps entries as items, since the items have a `{key}`: keyed = [{{ {rule} }}]."))
    }

    fn paths(&self) -> String {
        format!("from = {}, to = {}", quoted(self.from), quoted(self.to))
    }
}
