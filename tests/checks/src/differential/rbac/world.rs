//! Roles, bindings and users that are made by dice, for two servers to decide by.

use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// The namespaces of the roles and bindings. They stay in the other server, where nothing deletes namespaces.
pub const NAMESPACES: [&str; 4] = ["hubgen-rbac-a", "hubgen-rbac-b", "hubgen-rbac-c", "hubgen-rbac-d"];
/// How the names of all objects begin.
pub const PREFIX: &str = "hubgen-rbac-";
/// The token of somebody who may do everything.
pub const ADMIN: &str = "admin-token";

pub const GROUP: &str = "rbac.authorization.k8s.io";
const USERS: usize = 30;
const GROUPS: [&str; 8] = ["g0", "g1", "g2", "g3", "g4", "g5", "g6", "writers"];
const VERBS: [&str; 10] =
    ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "use"];
const API_GROUPS: [&str; 5] = ["", "apps", "batch", "example.com", GROUP];
const RESOURCES: [&str; 12] = [
    "pods",
    "secrets",
    "configmaps",
    "deployments",
    "jobs",
    "nodes",
    "widgets",
    "roles",
    "clusterroles",
    "users",
    "groups",
    "serviceaccounts",
];
const SUBRESOURCES: [&str; 5] = ["log", "status", "scale", "exec", "token"];
const NAMES: [&str; 5] = ["a", "b", "c", "x.y", "*"];
const PATHS: [&str; 10] = [
    "/healthz",
    "/healthz/etcd",
    "/livez/ping",
    "/metrics",
    "/version",
    "/openapi/v2",
    "/nothing",
    "/nothing/at/all",
    "/apis/none",
    "/logs",
];
const URLS: [&str; 8] =
    ["/metrics", "/nothing/*", "/nothing*", "/livez/*", "/healthz", "*", "/openapi/*", "/apis/none"];

/// A user with a token.
pub struct Person {
    pub name: String,
    pub groups: Vec<String>,
}

impl Person {
    pub fn token(&self) -> String {
        format!("token-of-{}", self.name.replace(':', "-"))
    }
}

/// The users, which are the same for each seed, because a server reads their tokens when it starts.
pub fn people() -> Vec<Person> {
    let mut dice = Dice::new(0);
    let person = |number: usize| {
        let mut groups: Vec<String> =
            GROUPS[..7].iter().filter(|_| dice.below(4) == 0).map(ToString::to_string).collect();
        if number % 3 != 2 {
            groups.push("writers".to_owned());
        }
        let name = if number % 6 == 5 {
            let namespace = NAMESPACES[number % 4];
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
            format!("system:serviceaccount:{namespace}:robot")
        } else {
            format!("u{number}")
        };
        Person { name, groups }
    };
    let mut people: Vec<Person> = (0..USERS).map(person).collect();
    let mut seen = Vec::new();
    people.retain(|person| {
        !seen.contains(&person.name) && {
            seen.push(person.name.clone());
            true
        }
    });
    people
}

/// The file of tokens that both servers read.
pub fn tokens() -> String {
    let mut text = format!("{ADMIN},admin,admin,\"system:masters\"\n");
    for person in people() {
        let (token, name) = (person.token(), &person.name);
        text.push_str(&format!("{token},{name},{name},\"{}\"\n", person.groups.join(",")));
    }
    text
}

/// Makes roles, bindings and questions.
pub struct Maker {
    pub dice: Dice,
    people: Vec<Person>,
}

