//! The tables that we make of objects.

use hubgen_kubernetes::machinery::columns::{Cell, Column};
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::Scheme;
use serde_json::{Value, json};

use crate::differential::exchange::Request;
use crate::differential::ours::Ours;

/// Makes tables: of objects that were read from a server with a server of ours, and of all others without one.
pub struct Tables {
    scheme: Scheme,
    ours: Ours,
}

impl Tables {
    /// Starts our server.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start() -> Result<Self, String> {
        Ok(Self { scheme: hubgen_kubernetes::scheme(), ours: Ours::start()? })
    }

    /// Our table of a recorded object.
    ///
    /// # Errors
    /// If the object cannot be read, or there is no answer.
    pub fn of(&self, line: &Value) -> Result<Value, String> {
        match line["path"].as_str() {
            Some(path) => self.served(path, &line["object"]),
            None => self.printed(&line["object"]),
        }
    }

    /// The table that our server answers with.
    fn served(&self, path: &str, object: &Value) -> Result<Value, String> {
        let mut stored = object.clone();
        if let Some(metadata) = stored["metadata"].as_object_mut() {
            metadata.shift_remove("resourceVersion");
        }
        self.ours.put(&stored)?;
        let answered = self.ours.send(&request(path))?;
        self.ours.remove(&stored)?;
        let table: Value =
            serde_json::from_slice(&answered.body).map_err(|error| format!("{path}: {error}"))?;
        if answered.code != 200 {
            return Ok(json!({"code": answered.code, "message": table["message"]}));
        }
        let mut kept = kept(&table);
        if !answered.warnings.is_empty() {
            kept["warnings"] = answered.warnings.into();
        }
        Ok(kept)
    }

    /// The table of an object that was read from a store, with its defaults.
    fn printed(&self, object: &Value) -> Result<Value, String> {
        let text = object.to_string();
        let (mut object, _) = self.scheme.decode(text.as_bytes()).map_err(|error| error.to_string())?;
        let now = Time::now();
        object.set_defaults(&Context { now });
        let hub = object.copy_at_hub().map_err(|error| error.to_string())?;
        let columns = &object.entry.columns;
        let header = |Column { name, ty, format, priority, .. }: &Column| json!({"name": **name, "type": **ty, "format": **format, "priority": priority});
        let cells: Vec<Value> = columns.cells(&*hub, now).into_iter().map(json_of).collect();
        let mut row = json!({"cells": cells});
        if let Some(reason) = columns.completed(&*hub, now) {
            row["reason"] = reason.into();
        }
        Ok(json!({"columns": columns.columns.iter().map(header).collect::<Vec<_>>(), "rows": [row]}))
    }
}

/// A request for a table.
pub fn request(path: &str) -> Request {
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    Request {
        method: "GET".to_owned(),
        path: format!("{path}?includeObject=None"),
        headers: vec![("Accept".to_owned(), accept)],
        body: Vec::new(),
    }
}

/// What is recorded of a table: the columns without descriptions, and the rows without objects.
pub fn kept(table: &Value) -> Value {
    let list = |name: &str| table[name].as_array().cloned().unwrap_or_default();
    let columns: Vec<Value> = list("columnDefinitions")
        .iter()
        .map(|column| {
            json!({"name": column["name"], "type": column["type"], "format": column["format"], "priority": column["priority"]})
        })
        .collect();
    let rows: Vec<Value> = list("rows")
        .iter()
        .map(|row| {
            let mut kept = json!({"cells": row["cells"]});
            if let Some(reason) = row["conditions"].get(0) {
                kept["reason"] = reason["reason"].clone();
            }
            kept
        })
        .collect();
    json!({"columns": columns, "rows": rows})
}

fn json_of(cell: Cell) -> Value {
    let mut out = Vec::new();
    cell.write(&mut out);
    serde_json::from_slice(&out).unwrap_or_default()
}
