//! The functions that the rules name.

use hubgen_machinery::convert::Functions;

/// All of them.
pub fn all() -> Functions {
    Functions::none().with("crate::params", params::to_hub, params::from_hub)
}

/// A map of texts is a list of parameters, whose values may be lists and maps, too.
pub(crate) mod params {
    use hubgen_machinery::json::Raw;
    use hubgen_machinery::{Str, StrMap};
    use serde_json::Value;

    use super::super::types::v1beta1::ResolutionRequestParam;

    /// Converts to the hub, in the order of the names.
    pub(crate) fn to_hub(params: Option<StrMap<Str>>) -> Option<Vec<ResolutionRequestParam>> {
        let param = |(name, value): (Str, Str)| {
            let json = Value::from(&*value).to_string();
            ResolutionRequestParam { name, value: json.parse().expect("it is JSON") }
        };
        Some(params?.into_iter().map(param).collect())
    }

    /// Converts from the hub. The last one of several parameters with the same name counts. Refuses lists and maps.
    pub(crate) fn from_hub(
        params: Option<Vec<ResolutionRequestParam>>,
    ) -> Result<Option<StrMap<Str>>, String> {
        let Some(params) = params else { return Ok(None) };
        let mut out = StrMap::new();
        for ResolutionRequestParam { name, value } in params {
            let Some(text) = text(&value) else {
                return Err(format!("the parameter {name} is no text"));
            };
            out.insert(name, text);
        }
        Ok(Some(out))
    }

    /// The text that a parameter is. JSON of another form than Tekton expects is its own text.
    fn text(value: &Raw) -> Option<Str> {
        let is_text = |value: &Value| value.is_string() || value.is_null();
        match serde_json::from_str::<Value>(value.as_str()) {
            Ok(Value::String(text)) => Some(text.into()),
            Ok(Value::Null) => Some(Str::new()),
            Ok(Value::Array(items)) if items.iter().all(is_text) => None,
            Ok(Value::Object(members)) if members.values().all(is_text) => None,
            _ => Some(value.as_str().into()),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn values_are_texts_as_in_tekton() {
            let text = |json: &str| text(&json.parse().unwrap());
            for (json, expected) in [("\"a\"", "a"), ("null", ""), ("5", "5"), ("[1]", "[1]")] {
                assert_eq!(text(json).as_deref(), Some(expected), "{json}");
            }
            for json in ["[]", "[\"a\"]", "{}", "{\"a\": \"b\"}"] {
                assert_eq!(text(json), None, "{json}");
            }
        }
    }
}
