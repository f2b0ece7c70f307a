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

/// Parts of names that mean the opposite of each other.
const OPPOSITES: [(&str, &str); 4] =
    [("enable", "disable"), ("allow", "deny"), ("allow", "forbid"), ("include", "exclude")];

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
                let proposed = both.digits().or_else(|| both.keyed()).or_else(|| both.table());
                out.extend(proposed.map(|text| (version.clone(), text)));
            }
            What::OnlyInVersion => {
                let only_in_hub =
                    found.iter().filter(|it| it.version == *version && it.what == What::OnlyInHub);
                for Difference { path: to, .. } in only_in_hub {
                    let Some(other) = of_hub(to) else { continue };
                    let both = Both { api, own, other, from: path, to };
                    let is_same = letters(path) == letters(to);
                    let proposed = both
                        .counted()
                        .or_else(|| both.keyed().filter(|_| is_same))
                        .or_else(|| both.table().filter(|_| is_same || both.is_plural()))
                        .or_else(|| both.opposite());
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

    /// A value and a list, a truth value and two words, or JSON of any form.
    fn table(&self) -> Option<String> {
        let is_text = |ty: &TypeExpr| *ty == TypeExpr::String;
        let is_single = |ty: &TypeExpr| is_text(ty) || matches!(ty, TypeExpr::Int32 | TypeExpr::Int64);
        let (reason, rows) = match (&self.own.ty, &self.other.ty) {
            (own, TypeExpr::List(item)) if is_single(own) && **item == *own => (
                "a list of one, since the hub has a list of such values",
                "[[\"{a}\"], [[\"{a}\"]]]".to_owned(),
            ),
            (TypeExpr::Raw(_), TypeExpr::List(item)) if is_text(item) => (
                "a text or a list of texts, since the version allows any JSON",
                "[[\"{a}\"], [[\"{a}\"]]], [[[\"{a}\", \"...\"]], [[\"{a}\", \"...\"]]]".to_owned(),
            ),
            (TypeExpr::Raw(_), ty) if is_single(ty) || *ty == TypeExpr::Bool => {
                ("the same value, since the version allows any JSON", "[[\"{a}\"], [\"{a}\"]]".to_owned())
            }
            (TypeExpr::Bool, TypeExpr::String) => {
                let words: Option<Vec<&str>> =
                    self.other.enumeration.iter().map(|word| word.as_str()).collect();
                let [one, other] = words?[..] else { return None };
                (
                    "a truth value for two words, perhaps the other way round",
                    format!("[[true], [{}]], [[false], [{}]]", quoted(one), quoted(other)),
                )
            }
            _ => return None,
        };
        Some(self.rows(reason, &rows))
    }

    /// `enabled` and `disabled`.
    fn opposite(&self) -> Option<String> {
        let is_bool = self.own.ty == TypeExpr::Bool && self.other.ty == TypeExpr::Bool;
        let (own, other) = (letters(self.from), letters(self.to));
        let is_opposite = OPPOSITES.iter().any(|(one, two)| {
            own.replace(one, two) == other && own.contains(one)
                || other.replace(one, two) == own && other.contains(one)
        });
        let rows = "[[true], [false]], [[false], [true]]";
        (is_bool && is_opposite).then(|| self.rows("the opposite, since the names say so", rows))
    }

    fn rows(&self, reason: &str, rows: &str) -> String {
        let (version, hub) = (quoted(self.from), quoted(self.to));
        format!("Perhaps {reason}: table = [{{ version = [{version}], hub = [{hub}], rows = [{rows}] }}].")
    }

    /// `zone` and `zones`.
    fn is_plural(&self) -> bool {
        let (own, other) = (letters(self.from), letters(self.to));
        [format!("{own}s"), format!("{own}es")].contains(&other)
            || own.strip_suffix('y').is_some_and(|stem| format!("{stem}ies") == other)
    }

    fn paths(&self) -> String {
        format!("from = {}, to = {}", quoted(self.from), quoted(self.to))
    }
}
