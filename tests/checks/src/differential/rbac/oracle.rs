//! Which bindings allow something: a plain reading of the stored objects, without an index.
//!
//! The other server visits bindings in no order, so that its reason names any binding that allows a question. A reason that
//! differs from ours is right if this finds it, too.

use serde_json::Value;

/// All roles and bindings of a server.
pub struct Oracle {
    objects: Vec<Value>,
}

impl Oracle {
    pub fn new(objects: Vec<Value>) -> Self {
        Self { objects }
    }

    /// The reasons for which a question is allowed.
    pub fn reasons(&self, spec: &Value) -> Vec<String> {
        let namespace = text(&spec["resourceAttributes"], "namespace");
        let mut reasons = Vec::new();
        for binding in &self.objects {
            let of = text(&binding["metadata"], "namespace");
            let applies = match text(binding, "kind") {
                "clusterrolebindings" => true,
                "rolebindings" => !namespace.is_empty() && of == namespace,
                _ => false,
            };
            let subject =
                binding["subjects"].as_array().into_iter().flatten().find(|subject| is(subject, spec, of));
            let (true, Some(subject)) = (applies, subject) else { continue };
            let rules = self.rules(&binding["roleRef"], of);
            if rules.iter().any(|rule| allows(rule, spec)) {
                reasons.push(reason(binding, of, subject));
            }
        }
        reasons
    }

    fn rules(&self, role: &Value, namespace: &str) -> &[Value] {
        let (kind, namespace) = match text(role, "kind") {
            "Role" => ("roles", namespace),
            _ => ("clusterroles", ""),
        };
        let found = self.objects.iter().find(|object| {
            text(object, "kind") == kind
                && object["metadata"]["name"] == role["name"]
                && text(&object["metadata"], "namespace") == namespace
        });
        found.and_then(|role| role["rules"].as_array()).map_or(&[], Vec::as_slice)
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn has(list: &Value, word: &str) -> bool {
    list.as_array().into_iter().flatten().any(|known| *known == *word)
}

fn is(subject: &Value, spec: &Value, namespace: &str) -> bool {
    let name = text(subject, "name");
    match text(subject, "kind") {
        "User" => name == text(spec, "user"),
        "Group" => has(&spec["groups"], name),
        _ => {
            let of = subject["namespace"].as_str().unwrap_or(namespace);
            !of.is_empty() && text(spec, "user") == format!("system:serviceaccount:{of}:{name}")
        }
    }
}

fn allows(rule: &Value, spec: &Value) -> bool {
    let path = &spec["nonResourceAttributes"];
    if !path.is_null() {
        let asked = text(path, "path");
        let verb = text(path, "verb");
        let mut urls = rule["nonResourceURLs"].as_array().into_iter().flatten().filter_map(Value::as_str);
        return (has(&rule["verbs"], verb) || has(&rule["verbs"], "*"))
            && urls.any(|url| {
                url == asked || (url.ends_with('*') && asked.starts_with(url.trim_end_matches('*')))
            });
    }
    let of = &spec["resourceAttributes"];
    let (resource, subresource) = (text(of, "resource"), text(of, "subresource"));
    let whole =
        if subresource.is_empty() { resource.to_owned() } else { format!("{resource}/{subresource}") };
    let resources = &rule["resources"];
    let names = &rule["resourceNames"];
    (has(&rule["verbs"], text(of, "verb")) || has(&rule["verbs"], "*"))
        && (has(&rule["apiGroups"], text(of, "group")) || has(&rule["apiGroups"], "*"))
        && (has(resources, "*")
            || has(resources, &whole)
            || (!subresource.is_empty() && has(resources, &format!("*/{subresource}"))))
        && (names.as_array().is_none_or(Vec::is_empty) || has(names, text(of, "name")))
}

fn reason(binding: &Value, namespace: &str, subject: &Value) -> String {
    let name = text(&binding["metadata"], "name");
    let binding_is = if text(binding, "kind") == "rolebindings" {
        format!("RoleBinding \"{name}/{namespace}\"")
    } else {
        format!("ClusterRoleBinding \"{name}\"")
    };
    let role = &binding["roleRef"];
    let kind = text(subject, "kind");
    let to = match kind {
        "ServiceAccount" => {
            format!("{}/{}", text(subject, "name"), subject["namespace"].as_str().unwrap_or(namespace))
        }
        _ => text(subject, "name").to_owned(),
    };
    format!(
        "RBAC: allowed by {binding_is} of {} \"{}\" to {kind} \"{to}\"",
        text(role, "kind"),
        text(role, "name")
    )
}
