//! What the conversions of an operator's kinds cost: by generated code, beside the operator's own functions in Go.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use serde_json::{Value, json};

use super::costs::{build, versions_text};
use super::{Report, Result};
use crate::programs::{self, compiler, plain_cargo, root, run, scratch};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the operator, below tests/operators
    folder: PathBuf,
    /// The Go program of the operator
    #[arg(long, value_name = "PROGRAM")]
    answers: PathBuf,
    /// How many objects of each kind are converted from each version to each other one
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// How often each of them is converted
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Measure the webhooks over TLS, too: the Go program has the operator's own
    #[arg(long)]
    webhook: bool,
}

/// Generates and builds a program, and lets both convert the same objects.
pub fn measure(args: &Args) -> Result<Report> {
    let name =
        args.folder.file_name().and_then(|name| name.to_str()).ok_or("expected a folder with a name")?;
    let folder = scratch().join("operators").join(name);
    generate(&args.folder, &folder)?;
    let mut cargo = plain_cargo();
    cargo.args(["build", "--release", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    run(cargo.env("CARGO_TARGET_DIR", scratch()))?;
    let ours = scratch().join("release").join(format!("operator-{name}"));
    let requests = folder.join("requests");
    let mut checks = programs::cargo();
    checks.args(["build", "--release", "--package", "hubgen-checks"]);
    run(checks.arg("--manifest-path").arg(root().join("Cargo.toml")))?;
    let (lines, _) = run(Command::new(root().join("target/release/hubgen-checks"))
        .arg("operators")
        .arg(&args.folder)
        .arg("--answers")
        .arg(&args.answers)
        .args(["--requests", "--count", &args.count.to_string()]))?;
    written(&requests, &lines)?;
    let bench = build("bench-operators", "default", "bench-operators")?;
    let mut bench = Command::new(bench);
    bench.arg(&requests).arg(args.rounds.to_string()).args([&ours, &args.answers]);
    if args.webhook {
        bench.arg("webhook");
    }
    let (out, _) = run(&mut bench)?;
    let figures =
        serde_json::from_str(&out).map_err(|error| format!("the benchmark printed no JSON: {error}"))?;
    Ok(report(name, &figures, &json!({"compiler": compiler()?})))
}

/// Writes a crate whose program has the code that is generated for the operator's schemas and rules.
fn generate(from: &Path, to: &Path) -> Result<()> {
    copy(&from.join("schemas"), &to.join("schemas"))?;
    // A key at the end would be one of the last table.
    let config = read(&from.join("hubgen.toml"))?;
    written(&to.join("hubgen.toml"), &format!("out = \"src/api\"\nmodule = \"crate::api\"\n{config}"))?;
    let mut hubgen = programs::cargo();
    hubgen.args(["run", "--quiet", "--release", "--package", "hubgen", "--manifest-path"]);
    hubgen.arg(root().join("Cargo.toml")).args(["--", "generate", "--crates-from"]).arg(root());
    run(hubgen.arg("--config").arg(to.join("hubgen.toml")))?;
    let mut main = "mod api;\n".to_owned();
    let functions = from.join("functions.rs");
    if functions.exists() {
        let path = absolute(&functions)?;
        let _ = writeln!(main, "#[path = {path:?}]\n#[allow(dead_code)]\nmod functions;");
        for name in between(&read(&functions)?, ".with(\"crate::", "\"") {
            let _ = writeln!(main, "use functions::{name};");
        }
    }
    let types = from.join("types.rs");
    if types.exists() {
        let _ = writeln!(main, "mod types {{\n{}}}", whole_types(&read(&types)?, &to.join("src/api"))?);
    }
    main += "\nfn main() {\n    bench_operators::run(api::scheme());\n}\n";
    written(&to.join("src/main.rs"), &main)?;
    written(&to.join("Cargo.toml"), &manifest(from))?;
    written(&to.join("Cargo.lock"), &read(&root().join("benches/Cargo.lock"))?)
}

/// Imports of the modules that have the generated types in the place of those that only have the fields for functions.
fn whole_types(types: &str, api: &Path) -> Result<String> {
    let mut out = String::new();
    for part in types.split("pub mod ").skip(1) {
        let version = part.split(' ').next().unwrap_or_default();
        let name = between(part, "pub struct ", " ").next().unwrap_or_default().to_owned();
        let groups = fs::read_dir(api).map_err(|error| format!("{}: {error}", api.display()))?;
        let has_type = |group: &PathBuf| {
            let module = group.join(version).join("mod.rs");
            fs::read_to_string(module).is_ok_and(|text| {
                text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name)
            })
        };
        let group = groups.flatten().map(|entry| entry.path()).find(has_type);
        let group = group.as_ref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        let group = group.ok_or_else(|| format!("no group has a type {name} at {version}"))?;
        let _ = writeln!(out, "    pub use crate::api::{group}::{version};");
    }
    Ok(out)
}

fn between<'a>(text: &'a str, start: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).filter_map(move |rest| rest.split(end).next())
}

