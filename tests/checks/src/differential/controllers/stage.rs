//! One scenario at one server: its objects, and what there is of them.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::compare::normal;
use super::kinds::{Kind, kinds};
use crate::differential::ask::http;
use crate::differential::exchange::Request;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAMESPACES: &str = "/api/v1/namespaces";
/// How long a server may take until it serves a kind.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);
/// The uid of an owner that is none.
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// Waits until a server has done everything.
pub type Settle<'a> = &'a (dyn Fn(&Value) + Sync);

/// A scenario at a server.
pub struct Stage<'a> {
    client: http::Client,
    settle: Settle<'a>,
    scenario: &'a Value,
    /// What the names of its namespaces and of its objects that are in none begin with.
    slug: String,
    kinds: Vec<Kind>,
    /// The uids of objects that were created.
    uids: BTreeMap<String, Value>,
}

/// An object as a step writes it.
struct Named<'a> {
    kind: &'a Kind,
    namespace: String,
    name: String,
}

impl<'a> Stage<'a> {
    pub fn new(client: http::Client, settle: Settle<'a>, scenario: &'a Value) -> Self {
        let name = scenario["name"].as_str().unwrap_or_default();
        let slug: String =
            name.split(' ').map(|word| &word[..word.len().min(4)]).collect::<Vec<_>>().join("-");
        let kinds = kinds(&format!("{slug}.example.com"));
        Self { client, settle, scenario, slug, kinds, uids: BTreeMap::new() }
    }

    /// Takes all steps. Returns the answer to each, with its place.
    ///
    /// # Errors
    /// If the server does not answer, or a step is none.
    pub fn play(mut self) -> Result<Vec<Value>, String> {
        self.tidy()?;
        for namespace in
            ["a", "b"].into_iter().filter(|namespace| self.begins_with(namespace)).collect::<Vec<_>>()
        {
            let body = json!({"metadata": {"name": format!("{}-{namespace}", self.slug)}});
            let (_, made) = self.send("POST", NAMESPACES, Some(&body))?;
            self.uids.insert(format!("Namespace {namespace}"), made["metadata"]["uid"].clone());
        }
        (self.settle)(self.scenario);
        let mut lines = Vec::new();
        for (at, step) in self.scenario["steps"].as_array().into_iter().flatten().enumerate() {
            let answer = self.take(step)?;
            lines.push(
                json!({"scenario": self.scenario["name"], "step": at, "answer": normal(&answer, &self.slug)}),
            );
        }
        self.tidy()?;
        Ok(lines)
    }

    /// Whether a namespace is there before the first step: one that a step names, unless a step creates it.
    fn begins_with(&self, namespace: &str) -> bool {
        let mut steps = self.scenario["steps"].as_array().into_iter().flatten();
        let is_created = steps.any(|step| step["create"] == format!("Namespace {namespace}"));
        let is_named = self.scenario["steps"].to_string().contains(&format!(" {namespace}/"));
        (namespace == "a" || is_named) && !is_created
    }

