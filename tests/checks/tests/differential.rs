//! Compares the recorded answers of other implementations in `tests/whole/recorded/` with ours: a
//! folder for each part, a file for each recording.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn recordings(part: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded").join(part);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    assert!(!paths.is_empty(), "{} has recordings", folder.display());
    paths
}

/// Whether all records match our answers, and the output of the check.
fn check(part: &str, records: &str) -> (bool, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .args(["differential", part, "--against", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the check runs");
    child.stdin.take().unwrap().write_all(records.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

/// Every answer equals ours or is listed, and the number of answers with each listed difference is
/// the one in counts.txt. So an answer that becomes different cannot pass as a listed one.
#[test]
fn we_answer_as_others_do() {
    let mut counts = String::new();
    for part in ["convert", "defaults", "protobuf", "tables"] {
        for path in recordings(part) {
            let records = std::fs::read_to_string(&path).unwrap();
            let (ok, text) = check(part, &records);
            assert!(ok, "{}: {text}", path.display());
            counts.push_str(&format!("{part}/{}\n", path.file_name().unwrap().display()));
            let is_count = |line: &&str| !line.contains(" compared, ");
            for line in text.lines().filter(is_count) {
                counts.push_str(&format!("    {line}\n"));
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded/counts.txt");
    if std::env::var_os("UPDATE_COUNTS").is_some() {
        std::fs::write(&path, &counts).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        counts == expected,
        "{} differs. If that is intended, run this test with UPDATE_COUNTS=1. Found:\n{counts}",
        path.display()
    );
}

/// A default that only we have, and one that only the other side has.
#[test]
fn a_different_answer_is_reported() {
    let records: String =
        recordings("defaults").iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let record = records
        .lines()
        .find(|line| line.contains(r#""answer":"#) && line.contains(r#""revisionHistoryLimit":10"#));
    let record = record.expect("a recording has a deployment");
    assert!(check("defaults", record).0, "{record}");
    for (there, path) in
        [(r#""revisionHistoryLimit":9"#, "revisionHistoryLimit"), (r#""paused":true"#, "paused")]
    {
        let (ok, text) = check("defaults", &record.replacen(r#""revisionHistoryLimit":10"#, there, 1));
        assert!(!ok, "{text}");
        assert!(text.contains(path), "{text}");
    }
}

/// Another column, cell, reason and warning than ours.
#[test]
fn different_tables_are_reported() {
    let records: String =
        recordings("tables").iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let pod = records
        .lines()
        .find(|line| line.contains(r#""kind":"Pod""#) && line.contains(r#""reason":"Succeeded"#));
    let pod = pod.expect("a recording has a pod that is completed");
    assert!(check("tables", pod).0, "{pod}");
    let endpoints = records.lines().find(|line| line.contains("v1 Endpoints is deprecated"));
    let endpoints = endpoints.expect("a recording has a warning");
    assert!(check("tables", endpoints).0, "{endpoints}");
    for (record, from, to, found) in [
        (pod, r#"{"name":"Ready","type":"string""#, r#"{"name":"Ready","type":"integer""#, "columns: "),
        (
            pod,
            r#"{"name":"IP","type":"string","format":"","priority":1}"#,
            r#"{"name":"IP","type":"string","format":"","priority":0}"#,
            "columns: ",
        ),
        (pod, r#""reason":"Succeeded"}]"#, r#""reason":"Failed"}]"#, "completed: "),
        (pod, r#""rows":[{"cells":[""#, r#""rows":[{"cells":["x"#, "Name: "),
        (pod, r#""rows":[{"cells":["#, r#""rows":[{"cells":[1,"#, "Name: "),
        (endpoints, "is deprecated in v1.33+", "is deprecated in v1.34+", "warnings: "),
        (endpoints, r#""warnings":["#, r#""warned":["#, "warnings: "),
    ] {
        let changed = record.replacen(from, to, 1);
        assert_ne!(changed, record, "{from}");
        let (ok, text) = check("tables", &changed);
        assert!(!ok, "{to}: {text}");
        assert!(text.contains(found), "{to}: {text}");
    }
}

/// Different bytes, and bytes for an object that we refuse.
#[test]
fn different_protobuf_is_reported() {
    let record = |protobuf: &str| {
        format!(
            r#"{{"encode": "protobuf", "object": {{"apiVersion": "v1", "kind": "ConfigMap", "data": {{"a": "b"}}}}, "protobuf": "{protobuf}"}}"#
        )
    };
    let ours = "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhoKEAoAEgAaACIAKgAyADgAQgASBgoBYRIBYhoAIgA=";
    let (ok, text) = check("protobuf", &record(ours));
    assert!(ok, "{text}");
    assert!(text.contains("1 of 1 objects in protobuf: 1 kinds, 1 equal, 0 different"), "{text}");
    let (ok, text) = check("protobuf", &record(&ours.replace("BYhoAIgA=", "BYxoAIgA=")));
    assert!(!ok, "{text}");
    assert!(text.contains("v1 ConfigMap: data: data: expected [63], found [62]"), "{text}");
    let (ok, text) = check("protobuf", &record(ours).replace(r#""b""#, "1"));
    assert!(!ok, "{text}");
    assert!(text.contains("refused by us: "), "{text}");
}

/// Compares what a server has stored with the given answers.
fn check_stored(answers: &str) -> (bool, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded/stored");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(answers.as_bytes()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .args(["differential", "stored", "--dump"])
        .arg(folder.join("etcd-1.37.json"))
        .arg("--against")
        .arg(file.path())
        .output()
        .expect("the check runs");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

/// Compares a snapshot of etcd at revision 11 with what etcd answered at another one.
fn check_snapshot(revision: u64) -> (bool, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cli/stored/tests/snapshots");
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .args(["differential", "stored", "--revision", "11", "--snapshot"])
        .arg(folder.join("etcd-3.4.db"))
        .arg("--dump")
        .arg(folder.join(format!("revision-{revision}.json")))
        .output()
        .expect("the check runs");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn stored_values_of_a_snapshot_are_those_that_etcd_answers() {
    let (ok, text) = check_snapshot(11);
    assert!(ok && text.contains("9 of 9 values of the snapshot"), "{text}");
    let (ok, text) = check_snapshot(12);
    assert!(!ok && text.contains("/registry/deployments/default/shop: value: the dump has none"), "{text}");
    let (ok, text) = check_snapshot(13);
    assert!(
        !ok && text.contains("/registry/configmaps/default/one: value: the snapshot has another one"),
        "{text}"
    );
}

fn stored_answers() -> String {
    let [path] = &recordings("stored")[..] else { panic!("expected one recording") };
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn stored_values_read_as_the_server_answers() {
    let answers = stored_answers();
    let (ok, text) = check_stored(&answers);
    assert!(ok, "{text}");
    let count = answers.lines().count();
    let last = format!("{count} of {count} answers for stored values: 66 values, 1 without an answer, ");
    assert!(text.contains(&last), "{text}");
    // Values that servers store for themselves do not belong to any API.
    assert!(text.contains("no answer for /registry/ranges/servicenodeports\n"), "{text}");
}

#[test]
fn stored_values_that_differ_are_reported() {
    let answers = stored_answers();
    let of = |version: &str| {
        let start = format!(r#"{{"object":{{"apiVersion":"{version}","kind":"HorizontalPodAutoscaler","#);
        answers.lines().find(|line| line.starts_with(&start)).expect("it is recorded")
    };
    for version in ["autoscaling/v1", "autoscaling/v2"] {
        let answer = of(version).replacen(r#""maxReplicas":"#, r#""maxReplicas":1"#, 1);
        let (ok, text) = check_stored(&answer);
        assert!(!ok, "{text}");
        assert!(text.contains(&format!("{version} HorizontalPodAutoscaler: spec.maxReplicas: ")), "{text}");
    }
    let (revision, _) = of("autoscaling/v2")
        .split_once(r#""resourceVersion":""#)
        .map(|(_, rest)| rest.split_once('"').unwrap())
        .unwrap();
    let later = of("autoscaling/v2")
        .replace(&format!(r#""resourceVersion":"{revision}""#), r#""resourceVersion":"99999""#);
    let (ok, text) = check_stored(&later);
    assert!(!ok, "nothing is left to compare: {text}");
    assert!(text.contains("which was changed between the dump and the answer (1 answers)"), "{text}");
}

fn errors() -> Vec<serde_json::Value> {
    let [path] = &recordings("errors")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_errors(lines: &[serde_json::Value]) -> (bool, String) {
    check("errors", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// The numbers of equal answers and of listed differences are checked too, so that no answer can
/// move from one to the other.
#[test]
fn errors_are_those_of_the_recorded_server() {
    let lines = errors();
    let mut names: Vec<_> = lines.iter().map(|line| line["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), lines.len(), "two requests have the same name");
    assert!(lines.iter().all(|line| line["release"] == "1.37.1"), "the recording is of one release");
    let (ok, text) = check_errors(&lines);
    assert!(ok, "{text}");
    assert_eq!(text.lines().last().unwrap(), ERRORS, "{text}");
}

const ERRORS: &str = "492 of 492 answers: 312 equal, 180 listed differences, 0 different";

/// Each recorded answer is changed in one field, including those with listed differences. Every
/// change is reported.
#[test]
fn a_different_error_is_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 4] = [
        ("code", |answer| answer["code"] = 418.into()),
        ("warnings", |answer| answer["warnings"] = serde_json::json!(["299 - \"another\""])),
        ("message", |answer| {
            let message = answer["status"]["message"].as_str().unwrap_or_default();
            answer["status"]["message"] = format!("{message}.").into();
        }),
        ("details", |answer| answer["status"]["details"]["kind"] = "others".into()),
    ];
    for (what, change) in changes {
        let mut lines = errors();
        for line in &mut lines {
            change(&mut line["answer"]);
        }
        let (ok, text) = check_errors(&lines);
        assert!(!ok, "{what}");
        let last = text.lines().last().unwrap();
        let expected = format!("0 of {0} answers: 0 equal, 0 listed differences, {0} different", lines.len());
        assert_eq!(last, expected, "{what}");
    }
}

fn patches() -> Vec<serde_json::Value> {
    let [path] = &recordings("patches")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    // Not `lines`: objects may have other characters that end lines.
    text.split('\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_patches(lines: &[serde_json::Value]) -> (bool, String) {
    check("patches", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

const PATCHES: &str =
    "400 of 400 patches: 69 kinds, 369 equal, 163 of these refused alike, 31 listed differences, 0 different";

#[test]
fn patches_are_those_of_the_recorded_server() {
    let lines = patches();
    assert!(lines.iter().all(|line| line["release"] == "1.37.1"), "the recording is of one release");
    let (ok, text) = check_patches(&lines);
    assert!(ok, "{text}");
    assert_eq!(text.lines().last().unwrap(), PATCHES, "{text}");
}

/// Each recorded answer is changed in its code, or in its reason or object.
#[test]
fn a_different_patch_is_reported() {
    let mut lines = patches();
    lines.iter_mut().for_each(|line| line["answer"]["code"] = 418.into());
    let (_, text) = check_patches(&lines);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with(&format!("0 of {} patches", lines.len())), "{last}");

    let mut lines = patches();
    lines.retain(|line| line["answer"]["body"]["reason"].is_string() || line["answer"]["code"] == 200);
    for line in &mut lines {
        let body = &mut line["answer"]["body"];
        match body["reason"].is_string() {
            true => body["reason"] = "Another".into(),
            false => body["metadata"]["labels"]["another"] = "one".into(),
        }
    }
    let (_, text) = check_patches(&lines);
    let last = text.lines().last().unwrap();
    // We refuse one of the patches that made an object, so that there is nothing to compare with it.
    assert!(last.starts_with(&format!("1 of {} patches", lines.len())), "{last}");
}

fn owners() -> Vec<serde_json::Value> {
    let [path] = &recordings("owners")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.split('\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_owners(lines: &[serde_json::Value]) -> (bool, String) {
    check("owners", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

const CONTROLLERS: &str = "309 of 309 answers about what controllers do: 0 different, 206 done, 10 refused, 62 scenarios, 93 states";
const CONVERSIONS: &str = "552 of 552 answers about conversion webhooks: 14 A webhook that sends elsewhere is not followed, 205 answered, 80 cases, 0 different, 347 refused";
const OWNERS: &str = "100 of 100 sequences of writes: 625 writes, 58 kinds, 22 at several versions, 92 equal, 8 listed differences, 0 different";

#[test]
fn owners_are_those_of_the_recorded_server() {
    let lines = owners();
    assert!(lines.iter().all(|line| line["release"] == "1.37.1"), "the recording is of one release");
    let (ok, text) = check_owners(&lines);
    assert!(ok, "{text}");
    assert_eq!(text.lines().last().unwrap(), OWNERS, "{text}");
}

/// In each recorded sequence, the first answer is changed: a field, a time, a manager, or the code.
#[test]
fn different_owners_are_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 4] = [
        ("field", |answer| answer["owners"][0]["fieldsV1"]["f:another"] = serde_json::json!({})),
        ("time", |answer| answer["owners"][0]["time"] = "never".into()),
        ("manager", |answer| answer["owners"].as_array_mut().unwrap().clear()),
        ("code", |answer| answer["code"] = 418.into()),
    ];
    for (what, change) in changes {
        let mut lines = owners();
        // That of this kind is a listed difference already.
        lines.retain(|line| {
            line["kind"] != "CertificateSigningRequest" && line["answers"][0]["owners"][0].is_object()
        });
        assert!(lines.len() > 90);
        for line in &mut lines {
            change(&mut line["answers"][0]);
        }
        let (ok, text) = check_owners(&lines);
        assert!(!ok, "{what}");
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(&format!("0 of {} sequences", lines.len())), "{what}: {last}");
    }
}

fn applies() -> Vec<serde_json::Value> {
    let [path] = &recordings("apply")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.split('\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_applies(lines: &[serde_json::Value]) -> (bool, String) {
    check("apply", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

const APPLIES: &str = "60 of 60 sequences of applies: 436 writes, 310 applies, 27 conflicts, 57 kinds, 11 at several versions, 47 equal, 13 listed differences, 0 different";

#[test]
fn applies_are_those_of_the_recorded_server() {
    let lines = applies();
    assert!(lines.iter().all(|line| line["release"] == "1.37.1"), "the recording is of one release");
    let (ok, text) = check_applies(&lines);
    assert!(ok, "{text}");
    assert_eq!(text.lines().last().unwrap(), APPLIES, "{text}");
}

/// In each recorded sequence, an answer is changed: a field or a time of an owner, the object, a conflict, or the code.
#[test]
fn different_applies_are_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 5] = [
        ("field", |answer| answer["owners"][0]["fieldsV1"]["f:another"] = serde_json::json!({})),
        ("manager", |answer| answer["owners"][0]["manager"] = "another".into()),
        ("object", |answer| answer["object"]["another"] = 1.into()),
        ("conflict", |answer| answer["causes"][0]["field"] = ".another".into()),
        ("code", |answer| answer["code"] = 418.into()),
    ];
    for (what, change) in changes {
        let code = if what == "conflict" { 409 } else { 200 };
        let mut lines = applies();
        // That of this kind is a listed difference already.
        lines.retain(|line| line["kind"] != "CertificateSigningRequest");
        let mut changed = Vec::new();
        for mut line in lines {
            let answers = line["answers"].as_array_mut().unwrap();
            let is_wanted = |answer: &&mut serde_json::Value| {
                answer["code"] == code && (code == 409 || answer["owners"][0].is_object())
            };
            if let Some(answer) = answers.iter_mut().find(is_wanted) {
                change(answer);
                changed.push(line);
            }
        }
        assert!(changed.len() > 10, "{what}");
        let (ok, text) = check_applies(&changed);
        assert!(!ok, "{what}");
        let last = text.lines().last().unwrap();
        assert!(last.starts_with(&format!("0 of {} sequences", changed.len())), "{what}: {last}");
    }
}

/// Fields that later releases dropped, each generated alone for a release that has it. The answers
/// of that release's Scheme are recorded.
#[test]
fn dropped_fields_are_generated_for_a_release_that_has_them() {
    for (release, count) in [("1.20", 2), ("1.27", 29), ("1.30", 5)] {
        let generated = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
            .args(["differential", "generate", "convert", "--removed", "--release", release])
            .output()
            .expect("the check runs");
        let object = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["object"].clone();
        let generated: Vec<_> = String::from_utf8(generated.stdout).unwrap().lines().map(object).collect();
        let path =
            format!("{}/../whole/recorded/convert/dropped-{release}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let recorded: Vec<_> = std::fs::read_to_string(path).unwrap().lines().map(object).collect();
        assert_eq!(recorded.len(), count, "{release}");
        for object in &recorded {
            assert!(generated.contains(object), "{release} does not generate {object}");
        }
    }
}

fn decisions() -> Vec<serde_json::Value> {
    let [path] = &recordings("rbac")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn check_decisions(lines: &[serde_json::Value]) -> (bool, String) {
    check("rbac", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// Who may, by roles and bindings, and what is told to those who may not.
#[test]
fn decisions_are_those_of_the_recorded_server() {
    let lines = decisions();
    let (ok, text) = check_decisions(&lines);
    assert!(ok, "{text}");
    let summary = text.lines().last().unwrap_or_default();
    assert!(
        summary.contains(" 0 of them different, 1000 questions") && summary.contains(", 500 writes,"),
        "{summary}"
    );
}

/// Another verdict, reason, sentence, list of rules, code and stored role than ours.
#[test]
fn different_decisions_are_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, &str, Change); 7] = [
        ("question", "\"allowed\":true", |answer| answer["allowed"] = false.into()),
        ("question", "\"allowed\":true", |answer| answer["reason"] = "RBAC: allowed by luck".into()),
        ("question", "\"allowed\":false", |answer| answer["allowed"] = true.into()),
        ("request", "\"code\":403", |answer| answer["message"] = "no".into()),
        ("rules", "resourceRules", |answer| drop(answer["resourceRules"].as_array_mut().unwrap().pop())),
        ("write", "not currently held", |answer| {
            let text = answer["message"].as_str().unwrap().replacen("Verbs", "verbs", 1);
            answer["message"] = text.into();
        }),
        ("world", "hubgen-rbac-c0", |answer| answer[0]["rules"] = serde_json::json!([])),
    ];
    let all = decisions();
    let (mut right, mut wrong) = (vec![all[0].clone()], vec![all[0].clone()]);
    for (part, has, change) in changes {
        if part == "world" {
            change(&mut wrong[0]["answer"]);
            continue;
        }
        // What a write grants depends on the writes before it as little as what others may.
        let wanted =
            all.iter().find(|line| line["part"] == part && line["answer"].to_string().contains(has)).unwrap();
        right.push(wanted.clone());
        let mut changed = wanted.clone();
        change(&mut changed["answer"]);
        wrong.push(changed);
    }
    let (ok, text) = check_decisions(&right);
    assert!(ok, "{text}");
    let (ok, text) = check_decisions(&wrong);
    let expected = format!(", {} different", changes.len());
    assert!(!ok && text.lines().last().is_some_and(|last| last.ends_with(&expected)), "{text}");
}

fn conversions() -> Vec<serde_json::Value> {
    let [path] = &recordings("conversion")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn check_conversions(lines: &[serde_json::Value]) -> (bool, String) {
    check("conversion", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// What clients see of conversion webhooks that are wrong.
#[test]
fn wrong_webhooks_have_the_recorded_effect() {
    let lines = conversions();
    let (ok, text) = check_conversions(&lines);
    assert!(ok, "{text}");
    let cases = include_str!("../src/differential/conversion/cases.yaml");
    let cases = cases.lines().filter(|line| line.starts_with("- {name:")).count();
    assert!(cases > 30 && text.contains(&format!(" {cases} cases,")), "{cases}: {text}");
    assert_eq!(text.lines().last(), Some(CONVERSIONS), "{text}");
}

/// Another code, reason, message, event or object than ours. What is listed covers no more than it names.
#[test]
fn another_effect_of_a_webhook_is_reported() {
    let all = conversions();
    let line = |case: &str, step: &str| {
        all.iter().find(|line| line["case"] == case && line["step"] == step).unwrap().clone()
    };
    let changes = [
        ("a changed name", "get", "/answer/code", serde_json::json!(200)),
        ("a changed name", "get", "/answer/body/message", serde_json::json!("must have the same name")),
        ("a changed name", "list", "/answer/body/reason", serde_json::json!("InternalError")),
        ("a changed name", "create", "/answer/body/reason", serde_json::json!("InternalError")),
        ("a changed name", "watch", "/answer/events", serde_json::json!([])),
        ("it hangs", "get", "/answer/body/message", serde_json::json!("context deadline exceeded")),
        ("other labels", "get", "/answer/body/metadata/labels", serde_json::json!({"a": "c"})),
        ("another spec", "list", "/answer/body/items/0/spec/size", serde_json::json!(8)),
    ];
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (case, step, pointer, value) in changes {
        let mut changed = line(case, step);
        right.push(changed.clone());
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{case}: {step}: {pointer}")) = value;
        wrong.push(changed);
    }
    assert!(check_conversions(&right).0);
    let (ok, text) = check_conversions(&wrong);
    let expected = format!("0 of {} answers about conversion webhooks", wrong.len());
    assert!(!ok && text.lines().last().is_some_and(|last| last.starts_with(&expected)), "{text}");
}

fn controllers() -> Vec<serde_json::Value> {
    let [path] = &recordings("controllers")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn check_controllers(lines: &[serde_json::Value]) -> (bool, String) {
    check("controllers", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// What becomes of objects beside controllers: garbage collection, and the lives of namespaces.
#[test]
fn controllers_come_to_the_recorded_ends() {
    let (ok, text) = check_controllers(&controllers());
    assert!(ok, "{text}");
    let scenarios = include_str!("../src/differential/controllers/scenarios.yaml");
    let scenarios = scenarios.lines().filter(|line| line.starts_with("- name:")).count();
    assert!(scenarios > 30 && text.contains(&format!(" {scenarios} scenarios,")), "{scenarios}: {text}");
    assert_eq!(text.lines().last(), Some(CONTROLLERS), "{text}");
}

/// Another object, finalizer, owner, condition, event or error than ours.
#[test]
fn another_end_is_reported() {
    let all = controllers();
    let line = |scenario: &str, step: u64| {
        let is_it = |line: &&serde_json::Value| line["scenario"] == scenario && line["step"] == step;
        all.iter().find(is_it).unwrap_or_else(|| panic!("{scenario}: {step}")).clone()
    };
    let object = |object: &str| format!("/answer/objects/{}", object.replace('/', "~1"));
    let objects = "/answer/objects".to_owned();
    let conditions = format!("{}/conditions/4/message", object("Namespace /a"));
    let changes = [
        ("a dependent goes after its owner", 4, objects, serde_json::json!({})),
        (
            "an owner waits for a dependent that blocks it",
            4,
            format!("{}/finalizers", object("ConfigMap a/o")),
            serde_json::json!([]),
        ),
        (
            "a dependent of two owners stays with one",
            4,
            format!("{}/owners/0/name", object("ConfigMap a/d")),
            serde_json::json!("o"),
        ),
        (
            "an owner in another namespace",
            2,
            format!("{}/reason", object("Event a/d")),
            serde_json::json!("x"),
        ),
        ("a namespace waits for finalizers", 5, conditions, serde_json::json!("")),
        (
            "nothing is created in a namespace that ends",
            2,
            "/answer/causes/0/reason".to_owned(),
            serde_json::json!("Other"),
        ),
        ("namespaces that cannot be deleted", 0, "/answer/code".to_owned(), serde_json::json!(200)),
    ];
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (scenario, step, pointer, value) in changes {
        let mut changed = line(scenario, step);
        right.push(changed.clone());
        *changed.pointer_mut(&pointer).unwrap_or_else(|| panic!("{scenario}: {step}: {pointer}")) = value;
        wrong.push(changed);
    }
    let (ok, text) = check_controllers(&right);
    assert!(ok, "{text}");
    let (ok, text) = check_controllers(&wrong);
    let expected = format!("0 of {} answers about what controllers do", wrong.len());
    assert!(!ok && text.lines().last().is_some_and(|last| last.starts_with(&expected)), "{text}");
}

fn definitions() -> Vec<serde_json::Value> {
    let [path] = &recordings("crds")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn check_definitions(lines: &[serde_json::Value]) -> (bool, String) {
    check("crds", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// What is said of definitions, and what becomes of them.
#[test]
fn definitions_live_as_on_the_recorded_server() {
    let lines = definitions();
    let (ok, text) = check_definitions(&lines);
    assert!(ok, "{text}");
    let summary = text.lines().last().unwrap_or_default();
    let listed: usize =
        summary.split(", ").find_map(|part| part.strip_suffix(" listed")).unwrap().parse().unwrap();
    assert!(listed < 25, "{summary}");
    assert!(lines.len() > 300, "{}", lines.len());
}

/// Another code, message, cause, order of causes where there is one, spec, and condition than ours. What is listed covers no more
/// than it names.
#[test]
fn different_definitions_are_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, &str, Change); 9] = [
        ("create", "\"code\":201", |answer| answer["code"] = 422.into()),
        ("create", "\"code\":201", |answer| answer["spec"]["names"]["singular"] = "other".into()),
        ("create", "\"code\":422", |answer| answer["causes"][0]["field"] = "spec.other".into()),
        ("create", "\"code\":422", |answer| answer["message"] = "no".into()),
        ("update", "field is immutable", |answer| drop(answer["causes"].as_array_mut().unwrap().pop())),
        ("status", "\"code\":200", |answer| answer["status"]["storedVersions"] = serde_json::json!(["v7"])),
        ("life", "NoConflicts", |answer| {
            answer[1]["status"]["conditions"][0]["message"] = "another".into();
        }),
        // A listed difference, and one more.
        ("create", "in body must be of type", |answer| {
            answer["causes"]
                .as_array_mut()
                .unwrap()
                .push(serde_json::json!({"reason": "FieldValueRequired"}));
        }),
        ("create", "Invalid value: []: must have exactly one", |answer| {
            answer["causes"].as_array_mut().unwrap().remove(0);
        }),
    ];
    let all = definitions();
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (part, has, change) in changes {
        let wanted =
            all.iter().find(|line| line["part"] == part && line["answer"].to_string().contains(has)).unwrap();
        let mut line = wanted.clone();
        right.push(wanted.clone());
        change(&mut line["answer"]);
        wrong.push(line);
    }
    let (ok, text) = check_definitions(&right);
    assert!(ok, "{text}");
    let (ok, text) = check_definitions(&wrong);
    let expected = format!("0 of {} answers about definitions", wrong.len());
    assert!(!ok && text.lines().last().is_some_and(|last| last.starts_with(&expected)), "{text}");
}

fn custom_resources() -> Vec<serde_json::Value> {
    let [path] = &recordings("definitions")[..] else { panic!("expected one recording") };
    let text = std::fs::read_to_string(path).unwrap();
    // Not `lines`: objects may have other characters that end lines.
    text.split('\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_custom_resources(lines: &[serde_json::Value]) -> (bool, String) {
    check("definitions", &lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// What is made of objects whose kinds come from definitions.
#[test]
fn custom_resources_are_those_of_the_recorded_server() {
    let lines = custom_resources();
    let (ok, text) = check_custom_resources(&lines);
    assert!(ok, "{text}");
    assert!(lines.len() > 1000, "{}", lines.len());
    let summary = text.lines().last().unwrap_or_default();
    assert!(summary.contains("updates of changed objects"), "{summary}");
}

/// Each answer is changed: to another code, or in its body. No listed difference covers any of that.
#[test]
fn different_custom_resources_are_reported() {
    type Change = fn(&mut serde_json::Value);
    let changes: [Change; 2] = [
        |answer| answer["code"] = 418.into(),
        |answer| match &mut answer["body"] {
            body @ serde_json::Value::Object(_) => body["another"] = 1.into(),
            body => *body = "another".into(),
        },
    ];
    for change in changes {
        let mut lines = custom_resources();
        let changed = lines.iter_mut().filter(|line| line["answer"]["code"].is_u64());
        let changed = changed.map(|line| change(&mut line["answer"])).count();
        let (ok, text) = check_custom_resources(&lines);
        assert!(!ok);
        let summary = text.lines().last().unwrap_or_default();
        assert!(summary.contains(&format!(" {changed} different")), "{changed}: {summary}");
    }
}
