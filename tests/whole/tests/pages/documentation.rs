//! The documentation's code blocks: each is run, or read, or named here with the reason why not.
//!
//! - `rust` blocks are doctests of this crate's library, in `src/lib.rs`. Those of `crate.md`, the front page of a
//!   generated crate, are doctests of that crate. Those about kube are in `../kube/lib.rs`. `packed.rs` builds the crate
//!   that `docs/three-versions.md` makes, and `newcomer.rs` that of `docs/own-apis.md`.
//! - `console` blocks run in a shell, as `support/terminal.rs` describes. Output that a block shows
//!   is compared with what the command prints. Commands that cannot run here are in [`LEFT_OUT`].
//! - `toml` blocks are read as rules, as `canonical.toml`, as defaults or as a manifest of Cargo.
//! - `yaml` and `json` blocks are read.
//! - `python` and `javascript` blocks are fixtures for tests: files in `tests/clients`, which `cargo xtask check clients languages` runs.
//! - `text` blocks are pictures and output without a command.
//!
//! `UPDATE=1 cargo test --package hubgen-tests --test pages documentation` writes the output of the
//! commands in `docs/first-minute.md` anew.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Mutex;
use std::{env, fs, thread};

use hubgen_documents::project::{self, Project};
use hubgen_documents::{Diagnostic, Source, behaviour, columns, defaults, rules};
use hubgen_kubernetes::machinery::yaml;

use crate::markdown::{self, Block, TUTORIAL};
use crate::pages;
use crate::terminal::{self, Done, Shown, Terminal};

/// The page that shows all output, recorded.
const FIRST_MINUTE: &str = "docs/first-minute.md";

/// Commands that cannot run here, by a part of their text, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("kubectl apply --server-side", "needs kubectl and a server"),
    ("report --target 1.37 --cluster", "needs a cluster; tests/whole/tests/server/report.rs reads one"),
    ("kubectl get secret", "needs a cluster with releases of Helm"),
    ("| kubectl replace", "needs a cluster with releases of Helm"),
    ("--velero-backup old.tar.gz", "needs a backup; the page makes one further down"),
    ("cargo test", "these tests would start themselves"),
    ("cargo run --example", "examples/tests/outputs.rs runs every example"),
    ("(cd go && go build", "downloads an operator's module"),
    ("(cd tests/operators", "downloads an operator's module"),
    ("cargo build --release --package hubgen-checks", "a build in release takes minutes"),
    ("target/release/hubgen-checks", "a build in release takes minutes"),
    ("cargo fmt", ".ci/run runs it"),
    ("cargo clippy", ".ci/run runs it"),
    ("cargo xtask generate --check", ".ci/run runs it"),
    ("mood: calm", "converts fields that the page makes up"),
    ("--package bench-store", "measures for minutes, and needs a C compiler"),
    (
        "&& go build",
        "needs Go; tests/whole/tests/server/client_go.rs and tests/checks/tests/scheme.rs build these programs",
    ),
    (
        "cargo package --workspace",
        "compiles every package for minutes; tests/whole/tests/outside/packed.rs builds with them",
    ),
    ("/tmp/client", "needs a program in Go; tests/whole/tests/server/client_go.rs runs it"),
    ("check operators", "needs a program in Go, which is built from an operator's module"),
    ("| /tmp/scheme", "needs a program in Go; tests/checks/tests/scheme.rs runs it"),
    ("| /tmp/tables", "needs a program in Go; tests/checks/tests/scheme.rs runs it"),
    ("| scheme", "needs a program in Go; tests/checks/tests/scheme.rs runs it"),
    ("tests/differential/for-release", "downloads the modules of an older release of Kubernetes"),
    ("openssl req", "makes files, for a program that is not built here"),
    ("webhook.log", "needs a program that is not built here; server/webhook/tests/server.rs starts one"),
    (
        "https://localhost:9443",
        "needs a program that is not built here; server/webhook/tests/server.rs sends reviews",
    ),
    ("| etcdctl txn", "needs an etcd"),
    ("etcdctl get --prefix \"\" --rev 1000", "needs an etcd with such a history"),
    ("stored --snapshot snapshot.db --revision 1000", "needs an etcd with such a history"),
    ("HUBGEN_TOKEN", "needs an API server"),
    ("https://127.0.0.1:6443", "needs an API server"),
    ("upstream/openapi/v1.35", "needs the published documents of a release"),
    ("differential discovery", "needs a server; tests/whole/tests/server/releases.rs compares the same"),
    ("check clients", "needs real clients, and takes minutes"),
    ("hubgen envtest install", "writes a folder; tests/whole/tests/server/envtest.rs does it"),
    ("go test", "needs tests in Go"),
    ("laws --answered", "takes half a minute without optimisation; tests/checks/tests/laws.rs runs it"),
];