fn manifest(from: &Path) -> String {
    let name = from.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let path = |folder: &str| root().join(folder).display().to_string();
    format!(
        "[package]\nname = \"operator-{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         bench-operators = {{ path = {:?} }}\nhubgen-machinery = {{ path = {:?} }}\n\
         hubgen-meta = {{ path = {:?}, default-features = false, features = [\"v1\"] }}\nserde_json = \"1\"\n",
        path("benches/operators"),
        path("machinery/machinery"),
        path("generated/meta"),
    )
}

/// Copies a folder with all below it. Links become what they point to.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let wrong = |error: io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(wrong)?;
    for entry in fs::read_dir(from).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            written(&target, &read(&path)?)?;
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn written(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let result = fs::create_dir_all(folder).and_then(|()| fs::write(file, text));
    result.map_err(|error| format!("{}: {error}", file.display()))
}

fn absolute(file: &Path) -> Result<PathBuf> {
    file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))
}

fn report(name: &str, figures: &Value, versions: &Value) -> Report {
    let mut text = versions_text(versions);
    let conversions = figures["conversions"].as_f64().unwrap_or(f64::NAN);
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let theirs = number(&figures["nanoseconds"]["theirs"]);
    let _ = writeln!(text, "{name}: {conversions} conversions, processor time of each in microseconds\n");
    let mut row = |title: &str, nanoseconds: f64, count: f64, peer: f64| {
        let each = nanoseconds / count / 1000.0;
        let _ = writeln!(text, "{title:<56}{each:>10.2}{:>8.2}", nanoseconds / peer);
    };
    for (title, way) in [
        ("hubgen, JSON that is not decoded", "json"),
        ("hubgen, decoded and encoded", "typed"),
        ("the operator, decoded and encoded", "theirs"),
    ] {
        row(title, number(&figures["nanoseconds"][way]), conversions, theirs);
    }
    let webhook = &figures["webhook"];
    if webhook.is_object() {
        let reviews = number(&webhook["reviews"]);
        for (title, what) in [
            ("a review over TLS, the webhook's processor", "processor"),
            ("a review over TLS, until its answer", "clock"),
        ] {
            let peer = number(&webhook["theirs"][what]);
            row(&format!("hubgen, {title}"), number(&webhook["ours"][what]), reviews, peer);
            row(&format!("the operator, {title}"), peer, reviews, peer);
        }
    }
    let _ = writeln!(text, "\nrefused: {}", figures["refused"]);
    if webhook.is_object() {
        let _ = writeln!(
            text,
            "reviews: {}, without {} that one webhook refuses",
            webhook["reviews"], webhook["left_out"]
        );
    }
    Report { text, json: json!({"versions": versions, "figures": figures}) }
}
