//! The file in which an archive keeps its history, beside the schemas.

use std::collections::BTreeMap;
use std::fmt;

use hubgen_model::{Field, Release, Resource, Scope, Subresource, TypeExpr};

use super::super::corrections::type_named;
use super::{Fact, History, Part, Past, Place, Told};

/// The name of the file in the folder of the schemas.
pub const FILE: &str = "history.toml";

const HEAD: &str = "\
# What fields and resources were in earlier releases, where the schemas say something else. Each value has the last
# release that had it. Written by `cargo xtask import` and `cargo xtask release`; never edited.
";

/// The content of the file: place → fact → last release → value.
type Content = BTreeMap<String, BTreeMap<Fact, BTreeMap<String, Told>>>;

impl fmt::Display for Place {
    /// `apps/v1 Deployment`, `apps/v1 Deployment/scale`, `apps/v1 DeploymentSpec.replicas`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ty, part } = self;
        match part {
            Part::Resource => write!(f, "{ty}"),
            Part::Subresource(name) => write!(f, "{ty}/{name}"),
            Part::Field(name) => write!(f, "{ty}.{name}"),
        }
    }
}

impl Place {
    /// Reads what `Display` writes.
    fn parse(text: &str) -> Option<Self> {
        let (group_version, rest) = text.split_once(' ')?;
        let end = rest.find(['.', '/']).unwrap_or(rest.len());
        let ty = type_named(&format!("{group_version} {}", &rest[..end]))?;
        let part = match (rest.as_bytes().get(end), rest.get(end + 1..)) {
            (Some(b'.'), Some(name)) => Part::Field(name.to_owned()),
            (Some(_), Some(name)) => Part::Subresource(name.to_owned()),
            _ => Part::Resource,
        };
        Some(Self { ty, part })
    }
}

impl History {
    /// The text of [`FILE`].
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (place, facts) in &self.0 {
            text.push_str(&format!("\n[{}]\n", toml::Value::String(place.to_string())));
            for (fact, past) in facts {
                let values: Vec<String> =
                    past.iter().map(|(until, told)| format!("\"{until}\" = {}", in_toml(told))).collect();
                text.push_str(&format!("{} = {{ {} }}\n", fact.name(), values.join(", ")));
            }
        }
        text
    }

    /// Reads the text of [`FILE`].
    ///
    /// # Errors
    /// What is wrong with it, with the line if it is no TOML.
    pub fn of_text(text: &str) -> Result<Self, String> {
        let content: Content = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut history = Self::default();
        for (name, facts) in content {
            let place = Place::parse(&name).ok_or_else(|| {
                format!("{name:?}: expected a place such as \"apps/v1 DeploymentSpec.replicas\"")
            })?;
            for (fact, past) in facts {
                let at = |message: &str| format!("{name:?}.{}: {message}", fact.name());
                let mut read = Past::new();
                for (until, told) in past {
                    let until: Release = until.parse().map_err(|error| at(&format!("{error}")))?;
                    if !fits(&place.part, fact, &told) {
                        return Err(at(&format!(
                            "`{}` is no value of it: import the release again",
                            in_toml(&told)
                        )));
                    }
                    read.insert(until, told);
                }
                history.0.entry(place.clone()).or_default().insert(fact, read);
            }
        }
        Ok(history)
    }
}

/// Whether a part can have this value of a fact.
fn fits(part: &Part, fact: Fact, told: &Told) -> bool {
    let is_set = match part {
        Part::Field(name) => fact.set_field(&mut Field::new(name.clone(), TypeExpr::String), told),
        Part::Resource => {
            let mut resource = Resource {
                plural: String::new(),
                singular: String::new(),
                scope: Scope::Cluster,
                verbs: Vec::new(),
                short_names: Vec::new(),
                categories: Vec::new(),
                subresources: BTreeMap::new(),
            };
            fact.set_resource(&mut resource, told)
        }
        Part::Subresource(_) => {
            let mut part = Subresource { kind: None, verbs: Vec::new(), since: None, until: None };
            fact.set_subresource(&mut part, told)
        }
    };
    is_set.is_some()
}

fn in_toml(told: &Told) -> String {
    match told {
        Told::Flag(flag) => toml::Value::Boolean(*flag),
        Told::Text(text) => toml::Value::String(text.clone()),
        Told::Words(words) => {
            toml::Value::Array(words.iter().map(|word| toml::Value::String(word.clone())).collect())
        }
    }
    .to_string()
}
