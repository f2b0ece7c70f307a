//! Reads a ConversionReview.

use std::borrow::Cow;

use hubgen_machinery::json::lexer::Error as JsonError;
use hubgen_machinery::tree::Tree;
use thiserror::Error;

/// Why a request is no review. The API server never sends such requests; the answer to them has status 400.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Json(String),
    /// A member is not what it should be.
    #[error("{path}: {message}")]
    Member {
        /// The path of the member; `review` for the whole.
        path: &'static str,
        /// What was expected, and what was found.
        message: String,
    },
}

/// A review.
pub(crate) struct Review<'b> {
    /// The `apiVersion`, which the answer has, too.
    pub(crate) api_version: &'static str,
    /// Identifies the request. The answer has the same.
    pub(crate) uid: Tree<'b>,
    /// The `apiVersion` that the objects should get.
    pub(crate) desired: String,
    /// The objects, as they came.
    pub(crate) objects: Vec<Tree<'b>>,
}

/// The versions of ConversionReview.
const VERSIONS: [&str; 2] = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];

impl<'b> Review<'b> {
    pub(crate) fn read(body: &'b [u8]) -> Result<Self, ReviewError> {
        let mut review = Tree::new(body).map_err(|error| ReviewError::Json(error.message().to_owned()))?;
        let api_version = text(&mut review, "review", "apiVersion")?;
        let kind = text(&mut review, "review", "kind")?;
        let version = VERSIONS.into_iter().find(|version| *version == api_version);
        let (Some(api_version), "ConversionReview") = (version, &*kind) else {
            let [v1, v1beta1] = VERSIONS;
            let message = format!(
                "expected a ConversionReview of {v1} or {v1beta1}, found `kind` {kind:?} and `apiVersion` \
                 {api_version:?}"
            );
            return Err(ReviewError::Member { path: "review", message });
        };
        let request = member(&mut review, "review", "request")?;
        let uid = member(request, "request", "uid")?.clone();
        let desired = text(request, "request", "desiredAPIVersion")?;
        let objects = member(request, "request", "objects")?;
        // Go writes an empty list as null.
        let objects = if objects.is_null() {
            Vec::new()
        } else {
            std::mem::take(objects.elements().map_err(|error| wrong("request.objects", &error))?)
        };
        Ok(Self { api_version, uid, desired, objects })
    }
}

fn wrong(path: &'static str, error: &JsonError) -> ReviewError {
    ReviewError::Member { path, message: error.message().to_owned() }
}

/// A member that has to be there.
fn member<'t, 'b>(
    tree: &'t mut Tree<'b>,
    path: &'static str,
    name: &str,
) -> Result<&'t mut Tree<'b>, ReviewError> {
    let found = tree.get(name).map_err(|error| wrong(path, &error))?;
    found.ok_or_else(|| ReviewError::Member {
        path,
        message: format!("expected a member `{name}`, found none"),
    })
}

fn text(tree: &mut Tree<'_>, path: &'static str, name: &str) -> Result<String, ReviewError> {
    let found = member(tree, path, name)?;
    let text = found.str().map(Cow::into_owned);
    text.map_err(|error| ReviewError::Member { path, message: format!("`{name}`: {}", error.message()) })
}
