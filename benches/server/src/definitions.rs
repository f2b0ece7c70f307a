//! What definitions of users' kinds cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::client::{Connection, JSON};
use crate::credentials::User;
use crate::server::Server;
use crate::{Error, Figures};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP: &str = "bench.example.com";
/// How many clients create definitions.
const CLIENTS: usize = 16;
/// How long kinds may take to be served.
const PATIENCE: Duration = Duration::from_secs(1200);
/// After how long a kind that is not served yet is asked for again.
const AGAIN: Duration = Duration::from_millis(2);
/// After how long a server that has nothing to do has given back what it does not need.
const REST: Duration = Duration::from_secs(5);

/// The time from the first of many definitions until all their kinds are served, and the memory of each.
pub async fn many<S: Server>(server: &S, count: usize, figures: &mut Figures) -> Result<(), Error> {
    tokio::time::sleep(REST).await;
    let before = server.memory()?;
    let begin = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..CLIENTS {
        let mut connection = Connection::http1(server.address(), User::Admin).await?;
        let next = Arc::clone(&next);
        tasks.push(tokio::spawn(async move {
            let mut own = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                create(&mut connection, number).await?;
                own.push(number);
            }
            for number in own {
                is_served(&mut connection, number).await?;
            }
            Ok::<(), Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    figures.add(&format!("{count} definitions until all are served, s"), begin.elapsed().as_secs_f64());
    tokio::time::sleep(REST).await;
    let memory = server.memory()?;
    figures.add(&format!("memory with {count} definitions, MB"), memory);
    figures.add("memory of each definition, kB", (memory - before) * 1000.0 / count as f64);
    let mut connection = Connection::http1(server.address(), User::Admin).await?;
    for number in 0..count {
        write(&mut connection, number).await?;
    }
    tokio::time::sleep(REST).await;
    let memory = server.memory()?;
    figures.add("memory of each definition with an object, kB", (memory - before) * 1000.0 / count as f64);
    let begin = Instant::now();
    create(&mut connection, count).await?;
    is_served(&mut connection, count).await?;
    figures.add("one more definition until it is served, ms", begin.elapsed().as_secs_f64() * 1000.0);
    Ok(())
}

/// The memory after a tenth of many changes of one definition, and after all of them.
pub async fn generations<S: Server>(server: &S, count: usize, figures: &mut Figures) -> Result<(), Error> {
    let mut connection = Connection::http1(server.address(), User::Admin).await?;
    create(&mut connection, 0).await?;
    is_served(&mut connection, 0).await?;
    let path = format!("{DEFINITIONS}/{}", name(0));
    let begin = Instant::now();
    for generation in 1..=count {
        // Another schema each time, and what has an object is dropped and comes back.
        let versions = json!([version(0, generation)]);
        let patch = json!({"spec": {"versions": versions}}).to_string().into_bytes();
        let (code, body) = connection.send("PATCH", &path, "application/merge-patch+json", patch).await?;
        if code != 200 {
            return Err(format!("a change answers {code}: {}", String::from_utf8_lossy(&body)).into());
        }
        if generation == count / 10 || generation == count {
            let time = begin.elapsed();
            has_schema(&mut connection, generation).await?;
            tokio::time::sleep(REST).await;
            figures.add(&format!("memory after {generation} generations, MB"), server.memory()?);
            if generation == count {
                figures.add("time of a generation, ms", time.as_secs_f64() * 1000.0 / count as f64);
            }
        }
    }
    Ok(())
}

async fn create(connection: &mut Connection, number: usize) -> Result<(), Error> {
    let (code, body) = connection.send("POST", DEFINITIONS, JSON, definition(number)).await?;
    if code != 201 {
        return Err(format!("a definition answers {code}: {}", String::from_utf8_lossy(&body)).into());
    }
    Ok(())
}

/// Waits until objects of a kind can be listed.
async fn is_served(connection: &mut Connection, number: usize) -> Result<(), Error> {
    let path = format!("/apis/{GROUP}/v1/thing{number}s");
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let (200, _) = connection.send("GET", &path, "", Vec::new()).await? {
            return Ok(());
        }
        tokio::time::sleep(AGAIN).await;
    }
    Err(format!("{path} is not served").into())
}

/// Waits until the field of a generation has its default, which only the schema of that generation sets.
async fn has_schema(connection: &mut Connection, generation: usize) -> Result<(), Error> {
    let path = format!("/apis/{GROUP}/v1/namespaces/default/thing0s?dryRun=All");
    let object = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Thing0", "metadata": {"name": "a"}, "spec": {},
    });
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let (code, body) = connection.send("POST", &path, JSON, object.to_string().into_bytes()).await?;
        if code == 201 && serde_json::from_slice::<Value>(&body)?["spec"]["generation"] == generation {
            return Ok(());
        }
        tokio::time::sleep(AGAIN).await;
    }
    Err(format!("generation {generation} is not served").into())
}

/// Creates an object of a kind.
async fn write(connection: &mut Connection, number: usize) -> Result<(), Error> {
    let path = format!("/apis/{GROUP}/v1/namespaces/default/thing{number}s");
    let spec = json!({"part0": {format!("field{number}x0"): "text"}});
    let object = json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": format!("Thing{number}"),
        "metadata": {"name": "one"},
        "spec": spec,
    });
    let (code, body) = connection.send("POST", &path, JSON, object.to_string().into_bytes()).await?;
    if code != 201 {
        return Err(format!("an object answers {code}: {}", String::from_utf8_lossy(&body)).into());
    }
    Ok(())
}

fn name(number: usize) -> String {
    format!("thing{number}s.{GROUP}")
}

/// A definition of one kind with about 120 fields, of which no two kinds have the same.
fn definition(number: usize) -> Vec<u8> {
    let names = json!({
        "plural": format!("thing{number}s"), "singular": format!("thing{number}"),
        "kind": format!("Thing{number}"), "listKind": format!("Thing{number}List"),
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name(number)},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version(number, 0)]},
    })
    .to_string()
    .into_bytes()
}

fn version(number: usize, generation: usize) -> Value {
    let text = |of: &str| {
        format!("What {of} is for, in a sentence as long as those that people write about fields.")
    };
    let mut parts = Map::new();
    for part in 0..10 {
        let mut fields = Map::new();
        for field in 0..12 {
            let name = format!("field{number}x{field}");
            let mut schema = match field % 4 {
                0 => json!({"type": "string", "maxLength": 253}),
                1 => json!({"type": "integer", "format": "int32", "minimum": 0}),
                2 => json!({"type": "array", "maxItems": 16, "items": {"type": "string", "maxLength": 63}}),
                _ => json!({"type": "object", "additionalProperties": {"type": "string"}}),
            };
            schema["description"] = text(&name).into();
            fields.insert(name, schema);
        }
        let name = format!("part{part}");
        parts.insert(
            name.clone(),
            json!({"type": "object", "description": text(&name), "properties": fields}),
        );
    }
    parts.insert("generation".to_owned(), json!({"type": "integer", "default": generation}));
    let status = json!({"type": "object", "properties": {"phase": {"type": "string"}}});
    let spec = json!({
        "type": "object",
        "properties": parts,
        "x-kubernetes-validations": [
            {"rule": "!has(self.part0) || !has(self.part1) || self.generation >= 0", "message": "too old"},
        ],
    });
    json!({
        "name": "v1",
        "served": true,
        "storage": true,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
    })
}
