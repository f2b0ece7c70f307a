//! Negotiates the media type of a response from the header `Accept`.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, ACCEPT_ENCODING};

use super::error::Error;
use crate::media::{Include, Media, MetaVersion, Representation, Shape, TABLE, TableShape};
use crate::published::AggregatedVersion;
use crate::published::openapi::{Encoding, Topic};

/// Selects the offered media type that the client prefers.
///
/// Ranges with parameters that transform the response (`as=Table`) are skipped.
///
/// # Errors
/// 406 if the client accepts none of the offers.
pub(crate) fn accepted(headers: &HeaderMap, offers: &[Media]) -> Result<Media, Error> {
    represented(headers, offers, None).map(|representation| representation.media)
}

/// Selects the representation that the client prefers, in one of the offered media types. `partial` is the kind by
/// which it asks for metadata only; without it, there are only whole objects, and no tables.
///
/// # Errors
/// 406 if the client accepts none of the offers.
pub(crate) fn represented(
    headers: &HeaderMap,
    offers: &[Media],
    partial: Option<&str>,
) -> Result<Representation, Error> {
    let ranges = ranges(headers);
    if ranges.is_empty() {
        return Ok(Representation::whole(Media::Json));
    }
    let mut acceptable = ranges.iter().filter(|range| range.weight > 0.0).filter_map(|range| {
        let media = offers.iter().copied().find(|offer| range.accepts(*offer))?;
        Some(Representation { media, shape: range.shape(media, partial)? })
    });
    acceptable.next().ok_or_else(|| not_acceptable(&ranges, offers))
}

/// Selects the version and the media type of aggregated discovery that the client prefers; `None` if it prefers the
/// plain answer, in JSON.
///
/// # Errors
/// 406 if the client accepts none of them.
pub(super) fn aggregated(headers: &HeaderMap) -> Result<Option<(AggregatedVersion, Media)>, Error> {
    const OFFERS: [Media; 2] = [Media::Json, Media::Protobuf];
    let ranges = ranges(headers);
    if ranges.is_empty() {
        return Ok(None);
    }
    let mut acceptable = ranges.iter().filter(|range| range.weight > 0.0).filter_map(|range| {
        if range.kind.is_empty() {
            return range.accepts(Media::Json).then_some(None);
        }
        let is_meant = range.kind == "APIGroupDiscoveryList" && range.group == "apidiscovery.k8s.io";
        let version = AggregatedVersion::named(range.version).filter(|_| is_meant)?;
        let media = OFFERS.into_iter().find(|offer| range.accepts(*offer))?;
        Some(Some((version, media)))
    });
    acceptable.next().ok_or_else(|| not_acceptable(&ranges, &[Media::Json]))
}

/// Selects the encoding of a document of OpenAPI that the client prefers. Names of protobuf with `@` are those of clients
/// that are older than the rule that a media type has none.
///
/// # Errors
/// 406 if the client accepts none of them.
pub(super) fn openapi(headers: &HeaderMap, topic: &Topic) -> Result<Encoding, Error> {
    let version = match topic {
        Topic::Swagger => "v2",
        Topic::List => return accepted(headers, &[Media::Json]).map(|_| Encoding::Json),
        Topic::Document(_) => "v3",
    };
    let ranges = ranges(headers);
    if ranges.is_empty() {
        return Ok(Encoding::Json);
    }
    let is_protobuf = |name: &str| {
        let name = name.strip_prefix("application/com.github.proto-openapi.spec.");
        let rest = name.and_then(|name| name.strip_prefix(version));
        matches!(rest, Some("@v1.0+protobuf" | ".v1.0+protobuf"))
    };
    let mut acceptable = ranges.iter().filter(|range| range.weight > 0.0).filter_map(|range| {
        if range.accepts(Media::Json) {
            Some(Encoding::Json)
        } else {
            is_protobuf(range.name).then_some(Encoding::Protobuf)
        }
    });
    acceptable.next().ok_or_else(|| not_acceptable(&ranges, &[Media::Json]))
}

