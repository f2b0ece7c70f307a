//! A request with its answers, as a line of JSON.

use std::collections::BTreeMap;
use std::str::FromStr;

use hubgen_kubernetes::machinery::scalar::Time;
use serde_json::{Map, Value, json};

/// An object, or the error in place of it.
pub type Answer = Result<Map<String, Value>, String>;

/// A request and its answers.
#[derive(Debug)]
pub struct Record {
    /// The object in the request.
    pub object: Value,
    /// Whether defaults are requested.
    pub default: bool,
    /// The object as it was read, with defaults if requested.
    pub answer: Answer,
    /// The object at each requested group version.
    pub versions: BTreeMap<String, Answer>,
    /// The time at which the object was defaulted.
    pub now: Option<Time>,
    /// Whether a running server answered, which sets more than defaults.
    pub server: bool,
    /// The release of Kubernetes that answered, if the record contains it.
    pub release: Option<Release>,
}

/// A release of Kubernetes, without the patch number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    major: u32,
    minor: u32,
}

impl Release {
    /// Creates a release: `Release::new(1, 35)`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

impl FromStr for Release {
    type Err = String;

    /// Parses `1.35` or `1.35.4`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        match [numbers.next().flatten(), numbers.next().flatten()] {
            [Some(major), Some(minor)] => Ok(Self { major, minor }),
            _ => Err(format!("expected a release, such as 1.35.4, found `{text}`")),
        }
    }
}

/// Creates a request.
pub fn request(object: &Value, default: bool, to: &[String]) -> Value {
    let mut request = json!({"default": default});
    if !to.is_empty() {
        request["to"] = to.into();
    }
    request["object"] = object.clone();
    request
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// If a member is missing or has the wrong type.
    pub fn read(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let Value::Object(mut members) = value else { return Err("expected an object".to_owned()) };
        let mut take = |name: &str| members.shift_remove(name);
        let object = take("object").ok_or("expected a member `object`, found none")?;
        let default = take("default") == Some(Value::Bool(true));
        let server = take("server") == Some(Value::Bool(true));
        let now = match take("now") {
            Some(Value::String(text)) => Some(text.parse().map_err(|error| format!("now: {error}"))?),
            _ => None,
        };
        let release = match take("release") {
            // If the object went through several releases, the first one wrote the answer.
            Some(Value::String(text)) => {
                let writer = text.split(", ").next().unwrap_or_default();
                Some(writer.parse().map_err(|error| format!("release: {error}"))?)
            }
            _ => None,
        };
        let answer = match (take("answer"), take("error")) {
            (Some(Value::Object(answer)), _) => Ok(answer),
            (None, Some(Value::String(error))) => Err(error),
            _ => return Err("expected an object `answer` or a text `error`, found neither".to_owned()),
        };
        let versions = match take("versions") {
            Some(Value::Object(versions)) => versions.into_iter().map(answer_at).collect::<Result<_, _>>()?,
            _ => BTreeMap::new(),
        };
        Ok(Self { object, default, answer, versions, now, server, release })
    }

    /// `apiVersion` and `kind` of the object.
    pub fn name(&self) -> (&str, &str) {
        let text = |name: &str| self.object.get(name).and_then(Value::as_str).unwrap_or_default();
        (text("apiVersion"), text("kind"))
    }
}

fn answer_at((version, answer): (String, Value)) -> Result<(String, Answer), String> {
    let Value::Object(members) = answer else {
        return Err(format!("versions.{version}: expected an object, found {answer}"));
    };
    // An object with `error` as its only member is an error.
    let answer = match members.get("error") {
        Some(Value::String(error)) if members.len() == 1 => Err(error.clone()),
        _ => Ok(members),
    };
    Ok((version, answer))
}
