//! Writes crates with generated code for tables, and runs them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use hubgen_codegen::{Form, Origins, Target, generate};
use hubgen_documents::Diagnostic;
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::generated::Generator;
use hubgen_documents::schema::{self, Carried};
use hubgen_laws::objects::bytes;
use hubgen_model::{Api, Origin};

use crate::check::{interpreted, kubernetes};
use crate::edits::Edit;
use crate::table::Table;

/// How many tables one crate has: cargo compiles one at a time, and one with more needs more memory.
const IN_ONE: u64 = 200;

/// Compiles the tables of some seeds and compares them with the interpreter, one crate after the other.
pub fn run(seeds: Range<u64>, objects: u64) -> ExitCode {
    let (mut refused, mut failed) = (0, 0);
    for start in seeds.clone().step_by(IN_ONE as usize) {
        let part = start..seeds.end.min(start.saturating_add(IN_ONE));
        match one(&part, objects) {
            Ok(Some(count)) => refused += count,
            Ok(None) => failed += 1,
            Err(error) => {
                failed += 1;
                eprintln!("seeds {} to {}: {error}", part.start, part.end);
            }
        }
    }
    println!("{refused} tables are refused; {failed} crates failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many tables of one crate are refused; `None` if its program found a difference.
fn one(seeds: &Range<u64>, objects: u64) -> Result<Option<usize>, String> {
    let target = env::current_dir().map_err(|error| error.to_string())?.join("target");
    let (folder, kubernetes) = (target.join("tables"), kubernetes());
    let (mut files, mut compiled, mut crates) = (Files::new(), Vec::new(), BTreeSet::new());
    for seed in seeds.clone() {
        let table = Table::new(&bytes(seed), &Edit::FITTING);
        if interpreted(&table, &kubernetes, None)?.is_none() {
            continue;
        }
        let module = format!("t{seed}");
        crates.extend(code(&table, &kubernetes, &module, &folder.join("schemas"), &mut files)?);
        compiled.push((seed, module));
    }
    let refused = (seeds.end - seeds.start) as usize - compiled.len();
    files.insert(PathBuf::from("src/main.rs"), program(&compiled, objects));
    files.insert(PathBuf::from("Cargo.toml"), manifest(&crates));
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    files.insert(PathBuf::from("Cargo.lock"), fs::read_to_string(lock).map_err(|error| error.to_string())?);
    write(&folder.join("crate"), &files)?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["run", "--quiet", "--offline", "--target-dir"])
        .arg(&target)
        .current_dir(folder.join("crate"));
    // The lines of generated code are of no use here, and take time.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    let status = cargo.status().map_err(|error| format!("cargo: {error}"))?;
    Ok(status.success().then_some(refused))
}

/// Adds the generated modules of a table to a crate. Returns the crates of Kubernetes' types that they need.
fn code(
    table: &Table,
    kubernetes: &Api,
    module: &str,
    schemas: &Path,
    files: &mut Files,
) -> Result<Vec<String>, String> {
    let mut api = table.api(kubernetes);
    api.versions.retain(|_, version| version.origin != Origin::Foreign);
    let mut texts: Files = schema::files(&api, None);
    texts.insert(table.rules_file(), table.rules.clone());
    write(schemas, &texts)?;
    let target = Target {
        generator: Generator { command: "cargo xtask fuzz tables".to_owned(), version: None },
        form: Form::Modules { path: vec![module.to_owned()] },
        origins: Origins::schemas("schemas"),
        ..Target::kubernetes()
    };
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let generated = generate(schemas, &carried, &target).map_err(|errors| {
        format!("{module}, which the planner accepts, is not generated: {}\n{}", joined(&errors), table.rules)
    })?;
    files.extend(
        generated.files.into_iter().map(|(path, text)| (Path::new("src").join(module).join(path), text)),
    );
    Ok(generated.crates.into_keys().collect())
}

/// Makes a folder contain these files and no others.
fn write(folder: &Path, files: &Files) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let there = Folder::read(folder).map_err(|errors| joined(&errors))?;
    there.changes(files).write().map_err(|error| format!("{}: {error}", folder.display()))
}

fn joined(errors: &[Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn program(compiled: &[(u64, String)], objects: u64) -> String {
    let modules: String = compiled.iter().map(|(_, module)| format!("mod {module};\n")).collect();
    let tables: String =
        compiled.iter().map(|(seed, module)| format!("        ({seed}, {module}::scheme),\n")).collect();
    format!(
        "#![deny(warnings)]\n\n{modules}\nfn main() -> std::process::ExitCode {{\n    hubgen_tables::compiled::compare(&[\n{tables}    ], {objects})\n}}\n"
    )
}

fn manifest(crates: &BTreeSet<String>) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = |folder: &str| root.join(folder).display().to_string();
    let groups: String = crates
        .iter()
        .map(|name| {
            let folder = path(&format!("generated/{}", name.trim_start_matches("hubgen-")));
            format!("{name} = {{ path = {folder:?}, default-features = false, features = [\"v1\"] }}\n")
        })
        .collect();
    format!(
        "[package]\nname = \"compiled-tables\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         hubgen-machinery = {{ path = {:?} }}\nhubgen-tables = {{ path = {:?} }}\n{groups}",
        path("machinery/machinery"),
        path("tests/tables"),
    )
}