/// What the client accepts, the best first. Ranges of the same weight keep the client's order.
fn ranges(headers: &HeaderMap) -> Vec<Range<'_>> {
    let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut ranges: Vec<Range<'_>> = values.flat_map(|value| value.split(',')).map(Range::parse).collect();
    ranges.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    ranges
}

/// Upstream has two messages: which one it uses depends on whether a range names an offered type.
fn not_acceptable(ranges: &[Range<'_>], offers: &[Media]) -> Error {
    let names_one = ranges.iter().any(|range| offers.iter().any(|offer| range.accepts(*offer)));
    Error::NotAcceptable { offers: offers.to_vec(), names_one }
}

/// The media type of an error: what the client accepts, else JSON.
pub(crate) fn for_errors(headers: &HeaderMap) -> Media {
    accepted(headers, &[Media::Json, Media::Protobuf]).unwrap_or(Media::Json)
}

/// Whether the client takes a body that is compressed with gzip.
pub(crate) fn gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut names = values.flat_map(|value| value.split(',')).map(Range::parse);
    names.any(|range| range.name.eq_ignore_ascii_case("gzip") && range.weight > 0.0)
}

/// One of the media ranges that a client accepts.
struct Range<'h> {
    name: &'h str,
    /// The client's preference; 0 means not acceptable.
    weight: f32,
    /// The kind as which objects are asked for, with its group and version; empty for the objects themselves.
    kind: &'h str,
    group: &'h str,
    version: &'h str,
}

impl<'h> Range<'h> {
    fn parse(text: &'h str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut range = Self { name, weight: 1.0, kind: "", group: "", version: "" };
        for parameter in parts {
            match parameter.split_once('=') {
                Some(("q", weight)) => range.weight = weight.parse().unwrap_or(0.0),
                Some(("as", kind)) => range.kind = kind,
                Some(("g", group)) => range.group = group,
                Some(("v", version)) => range.version = version,
                _ => {}
            }
        }
        range
    }

    /// What it shows of an object; `None` if that is not supported, as tables in protobuf.
    fn shape(&self, media: Media, partial: Option<&str>) -> Option<Shape> {
        if self.kind.is_empty() {
            return Some(Shape::Whole);
        }
        let partial = partial.filter(|_| self.group == "meta.k8s.io")?;
        let version = MetaVersion::named(self.version)?;
        match self.kind {
            TABLE if media == Media::Json => {
                Some(Shape::Table(TableShape { version, include: Include::default(), has_headers: true }))
            }
            kind => (kind == partial).then_some(Shape::Metadata(version)),
        }
    }

    fn accepts(&self, media: Media) -> bool {
        matches!(self.name, "" | "*/*" | "application/*") || self.name.eq_ignore_ascii_case(media.name())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn chosen(accept: &'static str) -> Option<Media> {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        accepted(&headers, &[Media::Json, Media::Protobuf]).ok()
    }

    #[test]
    fn ranges() {
        for json in ["application/json", " */*;q=0.8", "application/*", "application/json;charset=utf-8"] {
            assert_eq!(chosen(json), Some(Media::Json), "{json}");
        }
        for other in
            ["application/yaml", "application/json;as=Table;v=v1", "application/json;q=0", "text/html"]
        {
            assert_eq!(chosen(other), None, "{other}");
        }
    }

    #[test]
    fn the_client_chooses_by_weight_and_order() {
        let protobuf = "application/vnd.kubernetes.protobuf";
        for accept in [
            "application/vnd.kubernetes.protobuf,application/json",
            "application/json;q=0.5, application/vnd.kubernetes.protobuf",
            "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io,application/vnd.kubernetes.protobuf",
        ] {
            assert_eq!(chosen(accept), Some(Media::Protobuf), "{accept}");
        }
        assert_eq!(chosen("application/json,application/vnd.kubernetes.protobuf"), Some(Media::Json));
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(protobuf))]);
        let error = accepted(&headers, &[Media::Json]).unwrap_err();
        assert!(
            matches!(error, Error::NotAcceptable { offers, names_one: false } if offers == [Media::Json])
        );
    }
}
