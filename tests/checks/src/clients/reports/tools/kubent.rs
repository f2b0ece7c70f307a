//! kubent, of the repository kube-no-trouble.

use hubgen_model::Release;
use serde_json::Value;

use super::{Alarm, Claim, Source, Told, json, text};
use crate::clients::reports::object::Object;
use crate::clients::session::Session;

pub fn ask(session: &Session, target: Release, source: Source<'_>) -> Result<Told, String> {
    let what = match source {
        Source::File(file) => format!("--cluster=false --helm3=false --filename '{}'", file.display()),
        Source::Releases(_) => "--cluster=false --helm3".to_owned(),
        Source::Live => "--cluster --helm3=false".to_owned(),
    };
    // A file that it cannot parse is a warning, and no error.
    let output =
        session.run(&format!("{what} --output json --target-version {target}.0 --log-level warn"))?;
    if output.code != 0 {
        return Err(output.wrong("to succeed"));
    }
    let unread = output.err.lines().find(|line| line.contains("failed to parse")).map(str::to_owned);
    Ok(Told { alarms: alarms(&json(&output.out)?, target), unread })
}

fn alarms(answer: &Value, target: Release) -> Vec<Alarm> {
    let found = answer.as_array().into_iter().flatten();
    found
        .map(|found| {
            let [kind, to, set] = ["Kind", "ReplaceWith", "RuleSet"].map(|key| text(found, key).to_owned());
            // The release stands only here: `Deprecated APIs removed in 1.16`.
            let removed = set.rsplit(' ').next().and_then(|word| word.parse::<Release>().ok());
            Alarm {
                object: Object {
                    api_version: text(found, "ApiVersion").to_owned(),
                    kind: kind.clone(),
                    name: text(found, "Name").replace("<undefined>", ""),
                },
                claim: match removed.is_some_and(|removed| removed <= target) {
                    true => Claim::Removed,
                    false => Claim::Deprecated,
                },
                text: format!("{set}; use {to}"),
                replacement: (to != "<removed>").then_some((to, kind)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_alarms() {
        let result = |set: &str, to: &str| {
            json!({"Name": "<undefined>", "Namespace": "", "Kind": "CronJob", "ApiVersion": "batch/v1beta1",
                   "RuleSet": set, "ReplaceWith": to, "Since": "1.21.0"})
        };
        let answer = json!([
            result("Deprecated APIs removed in 1.25", "batch/v1"),
            result("Deprecated APIs removed in 1.38", "<removed>"),
            result("Deprecated APIs to be removed in future", "batch/v1"),
        ]);
        let found = alarms(&answer, Release::new(1, 37));
        let claims: Vec<_> = found.iter().map(|alarm| alarm.claim).collect();
        assert_eq!(claims, [Claim::Removed, Claim::Deprecated, Claim::Deprecated]);
        assert_eq!(found[0].replacement, Some(("batch/v1".to_owned(), "CronJob".to_owned())));
        assert_eq!(
            (found[0].object.to_string(), &found[1].replacement),
            ("batch/v1beta1 CronJob".to_owned(), &None)
        );
    }
}
