//! Converts the objects of a review.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hubgen_machinery::convert::Unread;
use hubgen_machinery::scheme::{Scheme, SchemeError};
use hubgen_machinery::tree::Tree;
use tracing::{debug, warn};

use crate::answer::Answer;
use crate::review::{Review, ReviewError};
use crate::strict;

/// Answers reviews with the conversions of a Scheme.
#[derive(Clone)]
pub struct Webhook {
    scheme: Arc<Scheme>,
}

/// A review that was answered.
pub(crate) struct Answered {
    /// The answer, as JSON.
    pub(crate) json: Vec<u8>,
    /// The number of objects.
    pub(crate) objects: usize,
    /// Whether all of them were converted.
    pub(crate) is_converted: bool,
}

impl Webhook {
    /// Converts all kinds of a Scheme.
    pub fn new(scheme: impl Into<Arc<Scheme>>) -> Self {
        Self { scheme: scheme.into() }
    }

    /// Answers a ConversionReview of `apiextensions.k8s.io/v1` or `v1beta1`, which has the objects to convert and the
    /// version that is wanted. Both are JSON.
    ///
    /// An object that does not convert makes the whole review fail. The message names the object and its field; the API
    /// server shows it to its client.
    ///
    /// ```
    /// # let scheme = hubgen_example_cert_manager::api::scheme();
    /// use hubgen_webhook::Webhook;
    ///
    /// let webhook = Webhook::new(scheme);
    /// let review = br#"{
    ///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
    ///     "request": {"uid": "1", "desiredAPIVersion": "cert-manager.io/v1", "objects": [
    ///         {"apiVersion": "cert-manager.io/v1alpha2", "kind": "Certificate", "spec": {"keySize": 4096}}
    ///     ]}
    /// }"#;
    /// let answer = String::from_utf8(webhook.review(review)?).unwrap();
    /// assert!(answer.contains(r#""spec":{"privateKey":{"size":4096}}"#));
    /// # Ok::<(), hubgen_webhook::ReviewError>(())
    /// ```
    ///
    /// # Errors
    /// When the JSON is no review.
    pub fn review(&self, review: &[u8]) -> Result<Vec<u8>, ReviewError> {
        self.answered(review).map(|answered| answered.json)
    }

    pub(crate) fn answered(&self, review: &[u8]) -> Result<Answered, ReviewError> {
        let mut review = Review::read(review)?;
        let objects = review.objects.len();
        let mut result = Ok(());
        let mut answer = Answer::to(&review);
        // Each object is written as soon as it is converted: its tree takes far more memory than its text.
        for (index, mut object) in std::mem::take(&mut review.objects).into_iter().enumerate() {
            let before = object.clone();
            match self.object(&mut object, &review.desired) {
                Ok(unread) => {
                    if let Some(unread) = unread {
                        warn!(uid = review.uid.trim_matches('"'), "{}: {unread}", describe(before, index));
                    }
                    answer.add(&object);
                }
                Err(error) => {
                    result = Err(format!("{}: {error}", describe(before, index)));
                    break;
                }
            }
        }
        let (desired, uid) = (review.desired.as_str(), review.uid.trim_matches('"'));
        match &result {
            Ok(()) => debug!(uid, desired, objects, "converted"),
            // The API server shows it to its client, and logs nothing.
            Err(error) => warn!(uid, desired, objects, "not converted: {error}"),
        }
        let is_converted = result.is_ok();
        let json = match result {
            Ok(()) => answer.success(),
            Err(message) => answer.failure(&message),
        };
        Ok(Answered { json, objects, is_converted })
    }

    /// Returns what could not be read of the stash.
    fn object(&self, object: &mut Tree<'_>, desired: &str) -> Result<Option<Unread>, String> {
        if let Tree::Text(text) = object {
            strict::check(text)?;
        }
        let kind = object.get("kind").map_err(|error| error.message().to_owned())?;
        let kind = kind.and_then(|kind| kind.str().ok()).map(Cow::into_owned).unwrap_or_default();
        let is_list = kind.ends_with("List") && object.get("items").is_ok_and(|items| items.is_some());
        if is_list {
            return Err(
                "expected one object, found a list; send its items, each as one of `objects`".to_owned()
            );
        }
        let Some(to) = self.scheme.named(desired, &kind) else {
            return Err(format!("this webhook has no kind {kind:?} at the version {desired:?}"));
        };
        // A function of the user's own may panic. The API server gets an answer all the same.
        let converted = catch_unwind(AssertUnwindSafe(|| self.scheme.convert_tree(object, to)));
        match converted {
            Ok(Err(SchemeError::Json(error))) => Err(json_message(&error)),
            Ok(converted) => converted.map_err(|error| error.to_string()),
            Err(panic) => Err(format!("the conversion panicked: {}", panic_message(&*panic))),
        }
    }
}

/// `objects[0], Certificate default/web`.
fn describe(mut object: Tree<'_>, index: usize) -> String {
    let kind = text(&mut object, "kind");
    let mut metadata = object.get("metadata").ok().flatten().cloned();
    let mut of_metadata = |name| metadata.as_mut().map_or_else(String::new, |metadata| text(metadata, name));
    let (namespace, name) = (of_metadata("namespace"), of_metadata("name"));
    let slash = if namespace.is_empty() { "" } else { "/" };
    let name = format!("{kind} {namespace}{slash}{name}");
    match name.trim() {
        "" => format!("objects[{index}]"),
        name => format!("objects[{index}], {name}"),
    }
}

fn text(object: &mut Tree<'_>, name: &str) -> String {
    let member = object.get(name).ok().flatten();
    member.and_then(|member| member.str().ok().map(Cow::into_owned)).unwrap_or_default()
}

/// Lines and columns are those of one object, which nobody sees.
fn json_message(error: &hubgen_machinery::json::Error) -> String {
    match error.path() {
        "" => error.message().to_owned(),
        path => format!("{path}: {}", error.message()),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
