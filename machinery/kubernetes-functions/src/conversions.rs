//! Conversion functions for the few cases of Kubernetes' own kinds that no operator of the rules covers.
//!
//! Rules refer to them by name. `<name>_to_hub` takes fields of a version and returns fields of the
//! hub; `<name>_from_hub` is the reverse.

use std::sync::LazyLock;

use hubgen_machinery::convert::{Functions, OptionalObject, is_unset};
use hubgen_machinery::reflect::{self, ApiType, Reflect, Slot, SlotMut};
use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::{Str, StrMap};

type TextMap = StrMap<Str>;

/// All functions of Kubernetes' own kinds that rules can call by name.
pub static ALL: LazyLock<Functions> = LazyLock::new(|| {
    Functions::none()
        .with("empty_selector", any_selector_to_hub, any_selector_from_hub)
        .with("object_target", object_target_to_hub, object_target_from_hub)
        .with("scale_selector", scale_selector_to_hub, scale_selector_from_hub)
        .with("subject", subject_to_hub, subject_from_hub)
        .with("topology", topology_to_hub, topology_from_hub)
});

/// Str values that the functions look for, each with the name of its field. Tests generate
/// objects with them.
pub const WORDS: &[(&str, &str)] = &[
    ("topology", ZONE),
    ("topology", HOSTNAME),
    ("deprecatedTopology", HOSTNAME),
    ("nodeName", "a"),
    ("kind", "User"),
    ("kind", "Group"),
    ("kind", "ServiceAccount"),
    ("kind", "Robot"),
    ("name", "*"),
    ("apiGroup", RBAC),
    ("apiVersion", RBAC_ALPHA),
    ("key", EMPTY_SELECTOR),
    ("operator", NOTHING),
    ("operator", EVERYTHING),
    ("selector", "a=b,c=d"),
    ("targetSelector", "a=b"),
    ("targetSelector", "a in (b,c)"),
];

const ZONE: &str = "topology.kubernetes.io/zone";
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Converts the location of an endpoint: from `topology` and `nodeName` to the remaining topology,
/// the zone and the node name.
///
/// As upstream does, it moves the zone into a field. It removes the host name from the map if it
/// equals the node name.
pub fn topology_to_hub(mut topology: TextMap, node: Option<Str>) -> (TextMap, Option<Str>, Option<Str>) {
    let zone = topology.remove(ZONE);
    if node.is_some() && topology.get(HOSTNAME) == node.as_ref() {
        topology.remove(HOSTNAME);
    }
    (topology, zone, node)
}

/// The reverse: from `deprecatedTopology`, `zone` and `nodeName` to the topology and the node name.
/// The node name becomes the host name, unless the map contains another host name.
pub fn topology_from_hub(
    mut topology: TextMap,
    zone: Option<Str>,
    node: Option<Str>,
) -> (TextMap, Option<Str>) {
    topology.extend(zone.map(|zone| (ZONE, zone)));
    if let Some(node) = &node
        && topology.get(HOSTNAME).is_none_or(|name| name.is_empty())
    {
        topology.insert(HOSTNAME, node.clone());
    }
    (topology, node)
}

const RBAC: &str = "rbac.authorization.k8s.io";
const RBAC_ALPHA: &str = "rbac.authorization.k8s.io/v1alpha1";

/// Converts the subject of a role binding: from `kind`, `apiVersion` and `name` to kind, group and
/// name.
///
/// As upstream does, it assigns one fixed group to each known kind, and turns the user `*` into the
/// group of all authenticated users.
pub fn subject_to_hub(kind: Str, version: Str, name: Str) -> (Str, Str, Str) {
    let group = match &*kind {
        "ServiceAccount" => "",
        "User" | "Group" => RBAC,
        _ => match version.split_once('/') {
            Some((group, version)) if !version.contains('/') => group,
            _ => "",
        },
    };
    if kind == "User" && name == "*" {
        return ("Group".into(), group.into(), "system:authenticated".into());
    }
    let group = group.into();
    (kind, group, name)
}

/// The reverse: from `kind`, `apiGroup` and `name` to kind, version and name. The version of an
/// unknown kind stays empty.
pub fn subject_from_hub(kind: Str, group: Str, name: Str) -> (Str, Str, Str) {
    let version = match (&*kind, &*group) {
        ("ServiceAccount", "") => "v1".into(),
        ("User" | "Group", RBAC) => RBAC_ALPHA.into(),
        (_, "") => Str::new(),
        (_, group) => format!("{group}/").into(),
    };
    (kind, version, name)
}

