//! What is asked of a server while its webhook does something.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::objects::{collection, object};
use super::scripted::Scripted;
use super::side::Side;

/// The steps of a case that does not say which.
const STEPS: [&str; 7] = ["get", "list", "watch", "follow", "update", "create", "delete"];
/// After how long a watch is taken to have begun.
const BEGUN: Duration = Duration::from_millis(300);

/// Takes the steps of a case. Returns each with its answer.
///
/// # Errors
/// If the server does not answer, or refuses what is no matter of the webhook.
pub fn taken(
    side: &Side,
    case: &Value,
    definition: &Value,
    webhook: &Scripted,
) -> Result<Vec<(String, Value)>, String> {
    let (stored, asked) = (collection(definition, "v1"), collection(definition, "v2"));
    let only: Option<Vec<&str>> =
        case["only"].as_array().map(|only| only.iter().filter_map(Value::as_str).collect());
    let mut taken = Vec::new();
    for step in only.unwrap_or_else(|| STEPS.to_vec()) {
        webhook.play(json!({}));
        let revision = side.must("POST", &stored, Some(&object(definition, "v1", "a")), 0)?;
        let revision = revision["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
        webhook.play(case["script"].clone());
        let named = format!("{asked}/a");
        let one = |(code, body): (u16, Value)| json!({"code": code, "body": body});
        let several = |(code, events): (u16, Vec<Value>)| json!({"code": code, "events": events});
        let answer = match step {
            "get" => one(side.send("GET", &named, None)?),
            "list" => one(side.send("GET", &asked, None)?),
            "watch" => several(side.all("GET", &format!("{asked}?watch=1&timeoutSeconds=3"), None)?),
            "follow" => several(followed(side, definition, &revision)?),
            "create" => one(side.send("POST", &asked, Some(&object(definition, "v2", "b")))?),
            "update" => {
                let mut next = object(definition, "v2", "a");
                next["metadata"]["resourceVersion"] = revision.into();
                next["spec"]["size"] = 4.into();
                one(side.send("PUT", &named, Some(&next))?)
            }
            "delete" => one(side.send("DELETE", &named, None)?),
            other => return Err(format!("{}: there is no step {other}", case["name"])),
        };
        webhook.play(json!({}));
        for name in ["a", "b", "c"] {
            let path = format!("{stored}/{name}");
            side.must("DELETE", &path, None, 404)?;
        }
        taken.push((step.to_owned(), answer));
    }
    Ok(taken)
}

/// What a watch after a revision tells while an object is created that has to be converted for it.
fn followed(side: &Side, definition: &Value, revision: &str) -> Result<(u16, Vec<Value>), String> {
    let (stored, asked) = (collection(definition, "v1"), collection(definition, "v2"));
    let path = format!("{asked}?watch=1&timeoutSeconds=4&resourceVersion={revision}");
    thread::scope(|scope| {
        let watch = scope.spawn(|| side.all("GET", &path, None));
        thread::sleep(BEGUN);
        side.must("POST", &stored, Some(&object(definition, "v1", "c")), 0)?;
        watch.join().map_err(|_| "the watch panicked".to_owned())?
    })
}