/// Commands that end with another code than 0, by a part of their text.
const CODES: &[(&str, i32)] = &[
    ("hubgen convert --newest --check", 1),
    ("hubgen convert --helm-release --check", 1),
    ("hubgen generate   # not yet", 1),
    ("hubgen report --target 1.37 manifests/", 1),
];

#[test]
fn every_block_is_of_a_known_language() {
    let blocks = markdown::all();
    assert!(blocks.len() > 10, "{blocks:?}");
    for block in blocks {
        let known = ["rust", "console", "toml", "yaml", "json", "text", "python", "javascript"];
        assert!(
            known.contains(&&*block.language),
            "{block}: `{}` is none of {known:?}; tests do not know what to do with this block",
            block.language,
        );
    }
}

#[test]
fn every_rust_block_is_a_doctest() {
    let doctests = ["src/lib.rs", "../kube/lib.rs"].map(|file| fs::read_to_string(file).unwrap()).concat();
    let included = |file: &str| {
        ["../..", "../../.."].iter().any(|up| doctests.contains(&format!("include_str!(\"{up}/{file}\")")))
    };
    let blocks: Vec<Block> = of_language("rust").collect();
    assert!(!blocks.is_empty());
    for block in blocks.iter().filter(|block| block.crate_file().is_none()) {
        assert!(included(&block.file), "{block}: include the file in tests/whole/src/lib.rs");
    }
}

#[test]
fn data_is_read() {
    for block in of_language("yaml") {
        for document in yaml::documents(&block.text) {
            document.unwrap_or_else(|error| panic!("{block}: {error}"));
        }
    }
    for block in of_language("json") {
        // Members without their object are a piece of a larger document.
        let is_piece = block.text.starts_with('"');
        let text = if is_piece { format!("{{{}}}", block.text) } else { block.text.clone() };
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{block}: {error}"));
    }
}

#[test]
fn programs_in_other_languages_are_files() {
    for (language, comment) in [("python", "# "), ("javascript", "// ")] {
        let blocks: Vec<Block> = of_language(language).collect();
        assert!(!blocks.is_empty(), "{language}");
        for block in blocks {
            let first = block.text.lines().next().and_then(|line| line.strip_prefix(comment));
            let name = first
                .unwrap_or_else(|| panic!("{block}: the first line is no comment with the name of a file"));
            let file = pages::root().join("tests/clients").join(language).join(name);
            let text = fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{block}: {}: {error}", file.display()));
            assert_eq!(block.text, text, "{block}: not as in {}", file.display());
        }
    }
}

