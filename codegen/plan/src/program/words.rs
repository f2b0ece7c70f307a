//! Compares value maps with the words that the schemas allow.

use hubgen_model::rules::Words;
use hubgen_model::{Field, Type, TypeId};

use super::path::resolve;
use super::refusal::Refusal;
use super::{Mapper, ResolvedPath};

impl Mapper<'_> {
    /// Checks the words of a rule.
    ///
    /// # Errors
    /// When a schema allows a word that the rule does not list, or neither schema allows a pair of words.
    pub(super) fn check_words(
        &self,
        Words { pairs, also }: &Words,
        version: &Type,
        from: &ResolvedPath,
        to: &ResolvedPath,
    ) -> Result<(), Refusal> {
        let own = self.own_field(version, from);
        let allowed_here = allowed(own.as_ref().unwrap_or(from.field()));
        let version = Side { at: format!("{from} in {}", self.version), allowed: allowed_here };
        let hub = Side { at: format!("{to} in the hub"), allowed: allowed(to.field()) };
        let own_words: Vec<&str> = pairs.iter().chain(also).map(|(own, _)| &**own).collect();
        let hub_words: Vec<&str> = pairs.iter().map(|(_, hub)| &**hub).collect();
        let missing = [version.unlisted(&own_words), hub.unlisted(&hub_words)].concat();
        if !missing.is_empty() {
            return Err(Refusal {
                message: format!("`words` does not list {}, which the schema allows", missing.join(", ")),
                help: "list every word that a schema allows, each with its counterpart; objects with other words are refused"
                    .to_owned(),
            });
        }
        let unknown = pairs.iter().find(|(own, word)| version.refuses(own) && hub.refuses(word));
        unknown.map_or(Ok(()), |(own, word)| {
            Err(Refusal {
                message: format!("the schemas allow neither `{own}` nor `{word}`"),
                help: format!(
                    "correct the words: {} can be {}, and {} can be {}",
                    version.at,
                    version.allowed.join(", "),
                    hub.at,
                    hub.allowed.join(", ")
                ),
            })
        })
    }

    /// The field as the version's own schema describes it. Types that versions share have the facts of one version.
    fn own_field(&self, ty: &Type, path: &ResolvedPath) -> Option<Field> {
        let own = self.types.api.find(&TypeId::at(self.version.clone(), &*ty.id.name))?;
        let names: Vec<String> = path.names().into_iter().map(str::to_owned).collect();
        resolve(self.types, own, &names).ok().map(|path| path.field().clone())
    }
}

/// The field of a rule on one side, and the words that its schema allows; none: any.
struct Side {
    at: String,
    allowed: Vec<String>,
}

impl Side {
    fn unlisted(&self, listed: &[&str]) -> Vec<String> {
        let missing = self.allowed.iter().filter(|word| !listed.contains(&word.as_str()));
        missing.map(|word| format!("`{word}` of {}", self.at)).collect()
    }

    fn refuses(&self, word: &str) -> bool {
        !self.allowed.is_empty() && self.allowed.iter().all(|other| other != word)
    }
}

/// An empty string stays empty, so no rule lists it.
fn allowed(field: &Field) -> Vec<String> {
    let words = field.enumeration.iter().filter_map(|word| word.as_str());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
