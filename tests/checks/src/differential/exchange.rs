//! Converts a line of JSON to an HTTP request, and the response to the answer to record. The caller
//! sends the request, to another server or to ours.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// How often an update is tried, in case another client's write comes first.
const ATTEMPTS: u32 = 5;

/// A request as it is sent.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// In the order in which they are sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A response.
pub struct Response {
    pub code: u16,
    /// The values of all `Warning` headers.
    pub warnings: Vec<String>,
    pub body: Vec<u8>,
}

/// Sends the `request` of a line and returns the answer to record: the code, the warnings, and for
/// an error the `Status`, or the text if the body is not a `Status`. For an object, only the values
/// at the pointers in the request's `show` are recorded.
///
/// # Errors
/// If the line does not contain a valid request, or `send` fails.
pub fn exchange(
    line: &Value,
    send: &mut dyn FnMut(&Request) -> Result<Response, String>,
) -> Result<Value, String> {
    let request = line.get("request").ok_or("expected a member `request`, found none")?;
    let mut body = request.get("body").cloned();
    let mut attempt = 1;
    loop {
        if let Some(path) = request.get("read").and_then(Value::as_str) {
            let body = body.as_mut().ok_or("`read` needs a `body` that gets the resourceVersion")?;
            let get = Request {
                method: "GET".to_owned(),
                path: path.to_owned(),
                headers: json_only(),
                body: Vec::new(),
            };
            let read: Value =
                serde_json::from_slice(&send(&get)?.body).map_err(|error| format!("{path}: {error}"))?;
            body["metadata"]["resourceVersion"] = read["metadata"]["resourceVersion"].clone();
        }
        let response = send(&Request {
            method: text(request, "method")?.to_owned(),
            path: text(request, "path")?.to_owned(),
            headers: headers(request),
            body: bytes(request, body.as_ref())?,
        })?;
        // A controller of the other server may have written the object in between.
        if response.code != 409 || request.get("read").is_none() || attempt == ATTEMPTS {
            return Ok(kept(request, &response));
        }
        attempt += 1;
    }
}

/// The headers of a client that accepts JSON only.
fn json_only() -> Vec<(String, String)> {
    vec![("Accept".to_owned(), "application/json".to_owned())]
}

/// The headers of the request; by default, a client accepts JSON.
fn headers(request: &Value) -> Vec<(String, String)> {
    let named = request.get("headers").and_then(Value::as_object).into_iter().flatten();
    let named: Vec<_> =
        named.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect();
    let mut headers = if named.iter().any(|(name, _)| name == "Accept") { Vec::new() } else { json_only() };
    headers.extend(named);
    headers
}

/// The body: an object in `body`, text in `text`, or bytes in `base64`. In a text, `<fill>` is
/// replaced by what `fill` repeats.
fn bytes(request: &Value, body: Option<&Value>) -> Result<Vec<u8>, String> {
    if let Some(body) = body {
        return Ok(body.to_string().into_bytes());
    }
    if let Some(text) = request.get("text").and_then(Value::as_str) {
        let Some(fill) = request.get("fill") else { return Ok(text.into()) };
        let times = fill["times"].as_u64().and_then(|times| usize::try_from(times).ok()).unwrap_or_default();
        return Ok(text.replace("<fill>", &self::text(fill, "with")?.repeat(times)).into_bytes());
    }
    match request.get("base64").and_then(Value::as_str) {
        Some(text) => BASE64_STANDARD.decode(text).map_err(|error| format!("`base64`: {error}")),
        None => Ok(Vec::new()),
    }
}

