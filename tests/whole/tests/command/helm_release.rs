//! Tests `hubgen convert --helm-release`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use hubgen_kubernetes::machinery::yaml;
use serde_json::{Value, json};

use crate::input;
use crate::process::hubgen;

fn convert(args: &[&str], stdin: &str) -> (i32, String, String) {
    input::run(hubgen().args(["convert", "--helm-release"]).args(args), stdin)
}

/// Converts standard input, which must succeed without a message.
fn quietly(args: &[&str], text: &str) -> String {
    let (code, out, err) = convert(args, text);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    out
}

const MANIFEST: &str = "\
---
# Source: shop/templates/web.yaml
apiVersion: apps/v1beta2  # since 1.8
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    # One is enough.
    spec: {containers: [{name: web, image: \"web:1\"}]}
---
# Source: shop/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata: {name:   odd}   # as it is
";

const HOOK: &str = "\
# Source: shop/templates/nightly.yaml
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: nightly, annotations: {helm.sh/hook: post-install}}
spec:
  schedule: '0 3 * * *'
  jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: a}], restartPolicy: Never}}}}";

/// The JSON of a release, as Helm writes it, with a member that nobody knows.
fn release(manifest: &str, hook: &str) -> String {
    let json = format!(
        r#"{{"name":"shop","info":{{"first_deployed":"2019-04-01T12:00:00.123456789Z","status":"deployed","description":"Install complete","notes":"a \u003e b"}},"chart":{{"metadata":{{"name":"shop","version":"1.0"}},"templates":[]}},"config":{{"replicas":1.0}},"manifest":{},"hooks":[{{"name":"nightly","kind":"CronJob","path":"shop/templates/nightly.yaml","manifest":{},"events":["post-install"],"last_run":{{}}}}],"version":3,"namespace":"n","newer":[1,  2]}}"#,
        escaped(manifest),
        escaped(hook),
    );
    serde_json::from_str::<Value>(&json).expect("JSON");
    json
}

