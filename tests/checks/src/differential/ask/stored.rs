//! Asks a running API server for all objects that it has stored: every list, at every version that
//! it serves.

use std::io::Write;

use serde_json::{Value, json};

use super::http::Client;

/// The number of objects in one page of a list.
const PAGE: usize = 500;

/// Writes a record for each object at each version. Returns the number of records.
///
/// # Errors
/// If the server cannot be reached, or refuses a list.
pub fn record(client: &Client, mut records: impl Write) -> Result<usize, String> {
    let mut count = 0;
    for root in roots(client)? {
        let answer = client.get(&root)?;
        if answer.status.as_u16() == 503 {
            // The group belongs to an aggregated server, which is not running.
            eprintln!("{root}: left out: 503, service unavailable");
            continue;
        }
        let resources = answer.object().map_err(|error| format!("{root}: {error}"))?;
        let all = resources["resources"].as_array().into_iter().flatten();
        for resource in all.filter(|resource| is_listed(resource)) {
            let named = [("apiVersion", &resources["groupVersion"]), ("kind", &resource["kind"])];
            let path = format!("{root}/{}", text(resource, "name"));
            let mut next = String::new();
            loop {
                let list = get(client, &format!("{path}?limit={PAGE}{next}"))?;
                for item in list["items"].as_array().into_iter().flatten() {
                    // Items have no `kind` and `apiVersion`; these follow from the list.
                    let mut object = json!({});
                    named.iter().for_each(|(name, value)| object[name] = (*value).clone());
                    for (name, value) in item.as_object().into_iter().flatten() {
                        object[name] = value.clone();
                    }
                    writeln!(records, "{}", json!({"object": object})).map_err(|error| error.to_string())?;
                    count += 1;
                }
                match text(&list["metadata"], "continue") {
                    "" => break,
                    token => next = format!("&continue={token}"),
                }
            }
        }
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(count)
}

/// The root paths of all group versions.
fn roots(client: &Client) -> Result<Vec<String>, String> {
    let core = get(client, "/api")?;
    let core = core["versions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let groups = get(client, "/apis")?;
    let groups = groups["groups"].as_array().into_iter().flatten();
    let versions = groups.flat_map(|group| group["versions"].as_array().into_iter().flatten());
    let named = versions.map(|version| format!("/apis/{}", text(version, "groupVersion")));
    Ok(core.map(|version| format!("/api/{version}")).chain(named).collect())
}

/// Whether a resource is not a subresource and can be listed.
fn is_listed(resource: &Value) -> bool {
    let verbs = resource["verbs"].as_array().into_iter().flatten();
    !text(resource, "name").contains('/') && verbs.into_iter().any(|verb| verb == "list")
}

fn get(client: &Client, path: &str) -> Result<Value, String> {
    client.get(path)?.object().map_err(|error| format!("{path}: {error}"))
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::http::Options;
    use super::super::objects::tests::serve;
    use super::*;

    #[test]
    fn every_list_is_asked_for_at_every_version() {
        let (url, server) = serve(&[
            ("GET /api", 200, r#"{"versions": ["v1"]}"#),
            (
                "GET /apis",
                200,
                r#"{"groups": [{"versions": [{"groupVersion": "gone/v1"}]}, {"versions": [{"groupVersion": "a/v2"}]}]}"#,
            ),
            (
                "GET /api/v1",
                200,
                r#"{"groupVersion": "v1", "resources": [{"name": "bindings", "kind": "Binding", "verbs": ["create"]},
                    {"name": "things/status", "kind": "Thing", "verbs": ["list"]}]}"#,
            ),
            ("GET /apis/gone/v1", 503, "service unavailable"),
            (
                "GET /apis/a/v2",
                200,
                r#"{"groupVersion": "a/v2", "resources": [{"name": "things", "kind": "Thing", "verbs": ["list"]}]}"#,
            ),
            (
                "GET /apis/a/v2/things?limit=500",
                200,
                r#"{"metadata": {"continue": "x"}, "items": [{"metadata": {"uid": "1"}}]}"#,
            ),
            (
                "GET /apis/a/v2/things?limit=500&continue=x",
                200,
                r#"{"metadata": {}, "items": [{"metadata": {"uid": "2"}}]}"#,
            ),
        ]);
        let mut out = Vec::new();
        let count = record(&Client::new(&url, &Options::default()).unwrap(), &mut out).unwrap();
        server.join().unwrap();
        let lines: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of =
            |uid: &str| json!({"object": {"apiVersion": "a/v2", "kind": "Thing", "metadata": {"uid": uid}}});
        assert_eq!((count, lines), (2, vec![of("1"), of("2")]));
    }
}
