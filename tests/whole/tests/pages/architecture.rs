//! ARCHITECTURE.md describes the crates as they are: what depends on what, and which tests guard the
//! invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::pages;

fn page() -> String {
    pages::read(&pages::root().join("ARCHITECTURE.md"))
}

/// The cells of the rows of the table that begins with this header.
fn table<'a>(page: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let start = page.find(header).unwrap_or_else(|| panic!("no table `{header}`"));
    let rows = page[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// What is between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The name of a package as the table has it: without `hubgen-`, `cli` for the command, and that of the folder for
/// generated crates and examples.
fn short(name: &str, path: &Path) -> Option<String> {
    let path = path.strip_prefix(pages::root()).ok()?;
    let wing = path.components().next()?.as_os_str().to_str()?;
    let is_one = matches!(wing, "generated" | "examples");
    let own = || if name == "hubgen" { "cli" } else { name.strip_prefix("hubgen-").unwrap_or(name) };
    Some(if is_one { wing } else { own() }.to_owned())
}

/// Each package of the workspace, with those it depends on.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(pages::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let named = |package: &Value, path: &str| -> Option<String> {
        short(package["name"].as_str()?, Path::new(package[path].as_str()?))
    };
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("a list of packages") {
        let name = named(package, "manifest_path").expect("a package below the root");
        let of = out.entry(name).or_default();
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            if dependency["kind"].is_null() {
                of.extend(named(dependency, "path"));
            }
        }
    }
    out
}

/// The folders at the top are the wings of the house. The page describes each, and there are few.
#[test]
fn the_top_has_the_wings_of_the_page() {
    let entries = std::fs::read_dir(pages::root()).expect("the repository can be read");
    let is_built = |name: &str| name == "target" || name.starts_with('.');
    let found: BTreeSet<String> = entries
        .map(|entry| entry.expect("the entry can be read"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !is_built(name))
        .collect();
    let page = page();
    let listed: BTreeSet<String> = table(&page, "| wing | what it is for |")
        .into_iter()
        .map(|row| quoted(row[0]).next().unwrap_or_default().trim_end_matches('/').to_owned())
        .collect();
    assert_eq!(found, listed, "left: the folders, right: ARCHITECTURE.md");
    assert!(found.len() <= 12, "{} folders", found.len());
}

#[test]
fn crates_depend_on_what_the_table_lists() {
    let page = page();
    let listed: BTreeMap<String, BTreeSet<String>> = table(&page, "| crate | depends on |")
        .into_iter()
        .map(|row| {
            let name = quoted(row[0]).next().unwrap_or_else(|| panic!("no crate in {row:?}"));
            (name.to_owned(), quoted(row[1]).map(str::to_owned).collect())
        })
        .collect();
    assert_eq!(dependencies(), listed, "left: the Cargo.toml files, right: ARCHITECTURE.md");
}

/// A group that is new would be large in memory, and nobody would notice.
#[test]
fn every_generated_crate_is_optimised_for_size() {
    let manifest = pages::read(&pages::root().join("Cargo.toml"));
    let listed: BTreeSet<&str> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("hubgen-")?.strip_suffix(".opt-level = \"s\""))
        .collect();
    let folders = std::fs::read_dir(pages::root().join("generated")).expect("the folder can be read");
    let found: Vec<PathBuf> = folders.map(|entry| entry.expect("the entry can be read").path()).collect();
    let found: BTreeSet<&str> = found
        .iter()
        .filter(|path| path.is_dir())
        .filter_map(|path| path.file_name().and_then(|name| name.to_str()))
        .collect();
    assert_eq!(
        found, listed,
        "left: the crates in generated/, right: [profile.release.package] of Cargo.toml"
    );
}

/// Every Rust file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The generator prints ops, the interpreter runs them and the report describes them. None of them names
/// the type of a rule.
#[test]
fn nothing_that_converts_reads_rules() {
    let is_rule =
        |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "Rule");
    for folder in [
        "codegen/codegen/src/emit",
        "machinery/interpret/src",
        "codegen/plan/src/report",
        "machinery/machinery/src",
    ] {
        let files = sources(&pages::root().join(folder));
        assert!(!files.is_empty(), "{folder} contains no source");
        for file in files {
            let text = pages::read(&file);
            assert_eq!(text.lines().find(|line| is_rule(line)), None, "{} reads rules", file.display());
        }
    }
    let lower = pages::read(&pages::root().join("codegen/plan/src/program/lower.rs"));
    assert!(lower.lines().any(is_rule), "the pattern finds rules where they are read");
}

/// One door for every listener: what one attack taught guards all.
#[test]
fn one_loop_accepts_connections() {
    let wings = ["cli", "codegen", "derive", "machinery", "server", "xtask"];
    let files = wings.iter().flat_map(|wing| sources(&pages::root().join(wing)));
    let product = files.filter(|file| !file.components().any(|part| part.as_os_str() == "tests"));
    let accepting = product.flat_map(|file| {
        let count = pages::read(&file).matches(".accept()").count();
        std::iter::repeat_n(file, count)
    });
    let door = pages::root().join("server/serve/src/connection/mod.rs");
    assert_eq!(accepting.collect::<Vec<_>>(), [door]);
}

/// The guards that the table of invariants names: `[file](path) `test``.
#[test]
fn guards_of_invariants_exist() {
    let page = page();
    let mut count = 0;
    for row in table(&page, "| invariant | guarded by |") {
        for link in row[1].split("](").skip(1) {
            let (path, rest) = link.split_once(')').expect("a link ends");
            let Some(names) = rest.split('[').next().filter(|_| path.ends_with(".rs")) else { continue };
            let text = pages::read(&pages::root().join(path));
            for name in quoted(names).filter(|name| !name.contains(' ')) {
                count += 1;
                assert!(text.contains(&format!("fn {name}()")), "{path} contains no test `{name}`");
            }
        }
    }
    assert!(count > 10, "{count} tests are named");
}

/// Files and folders that the pages name outside of links, in tables and pictures.
#[test]
fn sources_that_the_pages_name_exist() {
    let root = pages::root();
    let mut count = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = pages::read(&root.join(page));
        let ends = |c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '[' | ']' | ',' | ';' | '|');
        let is_source = |word: &&str| word.contains("/src/") || word.contains("/tests/");
        for word in text.split(ends).filter(is_source).filter(|word| !word.contains(['{', '<', '*', '…'])) {
            count += 1;
            let path = word.trim_end_matches(['.', ':']);
            assert!(root.join(path).exists(), "{page} names {path}, which does not exist");
        }
    }
    assert!(count > 50, "{count} paths are named");
}
