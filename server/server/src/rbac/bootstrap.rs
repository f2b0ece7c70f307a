//! The roles and bindings that a server makes when it starts, as data.
//!
//! ```json
//! {
//!   "release": "1.37",
//!   "others": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}],
//!   "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
//!   "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
//!   "roles": [
//!     {"name": "reader", "rules": [{"verbs": "get list", "groups": "core apps", "resources": "pods deployments"}]},
//!     {"name": "all", "labels": {"a": "b"}, "gathers": [{"to-all": "true"}]},
//!     {"namespace": "kube-system", "name": "one", "rules": [{"verbs": "get", "paths": "/healthz /livez/*"}]}
//!   ],
//!   "bindings": [
//!     {"name": "readers", "role": "ClusterRole reader", "subjects": ["Group people", "ServiceAccount kube-system/robot"]}
//!   ]
//! }
//! ```
//!
//! Words are separated by spaces; `core` is the group without a name. What has no namespace is of the cluster. `gathers` has
//! the labels of the roles whose rules a role gathers. All roles and bindings have the labels and annotations at the top.

use hubgen_machinery::{Str, StrMap};
use hubgen_meta::v1::{LabelSelector, ObjectMeta};
use hubgen_rbac::v1::{
    AggregationRule, ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject,
};
use serde_json::Value;
use thiserror::Error;

use super::follow::GROUP;

/// The roles and bindings that a server makes when it starts, and keeps: what somebody has removed of them comes back at
/// the next start, and what somebody has added stays.
#[derive(Clone, Debug, Default)]
pub struct Bootstrap {
    /// Objects of other kinds, which are made where the server has these kinds.
    pub(super) others: Vec<Value>,
    pub(super) roles: Vec<Role>,
    pub(super) cluster_roles: Vec<ClusterRole>,
    pub(super) bindings: Vec<RoleBinding>,
    pub(super) cluster_bindings: Vec<ClusterRoleBinding>,
}

/// Why a text has no roles and bindings to start with.
#[derive(Debug, Error)]
#[error("{place}: expected {expected}")]
pub struct InvalidBootstrap {
    /// Where, such as `roles[3].rules[0].verbs`.
    place: String,
    /// What is expected there.
    expected: &'static str,
}

impl Bootstrap {
    /// Reads JSON in the form that `schemas/access/bootstrap.json` has.
    ///
    /// # Errors
    /// If it has another form.
    pub fn parse(text: &str) -> Result<Self, InvalidBootstrap> {
        let invalid = |place: String, expected| InvalidBootstrap { place, expected };
        let document: Value =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string(), "JSON"))?;
        let top = At { value: &document, place: String::new() };
        let mut all = Self::default();
        for other in top.list("others")? {
            for field in ["apiVersion", "kind"] {
                other.member(field).text()?;
            }
            other.member("metadata").member("name").text()?;
            all.others.push(other.value.clone());
        }
        let common = ObjectMeta {
            labels: top.texts("labels")?,
            annotations: top.texts("annotations")?,
            ..ObjectMeta::default()
        };
        for role in top.list("roles")? {
            let metadata = role.metadata(&common)?;
            let rules = role.list("rules")?.iter().map(At::rule).collect::<Result<Vec<_>, _>>()?;
            if metadata.namespace.is_empty() {
                let aggregation_rule = role.gathers()?;
                all.cluster_roles.push(ClusterRole { metadata, rules, aggregation_rule });
            } else {
                all.roles.push(Role { metadata, rules });
            }
        }
        for binding in top.list("bindings")? {
            let metadata = binding.metadata(&common)?;
            let subjects = binding.list("subjects")?.iter().map(At::subject).collect::<Result<_, _>>()?;
            let role = binding.member("role");
            let (kind, name) = role.two()?;
            let role_ref = RoleRef { api_group: GROUP.into(), kind: kind.into(), name: name.into() };
            if metadata.namespace.is_empty() {
                all.cluster_bindings.push(ClusterRoleBinding { metadata, subjects, role_ref });
            } else {
                all.bindings.push(RoleBinding { metadata, subjects, role_ref });
            }
        }
        Ok(all)
    }
}

/// A value, and where it is.
struct At<'a> {
    value: &'a Value,
    place: String,
}

static NULL: Value = Value::Null;

impl<'a> At<'a> {
    fn expected<T>(&self, expected: &'static str) -> Result<T, InvalidBootstrap> {
        Err(InvalidBootstrap { place: self.place.clone(), expected })
    }

