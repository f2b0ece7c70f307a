//! Writes of roles and bindings by users who may write them, but not grant everything.

use serde_json::{Value, json};

use super::world::{GROUP, Maker, NAMESPACES, PREFIX, collection};

impl Maker {
    /// A write: who sends it, its method, path, media type and body. `read` is the path of the object that is read first; the
    /// body is then merged into what was read.
    pub fn write(&mut self, number: usize) -> Value {
        let token = self.writer().token();
        let kind = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"][self.dice.below(4)];
        let namespace = if kind.starts_with("Cluster") { "" } else { NAMESPACES[self.dice.below(4)] };
        let mut write = match self.dice.below(10) {
            0..6 => self.create(kind, namespace, number),
            6..8 => self.replace(kind, namespace),
            _ => self.patch(kind, namespace),
        };
        write["token"] = token.into();
        write
    }

    fn create(&mut self, kind: &str, namespace: &str, number: usize) -> Value {
        let name = format!("{PREFIX}w{number}");
        let mut object = if kind.ends_with("Binding") {
            let mut binding = self.binding(kind, namespace, &name);
            // Nobody may do more because of it, so that later answers do not depend on how fast a server learns of it.
            binding["subjects"] = json!([{"kind": "User", "apiGroup": GROUP, "name": "nobody"}]);
            binding
        } else {
            self.role(kind, namespace, &name)
        };
        match self.dice.below(25) {
            0 => {
                object["metadata"] = json!({"generateName": name});
                if !namespace.is_empty() {
                    object["metadata"]["namespace"] = namespace.into();
                }
            }
            1 if kind == "ClusterRole" => {
                let labels = json!({"hubgen-rbac-gathered": "1"});
                object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
            }
            2 if kind == "ClusterRole" => object["aggregationRule"] = json!({}),
            3 | 4 => self.spoil(&mut object),
            _ => {}
        }
        json!({"method": "POST", "path": collection(&object), "type": "application/json", "body": object})
    }

    /// Makes an object invalid.
    fn spoil(&mut self, object: &mut Value) {
        if object.get("roleRef").is_some() {
            match self.dice.below(7) {
                6 => object["roleRef"]["name"] = "".into(),
                0 => object["roleRef"]["kind"] = "Robot".into(),
                1 => object["roleRef"]["apiGroup"] = "example.com".into(),
                2 => object["roleRef"]["name"] = "a/b".into(),
                3 => object["subjects"][0]["kind"] = "Robot".into(),
                4 => object["subjects"][0]["name"] = "".into(),
                _ => {
                    object["subjects"][0] = json!({"kind": "ServiceAccount", "name": "A_B", "apiGroup": "x"})
                }
            }
        } else {
            match self.dice.below(4) {
                0 => object["rules"] = json!([{"verbs": []}]),
                1 => object["rules"] = json!([{"verbs": ["get"]}]),
                2 => {
                    object["rules"] =
                        json!([{"verbs": ["get"], "nonResourceURLs": ["/a"], "apiGroups": [""]}])
                }
                _ => object["rules"] = json!([{"verbs": ["get"], "apiGroups": [""], "nonResourceURLs": []}]),
            }
        }
    }

    /// The path of an object of the world. It is written in dry runs only, because later answers depend on it.
    fn existing(&mut self, kind: &str, namespace: &str) -> String {
        let place = NAMESPACES.iter().position(|known| *known == namespace).unwrap_or_default();
        let name = match kind {
            "ClusterRole" => format!("{PREFIX}c{}", self.dice.below(40)),
            "Role" => format!("{PREFIX}r{}", 4 * self.dice.below(7) + place),
            "ClusterRoleBinding" => format!("{PREFIX}b{}", self.dice.below(30)),
            _ => format!("{PREFIX}b{}", 4 * self.dice.below(15) + place),
        };
        let object = if namespace.is_empty() {
            json!({"kind": kind, "metadata": {}})
        } else {
            json!({"kind": kind, "metadata": {"namespace": namespace}})
        };
        format!("{}/{name}", collection(&object))
    }

    fn change(&mut self, kind: &str, namespace: &str) -> Value {
        match self.dice.below(6) {
            0 => json!({"metadata": {"finalizers": ["example.com/kept"]}}),
            1 => json!({"metadata": {"labels": {"a": "b"}}}),
            2 if kind.ends_with("Binding") => json!({"roleRef": self.role_ref(kind, namespace)}),
            _ if kind.ends_with("Binding") => {
                json!({"subjects": [{"kind": "User", "apiGroup": GROUP, "name": "nobody"}]})
            }
            2 if kind == "ClusterRole" => {
                json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"none": "1"}}]}})
            }
            _ => json!({"rules": self.rules(kind == "ClusterRole")}),
        }
    }

    fn replace(&mut self, kind: &str, namespace: &str) -> Value {
        let (path, body) = (self.existing(kind, namespace), self.change(kind, namespace));
        json!({"method": "PUT", "path": format!("{path}?dryRun=All"), "read": path, "type": "application/json", "body": body})
    }

    fn patch(&mut self, kind: &str, namespace: &str) -> Value {
        let (path, body) = (self.existing(kind, namespace), self.change(kind, namespace));
        json!({"method": "PATCH", "path": format!("{path}?dryRun=All"), "type": "application/merge-patch+json", "body": body})
    }
}