/// A text as Go writes it in JSON.
fn escaped(text: &str) -> String {
    Value::from(text).to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// The data of a Secret with a release.
fn in_secret(json: &str) -> String {
    base64(base64(gzip(json.as_bytes())))
}

/// The JSON of a release in the data of a Secret.
fn opened(data: &str) -> String {
    let text = BASE64_STANDARD.decode(data).expect("base64");
    let mut json = String::new();
    let bytes = BASE64_STANDARD.decode(text).expect("base64 again");
    GzDecoder::new(&*bytes).read_to_string(&mut json).expect("gzip");
    json
}

/// A Secret as `kubectl get -o yaml` prints it, at a revision.
fn secret(revision: u32, data: &str) -> String {
    format!(
        "\
apiVersion: v1
data:
  release: {data}
kind: Secret
metadata:
  creationTimestamp: \"2019-04-01T12:00:00Z\"
  labels:
    modifiedAt: \"1554120000\"
    name: shop
    owner: helm
    status: deployed
    version: \"{revision}\"
  name: sh.helm.release.v1.shop.v{revision}
  namespace: prod
  resourceVersion: \"17\"
type: helm.sh/release.v1
"
    )
}

/// A list as `kubectl get -o yaml` prints it.
fn list(items: &[String]) -> String {
    let items: String =
        items.iter().map(|item| format!("- {}\n", item.trim_end().replace('\n', "\n  "))).collect();
    format!("apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: \"\"\n")
}

/// What is in the data of the release of an object, and the text around the data.
fn data(text: &str) -> (String, String) {
    let (before, rest) = text.split_once("  release: ").expect("a release");
    let (data, after) = rest.split_once('\n').expect("a line");
    (data.to_owned(), format!("{before}  release: DATA\n{after}"))
}

const NOTE: &str = "Install complete; hubgen converted 1 apps/v1beta2 Deployment to apps/v1, 1 batch/v1beta1 CronJob to batch/v1";

/// The JSON that becomes of [`release`].
fn expected() -> String {
    let newer = |text: &str| text.replace("apps/v1beta2", "apps/v1").replace("batch/v1beta1", "batch/v1");
    release(&newer(MANIFEST), &newer(HOOK)).replace("Install complete", NOTE)
}

#[test]
fn only_manifests_and_the_description_change() {
    let json = release(MANIFEST, HOOK);
    let old = secret(3, &in_secret(&json));
    for args in [&["--newest"][..], &[], &["-"], &["--to", "apps/v1,batch/v1"]] {
        let new = quietly(args, &old);
        let (before, after) = (data(&old), data(&new));
        assert_eq!(after.1, before.1);
        assert_eq!(opened(&after.0), expected());
        // There is nothing left to convert.
        assert_eq!(quietly(args, &new), new);
    }
}

#[test]
fn config_maps_have_one_base64_less() {
    let json = release(MANIFEST, HOOK);
    let map = |data: &str| {
        secret(3, data).replace("kind: Secret", "kind: ConfigMap").replace("type: helm.sh/release.v1\n", "")
    };
    // Old releases are not compressed, and stay so.
    let plain = quietly(&[], &map(&base64(&json)));
    assert_eq!(plain, map(&base64(expected())));
    let (packed, _) = data(&quietly(&[], &map(&base64(gzip(json.as_bytes())))));
    assert_eq!(opened(&base64(packed)), expected());
}

#[test]
fn the_revisions_of_a_list_keep_their_place() {
    let old = |revision| secret(revision, &in_secret(&release(MANIFEST, HOOK)));
    let same = secret(2, &in_secret(&release("", "")));
    let new = |revision| {
        let (data, _) = data(&quietly(&[], &old(revision)));
        secret(revision, &data)
    };
    assert_eq!(quietly(&[], &list(&[old(1), same.clone(), old(3)])), list(&[new(1), same.clone(), new(3)]));
    assert_eq!(quietly(&[], &list(std::slice::from_ref(&same))), list(std::slice::from_ref(&same)));
    // As documents, one by one.
    let documents = |all: &[String]| all.join("---\n");
    assert_eq!(
        quietly(&[], &documents(&[old(1), same.clone(), old(3)])),
        documents(&[new(1), same.clone(), new(3)])
    );
    // As JSON, and from YAML to JSON.
    let json = quietly(&["-o", "json"], &list(&[old(1), same.clone()]));
    let value: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(opened(value["items"][0]["data"]["release"].as_str().expect("text")), expected());
    assert_eq!(quietly(&[], &json), json);
    let before = quietly(&["--to", "v1", "-o", "json"], &list(&[old(1), same]));
    assert_eq!(quietly(&[], &before), json);
}

#[test]
fn a_list_that_is_read_as_a_whole_is_converted() {
    let object = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"},
        "data": {"release": in_secret(&release(MANIFEST, HOOK))},
    });
    let text = format!("apiVersion: v1\nkind: List\nitems:\n- &a {object}\n- *a\n");
    let new: Value =
        serde_json::from_slice(&yaml::to_json(&quietly(&[], &text)).expect("YAML")).expect("JSON");
    for index in 0..2 {
        assert_eq!(opened(new["items"][index]["data"]["release"].as_str().expect("text")), expected());
    }
}

/// As an API server answers.
#[test]
fn items_of_typed_lists_leave_out_what_they_are() {
    let list = |release: String| {
        let item =
            json!({"metadata": {"name": "a"}, "data": {"release": release}, "type": "helm.sh/release.v1"});
        json!({"kind": "SecretList", "apiVersion": "v1", "metadata": {}, "items": [item]}).to_string()
    };
    let new: Value =
        serde_json::from_str(&quietly(&[], &list(in_secret(&release(MANIFEST, HOOK))))).expect("JSON");
    let data = new["items"][0]["data"]["release"].as_str().expect("text").to_owned();
    assert_eq!(opened(&data), expected());
    assert_eq!(new.to_string(), list(data));
}

