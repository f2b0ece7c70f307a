//! The steps, each as somebody would type it. They build on each other: the first make what the later ones use.

use serde_json::{Value, json};

use crate::clients::session::Session;

/// What somebody does, and what must come of it.
pub type Step = fn(&Session) -> Result<(), String>;

/// All steps in order.
pub const ALL: &[(&str, Step)] = &[
    ("version", version),
    ("api-resources", api_resources),
    ("api-versions", api_versions),
    ("explain", explain),
    ("create", create),
    ("create -f", create_from_file),
    ("get", get),
    ("get -o", get_in_all_outputs),
    ("get -w", get_and_watch),
    ("apply", apply),
    ("diff", diff),
    ("edit", edit),
    ("patch", patch),
    ("label and annotate", label_and_annotate),
    ("set", set),
    ("scale", scale),
    ("rollout status", rollout_status),
    ("wait", wait),
    ("expose and run", expose_and_run),
    ("replace", replace),
    ("describe", describe),
    ("events", events),
    ("auth", auth),
    ("create token", create_token),
    ("certificate approve", certificate),
    ("cordon, taint and drain", nodes),
    ("delete", delete),
    ("delete with finalizers", delete_with_finalizers),
    ("delete many", delete_many),
    ("get --raw", raw),
    ("cp, exec and logs", refused),
    ("errors", errors),
];

fn version(s: &Session) -> Result<(), String> {
    s.prints("version -o json", &["clientVersion", "serverVersion", "\"gitVersion\": \"v1."])
}

fn api_resources(s: &Session) -> Result<(), String> {
    s.prints("api-resources", &["deployments", "deploy", "apps/v1", "Deployment", "configmaps"])?;
    s.prints("api-resources -o wide", &["create,delete,deletecollection,get,list,patch,update,watch"])?;
    s.prints("api-resources --api-group=autoscaling -o name", &["horizontalpodautoscalers.autoscaling"])?;
    s.prints("api-resources --categories=all -o name", &["pods", "services", "deployments.apps"])?;
    s.prints("api-resources --namespaced=false -o name", &["nodes", "namespaces"])
}

fn api_versions(s: &Session) -> Result<(), String> {
    s.prints("api-versions", &["apps/v1\n", "autoscaling/v2\n", "\nv1\n"])
}

fn explain(s: &Session) -> Result<(), String> {
    s.prints("explain deployment", &["KIND:", "Deployment", "spec", "<DeploymentSpec>"])?;
    s.prints("explain deploy.spec.replicas", &["replicas", "<integer>"])?;
    s.prints("explain pods.spec.containers.ports --recursive", &["containerPort", "<integer>"])?;
    s.prints("explain hpa --api-version=autoscaling/v1", &["autoscaling", "v1", "spec"])?;
    s.fails("explain deploy.spec.nothing", "field \"nothing\" does not exist")
}

fn create(s: &Session) -> Result<(), String> {
    for (line, name) in [
        ("namespace n", "namespace/n created"),
        ("namespace other", "namespace/other created"),
        ("configmap c --from-literal=a=b -n n", "configmap/c created"),
        ("secret generic s --from-literal=password=p -n n", "secret/s created"),
        ("serviceaccount app -n n", "serviceaccount/app created"),
        ("role r --verb=get --resource=pods -n n", "role.rbac.authorization.k8s.io/r created"),
        (
            "rolebinding rb --role=r --serviceaccount=n:app -n n",
            "rolebinding.rbac.authorization.k8s.io/rb created",
        ),
        ("clusterrole cr --verb=get --resource=nodes", "clusterrole.rbac.authorization.k8s.io/cr created"),
        ("deployment d --image=nginx --replicas=2 -n n", "deployment.apps/d created"),
        ("job j --image=busybox -n n", "job.batch/j created"),
        ("cronjob cj --image=busybox --schedule='*/5 * * * *' -n n", "cronjob.batch/cj created"),
        ("service clusterip svc --tcp=80:8080 -n n", "service/svc created"),
        ("ingress i --rule=example.com/=svc:80 -n n", "ingress.networking.k8s.io/i created"),
        (
            "poddisruptionbudget pdb --selector=app=x --min-available=1 -n n",
            "poddisruptionbudget.policy/pdb created",
        ),
        ("quota q --hard=pods=2 -n n", "resourcequota/q created"),
        ("priorityclass pc --value=1000", "priorityclass.scheduling.k8s.io/pc created"),
    ] {
        s.prints(&format!("create {line}"), &[name])?;
    }
    s.fails("create configmap c -n n", "configmaps \"c\" already exists")?;
    s.prints("create configmap dry -n n --dry-run=server -o yaml", &["kind: ConfigMap", "uid: "])?;
    s.fails("get configmap dry -n n", "configmaps \"dry\" not found")
}

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: x}}
spec:
  containers:
  - name: c
    image: nginx
    ports:
    - containerPort: 80
