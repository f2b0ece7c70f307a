//! Functions over plain values, for the few things that no operator of the rules
//! says. Rules name them; `<name>_to_hub` takes a version's fields and gives
//! the hub's, `<name>_from_hub` the other way round.

use std::collections::BTreeMap;

use super::function::{Function, PlainValue, PlainValues, function};
use crate::reflect::{self, ApiType, Reflect, Slot, SlotMut};

type TextMap = BTreeMap<String, String>;
type Object = Option<Box<dyn Reflect>>;

/// All functions that rules can name.
pub const ALL: &[Function] = &[
    function!("empty_selector": (Object) <=> (Object), any_selector_to_hub, any_selector_from_hub, exact: false),
    function!("first": (Vec<String>) <=> (String, Vec<String>), first_to_hub, first_from_hub, exact: true),
    function!(
        "scale_selector": (TextMap, String) <=> (String),
        scale_selector_to_hub, scale_selector_from_hub, exact: true
    ),
    function!(
        "subject": (String, String, String) <=> (String, String, String),
        subject_to_hub, subject_from_hub, exact: false
    ),
    function!(
        "topology": (TextMap, Option<String>) <=> (TextMap, Option<String>, Option<String>),
        topology_to_hub, topology_from_hub, exact: false
    ),
];

/// The function of that name.
pub fn find(name: &str) -> Option<&'static Function> {
    ALL.iter().find(|function| function.name == name)
}

/// Words that the functions look for, by the fields that hold them, for whoever
/// generates objects to test them with.
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

/// Where an endpoint is: of `topology` and `nodeName`, what has become of the
/// topology, the zone, and the name of the node.
///
/// As upstream does it, the zone has a field of its own, and so has the host:
/// it leaves the map where it is the node.
pub fn topology_to_hub(
    mut topology: BTreeMap<String, String>,
    node: Option<String>,
) -> (BTreeMap<String, String>, Option<String>, Option<String>) {
    let zone = topology.remove(ZONE);
    if node.is_some() && topology.get(HOSTNAME) == node.as_ref() {
        topology.remove(HOSTNAME);
    }
    (topology, zone, node)
}

/// The way back: of `deprecatedTopology`, `zone` and `nodeName`, the topology
/// and the name of the node. The host is the node, unless the map says
/// another one.
pub fn topology_from_hub(
    mut topology: BTreeMap<String, String>,
    zone: Option<String>,
    node: Option<String>,
) -> (BTreeMap<String, String>, Option<String>) {
    topology.extend(zone.map(|zone| (ZONE.to_owned(), zone)));
    if let Some(node) = &node
        && topology.get(HOSTNAME).is_none_or(String::is_empty)
    {
        topology.insert(HOSTNAME.to_owned(), node.clone());
    }
    (topology, node)
}

const RBAC: &str = "rbac.authorization.k8s.io";
const RBAC_ALPHA: &str = "rbac.authorization.k8s.io/v1alpha1";

/// Who is bound to a role: of `kind`, `apiVersion` and `name`, the kind, the
/// group and the name.
///
/// As upstream does it, the kinds that are known have one group each, and the
/// user `*` is everybody who is authenticated.
pub fn subject_to_hub(kind: String, version: String, name: String) -> (String, String, String) {
    let group = match &*kind {
        "ServiceAccount" => "",
        "User" | "Group" => RBAC,
        _ => match version.split_once('/') {
            Some((group, version)) if !version.contains('/') => group,
            _ => "",
        },
    };
    if kind == "User" && name == "*" {
        return ("Group".to_owned(), group.to_owned(), "system:authenticated".to_owned());
    }
    (kind, group.to_owned(), name)
}

/// The way back: of `kind`, `apiGroup` and `name`, the kind, the version and
/// the name. Of a kind that is not known, nobody knows the version.
pub fn subject_from_hub(kind: String, group: String, name: String) -> (String, String, String) {
    let version = match (&*kind, &*group) {
        ("ServiceAccount", "") => "v1".to_owned(),
        ("User" | "Group", RBAC) => RBAC_ALPHA.to_owned(),
        (_, "") => String::new(),
        (_, group) => format!("{group}/"),
    };
    (kind, version, name)
}

/// The first of a list, and the others.
pub fn first_to_hub(mut list: Vec<String>) -> (String, Vec<String>) {
    if list.is_empty() {
        return (String::new(), list);
    }
    (list.remove(0), list)
}

/// The way back; nothing at all where both are empty.
pub fn first_from_hub(first: String, mut others: Vec<String>) -> Vec<String> {
    if !first.is_empty() || !others.is_empty() {
        others.insert(0, first);
    }
    others
}

