//! Systematic mutations of rules: all ways in which a rule could be wrong by mistake.

use hubgen_model::rules::{Annotation, At, By, FieldPath, Form, Function, Rule, Rules, VersionRules, Words};
use hubgen_model::{GroupVersion, Multiple, NumberText, TimeUnit, ValueTable};

/// A family's rules with one error.
pub struct Mutation {
    /// The operator that is mutated.
    pub operator: &'static str,
    /// The error and its position.
    pub what: String,
    /// All rules of the family, including the mutated one.
    pub rules: Rules,
}

/// All mutations of a family's rules.
pub fn mutations(rules: &Rules) -> Vec<Mutation> {
    let mut out = Vec::new();
    let mut add = |operator, what: String, change: &dyn Fn(&mut Rules)| {
        let mut mutated = rules.clone();
        change(&mut mutated);
        out.push(Mutation { operator, what, rules: mutated });
    };
    for (at, member) in rules.family.iter().enumerate() {
        if member.value != rules.hub.value {
            let what = format!("{} is not a member", member.value);
            add("family", what, &|rules| drop(rules.family.remove(at)));
        }
    }
    for (at, added) in rules.add.iter().enumerate() {
        let what = format!("the hub has no {}", added.value.path);
        add("add", what, &|rules| drop(rules.add.remove(at)));
    }
    for (version, written) in &rules.versions {
        if written.like.is_some() {
            add("like", format!("{version}: dropped"), &|rules| version_of(rules, version).like = None);
        }
        if written.not_convertible.is_some() {
            let what = format!("{version}: dropped");
            add("not-convertible", what, &|rules| version_of(rules, version).not_convertible = None);
        }
        let tables = std::iter::once((None, &written.rules))
            .chain(written.types.iter().map(|(name, (_, rules))| (Some(name), rules)));
        for (ty, table) in tables {
            for (at, rule) in table.iter().enumerate() {
                let place = ty.map_or_else(|| version.to_string(), |ty| format!("{version} {ty}"));
                let operator = rule.value.operator();
                let mut change = |what: String, with: Option<Rule>| {
                    add(operator, format!("{place}: {}: {what}", name(&rule.value)), &|rules| {
                        let table = table_of(rules, version, ty);
                        match &with {
                            Some(rule) => table[at].value = rule.clone(),
                            None => drop(table.remove(at)),
                        }
                    });
                };
                change("dropped".to_owned(), None);
                for (what, mutated) in variants(&rule.value, table, rules) {
                    change(what, Some(mutated));
                }
                for (other, sibling) in table.iter().enumerate().skip(at + 1) {
                    if let Some((one, two)) = exchanged(&rule.value, &sibling.value) {
                        let what = format!("{place}: {} with {}", name(&rule.value), name(&sibling.value));
                        add(operator, what, &|rules| {
                            let table = table_of(rules, version, ty);
                            table[at].value = one.clone();
                            table[other].value = two.clone();
                        });
                    }
                }
            }
        }
    }
    out
}

fn version_of<'a>(rules: &'a mut Rules, version: &GroupVersion) -> &'a mut VersionRules {
    rules.versions.get_mut(version).expect("a copy has the same versions")
}

fn table_of<'a>(rules: &'a mut Rules, version: &GroupVersion, ty: Option<&String>) -> &'a mut Vec<At<Rule>> {
    let written = version_of(rules, version);
    match ty {
        None => &mut written.rules,
        Some(ty) => &mut written.types.get_mut(ty).expect("a copy has the same types").1,
    }
}

/// The name of the rule's field.
fn name(rule: &Rule) -> String {
    match rule {
        Rule::Move { from: field, .. }
        | Rule::Constant { field, .. }
        | Rule::Element { field, .. }
        | Rule::Split { field, .. }
        | Rule::Hoist { field, .. }
        | Rule::Head { field, .. }
        | Rule::Tag { path: field, .. }
        | Rule::Always { path: field }
        | Rule::EmptyIsAbsent { path: field }
        | Rule::Drop { path: field }
        | Rule::Keep { path: field, .. } => field.to_string(),
        Rule::Function { function, .. } => function.to_string(),
    }
}

fn other(word: &str) -> String {
    format!("{word}X")
}