";

fn create_from_file(s: &Session) -> Result<(), String> {
    let created = s.ok_with("create -n n -f -", POD)?;
    expect(&created, "pod/p created")?;
    let unknown = POD.replace("containers:", "container: []\n  containers:");
    let output = s.run_with("create -n n -f -", &unknown.replace("name: p,", "name: p2,"), &[])?;
    if output.code == 0 || !output.err.contains("unknown field \"spec.container\"") {
        return Err(output.wrong("to fail with `unknown field \"spec.container\"`"));
    }
    Ok(())
}

fn get(s: &Session) -> Result<(), String> {
    let table = |line: &str, header: &[&str], row: &[&str]| {
        let out = s.ok(line)?;
        let mut lines = out.lines();
        let words = |line: Option<&str>| {
            line.unwrap_or_default()
                .split("  ")
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (found, first) = (words(lines.next()), words(lines.next()));
        if found != header
            || !first.iter().zip(row).all(|(found, expected)| *expected == "*" || found == expected)
        {
            return Err(format!("kubectl {line}: expected {header:?} and {row:?}, found\n{out}"));
        }
        Ok(())
    };
    table("get configmaps c -n n", &["NAME", "DATA", "AGE"], &["c", "1", "*"])?;
    table(
        "get deploy -n n",
        &["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"],
        &["d", "0/2", "0", "0", "*"],
    )?;
    table("get pods -n n", &["NAME", "READY", "STATUS", "RESTARTS", "AGE"], &["p", "0/1"])?;
    table(
        "get svc -n n",
        &["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"],
        &["svc", "ClusterIP"],
    )?;
    table("get ns n", &["NAME", "STATUS", "AGE"], &["n", "Active", "*"])?;
    table(
        "get cronjobs -n n",
        &["NAME", "SCHEDULE", "TIMEZONE", "SUSPEND", "ACTIVE", "LAST SCHEDULE", "AGE"],
        &["cj", "*/5 * * * *", "<none>", "False", "0", "<none>"],
    )?;
    table(
        "get configmaps -A --field-selector metadata.name=c",
        &["NAMESPACE", "NAME", "DATA", "AGE"],
        &["n", "c", "1"],
    )?;
    s.prints(
        "get all -n n",
        &["pod/p", "service/svc", "deployment.apps/d", "job.batch/j", "cronjob.batch/cj"],
    )?;
    s.prints("get pods -n n -l app=x --show-labels", &["LABELS", "app=x"])?;
    s.prints("get pods,cm -n n --no-headers", &["pod/p", "configmap/c"])?;
    s.prints("get cm -n n --sort-by=.metadata.name", &["c "])?;
    let nothing = s.run("get pods -n other")?;
    if nothing.code != 0 || !nothing.err.contains("No resources found in other namespace.") {
        return Err(nothing.wrong("to say that there are none"));
    }
    Ok(())
}

fn get_in_all_outputs(s: &Session) -> Result<(), String> {
    for (format, expected) in [
        ("name", "configmap/c\n"),
        ("json", "\"kind\": \"ConfigMap\""),
        ("yaml", "kind: ConfigMap"),
        ("wide", "NAME"),
        ("jsonpath={.data.a}", "b"),
        ("jsonpath-as-json={.data}", "\"a\": \"b\""),
        ("custom-columns=N:.metadata.name,A:.data.a", "c     b"),
        ("go-template={{.data.a}}", "b"),
        ("yaml --show-managed-fields", "managedFields"),
    ] {
        s.prints(&format!("get cm c -n n -o {format}"), &[expected])?;
    }
    s.prints("get deploy d -n n -o wide", &["CONTAINERS", "IMAGES", "SELECTOR", "nginx", "app=d"])?;
    s.prints("get pods -n n -o wide", &["NODE", "NOMINATED NODE", "READINESS GATES"])
}

fn get_and_watch(s: &Session) -> Result<(), String> {
    let watch = s.start("get cm -n n -w --output-watch-events")?;
    watch.line(&["ADDED", "c "])?;
    s.ok("create cm watched -n n")?;
    watch.line(&["ADDED", "watched"])?;
    s.ok("label cm watched -n n x=y")?;
    watch.line(&["MODIFIED", "watched"])?;
    s.ok("delete cm watched -n n")?;
    watch.line(&["DELETED", "watched"])?;
    let names = s.start("get deploy -n n -w --watch-only -o name")?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    s.ok("create deployment seen --image=a -n n")?;
    names.line(&["deployment.apps/seen"])?;
    s.ok("delete deployment seen -n n").map(drop)
}

const APPLIED: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: applied, labels: {a: b}}
spec:
  replicas: 1
  selector: {matchLabels: {app: applied}}
  template:
    metadata: {labels: {app: applied}}
    spec:
      containers:
      - {name: one, image: 'one:1'}
      - {name: two, image: 'two:1'}
