//! The report as SARIF 2.1.0 (OASIS), which GitHub and others show at the places of the findings.

use serde_json::{Value, json};

use super::finding::{Finding, Rule};
use super::text::sentence;

/// The log of one run; `is_complete` tells whether all inputs could be read.
pub fn log(findings: &[Finding], is_complete: bool) -> Value {
    let rules: Vec<Value> = Rule::ALL.iter().map(|rule| self::rule(*rule)).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "hubgen", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            // Columns are characters, not units of UTF-16.
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": is_complete}],
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: Rule) -> Value {
    json!({
        "id": rule.name(),
        "shortDescription": {"text": rule.description()},
        "help": {"text": rule.help()},
        "defaultConfiguration": {"level": rule.level().name()},
    })
}

fn result(finding: &Finding) -> Value {
    let place = &finding.place;
    let mut location = json!({});
    if !place.file.is_empty() {
        location["physicalLocation"] = json!({ "artifactLocation": {"uri": uri(&place.file)} });
        if place.line > 0 {
            location["physicalLocation"]["region"] =
                json!({ "startLine": place.line, "startColumn": place.column.max(1) });
        }
    }
    let logical: Vec<&str> = [&place.within, &place.path]
        .into_iter()
        .map(|text| &**text)
        .filter(|text| !text.is_empty())
        .collect();
    if !logical.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": logical.join(": ") }]);
    }
    json!({
        "ruleId": finding.rule.name(),
        "ruleIndex": Rule::ALL.iter().position(|rule| *rule == finding.rule),
        "level": finding.level().name(),
        "message": {"text": message(finding)},
        "locations": [location],
    })
}

/// What is found, in one text.
fn message(finding: &Finding) -> String {
    let mut lines = vec![format!("{}: {}", finding.object(), finding.when())];
    let becomes = finding.becomes();
    if !becomes.is_empty() {
        let disabled = if finding.to_is_disabled { ", which is served only where it is enabled" } else { "" };
        lines.push(format!("Use {becomes}{disabled}."));
    }
    if let Some(written) = &finding.written {
        lines.push(format!("Written by {written}."));
    }
    lines.extend(finding.edits.iter().map(|edit| format!("Converting it {}.", sentence(edit))));
    lines.extend(finding.problems.iter().map(|note| {
        let at = if note.path.is_empty() { String::new() } else { format!("{}: ", note.path) };
        format!("It cannot be converted: {at}{}.", note.message)
    }));
    lines.join("\n")
}

/// A path as a reference of a URI, relative to where the command runs.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into())
            }
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("./a b/c.yaml"), "a%20b/c.yaml");
        assert_eq!(uri("/é/<stdin>"), "/%C3%A9/%3Cstdin%3E");
    }
}
