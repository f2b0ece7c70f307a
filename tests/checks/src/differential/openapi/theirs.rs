//! The documents of another server: asked for, recorded, or published with a release.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::super::ask::{Server, release_of};
use crate::differential::exchange::Request;

/// The path by which the document of OpenAPI v2 is named.
pub const SWAGGER: &str = "openapi/v2";

/// A document.
pub struct Document {
    /// The path in the list of documents: `apis/apps/v1`.
    pub path: String,
    /// In JSON.
    pub text: String,
    /// In protobuf, if a server was asked.
    pub protobuf: Option<Vec<u8>>,
}

/// Documents of one server.
pub struct Documents {
    /// The release of the server, if it is known.
    pub release: Option<String>,
    pub documents: Vec<Document>,
    /// What cannot be compared, and why.
    pub left_out: Vec<String>,
}

/// Where a server has a document.
pub fn url(path: &str) -> String {
    if path == SWAGGER { format!("/{SWAGGER}") } else { format!("/openapi/v3/{path}") }
}

/// Asks the server at a URL for all of its documents.
///
/// # Errors
/// If it cannot be reached, or has none.
pub fn ask(base: &str, server: &Server) -> Result<Documents, String> {
    let client = server.client(base)?;
    let get = |path: &str, accept: &str| {
        let headers = vec![("Accept".to_owned(), accept.to_owned())];
        let request = Request { method: "GET".to_owned(), path: path.to_owned(), headers, body: Vec::new() };
        let answer = client.send(&request)?;
        if answer.code == 200 { Ok(answer.body) } else { Err(format!("{path}: answered {}", answer.code)) }
    };
    let json = "application/json";
    let list: Value = serde_json::from_slice(&get("/openapi/v3", json)?)
        .map_err(|error| format!("/openapi/v3: {error}"))?;
    let paths = list["paths"].as_object().ok_or("/openapi/v3: expected an object in `paths`")?;
    let mut documents = Vec::new();
    for path in paths.keys().map(String::as_str).chain([SWAGGER]) {
        let version = if path == SWAGGER { "v2" } else { "v3" };
        let text = String::from_utf8(get(&url(path), json)?).map_err(|error| format!("{path}: {error}"))?;
        let protobuf = format!("application/com.github.proto-openapi.spec.{version}@v1.0+protobuf");
        let protobuf = Some(get(&url(path), &protobuf)?);
        documents.push(Document { path: path.to_owned(), text, protobuf });
    }
    let release = Some(release_of(&client)?);
    Ok(Documents { release, documents, left_out: Vec::new() })
}

/// Records documents without their prose.
///
/// # Errors
/// If the file cannot be written.
pub fn record(theirs: &Documents, only: &[String], file: &Path) -> Result<(), String> {
    let context = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut out = BufWriter::new(File::create(file).map_err(|error| context(&error))?);
    for Document { path, text, .. } in &theirs.documents {
        if only.is_empty() || only.contains(path) {
            let mut document: Value = serde_json::from_str(text).map_err(|error| context(&error))?;
            drop_prose(&mut document);
            let line = json!({"release": theirs.release, "path": path, "document": document});
            writeln!(out, "{line}").map_err(|error| context(&error))?;
        }
    }
    out.flush().map_err(|error| context(&error))
}

/// Drops descriptions, which are texts; a property of that name is an object.
fn drop_prose(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.get("description").is_some_and(Value::is_string) {
                members.remove("description");
            }
            members.values_mut().for_each(drop_prose);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_prose),
        _ => {}
    }
}

/// Reads recorded documents, or those of a folder such as that of a release.
///
/// # Errors
/// If there are none, or they cannot be read.
pub fn read(from: &str) -> Result<Documents, String> {
    let path = Path::new(from);
    let (mut documents, mut release) = (Vec::new(), None);
    if path.is_dir() {
        collect(path, path, &mut documents)?;
    } else {
        let context = |error: &dyn std::fmt::Display| format!("{from}: {error}");
        let text = super::super::read(path).map_err(|error| context(&error))?;
        for line in text.lines().filter(|line| !line.is_empty()) {
            let line: Value = serde_json::from_str(line).map_err(|error| context(&error))?;
            release = line["release"].as_str().map(str::to_owned);
            let path = line["path"].as_str().ok_or_else(|| context(&"expected a text in `path`"))?.to_owned();
            documents.push(Document { path, text: line["document"].to_string(), protobuf: None });
        }
    }
    if documents.is_empty() {
        return Err(format!("{from}: expected documents, found none"));
    }
    documents.sort_by(|one, other| one.path.cmp(&other.path));
    let left_out = vec!["left out: protobuf, which only a running server has".to_owned()];
    Ok(Documents { release, documents, left_out })
}

/// The documents below a folder, each named by its path: `apis/apps/v1.json`.
fn collect(root: &Path, folder: &Path, out: &mut Vec<Document>) -> Result<(), String> {
    let context = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(context)? {
        let path = entry.map_err(context)?.path();
        if path.is_dir() {
            collect(root, &path, out)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).map_err(context)?;
            let name = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            out.push(Document { path: name.display().to_string(), text, protobuf: None });
        }
    }
    Ok(())
}
