//! The media type that a client accepts: the header `Accept`.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use super::Media;
use crate::wire::Status;

/// The first of the media types that the client takes, the ones that it prefers before others.
///
/// A range with parameters that change the answer (`as=Table`) is passed over: clients name the
/// plain object behind it.
///
/// # Errors
/// 406 where it takes other types only.
pub(crate) fn accepted(headers: &HeaderMap, offers: &[Media]) -> Result<Media, Status> {
    let mut ranges: Vec<Range<'_>> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(Range::of)
        .collect();
    if ranges.is_empty() {
        return Ok(Media::Json);
    }
    // Of the same weight, the order is the client's.
    ranges.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let taken = ranges.iter().filter(|range| range.is_plain && range.weight > 0.0);
    let mut media = taken.filter_map(|range| offers.iter().copied().find(|offer| range.takes(*offer)));
    media.next().ok_or_else(|| {
        let names: Vec<&str> = offers.iter().map(|offer| offer.name()).collect();
        let names = names.join(", ");
        // In upstream, who finds that nothing fits depends on whether the type is one that is there.
        let is_known = ranges.iter().any(|range| offers.iter().any(|offer| range.takes(*offer)));
        let message = if is_known {
            format!("only the following media types are accepted: {names}")
        } else {
            format!("406: Not Acceptable\n\nAvailable representations: {names}")
        };
        Status::failure(406, "NotAcceptable", message)
    })
}

/// What an error is told in: it has to be told in something.
pub(crate) fn of_errors(headers: &HeaderMap) -> Media {
    accepted(headers, &[Media::Json, Media::Protobuf]).unwrap_or(Media::Json)
}

/// One of the types that a client takes.
struct Range<'h> {
    name: &'h str,
    /// How much the client likes it: 0 is not at all.
    weight: f32,
    /// Whether no parameter asks for another form of the object.
    is_plain: bool,
}

impl<'h> Range<'h> {
    fn of(text: &'h str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut range = Self { name, weight: 1.0, is_plain: true };
        for parameter in parts {
            if let Some(weight) = parameter.strip_prefix("q=") {
                range.weight = weight.parse().unwrap_or(0.0);
            } else if parameter.starts_with("as=") {
                range.is_plain = false;
            }
        }
        range
    }

    fn takes(&self, media: Media) -> bool {
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
    fn the_client_prefers() {
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
        let status = accepted(&headers, &[Media::Json]).unwrap_err();
        assert_eq!(status.code, 406);
        assert_eq!(status.message, "406: Not Acceptable\n\nAvailable representations: application/json");
    }
}