impl Maker {
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed + 1), people: people() }
    }

    pub fn person(&mut self) -> &Person {
        let number = self.dice.below(self.people.len());
        &self.people[number]
    }

    /// Somebody who may write roles.
    pub fn writer(&mut self) -> &Person {
        loop {
            let number = self.dice.below(self.people.len());
            if self.people[number].groups.iter().any(|group| group == "writers") {
                return &self.people[number];
            }
        }
    }

    fn word(&mut self, of: &[&str]) -> String {
        self.dice.one(of).map_or_else(String::new, ToString::to_string)
    }

    fn words(&mut self, of: &[&str], most: usize) -> Value {
        let count = 1 + self.dice.below(most);
        (0..count).map(|_| self.word(of)).collect()
    }

    fn resources(&mut self) -> Value {
        let count = 1 + self.dice.below(3);
        (0..count).map(|_| self.resource()).collect()
    }

    /// A word for resources, as a rule has it.
    fn resource(&mut self) -> String {
        match self.dice.below(14) {
            0 => "*".to_owned(),
            1 => format!("*/{}", self.word(&SUBRESOURCES)),
            2 => format!("{}/*", self.word(&RESOURCES)),
            3..6 => format!("{}/{}", self.word(&RESOURCES), self.word(&SUBRESOURCES)),
            _ => self.word(&RESOURCES),
        }
    }

    /// The rules of a role.
    pub fn rules(&mut self, is_of_cluster: bool) -> Value {
        let count = self.dice.below(5);
        (0..count).map(|_| self.rule(is_of_cluster)).collect()
    }

    fn rule(&mut self, is_of_cluster: bool) -> Value {
        let verbs = if self.dice.below(8) == 0 { json!(["*"]) } else { self.words(&VERBS, 4) };
        if is_of_cluster && self.dice.below(4) == 0 {
            let verbs = if self.dice.below(2) == 0 { json!(["get", "post"]) } else { verbs };
            return json!({"verbs": verbs, "nonResourceURLs": self.words(&URLS, 3)});
        }
        let groups = if self.dice.below(8) == 0 { json!(["*"]) } else { self.words(&API_GROUPS, 2) };
        let mut rule = json!({"verbs": verbs, "apiGroups": groups, "resources": self.resources()});
        if self.dice.below(3) == 0 {
            rule["resourceNames"] = self.words(&NAMES, 3);
        }
        rule
    }

    /// The subjects of a binding.
    pub fn subjects(&mut self, is_of_cluster: bool) -> Value {
        let count = 1 + self.dice.below(3);
        let subjects = (0..count).map(|_| match self.dice.below(5) {
            0 | 1 => json!({"kind": "Group", "apiGroup": GROUP, "name": self.word(&GROUPS[..7])}),
            2 => {
                let mut subject = json!({"kind": "ServiceAccount", "name": "robot"});
                if is_of_cluster || self.dice.below(2) == 0 {
                    subject["namespace"] = self.word(&NAMESPACES).into();
                }
                subject
            }
            _ => json!({"kind": "User", "apiGroup": GROUP, "name": self.person().name}),
        });
        subjects.collect()
    }

    /// The objects of a world, in the order in which they are created.
    pub fn objects(&mut self, gathers: bool) -> Vec<Value> {
        let mut objects: Vec<Value> =
            NAMESPACES.iter().map(|name| object("v1", "Namespace", "", name)).collect();
        for number in 0..40 {
            let mut role = self.role("ClusterRole", "", &format!("{PREFIX}c{number}"));
            if number % 5 == 0 {
                role["metadata"]["labels"] = json!({"hubgen-rbac-gathered": format!("{}", number % 3)});
            }
            if gathers && number % 13 == 12 {
                let labels = json!({"hubgen-rbac-gathered": format!("{}", number % 3)});
                role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
                role["rules"] = json!([]);
            }
            objects.push(role);
        }
        objects.extend(
            (0..30).map(|number| self.role("Role", NAMESPACES[number % 4], &format!("{PREFIX}r{number}"))),
        );
        objects.extend(
            (0..30).map(|number| self.binding("ClusterRoleBinding", "", &format!("{PREFIX}b{number}"))),
        );
        objects.extend((0..60).map(|number| {
            self.binding("RoleBinding", NAMESPACES[number % 4], &format!("{PREFIX}b{number}"))
        }));
        objects.extend(writers());
        objects
    }

    pub fn role(&mut self, kind: &str, namespace: &str, name: &str) -> Value {
        let mut role = object(&format!("{GROUP}/v1"), kind, namespace, name);
        role["rules"] = self.rules(kind == "ClusterRole");
        role
    }

    pub fn binding(&mut self, kind: &str, namespace: &str, name: &str) -> Value {
        let mut binding = object(&format!("{GROUP}/v1"), kind, namespace, name);
        binding["subjects"] = self.subjects(kind == "ClusterRoleBinding");
        binding["roleRef"] = self.role_ref(kind, namespace);
        binding
    }

    /// A reference to a role, which is there in most cases.
    pub fn role_ref(&mut self, kind: &str, namespace: &str) -> Value {
        let is_of_namespace = kind == "RoleBinding" && self.dice.below(2) == 0;
        let name = match self.dice.below(12) {
            0 => format!("{PREFIX}gone{}", self.dice.below(3)),
            1 if !is_of_namespace => {
                self.word(&["system:discovery", "system:basic-user", "system:kube-scheduler"])
            }
            _ if is_of_namespace => {
                let place = NAMESPACES.iter().position(|known| *known == namespace).unwrap_or_default();
                format!("{PREFIX}r{}", 4 * self.dice.below(7) + place)
            }
            _ => format!("{PREFIX}c{}", self.dice.below(40)),
        };
        json!({"apiGroup": GROUP, "kind": if is_of_namespace { "Role" } else { "ClusterRole" }, "name": name})
    }

    /// What somebody asks whether somebody may do: the `spec` of a SubjectAccessReview.
    pub fn question(&mut self) -> Value {
        let mut spec = Map::new();
        if self.dice.below(3) == 0 {
            let name = match self.dice.below(4) {
                0 => String::new(),
                1 => format!("system:serviceaccount:{}:robot", self.word(&NAMESPACES)),
                _ => format!("u{}", self.dice.below(USERS)),
            };
            let mut groups: Vec<String> = (0..self.dice.below(4)).map(|_| self.word(&GROUPS)).collect();
            match self.dice.below(8) {
                0 => groups.push("system:authenticated".to_owned()),
                1 => groups.push("system:unauthenticated".to_owned()),
                2 if self.dice.below(8) == 0 => groups.push("system:masters".to_owned()),
                _ => {}
            }
            if name.is_empty() && groups.is_empty() {
                groups.push("g0".to_owned());
            }
            spec.insert("user".to_owned(), name.into());
            spec.insert("groups".to_owned(), groups.into());
        } else {
            let Person { name, groups } = self.person();
            let (name, mut groups) = (name.clone(), groups.clone());
            groups.push("system:authenticated".to_owned());
            spec.insert("user".to_owned(), name.into());
            spec.insert("groups".to_owned(), groups.into());
        }
        if self.dice.below(6) == 0 {
            let verb = self.word(&["get", "post", "put", "delete", "*", "GET"]);
            let path = self.word(&PATHS);
            spec.insert("nonResourceAttributes".to_owned(), json!({"verb": verb, "path": path}));
            return spec.into();
        }
        let verb = if self.dice.below(20) == 0 {
            self.word(&["bind", "escalate", "", "*"])
        } else {
            self.word(&VERBS)
        };
        let mut of =
            json!({"verb": verb, "resource": self.word(&RESOURCES), "group": self.word(&API_GROUPS)});
        if self.dice.below(20) == 0 {
            of["resource"] = self.resource().into();
        }
        if self.dice.below(3) == 0 {
            of["subresource"] = self.word(&SUBRESOURCES).into();
        }
        if self.dice.below(3) > 0 {
            of["namespace"] = self.word(&NAMESPACES).into();
        }
        if self.dice.below(2) == 0 {
            of["name"] = self.word(&NAMES).into();
        }
        if self.dice.below(10) == 0 {
            of["version"] = self.word(&["v1", "v1beta1", "*"]).into();
        }
        spec.insert("resourceAttributes".to_owned(), of);
        spec.into()
    }

    /// A request: its method, path, and who sends it.
    pub fn request(&mut self) -> Value {
        let method = self.word(&["GET", "GET", "POST", "PUT", "PATCH", "DELETE"]);
        let token = if self.dice.below(20) == 0 { String::new() } else { self.person().token() };
        let path = if self.dice.below(5) == 0 {
            self.word(&PATHS)
        } else {
            let group = self.word(&["", "apps", "batch", "example.com"]);
            let mut path = if group.is_empty() { "/api/v1".to_owned() } else { format!("/apis/{group}/v1") };
            if self.dice.below(3) > 0 {
                path.push_str(&format!("/namespaces/{}", self.word(&NAMESPACES)));
            }
            path.push_str(&format!("/{}", self.word(&RESOURCES[..7])));
            if self.dice.below(3) > 0 {
                path.push_str(&format!("/{}", self.word(&["a", "b", "c", "x.y", "a%20%26%3Cb"])));
                if self.dice.below(3) == 0 {
                    path.push_str(&format!("/{}", self.word(&SUBRESOURCES)));
                }
            }
            path
        };
        let query = match (&*method, self.dice.below(6)) {
            ("GET", 0) => "?watch=true&timeoutSeconds=1",
            ("GET", 1) => "?fieldSelector=metadata.name%3Da",
            ("GET", _) => "?limit=1",
            // Nothing is to happen to those who may.
            _ => "?dryRun=All",
        };
        json!({"method": method, "path": format!("{path}{query}"), "token": token})
    }
}

