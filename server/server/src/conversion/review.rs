//! ConversionReviews: what a webhook is asked, and what its answer is worth.
//!
//! The checks come in upstream's order, with its words, which quote the types of its program.

use hubgen_machinery::yaml;
use serde_json::{Value, json};

use super::answer::Answer;
use super::{metadata, words};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "ConversionReview";

/// A version of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V1Beta1,
}

/// Why a webhook makes no other version of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// There is no answer, or it is no review.
    Call(String),
    /// The review does not answer what was asked, or tells of a failure.
    Malformed(String),
    /// It has another number of objects than it was asked for.
    Partial { found: usize, expected: usize },
    /// It has something else than the object that it was asked for.
    Invalid(String),
    /// It has no object at all. Upstream does not tell who answered that.
    NoObject(String),
}

impl Failed {
    /// What is told of the failure to make another version of an object.
    pub(super) fn about(&self, object: &Value) -> String {
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        let whose = format!("conversion webhook for {}, Kind={}", text("apiVersion"), text("kind"));
        match self {
            Self::Call(why) | Self::Malformed(why) => format!("{whose} failed: {why}"),
            Self::Partial { found, expected } => {
                format!("{whose} returned {found} objects, expected {expected}")
            }
            Self::Invalid(why) => format!("{whose} returned invalid {why}"),
            Self::NoObject(why) => why.clone(),
        }
    }
}

impl Version {
    /// The first one of a list that exists.
    pub(super) fn first(names: &Value) -> Option<Self> {
        names.as_array()?.iter().find_map(|name| match name.as_str() {
            Some("v1") => Some(Self::V1),
            Some("v1beta1") => Some(Self::V1Beta1),
            _ => None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }

    /// The review that asks for objects at another version.
    pub(super) fn request(self, uid: &str, to: &str, objects: &[&Value]) -> Vec<u8> {
        let review = json!({
            "kind": KIND,
            "apiVersion": format!("{GROUP}/{}", self.name()),
            "request": {"uid": uid, "desiredAPIVersion": to, "objects": objects},
        });
        review.to_string().into_bytes()
    }

    /// The converted objects of an answer, as many as expected.
    ///
    /// # Errors
    /// If it is no answer to the review with this uid, or a failure.
    pub(super) fn objects(self, answer: &Answer, uid: &str, expected: usize) -> Result<Vec<Value>, Failed> {
        let review = self.read(answer).map_err(Failed::Call)?;
        if self == Self::V1 {
            let named = |key: &str| review[key].as_str().unwrap_or_default();
            let (group_version, kind) = (named("apiVersion"), named("kind"));
            if (group_version, kind) != (&*format!("{GROUP}/v1"), KIND) {
                let found = if group_version.is_empty() { "/" } else { group_version };
                let expected = format!("{GROUP}/v1, Kind={KIND}");
                let why = format!("expected webhook response of {expected}, got {found}, Kind={kind}");
                return Err(Failed::Malformed(why));
            }
        }
        let response = &review["response"];
        if response.is_null() {
            return Err(Failed::Malformed("no response provided".to_owned()));
        }
        let found = response["uid"].as_str().unwrap_or_default();
        // Reviews of v1beta1 were not checked so, and still are not.
        if self == Self::V1 && found != uid {
            return Err(Failed::Malformed(format!("expected response.uid={uid:?}, got {found:?}")));
        }
        let result = &response["result"];
        let status = result["status"].as_str().unwrap_or_default();
        if status != "Success" {
            let message = result["message"].as_str().unwrap_or_default();
            let why = match message {
                "" => format!("response.result.status was '{status}', not 'Success'"),
                message => message.to_owned(),
            };
            return Err(Failed::Malformed(why));
        }
        let objects = response["convertedObjects"].as_array().cloned().unwrap_or_default();
        if objects.len() != expected {
            return Err(Failed::Partial { found: objects.len(), expected });
        }
        Ok(objects)
    }

    /// The review in an answer.
    fn read(self, answer: &Answer) -> Result<Value, String> {
        if !(200..=206).contains(&answer.code) {
            return Err(words::refused(answer));
        }
        if answer.body.is_empty() {
            let Answer { code, content_type, .. } = answer;
            return Err(format!(
                "0-length response with status code: {code} and content type: {content_type}"
            ));
        }
        let review = document(&answer.body)?;
        let named = |key: &str| review[key].as_str().unwrap_or_default();
        let (api_version, kind) = (named("apiVersion"), named("kind"));
        let converting =
            |from: &str| Err(format!("converting ({from}) to ({}.{KIND}): unknown conversion", self.name()));
        match (api_version, kind) {
            // What does not say what it is, is taken for what was asked for.
            ("", "" | KIND) => {}
            ("apiextensions.k8s.io/v1" | "apiextensions.k8s.io/v1beta1", "" | KIND) => {
                let version = api_version.rsplit_once('/').map_or("", |(_, version)| version);
                if version != self.name() && !kind.is_empty() {
                    return converting(&format!("{version}.{KIND}"));
                }
            }
            ("v1", "Status") => return converting("v1.Status"),
            _ => {
                let scheme = "pkg/runtime/scheme.go:111";
                return Err(format!(
                    "no kind {kind:?} is registered for version {api_version:?} in scheme {scheme:?}"
                ));
            }
        }
        self.check_types(&review)?;
        Ok(review)
    }

    /// Checks that what is read of a review has the types that it has in Go.
    fn check_types(self, review: &Value) -> Result<(), String> {
        let wrong = |value: &Value, field: &str, ty: &str| {
            let found = json_type(value);
            Err(format!("json: cannot unmarshal {found} into Go struct field {field} of type {ty}"))
        };
        let response = &review["response"];
        if !response.is_object() && !response.is_null() {
            return wrong(
                response,
                "ConversionReview.response",
                &format!("{}.ConversionResponse", self.name()),
            );
        }
        let (uid, objects, result) = (&response["uid"], &response["convertedObjects"], &response["result"]);
        if !uid.is_string() && !uid.is_null() {
            return wrong(uid, "ConversionResponse.response.uid", "types.UID");
        }
        if !objects.is_array() && !objects.is_null() {
            return wrong(objects, "ConversionResponse.response.convertedObjects", "[]runtime.RawExtension");
        }
        if !result.is_object() && !result.is_null() {
            return wrong(result, "ConversionResponse.response.result", "v1.Status");
        }
        for key in ["status", "message", "reason"] {
            let value = &result[key];
            if !value.is_string() && !value.is_null() {
                let ty = if key == "reason" { "v1.StatusReason" } else { "string" };
                return wrong(value, &format!("Status.response.result.{key}"), ty);
            }
        }
        Ok(())
    }
}

/// What an answer has in JSON, or in YAML, which upstream reads as well.
fn document(body: &[u8]) -> Result<Value, String> {
    let failed = |why: String| format!("couldn't get version/kind; json parse error: {why}");
    let is_object = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let document: Value = if is_object {
        serde_json::from_slice(body).map_err(|error| failed(words::syntax(&error, body)))?
    } else {
        let text = String::from_utf8_lossy(body);
        let json = yaml::to_json(&text).map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&json).map_err(|error| failed(error.to_string()))?
    };
    if document.is_object() || document.is_null() {
        return Ok(document);
    }
    // The struct is that of upstream's program.
    let names = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
    let found = json_type(&document);
    Err(failed(format!("json: cannot unmarshal {found} into Go value of type {names}")))
}

/// A converted object, with the metadata that it must have.
///
/// # Errors
/// If it is not the object that was sent, at the version that was asked for.
pub(super) fn checked(mut converted: Value, sent: &Value, to: &str) -> Result<Value, Failed> {
    let Value::Object(members) = &converted else {
        let why = match &converted {
            Value::Null => "unexpected end of JSON input".to_owned(),
            other => {
                let found = json_type(other);
                format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}")
            }
        };
        return Err(Failed::NoObject(why));
    };
    let text = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default();
    let (group_version, kind) = (text("apiVersion"), text("kind"));
    if kind.is_empty() || group_version.matches('/').count() > 1 {
        return Err(Failed::NoObject(format!("Object 'Kind' is missing in '{converted}'")));
    }
    if group_version != to {
        return Err(Failed::Invalid(format!(
            "object at index 0: invalid groupVersion (expected {to}, received {group_version})"
        )));
    }
    let expected = sent["kind"].as_str().unwrap_or_default();
    if kind != expected {
        return Err(Failed::Invalid(format!(
            "object at index 0: invalid kind (expected {expected}, received {kind})"
        )));
    }
    metadata::check_identity(sent, &converted).map_err(|why| Failed::Invalid(format!("object: {why}")))?;
    metadata::restore(sent, &mut converted).map_err(|why| Failed::Invalid(format!("metadata: {why}")))?;
    Ok(converted)
}

