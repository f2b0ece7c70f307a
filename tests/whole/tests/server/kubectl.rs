//! Tests the server with kubectl.
#![cfg(unix)]

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::process::{Process, hubgen};

/// Starts a server with one autoscaler, written at a version that no cluster serves any more. Returns `None` if kubectl
/// is not installed.
fn server() -> Option<(tempfile::TempDir, Process)> {
    if Command::new("kubectl").arg("version").arg("--client").output().is_err() {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return None;
    }
    let directory = tempfile::tempdir().expect("a folder");
    let server = Process::start(directory.path(), "");
    let autoscaler = json!({
        "metadata": {"name": "rcex"},
        "spec": {
            "scaleRef": {"kind": "ReplicationController", "name": "rcex", "apiVersion": "v1", "subresource": "scale"},
            "maxReplicas": 5,
            "cpuUtilization": {"targetPercentage": 80},
        },
    });
    let path = "/apis/extensions/v1beta1/namespaces/default/horizontalpodautoscalers";
    server.client.post(path, &autoscaler).expect(201);
    Some((directory, server))
}

fn kubectl(server: &Process, home: &tempfile::TempDir, args: &[&str]) -> Output {
    // Uses neither the configuration nor the discovery cache of the user who runs the tests.
    let address = format!("--server=http://{}", server.client.0);
    let cache = format!("--cache-dir={}", home.path().join("cache").display());
    let mut command = Command::new("kubectl");
    command.env("HOME", home.path()).env_remove("KUBECONFIG").args([&address, &cache]).args(args);
    command.output().expect("kubectl runs")
}

fn answer(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn get_raw_reads_discovery_and_objects_at_every_version() {
    let Some((home, server)) = server() else { return };
    let raw = |path: &str| -> Value {
        serde_json::from_str(&answer(&kubectl(&server, &home, &["get", "--raw", path]))).expect("JSON")
    };
    assert_eq!(raw("/api")["versions"], json!(["v1"]));
    let groups = raw("/apis");
    let is_autoscaling = |group: &&Value| group["name"] == "autoscaling";
    let group = groups["groups"].as_array().and_then(|groups| groups.iter().find(is_autoscaling));
    assert_eq!(group.map(|group| &group["preferredVersion"]["version"]), Some(&json!("v2")));
    assert_eq!(raw("/apis/autoscaling")["kind"], "APIGroup");
    assert_eq!(raw("/apis/autoscaling/v2")["kind"], "APIResourceList");
    for (version, field) in [
        ("extensions/v1beta1", "cpuUtilization"),
        ("autoscaling/v1", "targetCPUUtilizationPercentage"),
        ("autoscaling/v2alpha1", "metrics"),
        ("autoscaling/v2beta1", "metrics"),
        ("autoscaling/v2beta2", "metrics"),
        ("autoscaling/v2", "metrics"),
    ] {
        let object = raw(&format!("/apis/{version}/namespaces/default/horizontalpodautoscalers/rcex"));
        assert_eq!(object["apiVersion"], version);
        assert!(!object["spec"][field].is_null(), "{object}");
    }
}

#[test]
fn get_finds_resources_by_their_names() {
    let Some((home, server)) = server() else { return };
    for name in
        ["hpa", "horizontalpodautoscalers.v2.autoscaling", "horizontalpodautoscaler.v1beta1.extensions"]
    {
        let names = answer(&kubectl(&server, &home, &["get", name, "--output=name", "--namespace=default"]));
        assert!(names.trim().ends_with("/rcex"), "{name}: {names}");
    }
    let missing = kubectl(&server, &home, &["get", "configmaps", "a", "--namespace=default"]);
    let errors = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(errors.contains("Error from server (NotFound): configmaps \"a\" not found"), "{errors}");
}

/// What kubectl prints, without spaces at the ends of lines, and without ages.
fn printed(output: &Output) -> Vec<Vec<String>> {
    let is_age = |word: &str| {
        word.ends_with(['s', 'm', 'h'])
            && word.trim_end_matches(['s', 'm', 'h']).chars().all(|c| c.is_ascii_digit())
    };
    let word = |word: &str| if is_age(word) { "AGE".to_owned() } else { word.to_owned() };
    answer(output)
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|text| !text.is_empty()).map(word).collect())
        .collect()
}