    fn member(&self, name: &str) -> At<'a> {
        let place = if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) };
        At { value: self.value.get(name).unwrap_or(&NULL), place }
    }

    fn text(&self) -> Result<&'a str, InvalidBootstrap> {
        self.value.as_str().map_or_else(|| self.expected("a text"), Ok)
    }

    /// The elements of a list; none if it is absent.
    fn list(&self, name: &str) -> Result<Vec<At<'a>>, InvalidBootstrap> {
        let list = self.member(name);
        match list.value {
            Value::Null => Ok(Vec::new()),
            Value::Array(elements) => {
                let at = |(index, value)| At { value, place: format!("{}[{index}]", list.place) };
                Ok(elements.iter().enumerate().map(at).collect())
            }
            _ => list.expected("a list"),
        }
    }

    /// The texts of an object; none if it is absent.
    fn texts(&self, name: &str) -> Result<StrMap<Str>, InvalidBootstrap> {
        self.member(name).map()
    }

    fn map(&self) -> Result<StrMap<Str>, InvalidBootstrap> {
        let mut map = StrMap::default();
        match self.value {
            Value::Null => {}
            Value::Object(members) => {
                for name in members.keys() {
                    map.insert(&**name, Str::from(self.member(name).text()?));
                }
            }
            _ => return self.expected("an object of texts"),
        }
        Ok(map)
    }

    /// The words of a text; none if it is absent.
    fn words(&self, name: &str) -> Result<Vec<Str>, InvalidBootstrap> {
        let words = self.member(name);
        match words.value {
            Value::Null => Ok(Vec::new()),
            _ => Ok(words.text()?.split_whitespace().map(Str::from).collect()),
        }
    }

    /// Two words.
    fn two(&self) -> Result<(&'a str, &'a str), InvalidBootstrap> {
        self.text()?.split_once(' ').map_or_else(|| self.expected("a kind and a name"), Ok)
    }

    fn metadata(&self, common: &ObjectMeta) -> Result<ObjectMeta, InvalidBootstrap> {
        let namespace = self.member("namespace");
        let namespace = if namespace.value.is_null() { "" } else { namespace.text()? };
        let mut metadata = common.clone();
        metadata.namespace = namespace.into();
        metadata.name = self.member("name").text()?.into();
        for (name, value) in self.texts("labels")?.iter() {
            metadata.labels.insert(name, value.clone());
        }
        Ok(metadata)
    }

    fn rule(&self) -> Result<PolicyRule, InvalidBootstrap> {
        let group = |word: Str| if word == "core" { Str::new() } else { word };
        Ok(PolicyRule {
            verbs: self.words("verbs")?,
            api_groups: self.words("groups")?.into_iter().map(group).collect(),
            resources: self.words("resources")?,
            resource_names: self.words("names")?,
            non_resource_urls: self.words("paths")?,
        })
    }

    fn gathers(&self) -> Result<Option<AggregationRule>, InvalidBootstrap> {
        let selector =
            |labels: &At<'_>| Ok(LabelSelector { match_labels: labels.map()?, ..LabelSelector::default() });
        let selectors = self.list("gathers")?.iter().map(selector).collect::<Result<Vec<_>, _>>()?;
        Ok((!selectors.is_empty()).then_some(AggregationRule { cluster_role_selectors: selectors }))
    }

    fn subject(&self) -> Result<Subject, InvalidBootstrap> {
        let (kind, name) = self.two()?;
        let (namespace, name) = match kind {
            "ServiceAccount" => name.split_once('/').unwrap_or(("", name)),
            _ => ("", name),
        };
        let api_group = if kind == "ServiceAccount" { "" } else { GROUP };
        let subject = Subject { kind: kind.into(), api_group: api_group.into(), ..Subject::default() };
        Ok(Subject { name: name.into(), namespace: namespace.into(), ..subject })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, expected) in [
            ("[", "EOF while parsing a list at line 1 column 1: expected JSON"),
            (r#"{"roles": {}}"#, "roles: expected a list"),
            (
                r#"{"others": [{"kind": "a", "apiVersion": "v1"}]}"#,
                "others[0].metadata.name: expected a text",
            ),
            (r#"{"roles": [{}]}"#, "roles[0].name: expected a text"),
            (
                r#"{"roles": [{"name": "a", "rules": [{"verbs": 1}]}]}"#,
                "roles[0].rules[0].verbs: expected a text",
            ),
            (r#"{"labels": {"a": 1}}"#, "labels.a: expected a text"),
            (r#"{"bindings": [{"name": "a", "role": "b"}]}"#, "bindings[0].role: expected a kind and a name"),
            (
                r#"{"bindings": [{"name": "a", "role": "Role b", "subjects": ["c"]}]}"#,
                "bindings[0].subjects[0]: expected a kind and a name",
            ),
        ] {
            assert_eq!(Bootstrap::parse(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn words_become_objects() {
        let text = r#"{
            "labels": {"a": "1"},
            "roles": [{"name": "r", "labels": {"b": "2"}, "gathers": [{"c": "3"}], "rules": [{"verbs": "get", "groups": "core apps", "names": "x"}]}],
            "bindings": [{"namespace": "n", "name": "b", "role": "Role r", "subjects": ["User u v", "ServiceAccount m/s"]}]
        }"#;
        let Bootstrap { cluster_roles, bindings, .. } = Bootstrap::parse(text).unwrap();
        let role = &cluster_roles[0];
        assert_eq!(role.metadata.labels.len(), 2);
        assert_eq!(role.rules[0].api_groups, ["", "apps"]);
        assert_eq!(role.aggregation_rule.as_ref().unwrap().cluster_role_selectors[0].match_labels.len(), 1);
        let subjects = &bindings[0].subjects;
        assert_eq!((&*subjects[0].name, &*subjects[0].api_group), ("u v", GROUP));
        assert_eq!((&*subjects[1].namespace, &*subjects[1].name, &*subjects[1].api_group), ("m", "s", ""));
    }
}
