//! Asks a running API server a series of requests, most of which are wrong.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

use super::http::Client;
use crate::differential::exchange::exchange;

/// Sends all requests, one JSON object per line, and writes each with the server's answer and
/// release. Replaces answers that lines already contain.
///
/// # Errors
/// If the server cannot be reached, or a line is not a request.
pub fn record(
    client: &Client,
    release: Option<&str>,
    requests: impl BufRead,
    mut records: impl Write,
) -> Result<usize, String> {
    let release = match release {
        Some(release) => release.to_owned(),
        None => release_of(client)?,
    };
    let mut count = 0;
    for (number, line) in requests.lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| format!("line {}: {error}", number + 1);
        let line: Value =
            serde_json::from_str(&line.map_err(|error| at(&error))?).map_err(|error| at(&error))?;
        let answer = exchange(&line, &mut |request| client.send(request)).map_err(|error| at(&error))?;
        let record = json!({
            "name": line["name"], "release": release, "request": line["request"], "answer": answer,
        });
        writeln!(records, "{record}").map_err(|error| at(&error))?;
        count += 1;
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(count)
}

/// The release that the server reports.
pub fn release_of(client: &Client) -> Result<String, String> {
    let version = client.get("/version")?.object()?;
    let release = version["gitVersion"].as_str().ok_or("/version: expected a text in `gitVersion`")?;
    Ok(release.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::http::Options;
    use super::super::objects::tests::serve;
    use super::*;

    #[test]
    fn each_request_is_sent_and_its_answer_kept() {
        let requests = concat!(
            r#"{"name": "a", "request": {"method": "GET", "path": "/nothing"}, "answer": {"code": 1}}"#,
            "\n",
            r#"{"name": "b", "request": {"method": "FROB", "path": "/a", "text": "{"}}"#,
        );
        let (url, server) = serve(&[
            ("GET /version", 200, r#"{"gitVersion": "v1.2.3"}"#),
            ("GET /nothing", 404, "404 page not found"),
            ("FROB /a", 405, r#"{"kind": "Status", "code": 405}"#),
        ]);
        let client = Client::new(&url, &Options::default()).unwrap();
        let mut out = Vec::new();
        assert_eq!(record(&client, None, requests.as_bytes(), &mut out).unwrap(), 2);
        server.join().unwrap();
        let found: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            found,
            [
                json!({"name": "a", "release": "v1.2.3", "request": {"method": "GET", "path": "/nothing"},
                       "answer": {"code": 404, "text": "404 page not found"}}),
                json!({"name": "b", "release": "v1.2.3", "request": {"method": "FROB", "path": "/a", "text": "{"},
                       "answer": {"code": 405, "status": {"kind": "Status", "code": 405}}}),
            ]
        );
    }
}
