//! Compares our answers with those of a real API server, to objects that are wrong in one place.
//!
//! `recorded.jsonl` contains answers of kube-apiserver, so that a clone alone compares. To ask a server that nobody needs,
//! and that has none of the definitions yet:
//!
//! ```console
//! $ export HUBGEN_API_SERVER=https://127.0.0.1:6443 HUBGEN_TOKEN=…
//! $ cargo test -p hubgen-validation --test differential asked -- --nocapture
//! ```
//!
//! `HUBGEN_DEFINITIONS` names files and folders with further CustomResourceDefinitions, with `:` between them, and
//! `HUBGEN_RECORD` a folder for the answers to commit, with the release in `HUBGEN_RELEASE` if the server does not know its
//! own. The certificate of the server is not checked.

mod answer;
mod cases;
mod definition;
mod generate;
mod mutate;
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::answer::{Answer, Verdict};
use self::cases::Case;
use self::server::Server;

fn here(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential").join(file)
}

/// How many answers are equal, and those that are not.
#[derive(Default)]
struct Tally {
    equal: usize,
    refused: usize,
    different: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case<'_>, theirs: &Answer) {
        let ours = answer::ours(case);
        self.refused += usize::from(theirs.code != 201);
        match answer::compare(&ours, theirs) {
            Verdict::Equal => self.equal += 1,
            Verdict::Different(text) => self.different.push(format!("{}\n{text}", case.name)),
        }
    }

    fn total(&self) -> usize {
        self.equal + self.different.len()
    }

    fn print(&self, what: &str) {
        println!(
            "{what}: {} of {} answers are equal, {} of which refuse the object",
            self.equal,
            self.total(),
            self.refused
        );
    }
}

#[test]
fn recorded_answers_are_ours() {
    let definitions = definition::own();
    let text = std::fs::read_to_string(here("recorded.jsonl")).unwrap();
    let mut tally = Tally::default();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["release"], "1.37.1", "the recording is of one release");
        let definition =
            definitions.iter().find(|definition| line["kind"] == definition.kind.as_str()).unwrap();
        let name = line["name"].as_str().unwrap().to_owned();
        let case = Case { name, definition, object: line["object"].clone() };
        tally.add(&case, &Answer::of_json(&line["answer"]));
    }
    tally.print("recorded");
    assert!(tally.different.is_empty(), "{}", tally.different.join("\n"));
    assert!(tally.refused > 300, "{} answers refuse the object", tally.refused);
}

/// Each recorded answer with one change is no longer ours.
#[test]
fn a_changed_answer_is_noticed() {
    let definitions = definition::own();
    let text = std::fs::read_to_string(here("recorded.jsonl")).unwrap();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let definition =
            definitions.iter().find(|definition| line["kind"] == definition.kind.as_str()).unwrap();
        let name = line["name"].as_str().unwrap().to_owned();
        let case = Case { name, definition, object: line["object"].clone() };
        let mut changed = line["answer"].clone();
        match changed["code"].as_u64() {
            Some(422) => changed["causes"][0]["message"] = "another message".into(),
            Some(400) => changed["message"] = "another message".into(),
            _ => changed["object"]["spec"]["added"] = json!({"by": "this test"}),
        }
        let verdict = answer::compare(&answer::ours(&case), &Answer::of_json(&changed));
        assert!(matches!(verdict, Verdict::Different(_)), "{}", case.name);
    }
}

#[test]
fn refused_schemas_are_refused_here() {
    let text = std::fs::read_to_string(here("refused.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut different = Vec::new();
    for line in &lines {
        assert_eq!(line["release"], "1.37.1", "the recording is of one release");
        different.extend(answer::compare_refusal(&line["schema"], &Answer::of_json(&line["answer"])));
    }
    println!("refused schemas: {} of {} answers are equal", lines.len() - different.len(), lines.len());
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(lines.len() > 50);
}

#[test]
fn asked() {
    let Some(url) = std::env::var_os("HUBGEN_API_SERVER") else {
        println!("left out: no API server in HUBGEN_API_SERVER");
        return;
    };
    let server = Server::new(&url.to_string_lossy());
    let release = server.release();
    let own = definition::own();
    let mut others = Vec::new();
    for path in
        std::env::var("HUBGEN_DEFINITIONS").unwrap_or_default().split(':').filter(|path| !path.is_empty())
    {
        definition::read(Path::new(path), &mut others);
    }
    let (mut failed, mut record) = (Vec::new(), Vec::new());
    for (what, definitions) in [("own definitions", &own), ("other definitions", &others)] {
        let mut tally = Tally::default();
        let mut by_kind: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for definition in definitions {
            server.install(definition);
        }
        for definition in definitions {
            for case in cases::all(definition) {
                let theirs = server.create(definition, &case.object);
                let before = tally.different.len();
                tally.add(&case, &theirs);
                let count = by_kind.entry(&definition.group).or_default();
                *count = (count.0 + 1, count.1 + tally.different.len() - before);
                if cases::is_recorded(&case) {
                    record.push(json!({
                        "name": case.name, "kind": definition.kind, "release": release,
                        "object": case.object, "answer": theirs.to_json(),
                    }));
                }
            }
        }
        tally.print(what);
        for (group, (count, different)) in by_kind {
            println!("  {group}: {count} answers, {different} different");
        }
        failed.append(&mut tally.different);
    }
    let mut refused = Vec::new();
    for schema in definition::refused() {
        let theirs = server.refuse(&schema);
        failed.extend(answer::compare_refusal(&schema, &theirs));
        refused.push(json!({"release": release, "schema": schema, "answer": theirs.to_json()}));
    }
    println!("refused schemas: {}", refused.len());
    if let Some(path) = std::env::var_os("HUBGEN_RECORD") {
        let write = |path: PathBuf, lines: &[Value]| {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(path, text).unwrap();
        };
        write(PathBuf::from(&path).join("recorded.jsonl"), &record);
        write(PathBuf::from(&path).join("refused.jsonl"), &refused);
    }
    assert!(failed.is_empty(), "{} answers differ\n{}", failed.len(), failed.join("\n"));
}
