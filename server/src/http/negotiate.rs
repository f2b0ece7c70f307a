//! The media type of the answer.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use crate::wire::Status;

/// The client takes JSON.
///
/// A range with parameters that change the answer (`as=Table`) is passed over: clients name plain
/// JSON behind it.
///
/// # Errors
/// 406 where it takes other types only.
pub(super) fn json(headers: &HeaderMap) -> Result<(), Status> {
    let mut ranges = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .peekable();
    if ranges.peek().is_none() || ranges.any(takes_json) {
        return Ok(());
    }
    Err(Status::failure(
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json",
    ))
}

fn takes_json(range: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    matches!(media_type.as_str(), "" | "*/*" | "application/*" | "application/json")
        && !parts.any(|parameter| parameter.starts_with("as=") || is_refusal(parameter))
}

/// `q=0`: anything but that.
fn is_refusal(parameter: &str) -> bool {
    parameter.strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0))
}

#[cfg(test)]
mod tests {
    use super::takes_json;

    #[test]
    fn ranges() {
        for good in ["application/json", " */*;q=0.8", "application/*", "application/json;charset=utf-8"] {
            assert!(takes_json(good), "{good}");
        }
        for bad in ["application/yaml", "application/json;as=Table;v=v1", "application/json;q=0", "text/html"]
        {
            assert!(!takes_json(bad), "{bad}");
        }
    }
}