";

fn apply(s: &Session) -> Result<(), String> {
    expect(&s.ok_with("apply -n n -f -", APPLIED)?, "deployment.apps/applied created")?;
    expect(&s.ok_with("apply -n n -f -", APPLIED)?, "deployment.apps/applied unchanged")?;
    // One container goes, one changes, and what somebody else has added stays.
    s.ok("annotate deploy applied -n n by=others")?;
    let changed = APPLIED.replace("      - {name: two, image: 'two:1'}\n", "").replace("one:1", "one:2");
    expect(&s.ok_with("apply -n n -f -", &changed)?, "deployment.apps/applied configured")?;
    let object = s.json("deploy applied -n n")?;
    let containers = &object["spec"]["template"]["spec"]["containers"];
    let images: Vec<&Value> = containers.as_array().into_iter().flatten().map(|c| &c["image"]).collect();
    equal(&json!(images), &json!(["one:2"]))?;
    equal(&object["metadata"]["annotations"]["by"], &json!("others"))?;
    s.prints("apply view-last-applied deploy applied -n n", &["one:2"])?;
    expect(&s.ok_with("apply -n n --dry-run=server -f -", APPLIED)?, "configured (server dry run)")
}

fn diff(s: &Session) -> Result<(), String> {
    let same = APPLIED.replace("      - {name: two, image: 'two:1'}\n", "").replace("one:1", "one:2");
    let output = s.run_with("diff -n n -f -", &same, &[])?;
    if output.code != 0 || !output.out.is_empty() {
        return Err(output.wrong("to find no difference"));
    }
    let output = s.run_with("diff -n n -f -", &same.replace("replicas: 1", "replicas: 4"), &[])?;
    if output.code != 1 || !output.out.contains("-  replicas: 1") || !output.out.contains("+  replicas: 4") {
        return Err(output.wrong("to show a difference, with code 1"));
    }
    Ok(())
}

fn edit(s: &Session) -> Result<(), String> {
    let editor = [("KUBE_EDITOR", "sed -i s/nginx/edited/")];
    s.run_with("edit deploy d -n n", "", &editor)?.has(&["deployment.apps/d edited"])?;
    equal(&s.json("deploy d -n n")?["spec"]["template"]["spec"]["containers"][0]["image"], &json!("edited"))?;
    s.run_with("edit cm c -n n", "", &[("KUBE_EDITOR", "true")])?.success().map(drop)
}

fn patch(s: &Session) -> Result<(), String> {
    for (kind, patch, replicas) in [
        ("merge", json!({"spec": {"replicas": 3}}), 3),
        ("strategic", json!({"spec": {"replicas": 4}}), 4),
        ("json", json!([{"op": "replace", "path": "/spec/replicas", "value": 5}]), 5),
    ] {
        s.prints(&format!("patch deploy d -n n --type={kind} -p '{patch}'"), &["deployment.apps/d patched"])?;
        equal(&s.json("deploy d -n n")?["spec"]["replicas"], &json!(replicas))?;
    }
    let patch = json!({"spec": {"replicas": 5}});
    s.prints(&format!("patch deploy d -n n -p '{patch}'"), &["patched (no change)"])?;
    let patch = json!({"status": {"replicas": 5, "readyReplicas": 5}});
    s.ok(&format!("patch deploy d -n n --subresource=status --type=merge -p '{patch}'"))?;
    equal(&s.json("deploy d -n n")?["status"]["readyReplicas"], &json!(5))
}

