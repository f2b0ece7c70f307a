//! SubjectAccessReviews as a webhook gets them, and its answers.

use serde_json::{Value, json};

use super::super::{Attributes, ResourceAttributes};

/// The version of the reviews that a webhook gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// `authorization.k8s.io/v1`.
    V1,
    /// `authorization.k8s.io/v1beta1`, which names groups `group`.
    V1Beta1,
}

/// Answers to longer questions are not kept: whoever asks chooses their length.
const LONGEST: usize = 10_000;

/// The answer of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) allowed: bool,
    pub(super) denied: bool,
    pub(super) reason: String,
}

/// A review as JSON.
pub(super) fn request(version: Version, request: &Attributes<'_>) -> Value {
    let Attributes { user, verb, path, resource } = request;
    let (version, groups) = match version {
        Version::V1 => ("authorization.k8s.io/v1", "groups"),
        Version::V1Beta1 => ("authorization.k8s.io/v1beta1", "group"),
    };
    let mut spec = match resource {
        Some(of) => json!({"resourceAttributes": members([
            ("namespace", of.namespace), ("verb", verb), ("group", of.group), ("version", of.version),
            ("resource", of.resource), ("subresource", of.subresource), ("name", of.name),
        ])}),
        None => json!({"nonResourceAttributes": members([("path", *path), ("verb", verb)])}),
    };
    spec["user"] = user.name.as_str().into();
    if !user.groups.is_empty() {
        spec[groups] = user.groups.as_slice().into();
    }
    if !user.extra.is_empty() {
        spec["extra"] = json!(user.extra);
    }
    if !user.uid.is_empty() {
        spec["uid"] = user.uid.as_str().into();
    }
    json!({"kind": "SubjectAccessReview", "apiVersion": version, "metadata": {}, "spec": spec, "status": {"allowed": false}})
}

/// The members that are not empty.
fn members<const N: usize>(members: [(&str, &str); N]) -> Value {
    let present = members.into_iter().filter(|(_, value)| !value.is_empty());
    present
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Whether the answer to a question is kept.
pub(super) fn is_small(Attributes { verb, path, resource, .. }: &Attributes<'_>) -> bool {
    let of = resource.map_or(
        0,
        |ResourceAttributes { group, version, resource, subresource, namespace, name }| {
            [group, version, resource, subresource, namespace, name].map(str::len).iter().sum()
        },
    );
    verb.len() + path.len() + of < LONGEST
}

/// The status of an answer.
///
/// # Errors
/// If it is no review.
pub(super) fn status(answer: &[u8]) -> Result<Status, String> {
    let document: Value = serde_json::from_slice(answer)
        .map_err(|error| format!("the answer of the webhook is no review: expected JSON: {error}"))?;
    let is_review = document["kind"] == "SubjectAccessReview"
        && document["apiVersion"]
            .as_str()
            .is_some_and(|version| version.starts_with("authorization.k8s.io/"));
    if !is_review {
        let (kind, version) = (&document["kind"], &document["apiVersion"]);
        return Err(format!("the answer of the webhook is no review: it is a {kind} of {version}"));
    }
    let flag = |name: &str| match &document["status"][name] {
        Value::Null => Ok(false),
        Value::Bool(flag) => Ok(*flag),
        other => Err(format!(
            "the answer of the webhook is no review: expected true or false in {name}, found {other}"
        )),
    };
    let reason = document["status"]["reason"].as_str().unwrap_or_default().to_owned();
    Ok(Status { allowed: flag("allowed")?, denied: flag("denied")?, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::User;

    #[test]
    fn reviews_have_what_is_not_empty() {
        let user = User {
            name: "ada".to_owned(),
            groups: vec!["people".to_owned()],
            extra: [("a".to_owned(), vec!["b".to_owned()])].into(),
            ..User::default()
        };
        let of = ResourceAttributes {
            group: "apps",
            version: "v1",
            resource: "deployments",
            subresource: "",
            namespace: "n",
            name: "",
        };
        let asked = Attributes { user: &user, verb: "list", path: "/x", resource: Some(of) };
        let spec = json!({
            "resourceAttributes": {"namespace": "n", "verb": "list", "group": "apps", "version": "v1", "resource": "deployments"},
            "user": "ada", "group": ["people"], "extra": {"a": ["b"]},
        });
        assert_eq!(request(Version::V1Beta1, &asked)["spec"], spec);
        let asked = Attributes { resource: None, ..asked };
        let v1 = request(Version::V1, &asked);
        assert_eq!(v1["apiVersion"], "authorization.k8s.io/v1");
        assert_eq!(v1["spec"]["nonResourceAttributes"], json!({"path": "/x", "verb": "list"}));
        assert_eq!(v1["spec"]["groups"], json!(["people"]));
    }

    #[test]
    fn only_reviews_are_answers() {
        let review = |status: Value| {
            status_of(
                &json!({"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": status}),
            )
        };
        fn status_of(document: &Value) -> Result<Status, String> {
            status(document.to_string().as_bytes())
        }
        assert!(review(json!({"allowed": true, "reason": "r"})).unwrap().allowed);
        assert_eq!(review(Value::Null), Ok(Status::default()));
        for wrong in
            [review(json!({"allowed": "yes"})), status_of(&json!({"kind": "Pod"})), status(b"<html>")]
        {
            assert!(wrong.unwrap_err().starts_with("the answer of the webhook is no review"));
        }
    }
}