/// Converts the target of an autoscaler's object metric: from `targetValue` and `averageValue` to `target.value` and
/// `target.averageValue`.
///
/// The versions that have `targetValue` cannot omit it, so they write zero beside an average. As upstream does since 1.37
/// (`Convert_v1_ObjectMetricSource_To_autoscaling_ObjectMetricSource`), such a zero is no value.
pub fn object_target_to_hub(
    value: Quantity,
    average: Option<Quantity>,
) -> (Option<Quantity>, Option<Quantity>) {
    let is_meant = average.is_none() || !value.is_zero();
    (is_meant.then_some(value), average)
}

/// The reverse. Without a value, zero is written.
pub fn object_target_from_hub(
    value: Option<Quantity>,
    average: Option<Quantity>,
) -> (Quantity, Option<Quantity>) {
    (value.unwrap_or_default(), average)
}

/// Converts the pod selector of a scale: from `selector` and `targetSelector` to a selector as
/// text. The text wins over the map.
pub fn scale_selector_to_hub(labels: TextMap, selector: Str) -> Str {
    if !selector.is_empty() || labels.is_empty() {
        return selector;
    }
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",").into()
}

/// The reverse. The map is filled only if the text consists of labels with values. Upstream refuses
/// invalid selector text; here the map stays empty.
pub fn scale_selector_from_hub(selector: Str) -> (TextMap, Str) {
    (labels_of(&selector).unwrap_or_default(), selector)
}

/// The labels that a selector requires; `None` if it requires anything else.
fn labels_of(selector: &str) -> Option<TextMap> {
    let is = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    let label = |item: &str| {
        let (key, value) = item.split_once('=')?;
        let (key, value) = (key.trim(), value.strip_prefix('=').unwrap_or(value).trim());
        (!key.is_empty() && is(key, "-_./") && is(value, "-_.")).then(|| (Str::from(key), value.into()))
    };
    if selector.trim().is_empty() {
        return None;
    }
    selector.split(',').map(label).collect()
}

/// A key that no label has. An expression over it makes a selector match everything or nothing,
/// where the empty selector has the opposite meaning.
const EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// The operators over this key that match nothing and everything.
const NOTHING: &str = "Exists";
const EVERYTHING: &str = "DoesNotExist";

/// Converts a label selector from a version where the empty selector matches nothing to a hub where
/// it matches everything. An absent selector stays absent.
///
/// Upstream writes the opposite meaning as an expression over a special key, and strips that key
/// from all other selectors (`Convert_v1beta1_PodDisruptionBudget_To_policy_PodDisruptionBudget`).
pub fn empty_selector_to_hub<T: ApiType>(selector: Option<T>) -> Option<T> {
    let mut selector = selector?;
    selector_to_hub(&mut selector);
    Some(selector)
}

/// The reverse. The hub is policy/v1. Only what upstream itself writes for nothing and for everything becomes the opposite;
/// any other selector stays. (Until 1.36, upstream stripped the key when it read policy/v1.)
pub fn empty_selector_from_hub<T: ApiType>(selector: Option<T>) -> Option<T> {
    let mut selector = selector?;
    selector_from_hub(&mut selector);
    Some(selector)
}

/// As [`empty_selector_to_hub`], for a type that is known only at run time.
fn any_selector_to_hub(mut selector: OptionalObject) -> OptionalObject {
    selector.0.as_deref_mut().map(selector_to_hub);
    selector
}

/// As [`empty_selector_from_hub`], for a type that is known only at run time.
fn any_selector_from_hub(mut selector: OptionalObject) -> OptionalObject {
    selector.0.as_deref_mut().map(selector_from_hub);
    selector
}

fn selector_to_hub(selector: &mut dyn Reflect) {
    if is_empty(selector) { add_expression(selector, NOTHING) } else { strip(selector) }
}

fn selector_from_hub(selector: &mut dyn Reflect) {
    if selects_nothing(selector) {
        strip(selector);
    } else if is_empty(selector) {
        add_expression(selector, EVERYTHING);
    }
}

fn is_empty(selector: &dyn Reflect) -> bool {
    is_unset(false, &Slot::Struct(selector))
}

/// Whether the selector is what upstream writes for one that matches nothing: a single expression
/// that requires the key to exist.
fn selects_nothing(selector: &dyn Reflect) -> bool {
    let mut nothing = selector.boxed_copy();
    if let Some(SlotMut::List(expressions)) = nothing.field_mut("matchExpressions") {
        expressions.truncate(0);
    }
    is_empty(&*nothing) && {
        add_expression(&mut *nothing, NOTHING);
        reflect::equal(&*nothing, selector)
    }
}