fn label_and_annotate(s: &Session) -> Result<(), String> {
    s.prints("label cm c -n n a=b", &["configmap/c labeled"])?;
    s.fails("label cm c -n n a=c", "already has a value (b), and --overwrite is false")?;
    s.ok("label cm c -n n a=c --overwrite")?;
    s.prints("label cm c -n n --list", &["a=c"])?;
    s.ok("label cm c -n n a-")?;
    s.prints("annotate cm c -n n a=b", &["configmap/c annotate"])?;
    let metadata = &s.json("cm c -n n")?["metadata"];
    equal(&metadata["annotations"], &json!({"a": "b"}))?;
    equal(&metadata["labels"], &Value::Null)
}

fn set(s: &Session) -> Result<(), String> {
    s.prints("set image deploy/d -n n *=set:1", &["deployment.apps/d image updated"])?;
    s.prints("set env deploy/d -n n A=B", &["deployment.apps/d env updated"])?;
    s.prints(
        "set resources deploy/d -n n --limits=cpu=1",
        &["deployment.apps/d resource requirements updated"],
    )?;
    s.prints("set serviceaccount deploy/d app -n n", &["deployment.apps/d serviceaccount updated"])?;
    s.prints("rollout restart deploy/d -n n", &["deployment.apps/d restarted"])?;
    s.prints("rollout pause deploy/d -n n", &["deployment.apps/d paused"])?;
    s.prints("rollout resume deploy/d -n n", &["deployment.apps/d resumed"])?;
    let pod = &s.json("deploy d -n n")?["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    equal(
        &json!([container["image"], container["env"], pod["serviceAccountName"]]),
        &json!(["set:1", [{"name": "A", "value": "B"}], "app"]),
    )
}

fn scale(s: &Session) -> Result<(), String> {
    s.prints("scale deploy d -n n --replicas=3", &["deployment.apps/d scaled"])?;
    equal(&s.json("deploy d -n n")?["spec"]["replicas"], &json!(3))?;
    s.fails("scale deploy d -n n --current-replicas=9 --replicas=1", "Expected replicas to be 9, was 3")?;
    s.prints("autoscale deploy d -n n --max=5", &["horizontalpodautoscaler.autoscaling/d autoscaled"])
}

/// What a controller would write.
fn roll_out(s: &Session) -> Result<(), String> {
    let generation = s.json("deploy d -n n")?["metadata"]["generation"].clone();
    let status = json!({"status": {
        "observedGeneration": generation, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
        "conditions": [{"type": "Available", "status": "True"}],
    }});
    s.ok(&format!("patch deploy d -n n --subresource=status --type=merge -p '{status}'")).map(drop)
}

fn rollout_status(s: &Session) -> Result<(), String> {
    let waiting = s.start("rollout status deploy/d -n n")?;
    waiting.line(&["Waiting for deployment"])?;
    roll_out(s)?;
    waiting.line(&["deployment \"d\" successfully rolled out"])
}

fn wait(s: &Session) -> Result<(), String> {
    s.prints(
        "wait --for=condition=Available deploy/d -n n --timeout=10s",
        &["deployment.apps/d condition met"],
    )?;
    s.prints("wait --for=jsonpath={.data.a}=b cm/c -n n --timeout=10s", &["configmap/c condition met"])?;
    s.ok("create cm goes -n n")?;
    let waiting = s.start("wait --for=delete cm/goes -n n --timeout=20s")?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    s.ok("delete cm goes -n n")?;
    waiting.line(&["configmap/goes condition met"])?;
    s.fails("wait --for=condition=Gone deploy/d -n n --timeout=1s", "timed out waiting for the condition")
}

fn expose_and_run(s: &Session) -> Result<(), String> {
    s.prints("expose deploy d -n n --port=80 --name=exposed", &["service/exposed exposed"])?;
    s.prints("run ran --image=nginx -n n", &["pod/ran created"])
}

fn replace(s: &Session) -> Result<(), String> {
    let mut object = s.json("cm c -n n")?;
    object["data"]["a"] = "replaced".into();
    expect(&s.ok_with("replace -f -", &object.to_string())?, "configmap/c replaced")?;
    object["data"]["a"] = "b".into();
    let stale = s.run_with("replace -f -", &object.to_string(), &[])?;
    if stale.code == 0 || !stale.err.contains("the object has been modified") {
        return Err(stale.wrong("to be refused, for another has written the object"));
    }
    object["metadata"].as_object_mut().ok_or("metadata")?.remove("resourceVersion");
    expect(&s.ok_with("replace --force -f -", &object.to_string())?, "configmap/c replaced")
}