#[test]
fn rules_and_facts_are_read() {
    let blocks: Vec<Block> = of_language("toml").collect();
    assert!(blocks.iter().any(|block| block.file == "schemas/kubernetes/rules/README.md"));
    for block in blocks {
        // Each reader knows a file by its name, which begins with a group.
        let folder = tempfile::tempdir().unwrap();
        let text: String = block.text.split_inclusive('\n').filter(|line| line.trim() != "…").collect();
        let (group, has_hub) = group_of(&block, &text);
        // A table without the `hub` of its file is a piece of one.
        let hub = if has_hub { String::new() } else { format!("hub = \"{group}/v1\"\n") };
        let in_file = |reader: &str, name: &str, text: &str| {
            let folder = folder.path().join(reader);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(name), text).unwrap();
            folder
        };
        let folder_of_rules = in_file("rules", &format!("{group}.Example.toml"), &format!("{hub}{text}"));
        // The tables that a kind uses are in another file.
        let tables: String =
            used(&text.parse().unwrap_or_default()).map(|name| format!("[{name}]\n")).collect();
        fs::write(folder_of_rules.join("shared.toml"), tables).unwrap();
        let errors = [
            rules::read_dir(&folder_of_rules).err(),
            rules::read_dir(&in_file("canonical", "canonical.toml", &text)).err(),
            shared_tables(&text).err(),
            defaults::read_dir(&in_file("defaults", &format!("{group}.toml"), &text)).err(),
            behaviour::read_dir(&in_file("behaviour", &format!("{group}.toml"), &text)).err(),
            columns::read_dir(&in_file("columns", &format!("{group}.toml"), &text)).err(),
            Project::read(&in_file("project", project::FILE, &text).join(project::FILE)).err(),
        ];
        let is_manifest = text.starts_with("[dependencies]");
        assert!(
            is_manifest || errors.iter().any(Option::is_none),
            "{block}: not rules, nor canonical forms, nor defaults, nor behaviour, nor columns, nor hubgen.toml, nor a manifest of Cargo:\n{errors:#?}",
        );
    }
}

/// The names of the tables that a kind uses.
fn used(rules: &toml::Table) -> impl Iterator<Item = String> {
    let own = |table: &toml::Table| -> Vec<String> {
        let names = table.get("use").and_then(toml::Value::as_array).into_iter().flatten();
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let versions: Vec<&toml::Table> = rules.values().filter_map(toml::Value::as_table).collect();
    let types = versions.iter().flat_map(|version| version.values().filter_map(toml::Value::as_table));
    let all: BTreeSet<String> = versions.iter().copied().chain(types).flat_map(own).collect();
    all.into_iter()
}

/// Reads tables that a kind uses, each by its name. Its file names the shared ones.
fn shared_tables(text: &str) -> Result<(), Vec<Diagnostic>> {
    let tables: toml::Table = toml::from_str(text).expect("it was read before");
    let names: Vec<&String> = tables.keys().filter(|name| *name != "import").collect();
    let user = format!("hub = \"a/v2\"\n[\"a/v1\"]\nuse = {names:?}\n");
    let documents = vec![Source::new("rules/shared.toml", text), Source::new("rules/a.A.toml", user)];
    rules::read_documents("rules".as_ref(), documents).map(drop)
}

/// The group that a file with these rules or defaults would be named for, that of the hub or of the
/// first version; and whether there is a hub.
fn group_of(block: &Block, text: &str) -> (String, bool) {
    let table: toml::Table = toml::from_str(text).unwrap_or_else(|error| panic!("{block}: {error}"));
    let hub = table.get("hub").and_then(toml::Value::as_str);
    let version = hub.or(table.keys().map(String::as_str).find(|key| key.contains('/')));
    let (group, _) = version.and_then(|version| version.split_once('/')).unwrap_or(("core", ""));
    (group.to_owned(), hub.is_some())
}

#[test]
fn commands_run() {
    let mut files: BTreeMap<String, Vec<(Block, Shown)>> = BTreeMap::new();
    for block in of_language("console") {
        let commands = terminal::commands(&block).into_iter().map(|shown| (block.clone(), shown));
        files.entry(block.file.clone()).or_default().extend(commands);
    }
    assert!(["README.md", FIRST_MINUTE, TUTORIAL].iter().all(|file| files.contains_key(*file)));
    if std::process::Command::new("curl").arg("--version").output().is_err() {
        return left_out("console blocks", "curl is not installed");
    }
    let mut named = BTreeSet::new();
    for (file, commands) in &mut files {
        commands.retain(|(block, shown)| match entry(LEFT_OUT, &shown.command) {
            Some((part, why)) => {
                assert_ne!(file, FIRST_MINUTE, "{block}: every command of this page has to run");
                named.insert(*part);
                left_out(&format!("{block}: {}", shown.command.lines().next().unwrap_or_default()), why);
                false
            }
            None => true,
        });
    }
    // Each page has a shell and a folder of its own, and is as slow as its servers.
    let pages = Mutex::new(files.into_iter());
    let next = || pages.lock().expect("no page fails under it").next();
    let run = || {
        let mut wrong = Vec::new();
        while let Some((file, commands)) = next() {
            wrong.extend(differences(&file, &commands));
        }
        wrong
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("the commands end")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let unused: Vec<_> = LEFT_OUT.iter().filter(|(part, _)| !named.contains(part)).collect();
    assert!(unused.is_empty(), "no such commands: {unused:#?}");
}

/// Runs the commands of a page. Returns those that print or end otherwise than the page shows.
fn differences(file: &str, commands: &[(Block, Shown)]) -> Vec<String> {
    let texts: Vec<&str> = commands.iter().map(|(_, shown)| &*shown.command).collect();
    let done = Terminal::new().run(&texts);
    if file == FIRST_MINUTE && env::var_os("UPDATE").is_some() {
        record(commands, &done);
        return Vec::new();
    }
    let mut wrong = Vec::new();
    for ((block, shown), done) in commands.iter().zip(&done) {
        let code = entry(CODES, &shown.command).map_or(0, |(_, code)| *code);
        let is_shown = file == FIRST_MINUTE || !shown.output.is_empty();
        if done.code != code || (is_shown && !matches(&normal(&shown.output), &normal(&done.output))) {
            wrong.push(format!(
                "{block}: $ {}\nshown:\n{}\nprinted, and ended with {}:\n{}",
                shown.command, shown.output, done.code, done.output
            ));
        }
    }
    wrong
}

fn of_language(language: &'static str) -> impl Iterator<Item = Block> {
    markdown::all().into_iter().filter(move |block| block.language == language)
}

/// The entry of a table for a command.
fn entry<'t, T>(table: &'t [(&str, T)], command: &str) -> Option<&'t (&'t str, T)> {
    table.iter().find(|(part, _)| command.contains(part))
}