    fn take(&mut self, step: &Value) -> Result<Value, String> {
        let text = |name: &str| step[name].as_str();
        if !step["look"].is_null() {
            (self.settle)(self.scenario);
            return self.look();
        }
        if let Some(name) = text("remove") {
            return self.answer("DELETE", &format!("{NAMESPACES}/{name}"), None);
        }
        if let Some(kind) = text("define") {
            let definition = self.kind(kind)?.definition();
            let answer = self.answer("POST", DEFINITIONS, Some(&definition))?;
            let path = self.kind(kind)?.path("default");
            self.until(&format!("{path} is not served"), |stage| {
                Ok(stage.send("GET", &path, None)?.0 == 200)
            })?;
            (self.settle)(self.scenario);
            return Ok(answer);
        }
        if let Some(kind) = text("undefine") {
            let definition = self.kind(kind)?.definition();
            let path =
                format!("{DEFINITIONS}/{}", definition["metadata"]["name"].as_str().unwrap_or_default());
            return self.answer("DELETE", &path, None).map(|answer| json!({"code": answer["code"]}));
        }
        if let Some(object) = text("create") {
            let Named { kind, namespace, name } = self.named(object)?;
            let path = kind.path(&namespace);
            let mut body = kind.rest.clone();
            body["apiVersion"] = kind.api_version.as_str().into();
            body["kind"] = kind.name.into();
            if kind.name == "Event" {
                body["involvedObject"] = json!({"namespace": namespace});
            }
            body["metadata"] = json!({"name": name});
            if !step["owners"].is_null() {
                body["metadata"]["ownerReferences"] = self.owners(&step["owners"])?;
            }
            if !step["finalizers"].is_null() {
                body["metadata"]["finalizers"] = step["finalizers"].clone();
            }
            let (code, made) = self.send("POST", &path, Some(&body))?;
            self.uids.insert(object.to_owned(), made["metadata"]["uid"].clone());
            return Ok(json!({"code": code, "body": made}));
        }
        if let Some(object) = text("delete") {
            let Named { kind, namespace, name } = self.named(object)?;
            let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
            for (word, option) in [("policy", "propagationPolicy"), ("orphans", "orphanDependents")] {
                if !step[word].is_null() {
                    options[option] = step[word].clone();
                }
            }
            return self.answer("DELETE", &format!("{}/{name}", kind.path(&namespace)), Some(&options));
        }
        let (object, patch) = match (text("release"), text("own")) {
            (Some(object), None) => (object, json!({"metadata": {"finalizers": null}})),
            (None, Some(object)) => {
                (object, json!({"metadata": {"ownerReferences": self.owners(&step["owners"])?}}))
            }
            _ => return Err(format!("there is no step {step}")),
        };
        let Named { kind, namespace, name } = self.named(object)?;
        self.answer("PATCH", &format!("{}/{name}", kind.path(&namespace)), Some(&patch))
    }

    fn kind(&self, name: &str) -> Result<&Kind, String> {
        self.kinds.iter().find(|kind| kind.name == name).ok_or_else(|| format!("there is no kind {name}"))
    }

