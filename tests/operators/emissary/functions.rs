//! The function that the rules name. It does what the operator's own functions do.

use hubgen_machinery::Str;
use hubgen_machinery::convert::Functions;
use hubgen_machinery::json::Raw;
use serde_json::Value;

/// All of them.
pub fn all() -> Functions {
    Functions::none().with("crate::host_ids", host_ids::to_hub, host_ids::from_hub)
}

/// What JSON of any form is.
fn value(json: &Raw) -> Result<Value, String> {
    json.to_value().map_err(|error| error.to_string())
}

/// The IDs of a Host: v2 has two fields for them.
pub(crate) mod host_ids {
    use super::*;

    /// What v2 has before an ID that was written at v3alpha1.
    const MARK: &str = "--apiVersion-v3alpha1-only--";

    fn list(json: &Raw) -> Result<Option<Vec<Str>>, String> {
        let item = |item: Value| match item {
            Value::String(id) => Ok(Str::from(id)),
            other => Err(format!("expected a text as an ID, found {other}")),
        };
        match value(json)? {
            Value::Null => Ok(None),
            Value::Array(items) => items.into_iter().map(item).collect::<Result<_, _>>().map(Some),
            one => Ok(Some(vec![item(one)?])),
        }
    }

    pub(crate) fn to_hub(ids: Option<Raw>, older: Option<Raw>) -> Result<Option<Vec<Str>>, String> {
        let list = |json: Option<Raw>| json.as_ref().map_or(Ok(None), list);
        let (ids, older) = (list(ids)?, list(older)?);
        if ids.is_none() && older.is_none() {
            return Ok(None);
        }
        let all = [ids, older].into_iter().flatten().flatten();
        Ok(Some(all.map(|id| id.strip_prefix(MARK).unwrap_or(&id).into()).collect()))
    }

    pub(crate) fn from_hub(ids: Option<Vec<Str>>) -> (Option<Raw>, Option<Raw>) {
        let marked = |id: &Str| format!("{MARK}{}", id.strip_prefix(MARK).unwrap_or(id)).into();
        let ids = ids.map(|ids| Raw::from(Value::Array(ids.iter().map(marked).collect())));
        (ids, None)
    }
}