fn describe(s: &Session) -> Result<(), String> {
    s.prints("describe deploy d -n n", &["Name:", "Replicas:", "3 desired", "Pod Template:", "Available"])?;
    s.prints("describe pod p -n n", &["Name:", "Containers:", "Image:", "nginx"])?;
    s.prints("describe ns n", &["Status:", "Active", "Resource Quotas"])?;
    s.prints("describe cm c -n n", &["Data", "====", "a:"])?;
    s.prints("describe secret s -n n", &["Type:", "Opaque", "password:  1 bytes"])?;
    s.prints("describe svc svc -n n", &["Selector:", "Port:"])?;
    s.prints("describe ingress i -n n", &["example.com"])?;
    s.prints("describe sa app -n n", &["Name:", "app"])?;
    s.prints("describe clusterrole cr", &["nodes", "[get]"])?;
    s.prints("describe cronjob cj -n n", &["Schedule:"])?;
    s.prints("describe hpa d -n n", &["Reference:", "Deployment/d"])
}

const EVENT: &str = r#"{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "p.1", "namespace": "n"},
"involvedObject": {"kind": "Pod", "name": "p", "uid": "UID", "namespace": "n", "apiVersion": "v1"}, "reason": "Scheduled", "type": "Normal",
"message": "told by a test", "source": {"component": "test"}, "firstTimestamp": "2026-01-02T03:04:05Z",
"lastTimestamp": "2026-01-02T03:04:05Z", "count": 1}"#;

fn events(s: &Session) -> Result<(), String> {
    let uid = s.ok("get pod p -n n -o jsonpath={.metadata.uid}")?;
    s.ok_with("create -f -", &EVENT.replace("UID", &uid))?;
    s.prints("get events -n n", &["LAST SEEN", "Normal", "Scheduled", "pod/p", "told by a test"])?;
    s.prints("events -n n", &["LAST SEEN", "Scheduled", "told by a test"])?;
    s.prints("events -n n --for pod/p", &["told by a test"])?;
    s.prints("describe pod p -n n", &["Events:", "told by a test"])
}

fn auth(s: &Session) -> Result<(), String> {
    s.prints("auth can-i create pods -n n", &["yes"])?;
    s.prints("auth can-i get /metrics", &["yes"])?;
    s.prints("auth can-i --list -n n", &["Resources", "*.*", "[*]"])?;
    s.prints("auth whoami", &["Username", "ada", "system:masters"])
}

fn create_token(s: &Session) -> Result<(), String> {
    let token = s.ok("create token app -n n --duration=20m")?;
    if token.trim().split('.').count() != 3 {
        return Err(format!("expected a token with three parts, found {token}"));
    }
    s.fails("create token nobody -n n", "serviceaccounts \"nobody\" not found")?;
    s.prints(&format!("auth whoami --token={}", token.trim()), &["Username"])
}

const REQUEST: &str = r#"{"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "csr"},
"spec": {"request": "YQ==", "signerName": "example.com/s", "usages": ["client auth"]}}"#;

fn certificate(s: &Session) -> Result<(), String> {
    s.ok_with("create -f -", REQUEST)?;
    s.prints("certificate approve csr", &["certificatesigningrequest.certificates.k8s.io/csr approved"])?;
    s.prints("get csr csr", &["CONDITION", "Approved"])
}

const NODE: &str = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}"#;

fn nodes(s: &Session) -> Result<(), String> {
    s.ok_with("create -f -", NODE)?;
    s.prints("get nodes", &["node-1", "ROLES", "VERSION"])?;
    s.prints("cordon node-1", &["node/node-1 cordoned"])?;
    s.prints("get nodes", &["SchedulingDisabled"])?;
    s.prints("uncordon node-1", &["node/node-1 uncordoned"])?;
    s.prints("taint nodes node-1 k=v:NoSchedule", &["node/node-1 tainted"])?;
    s.prints("describe node node-1", &["Taints:", "k=v:NoSchedule"])?;
    let on_node = POD.replace("name: p,", "name: drained,").replace("spec:\n", "spec:\n  nodeName: node-1\n");
    s.ok_with("create -n n -f -", &on_node)?;
    s.prints("drain node-1 --force --timeout=20s", &["node/node-1 drained"])?;
    s.fails("get pod drained -n n", "pods \"drained\" not found")
}

