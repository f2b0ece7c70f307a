//! Chooses stand-ins by name.

use std::fmt;
use std::sync::Arc;

use hubgen_server::loops::StandIn;

/// A list names a stand-in that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStandIn {
    name: String,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownStandIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "there is no stand-in {:?}; expected *, or some of {}", self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownStandIn {}

/// Those of `all` that a list names.
pub(crate) fn chosen(
    all: Vec<Arc<dyn StandIn>>,
    list: &str,
) -> Result<Vec<Arc<dyn StandIn>>, UnknownStandIn> {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let known: Vec<&'static str> = all.iter().map(|one| one.name()).collect();
    if let Some(name) = names.iter().find(|name| **name != "*" && !known.contains(*name)) {
        return Err(UnknownStandIn { name: (*name).to_owned(), known });
    }
    Ok(all.into_iter().filter(|one| names.iter().any(|name| *name == "*" || *name == one.name())).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_list_chooses_stand_ins() {
        let names =
            |list: &str| -> Vec<&str> { crate::named(list).unwrap().iter().map(|one| one.name()).collect() };
        assert_eq!(names("pods, deployments"), ["deployments", "pods"]);
        assert_eq!(names("*").len(), crate::all().len());
        assert!(names("").is_empty());
        let error = crate::named("pod").unwrap_err().to_string();
        assert!(
            error.starts_with("there is no stand-in \"pod\"; expected *, or some of cronjobs, "),
            "{error}"
        );
    }
}
