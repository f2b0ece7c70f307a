//! Reads a ConversionReview.

use std::borrow::Cow;

use hubgen_machinery::json::lexer::{Error as JsonError, ErrorKind, Kind, Lexer};
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
    /// Identifies the request, as JSON. The answer has the same.
    pub(crate) uid: &'b str,
    /// The `apiVersion` that the objects should get.
    pub(crate) desired: String,
    /// The objects.
    pub(crate) objects: Vec<Tree<'b>>,
    /// The size of the review in bytes.
    pub(crate) size: usize,
}

/// The versions of ConversionReview.
const VERSIONS: [&str; 2] = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];

impl<'b> Review<'b> {
    /// Reads a review in one pass; its objects stay text.
    pub(crate) fn read(body: &'b [u8]) -> Result<Self, ReviewError> {
        let mut lexer = Lexer::new(body).map_err(|error| ReviewError::Json(error.message().to_owned()))?;
        let (mut version, mut kind, mut request) = (None, None, None);
        let mut more = lexer.enter_object().map_err(wrong("review"))?;
        while more {
            match &*lexer.key().map_err(wrong("review"))? {
                "apiVersion" => {
                    let text = lexer.string().map_err(wrong("apiVersion"))?;
                    set(&mut version, text.into_owned(), "apiVersion")?;
                }
                "kind" => {
                    let text = lexer.string().map_err(wrong("kind"))?;
                    set(&mut kind, text.into_owned(), "kind")?;
                }
                "request" => set(&mut request, Request::read(&mut lexer)?, "request")?,
                _ => lexer.skip().map_err(wrong("review"))?,
            }
            more = lexer.next_member().map_err(wrong("review"))?;
        }
        lexer.finish().map_err(wrong("review"))?;
        let found = version.as_deref().zip(kind.as_deref());
        let api_version = match found {
            Some((version, "ConversionReview")) => VERSIONS.into_iter().find(|known| *known == version),
            _ => None,
        };
        let Some(api_version) = api_version else {
            let [v1, v1beta1] = VERSIONS;
            let found =
                |text: &Option<String>| text.as_ref().map_or("none".to_owned(), |text| format!("{text:?}"));
            let message = format!(
                "expected a ConversionReview of {v1} or {v1beta1}, found `kind` {} and `apiVersion` {}",
                found(&kind),
                found(&version)
            );
            return Err(ReviewError::Member { path: "review", message });
        };
        let Request { uid, desired, objects } = request.ok_or_else(|| missing("review", "request"))?;
        let desired = desired.ok_or_else(|| missing("request", "desiredAPIVersion"))?;
        let objects = objects.ok_or_else(|| missing("request", "objects"))?;
        let uid = uid.ok_or_else(|| missing("request", "uid"))?;
        Ok(Self { api_version, uid, desired, objects, size: body.len() })
    }
}

/// What `request` of a review contains, as far as it is there.
#[derive(Default)]
struct Request<'b> {
    uid: Option<&'b str>,
    desired: Option<String>,
    objects: Option<Vec<Tree<'b>>>,
}

impl<'b> Request<'b> {
    fn read(lexer: &mut Lexer<'b>) -> Result<Self, ReviewError> {
        let mut request = Self::default();
        let mut more = lexer.enter_object().map_err(wrong("request"))?;
        while more {
            match &*lexer.key().map_err(wrong("request"))? {
                "uid" => set(&mut request.uid, uid(lexer)?, "request.uid")?,
                "desiredAPIVersion" => {
                    let text = lexer.string().map_err(wrong("request.desiredAPIVersion"))?;
                    set(&mut request.desired, text.into_owned(), "request.desiredAPIVersion")?;
                }
                "objects" => {
                    let found = objects(lexer).map_err(wrong("request.objects"))?;
                    set(&mut request.objects, found, "request.objects")?;
                }
                _ => lexer.skip().map_err(wrong("request"))?,
            }
            more = lexer.next_member().map_err(wrong("request"))?;
        }
        Ok(request)
    }
}

/// Sets a member that must not be there twice.
fn set<T>(member: &mut Option<T>, value: T, path: &'static str) -> Result<(), ReviewError> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => {
            let message = "expected this member once, found it twice".to_owned();
            Err(ReviewError::Member { path, message })
        }
    }
}

/// Reads what identifies the request: a text that is not empty. Returns it as JSON.
fn uid<'b>(lexer: &mut Lexer<'b>) -> Result<&'b str, ReviewError> {
    let wrong = wrong("request.uid");
    if lexer.peek().map_err(&wrong)? != Kind::String {
        return Err(lexer.string().map(drop).map_err(&wrong).expect_err("it is no string"));
    }
    match lexer.raw().map_err(&wrong)? {
        r#""""# => {
            let message = "expected a text that identifies the request, found an empty one".to_owned();
            Err(ReviewError::Member { path: "request.uid", message })
        }
        uid => Ok(uid),
    }
}

/// Reads the objects. Go writes an empty list as null.
fn objects<'b>(lexer: &mut Lexer<'b>) -> Result<Vec<Tree<'b>>, JsonError> {
    if lexer.peek()? == Kind::Null {
        lexer.null()?;
        return Ok(Vec::new());
    }
    let mut objects = Vec::new();
    let mut more = lexer.enter_array()?;
    while more {
        objects.push(Tree::Text(Cow::Borrowed(lexer.raw()?)));
        more = lexer.next_element()?;
    }
    Ok(objects)
}

fn wrong(path: &'static str) -> impl Fn(JsonError) -> ReviewError {
    move |error| match error.kind() {
        ErrorKind::Mismatch => ReviewError::Member { path, message: error.message().to_owned() },
        _ => ReviewError::Json(error.message().to_owned()),
    }
}

fn missing(path: &'static str, name: &str) -> ReviewError {
    ReviewError::Member { path, message: format!("expected a member `{name}`, found none") }
}
