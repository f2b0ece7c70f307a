//! A test, as those of controllers are: it makes a namespace and objects, sees them in a watch, and removes them.

use std::net::SocketAddr;
use std::time::Duration;

use bench_server::Error;
use bench_server::client::{Connection, JSON, Watch};
use bench_server::credentials::User;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::timeout;

/// How many objects a test makes.
const OBJECTS: usize = 5;
/// The object of the same kind that our server makes in each namespace.
const FURNITURE: &str = "kube-root-ca.crt";
/// How long an event may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a server is.
pub enum Place {
    Ours(SocketAddr),
    Kube(SocketAddr),
}

impl Place {
    async fn connect(&self) -> Result<Connection, Error> {
        match self {
            Self::Ours(address) => Connection::plain(*address).await,
            Self::Kube(address) => Connection::http1(*address, User::Admin).await,
        }
    }
}

/// Runs a test.
pub async fn test(place: &Place, number: usize) -> Result<(), Error> {
    let mut requests = make_namespace(place, number).await?;
    let mut watching = place.connect().await?;
    let maps = maps(number);
    // As every client that keeps a cache does.
    let (_, list) = watching.send("GET", &maps, JSON, Vec::new()).await?;
    let list: Value = serde_json::from_slice(&list)?;
    let revision = list["metadata"]["resourceVersion"].as_str().ok_or("a list has no revision")?;
    let watch = watching.open(&format!("{maps}?watch=true&resourceVersion={revision}")).await?;
    make_maps(&mut requests, number).await?;
    timeout(PATIENCE, seen(watch)).await.map_err(|_| "the watch tells nothing")??;
    for object in 0..OBJECTS {
        answered(&mut requests, "DELETE", &format!("{maps}/map-{object}"), Value::Null).await?;
    }
    answered(&mut requests, "DELETE", &format!("/api/v1/namespaces/{}", namespace(number)), Value::Null).await
}

/// Makes the objects of a test, and no more.
pub async fn write(place: &Place, number: usize) -> Result<(), Error> {
    let mut requests = make_namespace(place, number).await?;
    make_maps(&mut requests, number).await
}

/// Whether a server has the objects of one test, and of no other.
pub async fn has_only(place: &Place, number: usize) -> Result<(), Error> {
    let mut requests = place.connect().await?;
    let (_, list) = requests.send("GET", "/api/v1/configmaps", JSON, Vec::new()).await?;
    let list: Value = serde_json::from_slice(&list)?;
    let items = list["items"].as_array().ok_or("no items")?.iter();
    let of_tests = items.filter(|item| item["metadata"]["name"] != FURNITURE);
    let namespaces: Vec<&Value> = of_tests.map(|item| &item["metadata"]["namespace"]).collect();
    if namespaces == vec![&Value::from(namespace(number)); OBJECTS] {
        return Ok(());
    }
    Err(format!("server {number} has other objects: {list}").into())
}

fn namespace(number: usize) -> String {
    format!("test-{number}")
}

fn maps(number: usize) -> String {
    format!("/api/v1/namespaces/{}/configmaps", namespace(number))
}

async fn make_namespace(place: &Place, number: usize) -> Result<Connection, Error> {
    let mut requests = place.connect().await?;
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace(number)}});
    answered(&mut requests, "POST", "/api/v1/namespaces", object).await?;
    Ok(requests)
}

async fn make_maps(requests: &mut Connection, number: usize) -> Result<(), Error> {
    for object in 0..OBJECTS {
        let name = format!("map-{object}");
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v".repeat(200)},
        });
        answered(requests, "POST", &maps(number), object).await?;
    }
    Ok(())
}

async fn answered(requests: &mut Connection, method: &str, path: &str, object: Value) -> Result<(), Error> {
    let body = if object.is_null() { Vec::new() } else { object.to_string().into_bytes() };
    let (code, answer) = requests.send(method, path, JSON, body).await?;
    if (200..300).contains(&code) {
        return Ok(());
    }
    Err(format!("{method} {path} answers {code}: {}", String::from_utf8_lossy(&answer)).into())
}

/// Reads a watch until it has told all objects of a test.
async fn seen(watch: Watch) -> Result<(), Error> {
    let (mut watch, mut told) = (watch.into_body(), String::new());
    let is_own = |event: &&str| event.contains(r#""type":"ADDED""#) && !event.contains(FURNITURE);
    while told.lines().filter(is_own).count() < OBJECTS {
        let frame = watch.frame().await.ok_or_else(|| format!("the watch has ended after {told}"))??;
        told += &String::from_utf8_lossy(frame.data_ref().map_or(&[], |data| data));
    }
    Ok(())
}