#[test]
fn files_are_checked_and_changed_in_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("releases.yaml");
    let old = list(&[secret(3, &in_secret(&release(MANIFEST, HOOK)))]);
    fs::write(&file, &old).expect("written");
    let name = file.display().to_string();
    let (code, out, err) = convert(&["--check", &name], "");
    assert_eq!(code, 1, "{err}");
    let at = format!("{name}: Secret prod/sh.helm.release.v1.shop.v3");
    let expected_lines = format!(
        "{at}: manifest:3: apps/v1beta2 Deployment web → apps/v1 Deployment\n{at}: hooks[0].manifest:2: batch/v1beta1 \
         CronJob nightly → batch/v1 CronJob\n"
    );
    assert_eq!(out, expected_lines);
    assert_eq!(err, "2 objects would change, in 1 of 1 file; 0 errors\n");
    let (code, out, _) = convert(&["--check", "--json", &name], "");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &report["changed_objects"], &report["changes"][0]["name"]),
        (1, &json!(2), &json!("web"))
    );
    assert_eq!(fs::read_to_string(&file).expect("read"), old);

    let (code, _, err) = convert(&["--in-place", &name], "");
    assert_eq!((code, err.as_str()), (0, "2 objects changed, in 1 of 1 file; 0 errors\n"));
    assert_eq!(fs::read_to_string(&file).expect("read"), quietly(&[], &old));
    assert_eq!(convert(&["--check", &name], "").0, 0);
}

#[test]
fn other_objects_stay_with_a_warning() {
    let text =
        "apiVersion: v1\nkind: Secret\nmetadata: {name:   a}\ndata: {password: YQ==}\n---\njust: values\n";
    let (code, out, err) = convert(&[], text);
    assert_eq!((code, out.as_str()), (0, text));
    let line = "expected a Secret or a ConfigMap with a release of Helm; this object stays as it is";
    assert_eq!(err, format!("warning: <stdin>:1:1: {line}\nwarning: <stdin>:6:1: {line}\n"));
}

/// A release with a mistake is named, and so is what to do; its list is left out, and other documents are not.
#[test]
fn what_is_wrong_is_named() {
    let good = secret(1, &in_secret(&release(MANIFEST, HOOK)));
    let cut = gzip(release(MANIFEST, HOOK).as_bytes());
    let twice = |bytes: &[u8]| base64(base64(bytes));
    let template = in_secret(&release("kind: {{ .Values.kind }}\n---\n", HOOK));
    let typo = in_secret(&release(&MANIFEST.replace("image:", "imaeg:"), HOOK));
    let name = "Secret prod/sh.helm.release.v1.shop.v2";
    for (data, expected) in [
        ("SD?z".to_owned(), ["expected the Secret's base64, found other text", "data.release"]),
        (base64("?"), ["expected Helm's base64, found other text", "kubectl get -o yaml"]),
        (twice(&cut[..cut.len() / 2]), ["expected data in gzip", "restore it from a backup"]),
        (twice(&gzip(b"\n\x04shop\x12")), ["found another encoding", "releases of Helm 2 are protobuf"]),
        (in_secret("{\"a\": 1"), ["expected JSON: ", "data.release"]),
        (in_secret("{\"a\": 1}"), ["found JSON without `name`", "no release that Helm wrote"]),
        (
            in_secret("{\"name\":\"a\",\"hooks\":7}"),
            ["expected an array, found a number", "data.release.hooks"],
        ),
        (template, ["v2: manifest:1:", "helm cannot read this manifest, either"]),
        (
            typo,
            [
                "apps/v1beta2 Deployment has no such field",
                "the cluster dropped it, too: do the same with --drop-unknown",
            ],
        ),
    ] {
        let bad = secret(2, &data);
        let (code, out, err) = convert(&[], &bad);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(expected.iter().all(|expected| err.contains(expected)), "{expected:?} are not in\n{err}");
        assert!(err.contains(name), "{err}");
        let (code, out, _) = convert(&[], &format!("{good}---\n{bad}"));
        assert_eq!((code, out), (1, quietly(&[], &good)));
        let (code, out, err) = convert(&[], &list(&[good.clone(), bad.clone()]));
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(err.contains("items[1]") || err.contains("v2: manifest"), "{err}");

        // Files with mistakes stay as they are.
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("releases.yaml");
        let text = list(&[good.clone(), bad]);
        fs::write(&file, &text).expect("written");
        let (code, _, err) = convert(&["--in-place", &file.display().to_string()], "");
        assert!(code == 1 && err.ends_with("0 objects changed, in 0 of 1 file; 1 error\n"), "{err}");
        assert_eq!(fs::read_to_string(&file).expect("read"), text);
    }
    let (code, out, err) = convert(
        &["--drop-unknown"],
        &secret(2, &in_secret(&release(&MANIFEST.replace("image:", "imaeg:"), HOOK))),
    );
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("v2: manifest:11:") && err.contains("dropped this field"), "{err}");
    assert!(!opened(&data(&out).0).contains("imaeg"));
}

