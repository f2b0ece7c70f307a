//! Starts `hubgen serve` and a kube-apiserver with etcd, both with TLS, certificates of users and RBAC and with durable
//! writes, for the programs that measure them with the same client.

pub mod client;
pub mod credentials;
pub mod definitions;
pub mod measure;
mod pods;
pub mod server;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The arguments of a program, one after the other.
pub struct Arguments(std::iter::Skip<std::env::ArgsOs>);

impl Default for Arguments {
    fn default() -> Self {
        Self(std::env::args_os().skip(1))
    }
}

impl Arguments {
    fn next(&mut self, name: &str) -> Result<OsString, Error> {
        Ok(self.0.next().ok_or_else(|| format!("expected {name}"))?)
    }

    pub fn text(&mut self, name: &str) -> Result<String, Error> {
        Ok(self.next(name)?.to_string_lossy().into_owned())
    }

    pub fn number(&mut self, name: &str) -> Result<f64, Error> {
        Ok(self.text(name)?.parse()?)
    }
}

/// The programs that are measured.
pub struct Programs {
    hubgen: PathBuf,
    kube_apiserver: PathBuf,
}

impl Programs {
    pub fn parse(arguments: &mut Arguments) -> Result<Self, Error> {
        Ok(Self {
            hubgen: arguments.next("hubgen")?.into(),
            kube_apiserver: arguments.next("kube-apiserver")?.into(),
        })
    }
}

/// What was measured, by name, in the order in which it was.
#[derive(Default)]
pub struct Figures(Vec<(String, f64)>);

impl Figures {
    /// Adds a figure; of several of the same name, the smallest counts.
    pub fn add(&mut self, name: &str, figure: f64) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = known.min(figure),
            None => self.0.push((name.to_owned(), figure)),
        }
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure)
    }
}

/// Prints the figures of both as JSON.
pub fn print(ours: Figures, theirs: &Figures) {
    let mut out = Map::new();
    for (name, ours) in ours.0 {
        let theirs = theirs.get(&name);
        out.insert(name, json!({"ours": ours, "theirs": theirs}));
    }
    println!("{}", Value::Object(out));
}
