//! Generated objects go through a real API server and come back as they were.
//!
//! Installs every definition that `hubgen crds` wrote for the examples, with each served version in turn as the storage
//! version and without conversion, and creates objects that its schema allows. What comes back is what was sent, or that
//! with the defaults of the schema. The API server may refuse an object by a rule in CEL, which the generator does not
//! evaluate, and for no other reason. To ask a server that nobody needs:
//!
//! ```console
//! $ export HUBGEN_API_SERVER=https://127.0.0.1:6443 HUBGEN_TOKEN=…
//! $ cargo test -p hubgen-laws --test api_server -- --nocapture
//! ```
//!
//! `HUBGEN_OBJECTS` is the number of objects for each kind and version, 100 without it. The certificate of the server is
//! not checked. The definitions must not be installed yet; they are removed at the end.

mod definition;
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hubgen_laws::objects::bytes;
use serde_json::{Value, json};

use self::definition::Definition;
use self::server::{Answer, Server};

/// What became of the objects of some kinds.
#[derive(Default)]
struct Tally {
    kinds: usize,
    unchanged: usize,
    with_defaults: usize,
    /// Refused by rules in CEL.
    refused: usize,
    /// How often each rule refused an object.
    rules: BTreeMap<String, usize>,
    /// How often no object was found that a schema allows.
    not_generated: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn total(&self) -> usize {
        self.unchanged + self.with_defaults + self.refused + self.wrong.len()
    }

    fn add(&mut self, sent: &Value, outcome: Outcome) {
        match outcome {
            Outcome::Unchanged => self.unchanged += 1,
            Outcome::WithDefaults => self.with_defaults += 1,
            Outcome::Refused(rules) => {
                self.refused += 1;
                for rule in rules {
                    *self.rules.entry(rule).or_default() += 1;
                }
            }
            Outcome::Wrong(why) => self.wrong.push(format!("{why}\n  sent: {sent}")),
        }
    }

    fn print(&self, what: &str) {
        println!(
            "{what}: {} objects of {} kinds and versions: {} unchanged, {} with defaults, {} refused by rules, {} wrong; \
             {} not generated",
            self.total(),
            self.kinds,
            self.unchanged,
            self.with_defaults,
            self.refused,
            self.wrong.len(),
            self.not_generated
        );
        for (rule, count) in &self.rules {
            println!("  {count} refused by: {rule}");
        }
    }
}

/// What became of an object.
enum Outcome {
    Unchanged,
    WithDefaults,
    /// The rules that refuse it.
    Refused(Vec<String>),
    Wrong(String),
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

#[test]
fn objects_come_back_from_an_api_server() {
    let Ok(url) = std::env::var("HUBGEN_API_SERVER") else {
        println!("left out: no API server in HUBGEN_API_SERVER");
        return;
    };
    let count = std::env::var("HUBGEN_OBJECTS").map_or(100, |count| count.parse().unwrap());
    let server = Server::new(&url);
    let mut wrong = Vec::new();
    let mut total = 0;
    for example in definition::examples(&examples()) {
        let mut tally = Tally::default();
        for whole in &example.definitions {
            for definition in definition::versions(whole) {
                server.install(&definition);
                objects(&server, &definition, count, &mut tally);
                tally.kinds += 1;
                server.remove(&definition);
            }
        }
        tally.print(&example.name);
        total += tally.total();
        wrong.append(&mut tally.wrong);
    }
    assert!(wrong.is_empty(), "{} of {total} objects\n{}", wrong.len(), wrong.join("\n"));
    assert!(total > 0);
}

fn objects(server: &Server, definition: &Definition, count: u64, tally: &mut Tally) {
    for seed in 0..count {
        let Some(mut object) = definition.schema.generate(&bytes(seed), &[]) else {
            tally.not_generated += 1;
            continue;
        };
        object["apiVersion"] = definition.api_version().into();
        object["kind"] = definition.kind.clone().into();
        object["metadata"] = json!({"name": format!("o{seed}")});
        tally.add(&object, outcome(server, definition, &object));
    }
}

/// Creates an object, with its status if that is another request, and reads it.
fn outcome(server: &Server, definition: &Definition, object: &Value) -> Outcome {
    let path = definition.path();
    let created = server.send("POST", &path, Some(object));
    if created.code != 201 {
        return refused(definition, &created);
    }
    let one = format!("{path}/{}", object["metadata"]["name"].as_str().unwrap_or_default());
    if let Some(status) = object.get("status").filter(|_| definition.has_status) {
        let mut with_status = created.body;
        with_status["status"] = status.clone();
        let updated = server.send("PUT", &format!("{one}/status"), Some(&with_status));
        if updated.code != 200 {
            return refused(definition, &updated);
        }
    }
    let read = server.send("GET", &one, None);
    if read.code != 200 {
        return Outcome::Wrong(format!("{one} cannot be read: {}", read.body));
    }
    let found = without_metadata(&read.body);
    if same(&found, &without_metadata(object)) {
        return Outcome::Unchanged;
    }
    let mut expected = object.clone();
    definition.schema.set_defaults(&mut expected);
    if same(&found, &without_metadata(&expected)) {
        return Outcome::WithDefaults;
    }
    Outcome::Wrong(format!("{one} came back as another object\n  read: {found}"))
}

/// The rules that refuse an object, if nothing else does.
fn refused(definition: &Definition, answer: &Answer) -> Outcome {
    let causes = answer.body["details"]["causes"].as_array();
    let rules: Option<Vec<String>> = causes
        .filter(|_| answer.code == 422)
        .and_then(|causes| causes.iter().map(|cause| definition.rule(cause["message"].as_str()?)).collect());
    match rules {
        Some(rules) if !rules.is_empty() => Outcome::Refused(rules),
        _ => Outcome::Wrong(format!("refused: {} {}", answer.code, answer.body["message"])),
    }
}

fn without_metadata(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(members) = object.as_object_mut() {
        members.shift_remove("metadata");
    }
    object
}

/// Whether two values are equal; `1` and `1.0` are.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => one == other,
    }
}