/// A release whose JSON would not fit into memory.
#[test]
fn bombs_are_refused() {
    // A block of zeros that ends at a byte, again and again, makes 200 MiB out of 200 KiB.
    let block = {
        let mut encoder = flate2::Compress::new(Compression::best(), false);
        let mut out = Vec::with_capacity(1 << 16);
        encoder
            .compress_vec(&vec![b' '; 1 << 20], &mut out, flate2::FlushCompress::Full)
            .expect("compressed");
        out
    };
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let bomb = [&header[..], &block.repeat(200)].concat();
    let (code, out, err) = convert(&[], &secret(1, &base64(base64(&bomb))));
    assert_eq!((code, out.as_str()), (1, ""));
    let message = "Secret prod/sh.helm.release.v1.shop.v1: expected at most 134217728 bytes after decompression, found more";
    assert!(err.contains(message), "{err}");
}

const GONE: &str = "\
---
# Source: shop/templates/psp.yaml
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: p}
";

/// Helm cannot read a release with an object that the cluster does not have any more.
#[test]
fn objects_of_the_past_are_left_out() {
    let json = release(&format!("{GONE}{MANIFEST}{GONE}"), GONE);
    let old = secret(3, &in_secret(&json));
    let (code, kept, err) = convert(&[], &old);
    assert_eq!(code, 0);
    assert_eq!(
        err.matches("no version of policy/v1beta1 PodSecurityPolicy is served after release 1.24").count(),
        3
    );
    assert_eq!(
        err.matches("leave it out with --drop-gone; use instead: Pod Security admission").count(),
        3,
        "{err}"
    );
    assert!(opened(&data(&kept).0).contains("policy/v1beta1"));

    let (code, new, err) = convert(&["--drop-gone"], &old);
    assert_eq!((code, err.matches("left this object out").count()), (0, 3), "{err}");
    let new: Value = serde_json::from_str(&opened(&data(&new).0)).expect("JSON");
    assert_eq!(new["manifest"], MANIFEST.replace("apps/v1beta2", "apps/v1"));
    // A hook that is no object any more is none.
    assert_eq!(new["hooks"], json!([]));
    let note = "hubgen converted 1 apps/v1beta2 Deployment to apps/v1 and left out 3 policy/v1beta1 PodSecurityPolicy";
    assert_eq!(new["info"]["description"], format!("Install complete; {note}"));

    let (code, _, err) = input::run(hubgen().args(["convert", "--newest", "--drop-gone"]), GONE);
    assert!(code == 2 && err.contains("--helm-release"), "{err}");
}

/// A release that another program has made for this test, in Go's own gzip.
#[test]
fn a_release_of_helm_itself_is_converted() {
    let file = Path::new("tests/command/helm-release.yaml");
    let old = fs::read_to_string(file).expect("read");
    let (code, new, err) = convert(&[], &old);
    assert_eq!(code, 0, "{err}");
    let before = data(&old);
    let after = data(&new);
    assert_eq!(after.1, before.1);
    let [old, new] =
        [before, after].map(|(data, _)| serde_json::from_str::<Value>(&opened(&data)).expect("JSON"));
    let manifest = old["manifest"].as_str().expect("text").replace("batch/v1beta1", "batch/v1");
    assert_eq!(new["manifest"], manifest);
    for member in ["name", "chart", "config", "version", "namespace"] {
        assert_eq!(new[member], old[member]);
    }
}
