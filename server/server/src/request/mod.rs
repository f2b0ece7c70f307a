//! What a request asks for. Everything that its head alone decides is decided here, before a body is received or work
//! starts.

mod accept;
mod asked;
mod delete_options;
mod error;
mod format;
mod manager;
mod objects;
mod path;
mod query;
mod verb;

use axum::http::Method;
use axum::http::header::IF_NONE_MATCH;
use axum::http::request::Parts;

pub(crate) use self::accept::for_errors as media_of_errors;
pub(crate) use self::asked::Asked;
pub(crate) use self::delete_options::{check_for_collection, read as read_delete_options};
pub(crate) use self::error::Error;
pub(crate) use self::objects::{ObjectRequest, Weight, kind_of_refused};
use self::path::Target;
pub(crate) use self::path::{OpenId, Probe, Topic};
pub(crate) use self::query::Query;
pub(crate) use self::verb::Verb;
use crate::catalog::Catalog;
use crate::media::Media;
use crate::published::{AggregatedVersion, openapi};

/// How discovery of all resources is answered.
pub(crate) struct Aggregation {
    /// Whether it is about the groups of `/apis`, and not the group of `/api`.
    pub(crate) is_of_groups: bool,
    pub(crate) version: AggregatedVersion,
    pub(crate) media: Media,
    /// Whether the client takes a compressed answer.
    pub(crate) takes_gzip: bool,
    /// The tag of the answer that the client has.
    pub(crate) known: Option<String>,
}

/// What is asked of OpenAPI, and how it is answered.
pub(crate) struct OpenApiRequest {
    pub(crate) topic: openapi::Topic,
    pub(crate) encoding: openapi::Encoding,
    /// Whether the client takes a compressed answer.
    pub(crate) takes_gzip: bool,
    /// The tag of the answer that the client has.
    pub(crate) known: Option<String>,
    /// The hash of the document that the client means; empty for whatever it is now.
    pub(crate) hash: String,
}

/// What a request asks for.
pub(crate) enum Request {
    /// A health check.
    Health(Probe, Box<Query>),
    /// The metrics.
    Metrics,
    /// Discovery.
    Discovery(Topic),
    /// Discovery of all resources below `/api` or `/apis`.
    Aggregated(Aggregation),
    /// A document of OpenAPI, or the list of all.
    OpenApi(OpenApiRequest),
    /// What others need to verify tokens of service accounts.
    OpenId(OpenId),
    /// Objects of a resource.
    Objects(Box<ObjectRequest>),
}

impl Request {
    /// Parses the head of a request.
    ///
    /// # Errors
    /// If the path does not exist, does not support the method, or has no answer in a media type that the client
    /// accepts.
    pub(crate) fn parse(catalog: &Catalog, head: &Parts) -> Result<Self, Error> {
        match path::parse(head.uri.path())? {
            Target::Resource(path) => Ok(Self::Objects(Box::new(ObjectRequest::parse(catalog, path, head)?))),
            _ if head.method != Method::GET => Err(Error::MethodNotAllowed),
            Target::Health(probe) => Ok(Self::Health(probe, Box::new(Query::parse(&head.uri)?))),
            Target::Metrics => Ok(Self::Metrics),
            Target::OpenId(asked) => Ok(Self::OpenId(asked)),
            Target::Discovery(topic @ (Topic::Core | Topic::Groups)) => {
                let Some((version, media)) = accept::aggregated(&head.headers)? else {
                    return Ok(Self::Discovery(topic));
                };
                Ok(Self::Aggregated(Aggregation {
                    is_of_groups: topic == Topic::Groups,
                    version,
                    media,
                    takes_gzip: accept::gzip(&head.headers),
                    known: known(head),
                }))
            }
            Target::OpenApi(topic) => Ok(Self::OpenApi(OpenApiRequest {
                encoding: accept::openapi(&head.headers, &topic)?,
                topic,
                takes_gzip: accept::gzip(&head.headers),
                known: known(head),
                hash: Query::parse(&head.uri)?.hash,
            })),
            Target::Discovery(topic) => {
                accept::accepted(&head.headers, &[Media::Json])?;
                Ok(Self::Discovery(topic))
            }
        }
    }
}

/// The tag of the answer that a client has.
fn known(head: &Parts) -> Option<String> {
    head.headers.get(IF_NONE_MATCH).and_then(|tag| tag.to_str().ok()).map(str::to_owned)
}
