//! Compares recorded documents of a kube-apiserver with what ours publishes of the same kinds.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

fn recording() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../whole/recorded/openapi/server-1.37.jsonl");
    std::fs::read_to_string(path).unwrap()
}

/// Whether all documents match ours, and the output of the check.
fn check(documents: &str) -> (bool, String) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(documents.as_bytes()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .args(["differential", "openapi", "--against"])
        .arg(file.path())
        .output()
        .expect("the check runs");
    (output.status.success(), String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn we_publish_what_others_publish() {
    let (ok, text) = check(&recording());
    assert!(ok, "{text}");
    assert!(text.contains("7 documents, "), "{text}");
    assert!(text.contains("left out: protobuf, which only a running server has\n"), "{text}");
}

/// Each is one change of a document: of what is compared, or of one side of what is listed.
#[test]
fn what_others_publish_otherwise_is_reported() {
    let recording = recording();
    let document = |path: &str| {
        let start = format!(r#""path":"{path}","#);
        recording.lines().find(|line| line.contains(&start)).expect("it is recorded")
    };
    let changed = |path: &str, from: &str, to: &str| {
        let line = document(path);
        assert!(line.contains(from), "{path} has no {from}");
        line.replacen(from, to, 1)
    };
    let policy = "apis/policy/v1";
    let selector = "\"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector\"";
    let documents = [
        // Types, references and facts.
        (changed(policy, r#""format":"int32""#, r#""format":"int64""#), "format"),
        (changed(policy, selector, "\"#/components/schemas/Other\""), "$ref"),
        (
            changed(policy, r#""x-kubernetes-list-type":"map""#, r#""x-kubernetes-list-type":"set""#),
            "list-type",
        ),
        (
            changed(
                policy,
                r#""x-kubernetes-patch-strategy":"replace""#,
                r#""x-kubernetes-patch-strategy":"merge""#,
            ),
            "strategy",
        ),
        (changed(policy, r#""disruptionsAllowed":"#, r#""disruptions":"#), "disruptions"),
        (changed(policy, r#""required":["key","operator"]"#, r#""required":["key"]"#), "required"),
        // Operations.
        (changed(policy, r#""name":"fieldValidation""#, r#""name":"validation""#), "query fieldValidation"),
        (changed(policy, r#""x-kubernetes-action":"patch""#, r#""x-kubernetes-action":"put""#), "action"),
        (changed(policy, "application/merge-patch+json", "application/other-patch+json"), "merge-patch+json"),
        (changed(policy, "patchPolicyV1NamespacedPodDisruptionBudget\"", "patchPolicyV1Other\""), "id"),
        // More than is listed: a word that is none, a default that is not zero, a map type of another sort, a parameter.
        (changed(policy, r#""enum":["AlwaysAllow""#, r#""enum":[1"#), "enum"),
        (changed(policy, r#""default":"""#, r#""default":"a""#), "default"),
        (changed(policy, r#""name":"shardSelector""#, r#""name":"shards""#), "shards"),
    ];
    for (document, part) in documents {
        let (ok, text) = check(&document);
        let failures: Vec<&str> = text.lines().filter(|line| line.contains(": theirs has ")).collect();
        assert!(!ok && failures.len() == 1, "{part}: {text}");
        assert!(failures[0].contains(part), "{part}: {text}");
    }
}

#[test]
fn no_documents_are_no_success() {
    let (ok, text) = check("");
    assert!(!ok, "{text}");
    // Nor is a document that we do not have.
    let document = r#"{"path":"apis/nothing.example.com/v1","document":{"paths":{}}}"#;
    let (ok, text) = check(document);
    assert!(ok && text.contains("What is not served is not published: 1 of ours differ so"), "{text}");
}
