//! Steps of server-side apply: who owns what, and who comes in whose way.

use serde_json::{Value, json};

use super::steps::{Step, equal, expect};
use crate::clients::session::Session;

/// All steps in order. They need the namespace that the first ones have made.
pub const ALL: &[(&str, Step)] = &[
    ("apply --server-side", apply),
    ("apply --server-side with a conflict", conflict),
    ("apply --server-side gives fields up", give_up),
    ("apply --server-side of what kubectl has applied on its side", take_over),
];

const LAMP: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: lamp}
spec:
  replicas: 1
  selector: {matchLabels: {app: lamp}}
  template:
    metadata: {labels: {app: lamp}}
    spec:
      containers:
      - {name: one, image: 'one:1', ports: [{containerPort: 80}]}
      - {name: two, image: 'two:1'}
";

fn namespace(s: &Session) -> Result<(), String> {
    let output = s.run("create ns served")?;
    if output.code == 0 || output.err.contains("already exists") {
        Ok(())
    } else {
        output.success().map(drop)
    }
}

/// The managers that apply, each with the paths that it owns below `spec`.
fn owners(s: &Session) -> Result<Value, String> {
    let text = s.ok("get deploy lamp -n served -o json --show-managed-fields")?;
    let object: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let applied = entries.into_iter().filter(|entry| entry["operation"] == "Apply");
    Ok(applied.map(|entry| (entry["manager"].to_string(), entry["fieldsV1"]["f:spec"].clone())).collect())
}

fn owns(owners: &Value, manager: &str, field: &str) -> bool {
    let key = format!("\"{manager}\"");
    owners[key].get(field).is_some()
}

fn apply(s: &Session) -> Result<(), String> {
    namespace(s)?;
    expect(
        &s.ok_with("apply --server-side -n served -f -", LAMP)?,
        "deployment.apps/lamp serverside-applied",
    )?;
    let found = owners(s)?;
    if !owns(&found, "kubectl", "f:replicas") {
        return Err(format!("expected kubectl to own the replicas, found {found}"));
    }
    let protocol =
        "get deploy lamp -n served -o jsonpath={.spec.template.spec.containers[0].ports[0].protocol}";
    equal(&json!(s.ok(protocol)?), &json!("TCP"))?;
    let more = LAMP.replace("replicas: 1", "replicas: 4");
    expect(
        &s.ok_with("apply --server-side --dry-run=server -n served -f -", &more)?,
        "serverside-applied (server dry run)",
    )?;
    equal(&s.json("deploy lamp -n served")?["spec"]["replicas"], &json!(1))?;
    let output = s.run_with("diff --server-side -n served -f -", &more, &[])?;
    if output.code != 1 || !output.out.contains("+  replicas: 4") {
        return Err(output.wrong("to show a difference, with code 1"));
    }
    Ok(())
}

fn conflict(s: &Session) -> Result<(), String> {
    const LINE: &str = "apply --server-side --field-manager=other -n served -f -";
    let other = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: lamp}\nspec:\n  replicas: 3\n";
    let refused = s.run_with(LINE, other, &[])?;
    let why = "Apply failed with 1 conflict: conflict with \"kubectl\": .spec.replicas";
    if refused.code == 0 || !refused.err.contains(why) {
        return Err(refused.wrong(&format!("to fail with `{why}`")));
    }
    // Who wants what is so already shares it.
    let same = other.replace("replicas: 3", "replicas: 1");
    s.ok_with(LINE, &same)?;
    let found = owners(s)?;
    if !owns(&found, "other", "f:replicas") || !owns(&found, "kubectl", "f:replicas") {
        return Err(format!("expected two owners of the replicas, found {found}"));
    }
    s.ok_with(&LINE.replace("--field-manager", "--force-conflicts --field-manager"), other)?;
    let found = owners(s)?;
    if !owns(&found, "other", "f:replicas") || owns(&found, "kubectl", "f:replicas") {
        return Err(format!("expected the other manager to own the replicas alone, found {found}"));
    }
    equal(&s.json("deploy lamp -n served")?["spec"]["replicas"], &json!(3))?;
    // The first one finds that it was changed.
    let refused = s.run_with("apply --server-side -n served -f -", LAMP, &[])?;
    if refused.code == 0 || !refused.err.contains("conflict with \"other\": .spec.replicas") {
        return Err(refused.wrong("to find a conflict with the other manager"));
    }
    Ok(())
}

fn give_up(s: &Session) -> Result<(), String> {
    let fewer = LAMP.replace("  replicas: 1\n", "").replace("      - {name: two, image: 'two:1'}\n", "");
    s.ok_with("apply --server-side -n served -f -", &fewer)?;
    let object = s.json("deploy lamp -n served")?;
    equal(&object["spec"]["replicas"], &json!(3))?;
    let containers = object["spec"]["template"]["spec"]["containers"].as_array().map(Vec::len);
    equal(&json!(containers), &json!(1))
}

fn take_over(s: &Session) -> Result<(), String> {
    let map = |value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: taken}}\ndata: {{a: {value}, b: x}}\n")
    };
    s.ok_with("apply -n served -f -", &map("one"))?;
    expect(
        &s.ok_with("apply --server-side -n served -f -", &map("two"))?,
        "configmap/taken serverside-applied",
    )?;
    equal(&s.json("cm taken -n served")?["data"], &json!({"a": "two", "b": "x"}))?;
    // The field that was kubectl's own goes, although it has applied it on its side first.
    s.ok_with("apply --server-side -n served -f -", &map("two").replace(", b: x", ""))?;
    equal(&s.json("cm taken -n served")?["data"], &json!({"a": "two"}))
}