/// What a value is in JSON, as Go's errors name it.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Answer {
        Answer { code: 200, content_type: "application/json".to_owned(), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn the_first_known_version_is_asked_for() {
        for (names, version) in [
            (json!(["v2", "v1beta1", "v1"]), Some(Version::V1Beta1)),
            (json!(["v1"]), Some(Version::V1)),
            (json!(["v2"]), None),
            (Value::Null, None),
        ] {
            assert_eq!(Version::first(&names), version, "{names}");
        }
    }

    #[test]
    fn older_reviews_need_no_uid_and_no_kind() {
        let body =
            json!({"response": {"result": {"status": "Success"}, "convertedObjects": [{}]}}).to_string();
        assert_eq!(Version::V1Beta1.objects(&answer(&body), "u", 1), Ok(vec![json!({})]));
        let why = "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=";
        assert_eq!(Version::V1.objects(&answer(&body), "u", 1), Err(Failed::Malformed(why.to_owned())));
    }

    #[test]
    fn a_review_may_be_yaml() {
        let body = "apiVersion: apiextensions.k8s.io/v1\nkind: ConversionReview\nresponse:\n  uid: u\n  \
                    result: {status: Success}\n  convertedObjects: [{a: 1}]\n";
        assert_eq!(Version::V1.objects(&answer(body), "u", 1), Ok(vec![json!({"a": 1})]));
    }

    #[test]
    fn wrong_types_are_told_as_upstream_does() {
        let told = |body: Value| match Version::V1.objects(&answer(&body.to_string()), "u", 1) {
            Err(Failed::Call(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            told(json!({"response": {"uid": 5}})),
            "json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID"
        );
        assert_eq!(
            told(json!({"response": {"result": {"status": []}}})),
            "json: cannot unmarshal array into Go struct field Status.response.result.status of type string"
        );
    }
}