/// The rule with one error in it.
fn variants(rule: &Rule, table: &[At<Rule>], rules: &Rules) -> Vec<(String, Rule)> {
    let mut out = Vec::new();
    match rule {
        Rule::Move { from, to, by: By::Same } => {
            let back = Rule::Move { from: to.clone(), to: from.clone(), by: By::Same };
            out.push(("the two paths swapped".to_owned(), back));
            out.push(("kept instead".to_owned(), Rule::Keep { path: to.clone(), annotation: None }));
        }
        Rule::Constant { field, value } => {
            out.push((
                "another word".to_owned(),
                Rule::Constant { field: field.clone(), value: other(value) },
            ));
        }
        Rule::Tag { path, set, otherwise } => {
            let tag = |set: Vec<(FieldPath, String)>, otherwise: &str| Rule::Tag {
                path: path.clone(),
                set,
                otherwise: otherwise.to_owned(),
            };
            out.push(("another word otherwise".to_owned(), tag(set.clone(), &other(otherwise))));
            for (at, (field, word)) in set.iter().enumerate() {
                let mut less = set.clone();
                less.remove(at);
                out.push((format!("{field} is ignored"), tag(less, otherwise)));
                let mut wrong = set.clone();
                wrong[at].1 = other(word);
                out.push((format!("another word for {field}"), tag(wrong, otherwise)));
                let mut swapped = set.clone();
                swapped[at].1.clone_from(otherwise);
                out.push((format!("the words of {field} and of none"), tag(swapped, word)));
            }
        }
        Rule::Element { field, list, when, value, last } => {
            let element = |when, last| {
                let (field, list, value) = (field.clone(), list.clone(), value.clone());
                Rule::Element { field, list, when, value, last }
            };
            out.push((format!("last = {}", !last), element(when.clone(), !last)));
            for (at, (path, word)) in when.iter().enumerate() {
                let mut less = when.clone();
                less.remove(at);
                out.push((format!("whatever the value of {path} is"), element(less, *last)));
                let mut wrong = when.clone();
                wrong[at].1 = other(word);
                out.push((format!("another word at {path}"), element(wrong, *last)));
            }
        }
        Rule::Split { field, number, name } => out.push((
            "number and name swapped".to_owned(),
            Rule::Split { field: field.clone(), number: name.clone(), name: number.clone() },
        )),
        Rule::Move { from, to, by: By::Wrap(field) } => out.push((
            "in another field".to_owned(),
            Rule::Move { from: from.clone(), to: to.clone(), by: By::Wrap(other(field)) },
        )),
        Rule::Move { from, to, by: By::Words(words) } => {
            let Words { pairs: words, also } = words;
            let rule = |pairs, also| {
                let (from, to) = (from.clone(), to.clone());
                Rule::Move { from, to, by: By::Words(Words { pairs, also }) }
            };
            for (at, (version, _)) in also.iter().enumerate() {
                let mut less = also.clone();
                less.remove(at);
                out.push((format!("{version} is missing"), rule(words.clone(), less)));
                for (_, hub) in words.iter().filter(|(_, hub)| *hub != also[at].1) {
                    let mut wrong = also.clone();
                    wrong[at].1.clone_from(hub);
                    out.push((format!("{version} is {hub}"), rule(words.clone(), wrong)));
                }
            }
            let with = |pairs| rule(pairs, also.clone());
            for (at, (version, hub)) in words.iter().enumerate() {
                let mut less = words.clone();
                less.remove(at);
                out.push((format!("{version} is missing"), with(less)));
                let mut wrong = words.clone();
                wrong[at].1 = other(hub);
                out.push((format!("another word for {version}"), with(wrong)));
                if let Some((next, _)) = words.get(at + 1) {
                    let mut swapped = words.clone();
                    (swapped[at].1, swapped[at + 1].1) = (words[at + 1].1.clone(), hub.clone());
                    out.push((format!("the words of {version} and {next}"), with(swapped)));
                }
            }
        }
        Rule::Move { from, to, by: By::Keyed { key, value } } => {
            let with = |key: &str, value: Option<&str>| {
                let by = By::Keyed { key: key.to_owned(), value: value.map(str::to_owned) };
                Rule::Move { from: from.clone(), to: to.clone(), by }
            };
            out.push(("another key".to_owned(), with(&other(key), value.as_deref())));
            if let Some(value) = value {
                out.push(("key and value swapped".to_owned(), with(value, Some(key))));
                out.push(("no value".to_owned(), with(key, None)));
            }
        }
        Rule::Move { from, to, by: By::Number(form) } => {
            let wrong = |form| Rule::Move { from: from.clone(), to: to.clone(), by: By::Number(form) };
            let times = TimeUnit::ALL.iter().copied().map(NumberText::Duration);
            let multiples = Multiple::ALL.iter().copied().map(NumberText::Quantity);
            let all = [NumberText::Decimal, NumberText::Percent].into_iter().chain(times).chain(multiples);
            let others = all.filter(|other| other != form);
            out.extend(others.map(|other| (format!("{other} instead"), wrong(other))));
        }
        Rule::Hoist { list, field, .. } => {
            let element = field.0.last().cloned().unwrap_or_default();
            out.push((
                "from the field of the same name".to_owned(),
                Rule::Hoist { list: list.clone(), field: field.clone(), element },
            ));
        }
        Rule::Head { list, field, element, set } => {
            for at in 0..set.len() {
                let mut less = set.clone();
                let gone = less.remove(at);
                out.push((
                    format!("{gone} not set"),
                    Rule::Head {
                        list: list.clone(),
                        field: field.clone(),
                        element: element.clone(),
                        set: less,
                    },
                ));
            }
        }
        Rule::Function { function, version, hub } => {
            let with = |version, hub| Rule::Function { function: function.clone(), version, hub };
            for at in 1..version.len() {
                let mut wrong = version.clone();
                wrong.swap(at - 1, at);
                out.push((format!("{} with {}", version[at - 1], version[at]), with(wrong, hub.clone())));
            }
            for at in 1..hub.len() {
                let mut wrong = hub.clone();
                wrong.swap(at - 1, at);
                out.push((format!("{} with {}", hub[at - 1], hub[at]), with(version.clone(), wrong)));
            }
            if let Function::Table(table) = function {
                let with = |rows| Rule::Function {
                    function: Function::Table(ValueTable { rows, each: table.each }),
                    version: version.clone(),
                    hub: hub.clone(),
                };
                for at in 0..table.rows.len() {
                    let mut wrong = table.rows.clone();
                    wrong.remove(at);
                    if !wrong.is_empty() {
                        out.push((format!("without row {}", at + 1), with(wrong)));
                    }
                }
                // Two rows with the same cells on one side would only change places.
                let is_a_mistake = |at: &usize| table.rows[*at].version != table.rows[at - 1].version;
                for at in (1..table.rows.len()).filter(is_a_mistake) {
                    let mut wrong = table.rows.clone();
                    let cells = std::mem::replace(&mut wrong[at].hub, table.rows[at - 1].hub.clone());
                    wrong[at - 1].hub = cells;
                    out.push((format!("rows {at} and {} exchanged", at + 1), with(wrong)));
                }
            }
        }
        Rule::Drop { path } => {
            out.push(("kept instead".to_owned(), Rule::Keep { path: path.clone(), annotation: None }));
            let constant = Rule::Constant { field: path.clone(), value: "X".to_owned() };
            out.push(("a constant instead".to_owned(), constant));
        }
        Rule::EmptyIsAbsent { path } => {
            if let Some((_, around @ [_, ..])) = path.0.split_last() {
                let around = Rule::EmptyIsAbsent { path: FieldPath(around.to_vec()) };
                out.push(("the object around it instead".to_owned(), around));
            }
        }
        Rule::Always { .. } | Rule::Keep { annotation: None, .. } => {}
        Rule::Keep { path, annotation: Some(annotation) } => {
            let keep = |annotation| Rule::Keep { path: path.clone(), annotation };
            out.push(("in hubgen's annotation only".to_owned(), keep(None)));
            let key = other(&annotation.key);
            out.push(("another annotation".to_owned(), keep(Some(Annotation { key, ..annotation.clone() }))));
            // The annotation can contain a part of a list only if a rule takes an element from that
            // list.
            let takes = |rule: &At<Rule>| matches!(&rule.value, Rule::Element { list, .. } if list == path);
            if table.iter().any(takes) {
                let whole = !annotation.whole;
                let mutated = keep(Some(Annotation { whole, ..annotation.clone() }));
                out.push((format!("whole = {whole}"), mutated));
            }
            let versions = rules.versions.keys().chain([&rules.hub.value]).cloned().map(Form::Version);
            for form in [Form::Text, Form::Internal, Form::Zero].into_iter().chain(versions) {
                if form != annotation.form {
                    out.push((format!("as {form}"), keep(Some(Annotation { form, ..annotation.clone() }))));
                }
            }
        }
    }
    out
}

