//! pluto, of Fairwinds.

use hubgen_model::Release;
use serde_json::Value;

use super::{Alarm, Claim, Source, Told, json, text};
use crate::clients::reports::object::Object;
use crate::clients::session::Session;

/// Its exit codes when it has looked: nothing found, something deprecated, removed, or without a replacement.
const LOOKED: [i32; 4] = [0, 2, 3, 4];

pub fn ask(session: &Session, target: Release, source: Source<'_>) -> Result<Told, String> {
    let what = match source {
        Source::File(file) => format!("detect '{}'", file.display()),
        Source::Releases(_) => "detect-helm".to_owned(),
        Source::Live => "detect-api-resources".to_owned(),
    };
    let output = session.run(&format!("{what} -o json --target-versions k8s=v{target}.0"))?;
    if !LOOKED.contains(&output.code) {
        return Err(output.wrong("to look"));
    }
    Ok(Told { alarms: alarms(&json(&output.out)?), unread: None })
}

fn alarms(answer: &Value) -> Vec<Alarm> {
    let items = answer["items"].as_array().into_iter().flatten();
    items
        .map(|item| {
            let api = &item["api"];
            let [kind, to] = ["kind", "replacement-api"].map(|key| text(api, key).to_owned());
            let removed = text(api, "removed-in");
            Alarm {
                object: Object {
                    api_version: text(api, "version").to_owned(),
                    kind: kind.clone(),
                    // That of a release is before that of the object.
                    name: text(item, "name").rsplit('/').next().unwrap_or_default().to_owned(),
                },
                claim: if item["removed"] == true { Claim::Removed } else { Claim::Deprecated },
                text: format!("deprecated in {}, removed in {removed}; use {to}", text(api, "deprecated-in")),
                replacement: (!to.is_empty()).then_some((to, kind)),
            }
        })
        .collect()
}

/// The versions of Kubernetes' kinds that it lists.
pub fn known(session: &Session) -> Result<Vec<(String, String)>, String> {
    let answer = json(&session.ok("list-versions -o json --components k8s")?)?;
    let versions = answer["deprecated-versions"].as_array().into_iter().flatten();
    let versions = versions.filter(|version| text(version, "component") == "k8s");
    let known: Vec<_> = versions
        .map(|version| (text(version, "version").to_owned(), text(version, "kind").to_owned()))
        .collect();
    if known.is_empty() { Err("pluto lists no versions".to_owned()) } else { Ok(known) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_alarms() {
        let found = alarms(&json!({"items": [
            {"name": "shop/web", "api": {"version": "apps/v1beta1", "kind": "Deployment", "deprecated-in": "v1.9.0",
             "removed-in": "v1.16.0", "replacement-api": "apps/v1"}, "deprecated": true, "removed": true},
            {"name": "web", "api": {"version": "policy/v1beta1", "kind": "PodSecurityPolicy", "replacement-api": ""},
             "deprecated": true, "removed": false},
        ]}));
        assert_eq!((found[0].claim, found[1].claim), (Claim::Removed, Claim::Deprecated));
        assert_eq!(found[0].replacement, Some(("apps/v1".to_owned(), "Deployment".to_owned())));
        assert_eq!(found[0].object.to_string(), "apps/v1beta1 Deployment web");
        assert_eq!(found[1].replacement, None);
        assert_eq!(alarms(&json!({"target-versions": {}})), []);
    }
}