/// Lets the group of writers write roles and bindings, and some of them escalate or bind.
fn writers() -> Vec<Value> {
    let api_version = format!("{GROUP}/v1");
    let all = json!(["get", "list", "create", "update", "patch", "delete"]);
    let rules = [
        ("writers", json!([{"verbs": all, "apiGroups": [GROUP], "resources": ["*"]}]), json!(["writers"])),
        (
            "escalates",
            json!([{"verbs": ["escalate"], "apiGroups": [GROUP], "resources": ["roles"]}]),
            json!(["g1"]),
        ),
        (
            "escalates-one",
            json!([{"verbs": ["escalate"], "apiGroups": ["*"], "resources": ["*"], "resourceNames": ["hubgen-rbac-c1", "hubgen-rbac-c2"]}]),
            json!(["g2"]),
        ),
        (
            "binds",
            json!([{"verbs": ["bind"], "apiGroups": [GROUP], "resources": ["clusterroles"], "resourceNames": ["hubgen-rbac-c3", "hubgen-rbac-c4", "hubgen-rbac-gone1"]}]),
            json!(["g3"]),
        ),
        (
            "everything",
            json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, {"verbs": ["*"], "nonResourceURLs": ["*"]}]),
            json!([]),
        ),
    ];
    let mut objects = Vec::new();
    for (name, rules, groups) in rules {
        let name = format!("{PREFIX}{name}");
        let mut role = object(&api_version, "ClusterRole", "", &name);
        role["rules"] = rules;
        objects.push(role);
        let mut binding = object(&api_version, "ClusterRoleBinding", "", &name);
        let subject = |group: &Value| json!({"kind": "Group", "apiGroup": GROUP, "name": group});
        binding["subjects"] = groups.as_array().into_iter().flatten().map(subject).collect();
        binding["roleRef"] = json!({"apiGroup": GROUP, "kind": "ClusterRole", "name": name});
        objects.push(binding);
    }
    // The last user has all permissions, without being in the privileged group.
    if let (Some(binding), Some(last)) = (objects.last_mut(), people().pop()) {
        binding["subjects"] = json!([{"kind": "User", "apiGroup": GROUP, "name": last.name}]);
    }
    objects
}

fn object(api_version: &str, kind: &str, namespace: &str, name: &str) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    if !namespace.is_empty() {
        object["metadata"]["namespace"] = namespace.into();
    }
    object
}

/// The path of the collection of an object.
pub fn collection(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    if kind == "Namespace" {
        return "/api/v1/namespaces".to_owned();
    }
    let plural = format!("{}s", kind.to_lowercase());
    match object["metadata"]["namespace"].as_str() {
        None => format!("/apis/{GROUP}/v1/{plural}"),
        Some(namespace) => format!("/apis/{GROUP}/v1/namespaces/{namespace}/{plural}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same() {
        let made = |seed| {
            let mut maker = Maker::new(seed);
            (maker.objects(true), maker.question(), maker.request())
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1).1, made(2).1);
        assert_eq!(tokens(), tokens());
    }
}
