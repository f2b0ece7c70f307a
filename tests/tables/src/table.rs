//! A random kind: the types of its versions, and the rules.

use std::path::PathBuf;

use hubgen_model::{Api, Field, GroupVersionKind, Kind, Omit, Presence, Type, TypeExpr, TypeId};

use crate::choices::Choices;
use crate::edits::{Edit, Version};
use crate::schema::{GROUP, KIND, group_version, object, types};

const HUB: &str = "v1";

/// A kind with rules.
pub struct Table {
    /// The types of all versions.
    pub types: Vec<Type>,
    /// The rules file.
    pub rules: String,
}

impl Table {
    /// The table that these bytes stand for.
    pub fn new(bytes: &[u8], allowed: &[Edit]) -> Self {
        let mut choices = Choices::new(bytes);
        let mut hub = types(&mut choices, HUB);
        let versions = 1 + usize::from(choices.once_in(4));
        let (mut out, mut tables, mut added) = (Vec::new(), Vec::new(), Vec::new());
        let edits: Vec<usize> = (0..versions).map(|_| 1 + choices.below(4)).collect();
        for (at, edits) in edits.into_iter().enumerate() {
            let name = format!("v1alpha{}", at + 1);
            let mut before = hub.clone();
            let mut version = Version::new(&name, &mut before, HUB);
            (0..edits).for_each(|_| version.edit(&mut choices, allowed));
            let Version { types, rules, added: more, .. } = version;
            // What only an earlier version has, this one cannot represent.
            added.extend(more.into_iter().map(|path| (path, name.clone())));
            out.push((name.clone(), types));
            tables.push((name, rules));
            hub = before;
        }
        let rules = text(&tables, &added);
        let mut types: Vec<Type> =
            out.into_iter().flat_map(|(name, types)| with_kind(&name, types)).collect();
        types.extend(with_kind(HUB, hub));
        Self { types, rules }
    }

    /// The path of the rules in a folder of schemas.
    pub fn rules_file(&self) -> PathBuf {
        PathBuf::from(format!("rules/{GROUP}.{KIND}.toml"))
    }

    /// The types beside those of Kubernetes.
    pub fn api(&self, kubernetes: &Api) -> Api {
        let mut api = kubernetes.clone();
        for ty in &self.types {
            let version = api.versions.entry(ty.id.group_version.clone()).or_default();
            version.types.insert(ty.id.name.clone(), ty.clone());
        }
        api.versions.values_mut().for_each(|version| version.types.sort_keys());
        api
    }
}

/// The rules file. Rules of one operator are one list.
fn text(tables: &[(String, Vec<String>)], added: &[(String, String)]) -> String {
    let mut out = format!("hub = \"{GROUP}/{HUB}\"\n");
    if !added.is_empty() {
        let lines: Vec<String> = added
            .iter()
            .map(|(path, version)| format!("{{ path = \"{path}\", from = \"{GROUP}/{version}\" }}"))
            .collect();
        out.push_str(&format!("add = [\n    {},\n]\n", lines.join(",\n    ")));
    }
    let mut tables = tables.to_vec();
    if !added.is_empty() {
        tables.push((HUB.to_owned(), Vec::new()));
    }
    for (version, rules) in tables {
        let mut rules = rules;
        let lacking = added.iter().filter(|(_, from)| *from != version);
        rules.extend(lacking.map(|(path, _)| format!("keep = [\"{path}\"]")));
        out.push_str(&format!("\n[\"{GROUP}/{version}\"]\n"));
        let mut operators: Vec<&str> = rules.iter().filter_map(|rule| rule.split(' ').next()).collect();
        operators.sort_unstable();
        operators.dedup();
        for operator in operators {
            let inner = rules.iter().filter_map(|rule| rule.strip_prefix(operator)?.strip_prefix(" = "));
            let inner: Vec<&str> = inner.map(|rule| rule[1..rule.len() - 1].trim()).collect();
            let (open, close) = if operator == "constant" { ("{ ", " }") } else { ("[", "]") };
            out.push_str(&format!("{operator} = {open}{}{close}\n", inner.join(", ")));
        }
    }
    out
}

/// The types of a version, with its kind.
fn with_kind(version: &str, mut types: Vec<Type>) -> Vec<Type> {
    let mut metadata = Field::new("metadata", TypeExpr::Ref(TypeId::new("meta.k8s.io", "v1", "ObjectMeta")));
    (metadata.presence, metadata.omit) = (Presence::Value, Omit::Empty);
    let spec = Field::new("spec", TypeExpr::Ref(TypeId::at(group_version(version), "Spec")));
    let mut kind = object(version, KIND, vec![metadata, spec]);
    kind.kind = Some(Kind {
        registered: vec![GroupVersionKind::new(GROUP, version, KIND)],
        resource: None,
        bare: false,
        since: None,
        until: None,
        definition: None,
    });
    types.push(kind);
    types
}
