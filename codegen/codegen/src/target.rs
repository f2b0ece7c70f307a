//! For whom code is generated: which crates or modules it becomes, and which command generates it.

use std::collections::BTreeMap;

use hubgen_documents::crd::Webhook;
use hubgen_documents::generated::Generator;
use hubgen_documents::project::{Output, Project, Source};

use crate::naming::{first_label, kubernetes_name};
use crate::origins::Origins;
use crate::rust::{self, Root};

/// What the generated code becomes, and what its files name as their origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What the first line of each file names as its generator.
    pub generator: Generator,
    /// Where the API is written, as first lines name it.
    pub origins: Origins,
    /// Crates or modules.
    pub form: Form,
    /// The name of a group's module, or the last part of the name of its crate, where it is not
    /// the group's first label.
    pub names: BTreeMap<String, String>,
    /// Whether strings with listed words become enums.
    pub enums: bool,
    /// The module of users' source with types of the API, if there is one.
    pub source: Option<Root>,
    /// The webhook that converts kinds with several versions, for their definitions.
    pub webhook: Option<Webhook>,
    /// The text of the license, which each crate contains.
    pub license: Option<String>,
}

/// Crates or modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Kubernetes' own crates, `hubgen-apps` and others, in the workspace of hubgen.
    Kubernetes,
    /// A crate for each group, and one that gathers them.
    Crates {
        /// What the names of all crates begin with: `acme` for `acme-apps`.
        prefix: String,
    },
    /// Modules of one crate.
    Modules {
        /// The path of the module that contains all others, below the root of the crate:
        /// `["api"]` for `crate::api`.
        path: Vec<String>,
    },
}

impl Target {
    /// Kubernetes' own crates, from `schemas/kubernetes`.
    pub fn kubernetes() -> Self {
        Self {
            generator: Generator { command: "cargo xtask generate".to_owned(), version: None },
            origins: Origins::schemas("schemas/kubernetes"),
            form: Form::Kubernetes,
            names: BTreeMap::new(),
            enums: false,
            source: None,
            webhook: None,
            license: None,
        }
    }

    /// What the `hubgen` command of this version generates for a user's repository.
    pub fn project(project: &Project) -> Self {
        Self {
            generator: Generator::of_tool("hubgen generate"),
            origins: Origins::of(project),
            form: match &project.output {
                Output::Modules(path) => Form::Modules { path: path.clone() },
                Output::Crates(prefix) => Form::Crates { prefix: prefix.clone() },
            },
            names: project.names.clone(),
            enums: project.enums,
            source: source(project),
            webhook: project.webhook.clone(),
            license: None,
        }
    }

    /// The first line of a file: its origin, and that it must not be edited.
    pub fn first_line(&self, origin: &str) -> String {
        self.generator.first_line(origin)
    }

    /// A group in the name of its crate or module: `rbac`, `cert-manager`.
    pub fn name(&self, group: &str) -> String {
        let first = match self.form {
            Form::Kubernetes => kubernetes_name(group),
            _ => first_label(group),
        };
        self.names.get(group).map_or(first, String::as_str).to_owned()
    }
}

/// The module that the types of a project are in.
fn source(project: &Project) -> Option<Root> {
    let Source { path, module } = project.source.as_ref()?;
    let generated = match &project.output {
        Output::Modules(path) => path.clone(),
        Output::Crates(_) => Vec::new(),
    };
    Some(Root { file: rust::file_of(&project.root.join(path)), module: module.clone(), generated })
}