#[test]
fn get_prints_the_columns_that_people_know() {
    let Some((home, server)) = server() else { return };
    let get = |args: &[&str]| {
        let args: Vec<&str> = ["get", "--namespace=default"].iter().chain(args).copied().collect();
        printed(&kubectl(&server, &home, &args))
    };
    assert_eq!(
        get(&["hpa"]),
        [
            vec!["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"],
            vec!["rcex", "ReplicationController/rcex", "cpu: <unknown>/80%", "1", "5", "0", "AGE"],
        ]
    );
    let template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
    let deployment = json!({"metadata": {"name": "d"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}});
    server.client.post("/apis/apps/v1/namespaces/default/deployments", &deployment).expect(201);
    assert_eq!(
        get(&["deploy"]),
        [vec!["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"], vec!["d", "0/2", "0", "0", "AGE"]]
    );
    assert_eq!(
        get(&["deploy", "--output=wide"]),
        [
            vec!["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
            vec!["d", "0/2", "0", "0", "AGE", "c", "i:1", "a=b"],
        ]
    );
    // The same at a version that is not served any more, with a warning.
    let old = kubectl(&server, &home, &["get", "deployments.v1beta1.extensions", "--namespace=default"]);
    let warning = "Warning: extensions/v1beta1 Deployment is deprecated in v1.8+, unavailable in v1.16+; use apps/v1 Deployment";
    assert_eq!(String::from_utf8_lossy(&old.stderr).trim(), warning);
    assert_eq!(printed(&old)[1], ["d", "0/2", "0", "0", "AGE"]);
    // A kubelet reports what its containers do.
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({"metadata": {"name": "p"}, "spec": template["spec"]});
    let mut pod = server.client.post(pods, &pod).expect(201);
    let waiting = json!({"waiting": {"reason": "CrashLoopBackOff"}});
    let container = json!({"name": "c", "image": "i:1", "imageID": "", "ready": false, "restartCount": 3, "state": waiting});
    let ips = json!([{"ip": "10.0.0.7"}]);
    pod["status"] = json!({"phase": "Running", "podIPs": ips, "containerStatuses": [container]});
    server.client.put(&format!("{pods}/p/status"), &pod).expect(200);
    assert_eq!(
        get(&["pods", "--output=wide"]),
        [
            vec![
                "NAME",
                "READY",
                "STATUS",
                "RESTARTS",
                "AGE",
                "IP",
                "NODE",
                "NOMINATED NODE",
                "READINESS GATES"
            ],
            vec!["p", "0/1", "CrashLoopBackOff", "3", "AGE", "10.0.0.7", "<none>", "<none>", "<none>"],
        ]
    );
    // A kind without columns of its own.
    let role = json!({"metadata": {"name": "r"}, "rules": []});
    server.client.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", &role).expect(201);
    assert_eq!(get(&["roles"])[0], ["NAME", "CREATED AT"]);
}

#[test]
fn get_watches_tables() {
    let Some((home, server)) = server() else { return };
    let address = format!("--server=http://{}", server.client.0);
    let mut command = Command::new("kubectl");
    command.env("HOME", home.path()).env_remove("KUBECONFIG").stdout(std::process::Stdio::piped());
    let mut child = command
        .args([&address, "get", "secrets", "--namespace=default", "--watch", "--output-watch-events"])
        .spawn()
        .expect("kubectl runs");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
    let mut next = || -> Vec<String> {
        let line = lines.next().expect("a line").expect("text");
        line.split_whitespace().map(str::to_owned).collect()
    };
    // Only after its first list does it watch: so it is told of one secret at least.
    let secret = |name: &str| json!({"metadata": {"name": name}, "stringData": {"a": "b"}});
    let secrets = "/api/v1/namespaces/default/secrets";
    server.client.post(secrets, &secret("a")).expect(201);
    assert_eq!(next(), ["EVENT", "NAME", "TYPE", "DATA", "AGE"]);
    assert_eq!(next()[..3], ["ADDED", "a", "Opaque"]);
    server.client.post(secrets, &secret("b")).expect(201);
    assert_eq!(next()[..3], ["ADDED", "b", "Opaque"]);
    server.client.delete(&format!("{secrets}/a")).expect(200);
    assert_eq!(next()[..3], ["DELETED", "a", "Opaque"]);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// If several groups had the same short name, kubectl would warn, and could use the wrong group.
#[test]
fn a_short_name_belongs_to_one_group() {
    let Some((home, server)) = server() else { return };
    let deployment = json!({"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    server.client.post("/apis/apps/v1/namespaces/default/deployments", &deployment).expect(201);
    for (name, expected) in [
        ("deploy", "deployment.apps/d"),
        ("deployments", "deployment.apps/d"),
        ("hpa", "horizontalpodautoscaler.autoscaling/rcex"),
    ] {
        let output = kubectl(&server, &home, &["get", name, "--output=name", "--namespace=default"]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
        assert_eq!(answer(&output).trim(), expected);
    }
    // A category lists each object once.
    let output = kubectl(&server, &home, &["get", "all", "--output=name", "--namespace=default"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let all = answer(&output);
    assert_eq!(
        all.lines().collect::<Vec<_>>(),
        ["deployment.apps/d", "horizontalpodautoscaler.autoscaling/rcex"]
    );
}

/// Over TLS, with a certificate that the server has made, and a token.
#[test]
fn patch_label_and_watch_over_tls() {
    let home = tempfile::tempdir().expect("a folder");
    let tokens = home.path().join("tokens.csv");
    std::fs::write(&tokens, "secret,ada,1,\"developers\"\n").expect("written");
    let certs = home.path().join("certs");
    let options =
        [OsStr::new("--cert-dir"), certs.as_os_str(), OsStr::new("--token-auth-file"), tokens.as_os_str()];
    let options = options.map(|option| option.to_str().expect("text"));
    let server = Process::start_with(home.path(), &options);
    let kubectl = |token: &str, args: &[&str]| {
        let address = format!("--server=https://localhost:{}", server.client.0.port());
        let authority = format!("--certificate-authority={}", certs.join("apiserver.crt").display());
        let cache = format!("--cache-dir={}", home.path().join("cache").display());
        let token = format!("--token={token}");
        let mut command = Command::new("kubectl");
        command.env("HOME", home.path()).env_remove("KUBECONFIG");
        command.args([&*address, &*authority, &*cache, &*token]).args(args).output()
    };
    let Ok(created) =
        kubectl("secret", &["create", "--validate=false", "configmap", "a", "--from-literal=k=v"])
    else {
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return;
    };
    answer(&created);
    let patched = |args: &[&str]| answer(&kubectl("secret", args).expect("kubectl runs"));
    for (kind, patch) in [
        ("json", r#"[{"op": "add", "path": "/data/json", "value": "1"}]"#),
        ("merge", r#"{"data": {"merge": "2"}}"#),
        ("strategic", r#"{"data": {"strategic": "3", "k": null}}"#),
    ] {
        assert!(
            patched(&["patch", "configmap", "a", "--type", kind, "-p", patch])
                .contains("configmap/a patched")
        );
    }
    assert!(patched(&["label", "configmap", "a", "l=x"]).contains("configmap/a labeled"));
    let object: Value =
        serde_json::from_str(&patched(&["get", "configmap", "a", "-o", "json"])).expect("JSON");
    assert_eq!(object["data"], json!({"json": "1", "merge": "2", "strategic": "3"}));
    assert_eq!(object["metadata"]["labels"], json!({"l": "x"}));
    let watched =
        patched(&["get", "configmaps", "-l", "l=x", "-o", "name", "--watch", "--request-timeout=2s"]);
    assert_eq!(watched, "configmap/a\n");
    let refused = kubectl("another", &["get", "configmaps"]).expect("kubectl runs");
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("You must be logged in to the server"));
}

/// With the kubeconfig that the server writes, and nothing else.
#[test]
fn a_kubeconfig_is_all_that_kubectl_needs() {
    let home = tempfile::tempdir().expect("a folder");
    let tokens = home.path().join("tokens.csv");
    std::fs::write(&tokens, "secret,ada,1\nother,bob,2\n").expect("written");
    let (certs, config) = (home.path().join("certs"), home.path().join("config"));
    let options = [
        (OsStr::new("--cert-dir"), &certs),
        (OsStr::new("--token-auth-file"), &tokens),
        (OsStr::new("--kubeconfig"), &config),
    ];
    let options = options.map(|(name, path)| [name.to_str(), path.to_str()].map(|text| text.expect("text")));
    let server = Process::start_with(home.path(), options.as_flattened());
    assert_eq!(std::fs::metadata(&config).expect("written").permissions().mode() & 0o777, 0o600);
    let kubectl = |args: &[&str]| {
        let mut command = Command::new("kubectl");
        command.env("HOME", home.path()).env("KUBECONFIG", &config).args(args).output()
    };
    let Ok(created) = kubectl(&["create", "--validate=false", "configmap", "a", "--from-literal=k=v"]) else {
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return;
    };
    assert!(answer(&created).contains("configmap/a created"));
    let found = answer(&kubectl(&["get", "configmaps", "-o", "name"]).expect("kubectl runs"));
    assert_eq!(found, "configmap/a\n");
    // The next server replaces the file, and no server one of somebody else.
    drop(server);
    drop(Process::start_with(home.path(), options.as_flattened()));
    std::fs::write(&config, "apiVersion: v1\nkind: Config\n").expect("written");
    let arguments = ["serve", "--port=0", "--in-memory", "--kubeconfig", config.to_str().expect("text")];
    let refused = hubgen().args(arguments).output().expect("hubgen starts");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(message.contains("expected no file, or one that `hubgen serve` wrote"), "{message}");
    assert_eq!(std::fs::read_to_string(&config).expect("there"), "apiVersion: v1\nkind: Config\n");
}
