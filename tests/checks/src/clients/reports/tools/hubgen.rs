//! `hubgen report`.

use hubgen_model::Release;
use serde_json::Value;

use super::{Alarm, Claim, Source, Told, json, text};
use crate::clients::reports::object::Object;
use crate::clients::session::Session;

pub fn ask(session: &Session, target: Release, source: Source<'_>) -> Result<Told, String> {
    let what = match source {
        Source::File(file) | Source::Releases(file) => format!("'{}'", file.display()),
        Source::Live => "--cluster".to_owned(),
    };
    let output = session.run(&format!("report --target {target} -o json {what}"))?;
    if !matches!(output.code, 0 | 1) {
        return Err(output.wrong("to end with code 0 or 1"));
    }
    let answer = json(&output.out)?;
    let errors = answer["diagnostics"].as_array().into_iter().flatten();
    let error = errors.into_iter().find(|diagnostic| text(diagnostic, "severity") == "error");
    Ok(Told { alarms: alarms(&answer), unread: error.map(|error| text(error, "message").to_owned()) })
}

fn alarms(answer: &Value) -> Vec<Alarm> {
    let findings = answer["findings"].as_array().into_iter().flatten();
    findings
        .map(|finding| {
            let to = &finding["to"];
            let to = to["apiVersion"].as_str().zip(to["kind"].as_str());
            let rule = text(finding, "rule");
            Alarm {
                object: Object {
                    api_version: text(finding, "apiVersion").to_owned(),
                    kind: text(finding, "kind").to_owned(),
                    name: text(finding, "name").to_owned(),
                },
                claim: match rule {
                    "removed-version" | "removed-kind" | "later-version" | "unknown-version" => {
                        Claim::Removed
                    }
                    "disabled-version" | "deprecated-version" => Claim::Deprecated,
                    _ => Claim::Other,
                },
                replacement: to.map(|(version, kind)| (version.to_owned(), kind.to_owned())),
                text: match to {
                    Some((version, kind)) => format!("{rule}; use {version} {kind}"),
                    None => format!("{rule}; {}", text(finding, "use")),
                },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn findings_are_alarms() {
        let found = alarms(&json!({"findings": [
            {"rule": "removed-version", "apiVersion": "apps/v1beta1", "kind": "Deployment", "name": "web",
             "to": {"apiVersion": "apps/v1", "kind": "Deployment"}, "use": "use apps/v1"},
            {"rule": "deprecated-version", "apiVersion": "v1", "kind": "Endpoints"},
            {"rule": "old-reference", "apiVersion": "apps/v1beta1", "kind": "Deployment"},
        ]}));
        let claims: Vec<_> = found.iter().map(|alarm| alarm.claim).collect();
        assert_eq!(claims, [Claim::Removed, Claim::Deprecated, Claim::Other]);
        assert_eq!(found[0].replacement, Some(("apps/v1".to_owned(), "Deployment".to_owned())));
        assert_eq!(found[0].object.to_string(), "apps/v1beta1 Deployment web");
        assert_eq!((found[1].object.to_string(), &found[1].replacement), ("v1 Endpoints".to_owned(), &None));
    }
}
