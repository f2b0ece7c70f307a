//! Tests `hubgen decode --snapshot` and `--rewrite`, with a snapshot that etcd wrote and what that etcd
//! answered.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::decode::{done, hubgen, text};

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cli/stored/tests/snapshots").join(name)
}

/// The snapshot, as an argument.
fn snapshot() -> String {
    recorded("etcd-3.4.db").to_str().unwrap().to_owned()
}

/// What `etcdctl get --rev N` printed.
fn dump(revision: u64) -> Vec<u8> {
    fs::read(recorded(&format!("revision-{revision}.json"))).unwrap()
}

fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_snapshot_reads_as_what_etcdctl_prints() {
    let snapshot = snapshot();
    for revision in 6..=15 {
        let forms =
            [&["-o", "json"][..], &["-o", "yaml"], &["-o", "wire"], &["--to", "newest", "--defaults"]];
        for rest in &forms[..if revision == 11 { 4 } else { 1 }] {
            let revised = revision.to_string();
            let arguments =
                [&["decode", "--snapshot", &snapshot, "--revision", &revised][..], *rest].concat();
            let expected = hubgen(&[&["decode"][..], *rest].concat(), &dump(revision));
            let found = hubgen(&arguments, b"");
            assert_eq!(found, expected, "{arguments:?}");
            assert!(found.status.success() && !found.stdout.is_empty());
        }
    }
    assert_eq!(done(&["decode", "--snapshot", &snapshot], b""), done(&["decode"], &dump(15)));
}

#[test]
fn values_are_chosen() {
    let snapshot = snapshot();
    for (choice, expected) in [
        (
            &["--kind", "deploy"][..],
            &["/registry/deployments/default/shop", "/registry/deployments/default/web"][..],
        ),
        (&["--kind", "Deployment", "--revision", "12"], &["/registry/deployments/default/web"]),
        // Their keys tell what is encrypted.
        (
            &["--kind", "gear"],
            &["/registry/example.com/gears/default/small", "/registry/secrets/default/token"],
        ),
        (&["--kind", "secrets"], &["/registry/secrets/default/token"]),
        (&["--kind", "secrets", "--namespace", "other"], &[]),
        (&["--kind", "psp"], &["/registry/podsecuritypolicy/restricted"]),
        (&["--prefix", "/registry/i", "--namespace", "default"], &["/registry/ingress/default/web"]),
        (&["--kind", "Ingress", "--namespace", "other"], &[]),
        (
            &["--prefix", "/registry/configmaps/"],
            &["/registry/configmaps/default/one", "/registry/configmaps/default/two"],
        ),
    ] {
        let arguments = [&["decode", "-o", "json", "--snapshot", &snapshot][..], choice].concat();
        let found = lines(&text(&arguments, b""));
        let keys: Vec<&str> = found.iter().map(|line| line["key"].as_str().unwrap()).collect();
        assert_eq!(keys, expected, "{choice:?}");
        if !choice.contains(&"--revision") {
            let arguments = [&["decode", "-o", "json"][..], choice].concat();
            assert_eq!(lines(&text(&arguments, &dump(15))), found, "{choice:?}");
        }
    }
}

#[test]
fn encrypted_values_are_named() {
    let output = hubgen(&["decode", "--snapshot", &snapshot(), "--prefix", "/registry/secrets/"], b"");
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: /registry/secrets/default/token: encrypted by the provider aescbc v1 with the key key1\n  help: \
         read it through an API server that has the key\n"
    );
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "# /registry/secrets/default/token\n# encrypted by the provider aescbc v1 with the key key1: 83 bytes\n"
    );
}

#[test]
fn what_a_release_does_not_serve_is_rewritten() {
    let output = hubgen(&["decode", "--snapshot", &snapshot(), "--to", "1.35", "--rewrite"], b"");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    for left in [
        "/registry/podsecuritypolicy/restricted: release 1.35 serves no version of policy/v1beta1 PodSecurityPolicy",
        "/registry/secrets/default/token: encrypted by the provider aescbc",
        "/registry/example.com/gears/default/small: example.com/v1 Gear is not a known kind",
        "compact_rev_key: this is neither JSON nor protobuf",
    ] {
        assert!(stderr.contains(left), "{left}: {stderr}");
    }
    let moves = lines(&String::from_utf8(output.stdout).unwrap());
    let named: Vec<_> =
        moves.iter().map(|line| (&line["from"], &line["to"], &line["mod_revision"])).collect();
    let expected = [
        (
            json!("autoscaling/v2beta2 HorizontalPodAutoscaler"),
            json!("autoscaling/v2 HorizontalPodAutoscaler"),
            json!(6),
        ),
        (json!("extensions/v1beta1 Ingress"), json!("networking.k8s.io/v1 Ingress"), json!(5)),
    ];
    assert_eq!(named, expected.each_ref().map(|(from, to, revision)| (from, to, revision)));
    let decoded = |name: &str| BASE64_STANDARD.decode(moves[1][name].as_str().unwrap()).unwrap();
    assert_eq!(decoded("key"), b"/registry/ingress/default/web");
    let value = decoded("value");
    let object: Value = serde_json::from_slice(&done(&["decode", "-o", "json"], &value)).unwrap();
    assert_eq!(object["apiVersion"], "networking.k8s.io/v1");
    assert_eq!(
        object["spec"],
        json!({"defaultBackend": {"service": {"name": "web", "port": {"number": 8080}}}})
    );
    let txn = moves[1]["txn"].as_str().unwrap();
    let [compare, "", put, "", "", ""] = txn.split('\n').collect::<Vec<_>>()[..] else { panic!("{txn}") };
    assert_eq!(compare, "mod(\"/registry/ingress/default/web\") = \"5\"");
    let put =
        put.strip_prefix("put --ignore-lease \"/registry/ingress/default/web\" \"k8s\\x00").expect("a put");
    assert!(put.ends_with('"') && put.is_ascii());
    // Nothing is left to move, and the same follows from what etcdctl prints.
    let dumped = hubgen(&["decode", "--to", "1.35", "--rewrite"], &dump(15));
    assert_eq!(lines(&String::from_utf8(dumped.stdout).unwrap()), moves);
    let dump = json!({"header": {}, "kvs": moves}).to_string();
    assert_eq!(done(&["decode", "--to", "1.35", "--rewrite"], dump.as_bytes()), b"");
}