fn kept(request: &Value, response: &Response) -> Value {
    let mut answer = json!({"code": response.code});
    if !response.warnings.is_empty() {
        answer["warnings"] = response.warnings.clone().into();
    }
    let body: Option<Value> = serde_json::from_slice(&response.body).ok();
    if (200..300).contains(&response.code) {
        let pointers = request.get("show").and_then(Value::as_array).into_iter().flatten();
        for pointer in pointers.filter_map(Value::as_str) {
            let found = body.as_ref().and_then(|body| body.pointer(pointer));
            answer["shown"][pointer] = found.cloned().unwrap_or_default();
        }
        return answer;
    }
    match body.filter(|body| body["kind"] == "Status") {
        Some(status) => answer["status"] = status,
        None => answer["text"] = String::from_utf8_lossy(&response.body).into(),
    }
    answer
}

fn text<'a>(object: &'a Value, field: &str) -> Result<&'a str, String> {
    object.get(field).and_then(Value::as_str).ok_or_else(|| format!("expected a text in `{field}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests that are sent, and the answer to record.
    fn run(request: &Value, code: u16, body: &str) -> (Vec<Request>, Value) {
        let mut sent = Vec::new();
        let answer = exchange(&json!({"request": request}), &mut |request| {
            let Request { method, path, headers, body: bytes } = request;
            sent.push(Request {
                method: method.clone(),
                path: path.clone(),
                headers: headers.clone(),
                body: bytes.clone(),
            });
            Ok(Response { code, warnings: vec!["299 - \"w\"".to_owned()], body: body.into() })
        });
        (sent, answer.unwrap())
    }

    #[test]
    fn bodies() {
        for (request, expected) in [
            (json!({"body": {"a": [1]}}), r#"{"a":[1]}"#),
            (json!({"text": "{<fill>"}), "{<fill>"),
            (json!({"text": "{<fill>", "fill": {"with": "ab", "times": 3}}), "{ababab"),
            (json!({"base64": "e30="}), "{}"),
            (json!({}), ""),
        ] {
            let mut request = request;
            request["method"] = "POST".into();
            request["path"] = "/p".into();
            let (sent, _) = run(&request, 200, "{}");
            assert_eq!(String::from_utf8_lossy(&sent[0].body), expected);
        }
    }

    #[test]
    fn an_update_gets_the_revision_that_there_is() {
        let request = json!({"method": "PUT", "path": "/p/status", "read": "/p", "body": {"metadata": {"name": "n"}},
            "headers": {"Content-Type": "application/json"}, "show": ["/metadata/resourceVersion", "/x"]});
        let (sent, answer) = run(&request, 200, r#"{"metadata": {"resourceVersion": "7"}}"#);
        assert_eq!((sent[0].method.as_str(), sent[0].path.as_str()), ("GET", "/p"));
        assert_eq!(
            String::from_utf8_lossy(&sent[1].body),
            r#"{"metadata":{"name":"n","resourceVersion":"7"}}"#
        );
        let names: Vec<_> = sent[1].headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Accept", "Content-Type"]);
        assert_eq!(
            answer,
            json!({"code": 200, "warnings": ["299 - \"w\""], "shown": {"/metadata/resourceVersion": "7", "/x": null}})
        );
    }

    #[test]
    fn an_update_is_tried_again_after_a_conflict() {
        let request = json!({"method": "PUT", "path": "/p/status", "read": "/p", "body": {}});
        let (sent, answer) = run(&request, 409, r#"{"kind": "Status", "code": 409}"#);
        assert_eq!(sent.len(), 2 * 5);
        assert_eq!(answer["code"], 409);
        let (sent, _) = run(&json!({"method": "PUT", "path": "/p"}), 409, "{}");
        assert_eq!(sent.len(), 1);
    }

    #[test]
    fn errors_are_kept_whole() {
        let request = json!({"method": "GET", "path": "/p"});
        let (_, answer) = run(&request, 404, r#"{"kind": "Status", "code": 404}"#);
        assert_eq!(answer["status"], json!({"kind": "Status", "code": 404}));
        let (_, answer) = run(&request, 404, "404 page not found\n");
        assert_eq!(answer["text"], "404 page not found\n");
    }
}