/// Adds an expression over the key.
fn add_expression(selector: &mut dyn Reflect, operator: &str) {
    if let Some(SlotMut::List(expressions)) = selector.field_mut("matchExpressions")
        && let SlotMut::Struct(expression) = expressions.push()
    {
        for (name, text) in [("key", EMPTY_SELECTOR), ("operator", operator)] {
            if let Some(SlotMut::String(slot)) = expression.field_mut(name) {
                slot.set(text);
            }
        }
    }
}

/// Removes the expressions over the key.
fn strip(selector: &mut dyn Reflect) {
    let Some(SlotMut::List(expressions)) = selector.field_mut("matchExpressions") else { return };
    let mut kept = 0;
    for index in 0..expressions.len() {
        let is_ours = match expressions.get(index) {
            Slot::Struct(expression) => {
                matches!(expression.field("key"), Some(Slot::String(key)) if key.as_str() == EMPTY_SELECTOR)
            }
            _ => false,
        };
        if !is_ours {
            expressions.swap(kept, index);
            kept += 1;
        }
    }
    expressions.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> TextMap {
        pairs.iter().map(|(key, value)| (*key, (*value).into())).collect()
    }

    fn text(text: &str) -> Str {
        text.into()
    }

    #[test]
    fn a_zone_becomes_a_field_and_a_host_equal_to_the_node_is_removed() {
        let old = map(&[(HOSTNAME, "one"), (ZONE, "z"), ("rack", "r")]);
        let new = (map(&[("rack", "r")]), Some(text("z")), Some(text("one")));
        assert_eq!(topology_to_hub(old.clone(), Some(text("one"))), new);
        // A host name alone does not set the node name.
        let (topology, _, node) = topology_to_hub(old.clone(), None);
        assert_eq!((topology, node), (map(&[(HOSTNAME, "one"), ("rack", "r")]), None));
        let (topology, zone, node) = new;
        assert_eq!(topology_from_hub(topology, zone, node), (old.clone(), Some(text("one"))));
        // A different host name stays in both directions.
        let (topology, zone, node) = topology_to_hub(old.clone(), Some(text("two")));
        assert_eq!(topology, map(&[(HOSTNAME, "one"), ("rack", "r")]));
        assert_eq!(topology_from_hub(topology, zone, node), (old, Some(text("two"))));
        // The node name becomes the host name.
        let gained = topology_from_hub(map(&[]), None, Some(text("one")));
        assert_eq!(gained, (map(&[(HOSTNAME, "one")]), Some(text("one"))));
        assert_eq!(topology_from_hub(map(&[(HOSTNAME, "")]), None, Some(text("one"))), gained);
    }

    #[test]
    fn subjects_of_known_kinds_have_one_group() {
        let to = |kind, version, name| subject_to_hub(text(kind), text(version), text(name));
        let from = |kind, group, name| subject_from_hub(text(kind), text(group), text(name));
        let three = |a, b, c| (text(a), text(b), text(c));
        assert_eq!(to("User", "", "*"), three("Group", RBAC, "system:authenticated"));
        assert_eq!(to("Group", "v1", "*"), three("Group", RBAC, "*"));
        assert_eq!(to("ServiceAccount", "a/b", "x"), three("ServiceAccount", "", "x"));
        assert_eq!(to("Robot", "a/b", "x"), three("Robot", "a", "x"));
        assert_eq!(to("Robot", "a/b/c", "x"), three("Robot", "", "x"));
        assert_eq!(from("User", RBAC, "x"), three("User", RBAC_ALPHA, "x"));
        assert_eq!(from("ServiceAccount", "", "x"), three("ServiceAccount", "v1", "x"));
        assert_eq!(from("Robot", "a", "x"), three("Robot", "a/", "x"));
        assert_eq!(from("Robot", "", "x"), three("Robot", "", "x"));
    }

    #[test]
    fn a_selector_of_labels_converts_to_a_map() {
        let labels = map(&[("a", "b"), ("x.y/c", "")]);
        assert_eq!(scale_selector_to_hub(labels.clone(), text("")), "a=b,x.y/c=");
        assert_eq!(scale_selector_to_hub(labels.clone(), text("z in (y)")), "z in (y)");
        assert_eq!(scale_selector_from_hub(text("a=b, x.y/c==")), (labels, text("a=b, x.y/c==")));
        for more in ["a", "!a", "a!=b", "a in (b)", "a=b,c notin (d)", "a=b,", "=b", ""] {
            assert_eq!(scale_selector_from_hub(text(more)), (map(&[]), text(more)));
        }
    }
}
