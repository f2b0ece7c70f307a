//! The names of kinds, and whether they are free.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::validation::quoted;

/// The names that a definition asks for, or has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short: Vec<String>,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) categories: Vec<String>,
}

impl Names {
    pub(super) fn of(json: &Value) -> Self {
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
        let texts = |key: &str| {
            let all = json[key].as_array().into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            plural: text("plural"),
            singular: text("singular"),
            short: texts("shortNames"),
            kind: text("kind"),
            list_kind: text("listKind"),
            categories: texts("categories"),
        }
    }

    /// The names of resources.
    fn of_resources(&self) -> impl Iterator<Item = &String> {
        [&self.plural, &self.singular].into_iter().chain(&self.short)
    }

    /// The names of kinds.
    fn of_kinds(&self) -> impl Iterator<Item = &String> {
        [&self.kind, &self.list_kind].into_iter()
    }

    pub(super) fn json(&self) -> Value {
        let Self { plural, singular, short, kind, list_kind, categories } = self;
        let mut json = Map::new();
        let texts = [("plural", plural), ("singular", singular), ("kind", kind), ("listKind", list_kind)];
        for (key, text) in texts {
            json.insert(key.to_owned(), text.as_str().into());
        }
        for (key, texts) in [("shortNames", short), ("categories", categories)] {
            json.insert(key.to_owned(), texts.as_slice().into());
        }
        json.into()
    }
}

/// The names that definitions of a group have, each with how often.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    resources: BTreeMap<String, usize>,
    kinds: BTreeMap<String, usize>,
}

impl Used {
    pub(super) fn add(&mut self, names: &Names) {
        let add = |name: &String, to: &mut BTreeMap<String, usize>| match to.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(to.insert(name.clone(), 1)),
        };
        names.of_resources().for_each(|name| add(name, &mut self.resources));
        names.of_kinds().for_each(|name| add(name, &mut self.kinds));
    }

    pub(super) fn remove(&mut self, names: &Names) {
        let remove = |name: &String, from: &mut BTreeMap<String, usize>| match from.get_mut(name) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(from.remove(name)),
        };
        names.of_resources().for_each(|name| remove(name, &mut self.resources));
        names.of_kinds().for_each(|name| remove(name, &mut self.kinds));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.kinds.is_empty()
    }
}

/// What a definition gets of the names that it asks for: all that are free, and why not all are.
pub(super) struct Accepted {
    pub(super) names: Names,
    /// The reason and the message of the last conflict.
    pub(super) conflict: Option<(&'static str, String)>,
}

/// What a definition gets that asks for names and has some, where others are in use. As upstream, its own are in use, too.
pub(super) fn accepted(asked: &Names, has: &Names, used: &Used) -> Accepted {
    let mut names = has.clone();
    let mut conflict = None;
    let is_resource =
        |name: &String| used.resources.contains_key(name) || has.of_resources().any(|own| own == name);
    let is_kind = |name: &String| used.kinds.contains_key(name) || has.of_kinds().any(|own| own == name);
    let in_use = |name: &str| format!("{} is already in use", quoted(name));
    let mut take = |asked: &String, has: &mut String, reason| {
        if asked != has && is_resource(asked) {
            conflict = Some((reason, in_use(asked)));
        } else {
            has.clone_from(asked);
        }
    };
    take(&asked.plural, &mut names.plural, "PluralConflict");
    take(&asked.singular, &mut names.singular, "SingularConflict");
    let mut of_short = None;
    if asked.short != has.short {
        let taken = asked.short.iter().filter(|name| !has.short.contains(name) && is_resource(name));
        let mut messages: Vec<String> = taken.map(|name| in_use(name)).collect();
        messages.dedup();
        match messages.as_slice() {
            [] => names.short.clone_from(&asked.short),
            [one] => of_short = Some(("ShortNamesConflict", one.clone())),
            several => of_short = Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
        }
    }
    let mut of_kinds = None;
    let mut take = |asked: &String, has: &mut String, reason| {
        if asked != has && is_kind(asked) {
            of_kinds = Some((reason, in_use(asked)));
        } else {
            has.clone_from(asked);
        }
    };
    take(&asked.kind, &mut names.kind, "KindConflict");
    take(&asked.list_kind, &mut names.list_kind, "ListKindConflict");
    names.categories.clone_from(&asked.categories);
    Accepted { names, conflict: of_kinds.or(of_short).or(conflict) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(plural: &str, singular: &str, short: &[&str], kind: &str) -> Names {
        let (plural, singular, kind) = (plural.to_owned(), singular.to_owned(), kind.to_owned());
        let short = short.iter().map(|name| (*name).to_owned()).collect();
        let list_kind = format!("{kind}List");
        Names { plural, singular, short, list_kind, kind, categories: vec!["all".to_owned()] }
    }

    #[test]
    fn names_are_free_or_in_use() {
        let others = names("widgets", "widget", &["w", "wd"], "Widget");
        let mut used = Used::default();
        used.add(&others);
        let none = Names::default();
        for (asked, reason, message) in [
            (names("things", "thing", &["t"], "Thing"), "", ""),
            (names("widgets", "thing", &["t"], "Thing"), "PluralConflict", r#""widgets" is already in use"#),
            (names("things", "w", &["t"], "Thing"), "SingularConflict", r#""w" is already in use"#),
            (
                names("things", "w", &["w", "t", "widget"], "Thing"),
                "ShortNamesConflict",
                r#"["w" is already in use, "widget" is already in use]"#,
            ),
            (names("things", "w", &["wd"], "Thing"), "ShortNamesConflict", r#""wd" is already in use"#),
            (
                names("things", "w", &["wd"], "WidgetList"),
                "KindConflict",
                r#""WidgetList" is already in use"#,
            ),
        ] {
            let found = accepted(&asked, &none, &used);
            let conflict = found.conflict.unwrap_or_default();
            assert_eq!((conflict.0, conflict.1.as_str()), (reason, message), "{asked:?}");
            assert_eq!(found.names.categories, ["all"]);
            assert_eq!(found.names == asked, reason.is_empty());
        }
        // Who has a name keeps it.
        assert_eq!(accepted(&others, &others, &used).conflict, None);
        // A list of kinds is in use, too.
        let mut asked = names("things", "thing", &[], "Thing");
        asked.list_kind = "Widget".to_owned();
        assert_eq!(accepted(&asked, &none, &used).conflict.unwrap().0, "ListKindConflict");
        // A conflict of one name does not keep others.
        let found = accepted(&names("things", "w", &["t"], "Thing"), &none, &used);
        assert_eq!(found.names, Names { singular: String::new(), ..names("things", "", &["t"], "Thing") });
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = names("things", "thing", &["t"], "Thing");
        assert_eq!(Names::of(&names.json()), names);
        assert_eq!(Names::of(&json!({})), Names::default());
    }
}
