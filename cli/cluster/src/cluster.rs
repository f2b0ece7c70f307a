//! Which cluster is read, and how kubectl reaches it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The objects that are asked for at once, as kubectl itself does.
const PAGE: u32 = 500;

/// A cluster that kubectl reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The program: a name that is looked up on the PATH, or a path.
    pub kubectl: PathBuf,
    /// The kubeconfig; without one, those that kubectl reads by itself (`KUBECONFIG`, `~/.kube/config`).
    pub kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig; without one, the current one.
    pub context: Option<String>,
    /// The only namespace whose objects are read. Objects outside of namespaces are then left out.
    pub namespace: Option<String>,
    /// The most objects in one answer, so that memory stays small; 0 asks for whole lists.
    pub page: u32,
}

impl Default for Cluster {
    /// What the command `kubectl` reaches without options, all namespaces, in pages as those of kubectl.
    fn default() -> Self {
        Self { kubectl: "kubectl".into(), kubeconfig: None, context: None, namespace: None, page: PAGE }
    }
}

impl Cluster {
    /// `--kubeconfig` and `--context`, as far as they are given.
    pub(crate) fn options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        if let Some(path) = &self.kubeconfig {
            options.extend(["--kubeconfig".into(), path.into()]);
        }
        if let Some(context) = &self.context {
            options.extend(["--context".into(), context.into()]);
        }
        options
    }

    /// How a person asks kubectl something of this cluster.
    pub(crate) fn command(&self, arguments: &[&str]) -> String {
        let words = std::iter::once(self.kubectl.as_os_str().to_owned()).chain(self.options());
        let words = words.chain(arguments.iter().map(OsString::from));
        words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Cluster {
    /// As messages name it: `the cluster of context production`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.context {
            Some(context) => write!(f, "the cluster of context {context}")?,
            None => f.write_str("the cluster of the current context")?,
        }
        match &self.kubeconfig {
            Some(path) => write!(f, " in {}", path.display()),
            None => Ok(()),
        }
    }
}

/// A word as a shell needs it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
