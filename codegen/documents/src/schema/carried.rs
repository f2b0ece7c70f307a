//! Schemas of another API, to whose types users' schemas refer.

use std::collections::BTreeMap;
use std::path::Path;

use hubgen_model::GroupVersion;
use hubgen_model::boxes::Boxes;

use super::format::file_path;
use crate::{Diagnostic, boxes};

/// The schemas of Kubernetes that a program carries: what users' schemas refer to as
/// `../meta.k8s.io/v1.json` need not be in their repository.
#[derive(Clone, Debug, Default)]
pub struct Carried<'a> {
    files: BTreeMap<&'a Path, &'a str>,
}

impl<'a> Carried<'a> {
    /// From files: the path below the folder of schemas, such as `meta.k8s.io/v1.json`, and the
    /// text.
    pub fn new(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (Path::new(path), text)).collect() }
    }

    /// The document of a group version.
    pub(super) fn document(&self, group_version: &GroupVersion) -> Option<&'a str> {
        self.files.get(file_path(group_version).as_path()).copied()
    }

    /// The group versions of these schemas.
    pub fn group_versions(&self) -> impl Iterator<Item = GroupVersion> {
        self.files.keys().filter_map(|file| {
            let group = file.parent()?.to_str()?;
            let version = file.file_name()?.to_str()?.strip_suffix(".json")?;
            let group = if group == "core" { "" } else { group };
            (!group.contains('/')).then(|| GroupVersion::new(group, version))
        })
    }

    /// Which types of these schemas are boxed where they are optional.
    ///
    /// # Errors
    /// If the file with these decisions is not valid.
    pub fn boxes(&self) -> Result<Boxes, Vec<Diagnostic>> {
        match self.files.get(Path::new(boxes::FILE)) {
            Some(text) => Ok(boxes::parse(Path::new(boxes::FILE), (*text).to_owned())?.boxes()),
            None => Ok(Boxes::default()),
        }
    }
}
