//! The tables that we make of objects.

use hubgen_kubernetes::machinery::columns::{Cell, Column};
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::Scheme;
use serde_json::{Value, json};

use crate::differential::ask::{kept_table, table_request};
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
        let answered = self.ours.send(&table_request(path))?;
        self.ours.remove(&stored)?;
        let table: Value =
            serde_json::from_slice(&answered.body).map_err(|error| format!("{path}: {error}"))?;
        if answered.code != 200 {
            return Ok(json!({"code": answered.code, "message": table["message"]}));
        }
        let mut kept = kept_table(&table);
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

fn json_of(cell: Cell) -> Value {
    let mut out = Vec::new();
    cell.write(&mut out);
    serde_json::from_slice(&out).unwrap_or_default()
}
