//! The programs that report which objects a release does not serve.

mod hubgen;
mod kubent;
mod pluto;

use std::path::Path;

use hubgen_model::Release;
use serde_json::Value;

use super::object::Object;
use crate::clients::session::Session;

/// What a report claims of a version of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The target does not serve it.
    Removed,
    /// The target serves it, and something newer should be used, or only where it is enabled.
    Deprecated,
    /// Nothing of the object itself, such as a field that names a version.
    Other,
}

/// What a report tells of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    pub object: Object,
    pub claim: Claim,
    /// The version and kind to use, if the report names them.
    pub replacement: Option<(String, String)>,
    /// What to show to people.
    pub text: String,
}

/// What a program has told.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    pub alarms: Vec<Alarm>,
    /// Why it could not read everything.
    pub unread: Option<String>,
}

/// Which program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Hubgen,
    Pluto,
    Kubent,
}

impl Which {
    pub const ALL: [Self; 3] = [Self::Hubgen, Self::Pluto, Self::Kubent];

    pub fn name(self) -> &'static str {
        match self {
            Self::Hubgen => "hubgen",
            Self::Pluto => "pluto",
            Self::Kubent => "kubent",
        }
    }
}

/// One of the programs, asked about one release.
pub struct Tool {
    pub which: Which,
    session: Session,
    target: Release,
}

/// Where a program looks.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// A manifest.
    File(&'a Path),
    /// The releases of Helm that a cluster has. hubgen reads them from a file, as `kubectl get secret` prints
    /// them.
    Releases(&'a Path),
    /// What a cluster has, and how it was applied.
    Live,
}

impl Tool {
    pub fn new(which: Which, session: Session, target: Release) -> Self {
        Self { which, session, target }
    }

    /// The version of the program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn version(&self) -> Result<String, String> {
        let output = self.session.run(if self.which == Which::Pluto { "version" } else { "--version" })?;
        let told = output.out + &output.err;
        let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let mut words = told.split([' ', ':', '\n']);
        words.find(is_version).map(str::to_owned).ok_or(format!("expected a version, found {told}"))
    }

    /// What the program tells of what it finds.
    pub fn ask(&self, source: Source<'_>) -> Told {
        let told = match self.which {
            Which::Hubgen => hubgen::ask(&self.session, self.target, source),
            Which::Pluto => pluto::ask(&self.session, self.target, source),
            Which::Kubent => kubent::ask(&self.session, self.target, source),
        };
        told.unwrap_or_else(|why| Told { alarms: Vec::new(), unread: Some(why) })
    }

    /// The versions of Kubernetes' kinds that the program lists, if it is pluto.
    ///
    /// # Errors
    /// If it lists none.
    pub fn known(&self) -> Result<Vec<(String, String)>, String> {
        if self.which == Which::Pluto { pluto::known(&self.session) } else { Ok(Vec::new()) }
    }
}

/// A text that a program printed as JSON.
fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("expected JSON, found {error}: {text}"))
}

/// A text of an answer; empty if there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