    fn named(&self, text: &str) -> Result<Named<'_>, String> {
        let (kind, place) = text.split_once(' ').ok_or_else(|| format!("{text} is no object"))?;
        let kind = self.kind(kind)?;
        Ok(match place.split_once('/') {
            Some((namespace, name)) => {
                Named { kind, namespace: format!("{}-{namespace}", self.slug), name: name.to_owned() }
            }
            None => Named { kind, namespace: String::new(), name: format!("{}-{place}", self.slug) },
        })
    }

    /// References to owners.
    fn owners(&self, owners: &Value) -> Result<Value, String> {
        let owner = |owner: &Value| {
            let text = owner["of"].as_str().or(owner.as_str()).unwrap_or_default();
            let of = text.trim_end_matches('!');
            let Named { kind, name, .. } = self.named(of)?;
            let uid = self.uids.get(of).and_then(Value::as_str).filter(|_| owner["uid"].is_null());
            let mut reference = json!({
                "apiVersion": kind.api_version, "kind": kind.name, "name": name, "uid": uid.unwrap_or(NOBODY),
            });
            for word in ["apiVersion", "kind", "name"].into_iter().filter(|word| !owner[*word].is_null()) {
                reference[word] = owner[word].clone();
            }
            if text.ends_with('!') {
                reference["blockOwnerDeletion"] = true.into();
            }
            Ok(reference)
        };
        let all: Result<Vec<Value>, String> = owners.as_array().into_iter().flatten().map(owner).collect();
        Ok(all?.into())
    }

    /// All objects of the scenario: those in its namespaces, and those in none whose names begin as its own do.
    fn look(&self) -> Result<Value, String> {
        let mut found = Map::new();
        for kind in &self.kinds {
            let namespaces: &[&str] = if kind.is_namespaced { &["a", "b"] } else { &[""] };
            for namespace in namespaces {
                let (_, list) = self.send("GET", &kind.path(&format!("{}-{namespace}", self.slug)), None)?;
                for object in list["items"].as_array().into_iter().flatten() {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    let Some(name) = (if kind.is_namespaced { Some(name) } else { self.own(name) }) else {
                        continue;
                    };
                    let mut object = object.clone();
                    // Lists tell it once for all of their items.
                    object["kind"] = kind.name.into();
                    // What a server adds to the name of an event is its own.
                    let name = if kind.name == "Event" { before(name, '.') } else { name };
                    found.insert(format!("{} {namespace}/{name}", kind.name), object);
                }
            }
        }
        let (_, events) = self.send("GET", "/api/v1/namespaces/default/events", None)?;
        for event in events["items"].as_array().into_iter().flatten() {
            let name = event["metadata"]["name"].as_str().unwrap_or_default();
            if let Some(name) = self.own(before(name, '.')) {
                let mut event = event.clone();
                event["kind"] = "Event".into();
                found.insert(format!("Event default/{name}"), event);
            }
        }
        Ok(json!({"objects": found}))
    }

    /// The name of an object in no namespace as the scenario writes it, if it is one of the scenario. These are one word.
    fn own<'n>(&self, name: &'n str) -> Option<&'n str> {
        let name = name.strip_prefix(&self.slug)?.strip_prefix('-')?;
        (!name.contains('-')).then_some(name)
    }

    /// Removes what an earlier run has left.
    fn tidy(&self) -> Result<(), String> {
        for kind in &self.kinds {
            for namespace in if kind.is_namespaced { &["a", "b"][..] } else { &[""] } {
                let path = kind.path(&format!("{}-{namespace}", self.slug));
                let (_, list) = self.send("GET", &path, None)?;
                for object in list["items"].as_array().into_iter().flatten() {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    if kind.is_namespaced || self.own(name).is_some() {
                        let none = json!({"metadata": {"finalizers": null}});
                        self.send("PATCH", &format!("{path}/{name}"), Some(&none))?;
                        let options = json!({"propagationPolicy": "Background"});
                        self.send("DELETE", &format!("{path}/{name}"), Some(&options))?;
                    }
                }
            }
        }
        let own = self.kinds.iter().filter(|kind| kind.api_version.starts_with(&self.slug));
        for definition in own.map(Kind::definition) {
            let name = definition["metadata"]["name"].as_str().unwrap_or_default();
            self.send("DELETE", &format!("{DEFINITIONS}/{name}"), None)?;
        }
        for namespace in ["a", "b"] {
            let path = format!("{NAMESPACES}/{}-{namespace}", self.slug);
            self.until(&format!("{path} is not deleted"), |stage| {
                let (code, found) = stage.send("GET", &path, None)?;
                Ok(code == 404 || found["metadata"]["deletionTimestamp"].is_null())
            })?;
        }
        Ok(())
    }

    fn answer(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let (code, body) = self.send(method, path, body)?;
        Ok(json!({"code": code, "body": body}))
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value), String> {
        let ty = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let headers = [("Accept", "application/json"), ("Content-Type", ty), ("User-Agent", "checks")];
        let response = self.client.send(&Request {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: body.map_or_else(Vec::new, |body| body.to_string().into_bytes()),
        })?;
        Ok((response.code, serde_json::from_slice(&response.body).unwrap_or_default()))
    }

    fn until(&self, or: &str, is_so: impl Fn(&Self) -> Result<bool, String>) -> Result<(), String> {
        let start = Instant::now();
        while !is_so(self)? {
            if start.elapsed() > PATIENCE {
                return Err(format!("{or} after {PATIENCE:?}"));
            }
            sleep(PAUSE);
        }
        Ok(())
    }
}

/// What the names of a scenario begin with: the beginnings of the words of its own name.
pub fn slug(scenario: &Value) -> String {
    let name = scenario["name"].as_str().unwrap_or_default();
    name.split(' ').map(|word| &word[..word.len().min(4)]).collect::<Vec<_>>().join("-")
}

/// A text before a letter.
fn before(text: &str, letter: char) -> &str {
    text.split(letter).next().unwrap_or_default()
}