/// Which pods a scale counts: of `selector` and `targetSelector`, the selector
/// as text. What is written as text wins over the map.
pub fn scale_selector_to_hub(labels: BTreeMap<String, String>, selector: String) -> String {
    if !selector.is_empty() || labels.is_empty() {
        return selector;
    }
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// The way back. The map is only there where labels and their values are all
/// that the text asks for; upstream refuses a text that is no selector, here it
/// has no map.
pub fn scale_selector_from_hub(selector: String) -> (BTreeMap<String, String>, String) {
    (labels_of(&selector).unwrap_or_default(), selector)
}

/// The labels that a selector asks for; `None` where it asks for more.
fn labels_of(selector: &str) -> Option<BTreeMap<String, String>> {
    let is = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    let label = |item: &str| {
        let (key, value) = item.split_once('=')?;
        let (key, value) = (key.trim(), value.strip_prefix('=').unwrap_or(value).trim());
        (!key.is_empty() && is(key, "-_./") && is(value, "-_.")).then(|| (key.to_owned(), value.to_owned()))
    };
    if selector.trim().is_empty() {
        return None;
    }
    selector.split(',').map(label).collect()
}

/// A key that no label has, so that a selector can say everything or nothing
/// where the empty one says the opposite.
const EMPTY_SELECTOR: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// The operators that make an expression over the key select nothing and
/// everything.
const NOTHING: &str = "Exists";
const EVERYTHING: &str = "DoesNotExist";

/// A label selector whose version takes the empty one for nothing, in a hub
/// that takes it for everything; absent it is absent in both.
///
/// Upstream writes the other meaning as an expression over a key of its own,
/// and strips that key wherever else it stands
/// (`Convert_v1beta1_PodDisruptionBudget_To_policy_PodDisruptionBudget`).
pub fn empty_selector_to_hub<T: ApiType>(selector: Option<T>) -> Option<T> {
    let mut selector = selector?;
    selector_to_hub(&mut selector);
    Some(selector)
}

/// The way back. The hub is policy/v1: what upstream strips on the way in from
/// there (`Convert_v1_PodDisruptionBudget_To_policy_PodDisruptionBudget`) is
/// still there, and is stripped here. What is then empty selects everything.
pub fn empty_selector_from_hub<T: ApiType>(selector: Option<T>) -> Option<T> {
    let mut selector = selector?;
    selector_from_hub(&mut selector);
    Some(selector)
}

/// As [`empty_selector_to_hub`], for a type that is known at run time only.
fn any_selector_to_hub(mut selector: Object) -> Object {
    selector.as_deref_mut().map(selector_to_hub);
    selector
}

/// As [`empty_selector_from_hub`], for a type that is known at run time only.
fn any_selector_from_hub(mut selector: Object) -> Object {
    selector.as_deref_mut().map(selector_from_hub);
    selector
}

fn selector_to_hub(selector: &mut dyn Reflect) {
    if is_empty(selector) { demand(selector, NOTHING) } else { strip(selector) }
}

fn selector_from_hub(selector: &mut dyn Reflect) {
    let selects_nothing = selects_nothing(selector);
    strip(selector);
    if is_empty(selector) && !selects_nothing {
        demand(selector, EVERYTHING);
    }
}

fn is_empty(selector: &dyn Reflect) -> bool {
    super::is_unset(false, &Slot::Struct(selector))
}

/// Whether it is what upstream writes for a selector that selects nothing: the
/// key exists, and nothing else.
fn selects_nothing(selector: &dyn Reflect) -> bool {
    let mut nothing = selector.boxed_copy();
    if let Some(SlotMut::List(expressions)) = nothing.field_mut("matchExpressions") {
        expressions.truncate(0);
    }
    is_empty(&*nothing) && {
        demand(&mut *nothing, NOTHING);
        reflect::equal(&*nothing, selector)
    }
}

/// Adds an expression over the key.
fn demand(selector: &mut dyn Reflect, operator: &str) {
    if let Some(SlotMut::List(expressions)) = selector.field_mut("matchExpressions")
        && let SlotMut::Struct(expression) = expressions.push()
    {
        for (name, text) in [("key", EMPTY_SELECTOR), ("operator", operator)] {
            if let Some(SlotMut::String(slot)) = expression.field_mut(name) {
                text.clone_into(slot);
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
            Slot::Struct(expression) => matches!(expression.field("key"), Some(Slot::String(EMPTY_SELECTOR))),
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

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn a_zone_is_a_field_and_a_host_that_is_the_node_is_not_said_twice() {
        let old = map(&[(HOSTNAME, "one"), (ZONE, "z"), ("rack", "r")]);
        let new = (map(&[("rack", "r")]), Some(text("z")), Some(text("one")));
        assert_eq!(topology_to_hub(old.clone(), Some(text("one"))), new);
        // A host alone names no node.
        let (topology, _, node) = topology_to_hub(old.clone(), None);
        assert_eq!((topology, node), (map(&[(HOSTNAME, "one"), ("rack", "r")]), None));
        let (topology, zone, node) = new;
        assert_eq!(topology_from_hub(topology, zone, node), (old.clone(), Some(text("one"))));
        // Another host stays, both ways.
        let (topology, zone, node) = topology_to_hub(old.clone(), Some(text("two")));
        assert_eq!(topology, map(&[(HOSTNAME, "one"), ("rack", "r")]));
        assert_eq!(topology_from_hub(topology, zone, node), (old, Some(text("two"))));
        // A node becomes a host.
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
    fn a_selector_of_labels_is_a_map_as_well() {
        let labels = map(&[("a", "b"), ("x.y/c", "")]);
        assert_eq!(scale_selector_to_hub(labels.clone(), text("")), "a=b,x.y/c=");
        assert_eq!(scale_selector_to_hub(labels.clone(), text("z in (y)")), "z in (y)");
        assert_eq!(scale_selector_from_hub(text("a=b, x.y/c==")), (labels, text("a=b, x.y/c==")));
        for more in ["a", "!a", "a!=b", "a in (b)", "a=b,c notin (d)", "a=b,", "=b", ""] {
            assert_eq!(scale_selector_from_hub(text(more)), (map(&[]), text(more)));
        }
    }

    #[test]
    fn the_first_of_a_list_comes_first_again() {
        for list in [vec![], vec![text("a")], vec![text("a"), text("b")], vec![text(""), text("b")]] {
            let (first, others) = first_to_hub(list.clone());
            assert_eq!(first_from_hub(first, others), list);
        }
        assert_eq!(first_to_hub(vec![text("a"), text("b")]), (text("a"), vec![text("b")]));
    }
}
