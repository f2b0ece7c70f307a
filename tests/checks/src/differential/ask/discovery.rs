//! Asks a server for all that discovery tells.

use std::io::Write;

use serde_json::{Value, json};

use super::errors::release_of;
use super::http::{Client, Options};
use crate::differential::exchange::Request;
use crate::differential::told::{Facts, collect};

/// Records what a server tells. Returns the number of facts.
///
/// # Errors
/// If the server does not answer, or the records cannot be written.
pub fn record(client: &Client, mut records: impl Write) -> Result<usize, String> {
    let release = release_of(client)?;
    let facts = of(client)?;
    for (about, told) in &facts {
        writeln!(records, "{}", json!({"about": about, "release": release, "told": told}))
            .map_err(|error| error.to_string())?;
    }
    records.flush().map_err(|error| error.to_string())?;
    Ok(facts.len())
}

/// What the server at a URL tells, which needs no credentials.
///
/// # Errors
/// If the server does not answer.
pub fn discovered(url: &str) -> Result<Facts, String> {
    of(&Client::new(url, &Options::default())?)
}

fn of(client: &Client) -> Result<Facts, String> {
    collect(&mut |path, accept| {
        let request = Request {
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: vec![("Accept".to_owned(), accept.to_owned())],
            body: Vec::new(),
        };
        let response = client.send(&request)?;
        if response.code != 200 {
            return Err(format!("{path}: {}", response.code));
        }
        serde_json::from_slice::<Value>(&response.body).map_err(|error| format!("{path}: {error}"))
    })
}
