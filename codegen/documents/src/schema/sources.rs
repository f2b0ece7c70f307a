//! Where parts of the model are in documents.

use std::path::PathBuf;

use hubgen_model::{GroupVersion, TypeId};

use super::format::file_path;
use crate::node::Node;
use crate::{Diagnostic, Source};

/// An error in a part of the model. [`Sources`] know where people wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The version that has the error.
    pub group_version: GroupVersion,
    /// The keys that lead to it from the root of the version's document.
    pub keys: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// How to correct it.
    pub help: String,
}

impl Fault {
    /// An error in a version as a whole.
    pub fn in_version(group_version: &GroupVersion, message: String, help: &str) -> Self {
        let keys = vec!["info".to_owned()];
        Self { group_version: group_version.clone(), keys, message, help: help.to_owned() }
    }

    /// An error in a type, or below these keys of it.
    pub fn in_type(id: &TypeId, below: &[&str], message: String, help: &str) -> Self {
        let keys = ["components", "schemas", &id.name].into_iter().chain(below.iter().copied());
        let keys = keys.map(str::to_owned).collect();
        Self { group_version: id.group_version.clone(), keys, message, help: help.to_owned() }
    }

    /// An error in a field.
    pub fn in_field(id: &TypeId, field: &str, message: String, help: &str) -> Self {
        Self::in_type(id, &["properties", field], message, help)
    }
}

/// The documents that a model was read from. They are read again where an error is shown, and only then.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    folder: PathBuf,
}

impl Sources {
    /// The documents of a folder of schemas.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The error at the value that its keys lead to, or at the nearest one around it that is there.
    pub fn locate(&self, fault: Fault) -> Diagnostic {
        let Fault { group_version, keys, message, help } = fault;
        let file = self.folder.join(file_path(&group_version));
        let path = keys.join(".");
        let document = std::fs::read_to_string(&file).ok().map(|text| Source::new(&file, text));
        if let Some(source) = document
            && let Ok(root) = Node::parse(&source)
        {
            let mut at = &root;
            for key in &keys {
                let Some(member) = at.get(key) else { break };
                at = member;
            }
            return source.error(at.span.clone(), path, message, help);
        }
        Diagnostic::file(file, message, help).at(path)
    }

    /// All of these errors.
    pub fn locate_all(&self, faults: Vec<Fault>) -> Vec<Diagnostic> {
        faults.into_iter().map(|fault| self.locate(fault)).collect()
    }
}