/// Two rules of the same operator with their targets swapped.
fn exchanged(one: &Rule, two: &Rule) -> Option<(Rule, Rule)> {
    match (one, two) {
        (Rule::Move { from: one, to, by: By::Same }, Rule::Move { from: two, to: other, by: By::Same }) => {
            Some((
                Rule::Move { from: one.clone(), to: other.clone(), by: By::Same },
                Rule::Move { from: two.clone(), to: to.clone(), by: By::Same },
            ))
        }
        (
            Rule::Hoist { list, field, element },
            Rule::Hoist { list: other_list, field: other_field, element: other_element },
        ) => Some((
            Rule::Hoist { list: list.clone(), field: field.clone(), element: other_element.clone() },
            Rule::Hoist { list: other_list.clone(), field: other_field.clone(), element: element.clone() },
        )),
        // The fields of the one rule by the functions of the other.
        (
            Rule::Function { function: one, version, hub },
            Rule::Function { function: two, version: other_version, hub: other_hub },
        ) if one != two => Some((
            Rule::Function { function: two.clone(), version: version.clone(), hub: hub.clone() },
            Rule::Function { function: one.clone(), version: other_version.clone(), hub: other_hub.clone() },
        )),
        (
            Rule::Keep { path, annotation: Some(annotation) },
            Rule::Keep { path: other_path, annotation: Some(other) },
        ) => Some((
            Rule::Keep {
                path: path.clone(),
                annotation: Some(Annotation { key: other.key.clone(), ..annotation.clone() }),
            },
            Rule::Keep {
                path: other_path.clone(),
                annotation: Some(Annotation { key: annotation.key.clone(), ..other.clone() }),
            },
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// No rule of Kubernetes maps words, so the check itself does not test their mutations.
    #[test]
    fn every_table_of_words_is_mutated() {
        let case = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../codegen/codegen/tests/generate/words/schemas/rules");
        let rules = hubgen_documents::rules::read_dir(&case).unwrap().rules;
        let seal = rules.iter().find(|rules| rules.kind.value == "Seal").unwrap();
        let place = "words.example.com/v1alpha2: wax: ";
        let what: Vec<String> = mutations(seal)
            .into_iter()
            .filter(|found| found.operator == "words")
            .filter_map(|found| found.what.strip_prefix(place).map(str::to_owned))
            .collect();
        let expected = [
            "dropped",
            "madder is missing",
            "another word for madder",
            "the words of madder and bone black",
            "bone black is missing",
            "another word for bone black",
        ];
        assert_eq!(what, expected);
    }

    /// No rule of Kubernetes drops a field, either.
    #[test]
    fn every_drop_is_mutated() {
        let case = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../codegen/codegen/tests/modules/dropped/schemas/rules");
        let rules = hubgen_documents::rules::read_dir(&case).unwrap().rules;
        let what: Vec<String> = mutations(&rules[0])
            .into_iter()
            .filter(|found| found.operator == "drop")
            .filter_map(|found| {
                found.what.strip_prefix("shops.example.com/v1alpha1: spec.zone: ").map(str::to_owned)
            })
            .collect();
        assert_eq!(what, ["dropped", "kept instead", "a constant instead"]);
    }

    /// No rule of Kubernetes takes what is empty for absent, either.
    #[test]
    fn every_empty_field_is_mutated() {
        let case = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../codegen/codegen/tests/modules/empty/schemas/rules");
        let rules = hubgen_documents::rules::read_dir(&case).unwrap().rules;
        let what: Vec<String> = mutations(&rules[0])
            .into_iter()
            .filter(|found| found.operator == "empty-is-absent")
            .filter_map(|found| found.what.strip_prefix("probes.example.com/v1alpha1: ").map(str::to_owned))
            .collect();
        let expected = ["spec.endpoint.host: dropped", "spec.endpoint.host: the object around it instead"];
        assert_eq!(what[..2], expected);
        assert_eq!(what.len(), 16);
    }

    /// Functions of a user's own code may do anything, so only their fields and the functions themselves are exchanged.
    #[test]
    fn functions_are_exchanged() {
        let case = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../codegen/codegen/tests/generate/functions/schemas/rules");
        let rules = hubgen_documents::rules::read_dir(&case).unwrap().rules;
        let place = "functions.example.com/v1alpha1: fixture_functions::";
        let what: Vec<String> = mutations(&rules[0])
            .into_iter()
            .filter(|found| found.operator == "function")
            .filter_map(|found| found.what.strip_prefix(place).map(str::to_owned))
            .collect();
        let of_limits: Vec<&str> = what.iter().filter_map(|what| what.strip_prefix("limits")).collect();
        let expected = [
            ": dropped",
            ": spec.cpu with spec.memory",
            " with fixture_functions::weight",
            " with fixture_functions::port",
        ];
        assert_eq!(of_limits, expected);
    }
}