/// Fields of a newer server would be lost.
#[test]
fn what_would_be_lost_is_not_rewritten() {
    let kvs = json!([{
        "key": BASE64_STANDARD.encode("/registry/ingress/a"),
        "mod_revision": 3,
        "value": BASE64_STANDARD.encode(br#"{"apiVersion":"extensions/v1beta1","kind":"Ingress","metadata":{"name":"a"},"spec":{"newest":1}}"#),
    }]);
    let dump = json!({"header": {}, "kvs": kvs}).to_string();
    let output = hubgen(&["decode", "--to", "1.35", "--rewrite"], dump.as_bytes());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{stderr}");
    assert!(
        stderr.contains("/registry/ingress/a: spec.newest: cannot be rewritten without loss"),
        "{stderr}"
    );
    let alone = done(&["decode", "--to", "1.35", "--rewrite"], b"{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
    assert_eq!(alone, b"");
    let old = b"{\"apiVersion\":\"extensions/v1beta1\",\"kind\":\"Ingress\"}";
    let output = hubgen(&["decode", "--to", "1.35", "--rewrite"], old);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("cannot be rewritten: its key and its revision are not known"), "{stderr}");
}

#[test]
fn what_is_wrong_with_a_snapshot_is_told() {
    let snapshot = snapshot();
    let output = hubgen(&["decode", "--json", "--snapshot", &snapshot, "--revision", "3"], b"");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    let error = &report["diagnostics"][0];
    assert_eq!(error["message"], "revision 3 is compacted: the snapshot has revisions 6 to 15");
    assert_eq!(error["file"], *snapshot);
    let output = hubgen(&["decode", "--json", "--snapshot", &snapshot, "--prefix", "/registry/ingress"], b"");
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["snapshot"], json!({"revision": 15, "oldest": 6, "newest": 15}));
    assert_eq!((&report["ok"], &report["values"]), (&json!(true), &json!(1)));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snapshot.db");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let output = hubgen(&["decode", "--snapshot", file.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(1));
        (String::from_utf8(output.stderr).unwrap(), output.stdout.len())
    };
    let whole = fs::read(&snapshot).unwrap();
    let mut wrong = whole.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let (error, printed) = refused(&wrong);
    assert!(error.contains("snapshot.db: expected the SHA-256 ") && printed > 0, "{error}");
    let (error, printed) = refused(&whole[..10_000]);
    assert!(error.contains("the file is cut off: expected 6 pages of 4096 bytes") && printed == 0, "{error}");
    // The leaf with the history, in a file without a checksum.
    let mut damaged = whole[..whole.len() - 32].to_vec();
    damaged[4 * 4096 + 10] = 0xff;
    damaged[4 * 4096 + 11] = 0xff;
    let (error, printed) = refused(&damaged);
    assert!(error.contains("snapshot.db: page 4: expected at most 255 elements, found 65535"), "{error}");
    assert_eq!(printed, 0);
    let (error, _) = refused(b"{}");
    assert!(error.contains("expected a bbolt database, found JSON"), "{error}");
    let (error, _) = refused(&dump(15));
    assert!(error.contains("help: decode it without --snapshot"), "{error}");

    let missing = folder.path().join("none");
    let output = hubgen(&["decode", "--snapshot", missing.to_str().unwrap()], b"");
    assert!(String::from_utf8(output.stderr).unwrap().contains("none: cannot be read: "));
    for wrong in [
        &["--revision", "3"][..],
        &["--rewrite"],
        &["--snapshot", &snapshot, "file"],
        &["--snapshot", &snapshot, "--as", "v1/Pod"],
        &["--to", "3.5"],
        &["--rewrite", "--to", "1.35", "-o", "yaml"],
    ] {
        let output = hubgen(&[&["decode"][..], wrong].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
