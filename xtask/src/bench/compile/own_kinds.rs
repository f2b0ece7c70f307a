//! A crate with ten kinds of a user, each at three versions: written with hubgen, and with kube's derive and
//! conversions by hand.
//!
//! `benches/own_kinds` has one kind of each side. Here, each file gets it ten times.

use std::fs;
use std::path::Path;

use hubgen_codegen::{Job, Target};
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use serde_json::{Map, Value, json};

use super::subject::Subject;
use super::{K8S_OPENAPI, KUBE, Peers, RELEASE, Result};
use crate::programs::{root, run};

const KINDS: usize = 10;

/// Both sides, which were shown to do the same.
pub(super) fn sides(peers: &Peers) -> Result<[Subject; 2]> {
    let sides = [ours()?, theirs(peers)?];
    let [ours, theirs] = [answers(&sides[0])?, answers(&sides[1])?];
    if ours != theirs {
        return Err(format!(
            "own kinds: expected both sides to convert an object, and to define a kind, in the same way; found\n\
             {ours:#}\nand\n{theirs:#}"
        ));
    }
    Ok(sides)
}

fn ours() -> Result<Subject> {
    let meta = root().join("generated/meta");
    let dependencies = format!(
        "hubgen-machinery = {{ path = {:?} }}\n\
         hubgen-meta = {{ path = {meta:?}, default-features = false, features = [\"v1\"] }}\n",
        root().join("machinery/machinery")
    );
    let modules = "pub mod generated;\npub mod v1;\npub mod v1alpha1;\npub mod v1beta1;\n";
    let subject = Subject::user(
        "own-kinds-hubgen",
        &dependencies,
        &[
            ("hubgen.toml", "source = \"src/api\"\n".to_owned()),
            ("src/api/mod.rs", modules.to_owned()),
            ("src/api/v1.rs", ten_times("hubgen/v1.rs")?),
            ("src/api/v1alpha1.rs", ten_times("hubgen/v1alpha1.rs")?),
            ("src/api/v1beta1.rs", ten_times("hubgen/v1beta1.rs")?),
            ("src/lib.rs", ten_times("hubgen/lib.rs")?),
            ("examples/answers.rs", first("hubgen/answers.rs")?),
        ],
    )?;
    generate(&subject.folder)?;
    Ok(subject)
}

fn theirs(peers: &Peers) -> Result<Subject> {
    let dependencies = format!(
        "{K8S_OPENAPI} = {{ version = \"={}\", default-features = false, features = [\"schemars\", {RELEASE:?}] }}\n\
         {KUBE} = {{ version = \"={}\", default-features = false, features = [\"derive\"] }}\n\
         schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n",
        peers.k8s_openapi.version, peers.kube.version
    );
    Subject::user(
        "own-kinds-kube",
        &dependencies,
        &[
            ("src/convert.rs", ten_times("kube/convert.rs")?),
            ("src/v1.rs", ten_times("kube/v1.rs")?),
            ("src/v1alpha1.rs", ten_times("kube/v1alpha1.rs")?),
            ("src/v1beta1.rs", ten_times("kube/v1beta1.rs")?),
            ("src/lib.rs", ten_times("kube/lib.rs")?),
            ("examples/answers.rs", first("kube/answers.rs")?),
        ],
    )
}

/// What `hubgen generate` writes.
fn generate(folder: &Path) -> Result<()> {
    let schemas = root().join("schemas/kubernetes");
    let meta = schemas.join("meta.k8s.io/v1.json");
    let meta = fs::read_to_string(&meta).map_err(|error| format!("{}: {error}", meta.display()))?;
    let generated = Project::read(&folder.join("hubgen.toml")).and_then(|project| {
        let job = Job {
            schemas: &project.root.join(&project.schemas),
            carried: &Carried::new([("meta.k8s.io/v1.json", meta.as_str())]),
            target: &Target::project(&project),
            out: &project.root.join(&project.out),
        };
        job.run(false)
    });
    let text = |errors: Vec<hubgen_documents::Diagnostic>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    generated.map(drop).map_err(text)
}

/// A file of `benches/own_kinds`, with ten kinds. What is above its first empty line is there once.
fn ten_times(file: &str) -> Result<String> {
    let text = template(file)?;
    let (head, body) = text.split_once("\n\n").ok_or_else(|| {
        format!("benches/own_kinds/{file}: expected an empty line between imports and what is repeated")
    })?;
    let bodies: String = (0..KINDS).map(|number| format!("\n{}", kind(body, number))).collect();
    Ok(format!("{head}\n{bodies}"))
}

/// A file of `benches/own_kinds`, with the first kind.
fn first(file: &str) -> Result<String> {
    Ok(kind(&template(file)?, 0))
}

fn kind(text: &str, number: usize) -> String {
    text.replace("Widget", &format!("Widget{number}")).replace("widget", &format!("widget{number}"))
}

fn template(file: &str) -> Result<String> {
    let path = root().join("benches/own_kinds").join(file);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// What a side makes of an object at the oldest version: the newest version, the oldest one again, and the definition
/// of the kind.
fn answers(side: &Subject) -> Result<Value> {
    let object = json!({
        "apiVersion": "example.com/v1alpha1", "kind": "Widget0", "metadata": {"name": "a", "labels": {"b": "c"}},
        "spec": {
            "size": 3, "color": "red", "keySecret": "s", "paused": true, "labels": {"d": "e"},
            "items": [{"name": "f", "count": 4}, {"name": "g"}],
            "template": {"image": "h", "args": ["i"], "env": {"j": "k"}},
        },
        "status": {"ready": false, "message": "l"},
    });
    let mut command = side.cargo();
    let (out, _) =
        run(command.args(["run", "--quiet", "--example", "answers", "--"]).arg(object.to_string()))?;
    let answers: Value = serde_json::from_str(&out).map_err(|error| format!("{out}: {error}"))?;
    Ok(json!({"newest": answers[0], "oldest": answers[1], "definition": definition(&answers[2])}))
}

/// What a definition specifies, without what an API server adds or ignores.
fn definition(definition: &Value) -> Value {
    let spec = &definition["spec"];
    let versions = spec["versions"].as_array().into_iter().flatten().map(|version| {
        let schema = &version["schema"]["openAPIV3Schema"];
        let mut properties =
            json!({"spec": schema["properties"]["spec"], "status": schema["properties"]["status"]});
        without_null(&mut properties);
        let version_of = |key: &str| version[key].clone();
        let rest = ["served", "storage", "subresources"].map(version_of);
        (version["name"].to_string(), json!([rest, schema["required"], properties]))
    });
    let names = ["kind", "plural", "singular"].map(|name| &spec["names"][name]);
    json!({
        "group": spec["group"],
        "scope": spec["scope"],
        "names": names,
        "versions": versions.collect::<Map<_, _>>(),
    })
}

/// Removes `nullable`: kube's definitions allow `null` wherever a field is an option, ours where users ask for it.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("nullable");
            members.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