fn left_out(what: &str, why: &str) {
    // Not `println!`: the test harness would keep it to itself.
    let _ = writeln!(std::io::stderr(), "left out: {what}: {why}");
}

/// Output without what is another one each time: uids, times and resource versions.
fn normal(output: &str) -> String {
    let keys = ["uid:", "creationTimestamp:", "resourceVersion:"];
    let lines = output.trim_end().lines().map(|line| {
        let key = keys.iter().find(|key| line.trim_start().starts_with(**key));
        key.map_or(line, |key| &line[..line.find(key).map_or(0, |at| at + key.len())]).trim_end()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a text is as it is shown; `…` stands for any text.
fn matches(shown: &str, text: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[test]
fn dots_stand_for_any_text() {
    assert!(matches("a", "a") && !matches("a", "ab") && !matches("a", ""));
    assert!(matches("a…c", "abc") && matches("a…c", "ac") && matches("…", "") && matches("a…b…", "a-b-"));
    assert!(!matches("a…c", "ab") && !matches("a…b…c", "ac") && !matches("…b", "bc"));
}

/// Writes what the commands of the first minute printed into the page.
fn record(commands: &[(Block, Shown)], done: &[Done]) {
    let failed = commands.iter().zip(done).find(|(_, done)| done.code != 0);
    assert!(failed.is_none(), "{failed:?}");
    let path = pages::root().join(FIRST_MINUTE);
    let mut page = fs::read_to_string(&path).unwrap();
    let mut blocks: Vec<(&Block, String)> = Vec::new();
    for ((block, shown), done) in commands.iter().zip(done) {
        if blocks.last().is_none_or(|(last, _)| last.bytes != block.bytes) {
            blocks.push((block, String::new()));
        }
        let (_, text) = blocks.last_mut().unwrap();
        text.push_str(&format!("$ {}\n{}", shown.command, done.output));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    // From the end, so that the places of the others stay.
    for (block, text) in blocks.into_iter().rev() {
        page.replace_range(block.bytes.clone(), &text);
    }
    fs::write(&path, page).unwrap();
}
