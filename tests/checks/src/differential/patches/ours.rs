//! What our server makes of recorded objects and patches.

use serde_json::Value;

use crate::differential::ask::{kept, request};
use crate::differential::ours::Ours;

/// What ours makes of a recorded object and patch.
///
/// # Errors
/// If the object cannot be stored, or there is no answer.
pub fn answer(ours: &Ours, line: &Value) -> Result<Value, String> {
    let (path, media) = (text(line, "path")?, text(line, "media")?);
    let mut object = line["object"].clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.shift_remove("resourceVersion");
    }
    ours.put(&object)?;
    let answered = ours.send(&request("PATCH", path, media, &line["patch"]))?;
    ours.remove(&object)?;
    Ok(kept(&answered))
}

fn text<'a>(line: &'a Value, name: &str) -> Result<&'a str, String> {
    line[name].as_str().ok_or_else(|| format!("expected a text in `{name}`"))
}