fn delete(s: &Session) -> Result<(), String> {
    s.prints("delete secret s -n n", &["secret \"s\" deleted"])?;
    s.fails("get secret s -n n", "secrets \"s\" not found")?;
    s.fails("delete secret s -n n", "secrets \"s\" not found")?;
    s.ok("delete secret s -n n --ignore-not-found")?;
    s.ok("delete pod p -n n --grace-period=0 --force")?;
    s.ok("delete deploy applied -n n --cascade=orphan")?;
    s.ok("delete cm c -n n --dry-run=server")?;
    s.prints("get cm c -n n", &["c "])
}

fn delete_with_finalizers(s: &Session) -> Result<(), String> {
    s.ok("create cm kept -n n")?;
    let finalizers = json!({"metadata": {"finalizers": ["example.com/f"]}});
    s.ok(&format!("patch cm kept -n n --type=merge -p '{finalizers}'"))?;
    s.prints("delete cm kept -n n --wait=false", &["configmap \"kept\" deleted"])?;
    let kept = s.json("cm kept -n n")?;
    if kept["metadata"]["deletionTimestamp"].is_null() {
        return Err(format!("expected an object that is being deleted, found {kept}"));
    }
    let waiting = s.start("delete cm kept -n n")?;
    waiting.line(&["deleted"])?;
    let none = json!({"metadata": {"finalizers": null}});
    s.ok(&format!("patch cm kept -n n --type=merge -p '{none}'"))?;
    s.fails("get cm kept -n n", "configmaps \"kept\" not found")
}

fn delete_many(s: &Session) -> Result<(), String> {
    for name in ["one", "two", "three"] {
        s.ok(&format!("create cm {name} -n other"))?;
    }
    s.ok("label cm one two -n other group=g")?;
    s.prints("delete cm -n other -l group=g", &["configmap \"one\" deleted", "configmap \"two\" deleted"])?;
    s.prints("delete cm --all -n other", &["configmap \"three\" deleted"])?;
    s.prints("delete ns other", &["namespace \"other\" deleted"])
}

fn raw(s: &Session) -> Result<(), String> {
    s.prints("get --raw /version", &["\"major\""])?;
    s.prints("get --raw /readyz", &["ok"])?;
    s.prints("get --raw /api/v1/namespaces/n/configmaps?limit=1", &["ConfigMapList"])?;
    s.prints("get --raw /openapi/v3", &["apis/apps/v1"])?;
    s.prints("cluster-info", &["Kubernetes control plane"])
}

fn refused(s: &Session) -> Result<(), String> {
    s.ok_with("create -n n -f -", &POD.replace("name: p,", "name: far,"))?;
    let why = "is not implemented";
    let file = s.file("copied");
    s.fails("logs far -n n", why)?;
    for line in [
        "exec far -n n -- ls".to_owned(),
        format!("cp n/far:/x {}", file.display()),
        "attach far -n n".to_owned(),
    ] {
        let output = s.run(&line)?;
        if output.code == 0 || output.err.trim().is_empty() {
            return Err(output.wrong("to be refused"));
        }
    }
    if file.exists() { Err("something was copied".to_owned()) } else { Ok(()) }
}

fn errors(s: &Session) -> Result<(), String> {
    s.fails("get nothing", "the server doesn't have a resource type \"nothing\"")?;
    s.fails("get pods none -n n", "Error from server (NotFound): pods \"none\" not found")?;
    s.fails("create cm 'A B' -n n", "is invalid")?;
    let wrong = POD.replace("name: c\n", "name: 'C C'\n").replace("name: p,", "name: wrong,");
    let output =
        s.run_with("create -n n -f - --validate=false", &wrong.replace("image: nginx", "image: 5"), &[])?;
    if output.code == 0 { Err(output.wrong("to be refused")) } else { Ok(()) }
}

pub fn expect(out: &str, text: &str) -> Result<(), String> {
    if out.contains(text) { Ok(()) } else { Err(format!("expected `{text}`, found\n{out}")) }
}

pub fn equal(found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("expected {expected}, found {found}")) }
}
