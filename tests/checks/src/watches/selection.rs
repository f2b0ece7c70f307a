//! What a watch selects.

use super::log::{Side, Write};
use crate::dice::Dice;

/// The namespaces and the names that writers use.
pub const NAMESPACES: usize = 6;
pub const NAMES: usize = 12;
/// The values of the label.
pub const LABELS: [&str; 3] = ["x", "y", "z"];

/// A kind, and the paths at which it is served.
pub struct Kind {
    /// The prefix of its keys in the store.
    pub prefix: &'static str,
    /// The plural, and the roots of the versions. Writers use the first one.
    pub plural: &'static str,
    pub roots: &'static [&'static str],
    /// What an object has besides metadata.
    pub body: &'static str,
}

pub const KINDS: [Kind; 4] = [
    Kind {
        prefix: "/registry/configmaps/",
        plural: "configmaps",
        roots: &["/api/v1"],
        body: r#""data":{"a":"b"}"#,
    },
    Kind {
        prefix: "/registry/secrets/",
        plural: "secrets",
        roots: &["/api/v1"],
        body: r#""data":{"a":"Yg=="}"#,
    },
    Kind {
        prefix: "/registry/leases/",
        plural: "leases",
        roots: &["/apis/coordination.k8s.io/v1", "/apis/coordination.k8s.io/v1beta1"],
        body: r#""spec":{"holderIdentity":"a"}"#,
    },
    Kind {
        prefix: "/registry/deployments/",
        plural: "deployments",
        roots: &["/apis/apps/v1", "/apis/apps/v1beta1", "/apis/extensions/v1beta1"],
        body: r#""spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
            "spec":{"containers":[{"name":"c","image":"i"}]}}}"#,
    },
];

pub struct Selection {
    pub kind: &'static Kind,
    root: &'static str,
    namespace: Option<usize>,
    label: Option<&'static str>,
    name: Option<usize>,
    pub is_protobuf: bool,
}

/// What an event tells: its type, and the key and the revision of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub event_type: &'static str,
    pub key: String,
    pub revision: u64,
}

impl Selection {
    /// The selection of a seed. Most watches are of a part, so that a thousand of them can be read on a small machine.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let kind = &KINDS[dice.below(KINDS.len())];
        let root = kind.roots[dice.below(kind.roots.len())];
        let all = dice.below(20) == 0;
        Self {
            kind,
            root,
            namespace: (!all && dice.below(5) > 0).then(|| dice.below(NAMESPACES)),
            label: (dice.below(3) == 0).then(|| LABELS[dice.below(LABELS.len())]),
            name: (!all && dice.below(3) == 0).then(|| dice.below(NAMES)),
            is_protobuf: dice.below(3) == 0,
        }
    }

    /// The path of the collection, with selectors.
    pub fn path(&self) -> String {
        let namespace = self.namespace.map_or_else(String::new, |number| format!("/namespaces/n{number}"));
        let mut path = format!("{}{namespace}/{}?", self.root, self.kind.plural);
        if let Some(label) = self.label {
            path += &format!("labelSelector=l%3D{label}&");
        }
        if let Some(name) = self.name {
            path += &format!("fieldSelector=metadata.name%3Do{name}&");
        }
        path
    }

    /// Whether the selection has an object.
    pub fn has(&self, key: &str, side: &Side) -> bool {
        let Some((namespace, name)) =
            key.strip_prefix(self.kind.prefix).and_then(|rest| rest.split_once('/'))
        else {
            return false;
        };
        self.namespace.is_none_or(|number| namespace == format!("n{number}"))
            && self.name.is_none_or(|number| name == format!("o{number}"))
            && self.label.is_none_or(|label| side.label == label)
    }

    /// What a watch of this selection has to tell of a write.
    pub fn told(&self, write: &Write) -> Option<Told> {
        let has = |side: &Option<Side>| side.as_ref().is_some_and(|side| self.has(&write.key, side));
        let event_type = match (has(&write.before), has(&write.after)) {
            (false, false) => return None,
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        Some(Told { event_type, key: write.key.clone(), revision: write.revision })
    }
}
