//! The intended differences that docs/differences.md lists. Each has a predicate over what upstream
//! answers, what we answer, and the part of the request that makes the two differ.

mod absent;
mod annotations;
pub mod autoscalers;
mod dropped;
mod older;
mod once;
mod refused;
mod unchanged;
mod volumes;

use std::sync::Arc;

use hubgen_kubernetes::machinery::reflect::Field;
use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::Value;

use super::record::Release;

/// A request and both answers.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The kind of the object; for a list, the kind of its items.
    pub kind: &'a str,
    /// The kind and version of the object.
    pub from: &'a Arc<KindEntry>,
    /// The kind and version of the answer; the same if the object is only defaulted.
    pub to: &'a Arc<KindEntry>,
    /// Whether it is defaulted.
    pub default: bool,
    /// Whether it is converted through the hub.
    pub converts: bool,
    /// Whether a running server answered, which also converts what it defaults.
    pub served: bool,
    /// The release of Kubernetes that answered, if the record contains it.
    pub release: Option<Release>,
    /// The object in the request.
    pub asked: &'a Value,
    pub theirs: Result<&'a Value, &'a str>,
    pub ours: Result<&'a Value, &'a str>,
    /// The request as hubgen reads it, with defaults if requested.
    pub read: &'a Value,
    /// Their answer, read by hubgen and converted to the hub and back; `null` if that fails.
    pub again: &'a Value,
}

impl<'a> Case<'a> {
    /// The case of an item of a list.
    pub fn item(&self, index: usize) -> Self {
        let item = |list: &'a Value| &list["items"][index];
        Self {
            asked: item(self.asked),
            theirs: self.theirs.map(item),
            ours: self.ours.map(item),
            read: item(self.read),
            again: item(self.again),
            ..*self
        }
    }

    /// The value in the request at a JSON pointer such as `/spec/metrics`; `null` if there is none.
    fn asked(&self, pointer: &str) -> &'a Value {
        at(self.asked, pointer)
    }

    /// The value in their answer.
    fn theirs(&self, pointer: &str) -> &'a Value {
        self.theirs.map_or(&Value::Null, |answer| at(answer, pointer))
    }

    /// The value in our answer.
    fn ours(&self, pointer: &str) -> &'a Value {
        self.ours.map_or(&Value::Null, |answer| at(answer, pointer))
    }

    /// The values of an annotation: in the request, in their answer and in ours.
    fn annotation(&self, key: &str) -> [Option<&'a str>; 3] {
        const ALL: &str = "/metadata/annotations";
        [self.asked(ALL), self.theirs(ALL), self.ours(ALL)].map(|all| all.get(key)?.as_str())
    }

    /// Whether the object is converted from one of these versions to one of those.
    fn is_between(&self, from: &[&str], to: &[&str]) -> bool {
        from.contains(&&*self.from.api_version()) && to.contains(&&*self.to.api_version())
    }
}

fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// The JSON pointer for a path, such as `/spec/versions/0/name`.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('~', "~0").replace('/', "~1").replace(['.', '['], "/").replace(']', ""))
}

/// A field, and the struct that it belongs to.
pub type Owned = (&'static str, &'static Field);

/// A difference between two answers. If one side refuses, the path is empty and only one answer is
/// present.
pub struct Mismatch<'a> {
    /// The path: `spec.containers[0].image`.
    pub path: String,
    /// Their value, if present.
    pub theirs: Option<&'a Value>,
    /// Our value, if present.
    pub ours: Option<&'a Value>,
    /// The field that contains the value, directly or as an element.
    pub field: Option<Owned>,
}

impl Mismatch<'_> {
    /// Whether it is a field such as `DeploymentSpec.replicas`.
    fn is_field(&self, of: &str, name: &str) -> bool {
        self.field.is_some_and(|(struct_, field)| struct_ == of && field.name == name)
    }

    /// The key of the annotation that differs.
    pub fn annotation(&self) -> Option<&str> {
        self.path.strip_prefix("metadata.annotations.")
    }
}

/// An intended difference.
struct Difference {
    /// The heading in docs/differences.md.
    name: &'static str,
    applies: fn(&Case<'_>, &Mismatch<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference { name: "Fields that later releases dropped stay", applies: dropped::applies },
    Difference { name: "Older releases answer otherwise", applies: older::applies },
    Difference { name: "What nobody set stays absent", applies: absent::applies },
    Difference { name: "A text that does not parse is no reason to refuse", applies: refused::applies },
    Difference { name: "Annotations without a meaning are dropped", applies: annotations::applies },
    Difference {
        name: "The target that autoscaling/v1 implies is a default",
        applies: autoscalers::implied_target,
    },
    Difference { name: "All processor metrics are kept", applies: autoscalers::processor_metrics },
    Difference { name: "A field wins over an annotation", applies: autoscalers::field_wins },
    Difference {
        name: "Container metrics keep the container's name",
        applies: autoscalers::container_metric,
    },
    Difference { name: "The hub's version keeps what it can hold", applies: unchanged::applies },
    Difference { name: "Duplicates are merged", applies: once::applies },
    Difference { name: "Volumes of attachments are defaulted at v1alpha1", applies: volumes::applies },
];

/// The name of the listed difference that explains a mismatch.
pub fn listed(case: &Case<'_>, place: &Mismatch<'_>) -> Option<&'static str> {
    let item = place.path.strip_prefix("items[").and_then(|rest| {
        let (index, path) = rest.split_once("].")?;
        Some((case.item(index.parse().ok()?), Mismatch { path: path.to_owned(), ..*place }))
    });
    let (case, place) = item.as_ref().map_or((case, place), |(case, place)| (case, place));
    let difference = DIFFERENCES.iter().find(|difference| (difference.applies)(case, place));
    difference.map(|difference| difference.name)
}

/// The names of all listed differences.
#[cfg(test)]
pub fn names() -> Vec<&'static str> {
    DIFFERENCES.iter().map(|difference| difference.name).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_difference_is_written_down() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/differences.md");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(names(), headings);
        assert!(names().len() <= 12, "expected at most twelve");
    }
}
