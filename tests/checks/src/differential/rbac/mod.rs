//! `cargo xtask check differential rbac`: compares who may do what, and what those are told who may not, after the same
//! roles and bindings were written to another API server and to ours.

mod compare;
mod oracle;
mod side;
mod world;
mod writes;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hubgen_server::access::{Access, Modes, Tokens};
use hubgen_server::rbac::{Bootstrap, Rbac};
use serde_json::{Value, json};

use self::compare::Verdict;
use self::oracle::Oracle;
use self::side::Side;
use self::world::{Maker, NAMESPACES, collection, people, tokens};
use super::ours::Ours;
use super::{answers, ask};
use crate::{Failure, Report};

/// How many clients ask at a time.
const CLIENTS: usize = 12;
/// How long roles may take to get the rules that they gather.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the other server may take until it decides by what was written last.
const LAG: Duration = Duration::from_secs(2);
/// The most failures that are printed.
const MOST_SHOWN: usize = 20;

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The other server's answers, `-` for standard input, or its URL
    ///
    /// The check writes roles and bindings to that server, and deletes them. It has to be started with
    /// `--authorization-mode=RBAC` and with the tokens of --print-tokens.
    #[arg(long, value_name = "FILE-OR-URL", required_unless_present = "print_tokens")]
    against: Option<String>,
    /// Print the file of tokens that the other server needs
    #[arg(long)]
    print_tokens: bool,
    /// The number of questions that both servers are asked
    #[arg(long, default_value_t = 200_000)]
    questions: usize,
    /// The number of requests of users
    #[arg(long, default_value_t = 2_600)]
    requests: usize,
    /// The number of writes of roles and bindings by users who may not grant everything
    #[arg(long, default_value_t = 500)]
    writes: usize,
    /// The seed of the roles, bindings and questions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write roles that gather the rules of others, too: the other server needs the controller that keeps them,
    /// `kube-controller-manager --controllers=clusterrole-aggregation-controller`
    #[arg(long)]
    gathered: bool,
    /// Record some of the answers of the API server in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Compares both servers, or recorded answers with those of ours.
///
/// # Errors
/// If a server does not answer, or a line is no record.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let against = match &args.against {
        Some(against) if !args.print_tokens => against,
        _ => {
            print!("{}", tokens());
            return Ok(ExitCode::SUCCESS);
        }
    };
    let lines = if ask::is_url(against) {
        let theirs = Side::new(against);
        let recorded = asked(args, &theirs);
        tidy(&theirs)?;
        recorded?
    } else {
        answers::recorded(against)?
    };
    answers::record(sample(&lines), args.record.as_deref())?;
    Ok(compared(&lines)?.print(args.json))
}

/// What both servers are asked, with the answers of the other one.
fn asked(args: &Args, theirs: &Side) -> Result<Vec<Value>, String> {
    let mut maker = Maker::new(args.seed);
    let objects = maker.objects(args.gathered);
    let version = theirs.admin("GET", "/version", None)?.body;
    let release = version["gitVersion"].as_str().unwrap_or_default().trim_start_matches('v').to_owned();
    tidy(theirs)?;
    create(theirs, &objects)?;
    let mut stored = theirs.stored()?;
    let start = Instant::now();
    loop {
        std::thread::sleep(LAG);
        let now = theirs.stored()?;
        if now == stored || start.elapsed() > PATIENCE {
            break;
        }
        stored = now;
    }
    let mut lines = vec![json!({"part": "world", "release": release, "objects": objects, "answer": stored})];
    let questions = (0..args.questions).map(|_| json!({"part": "question", "ask": maker.question()}));
    lines.extend(questions);
    for person in people() {
        for namespace in NAMESPACES {
            lines.push(json!({"part": "rules", "ask": {"token": person.token(), "namespace": namespace}}));
        }
    }
    lines.extend((0..args.requests).map(|_| json!({"part": "request", "ask": maker.request()})));
    answer(theirs, &mut lines)?;
    for number in 0..args.writes {
        let write = maker.write(number);
        let answer = theirs.write(&write)?.kept();
        lines.push(json!({"part": "write", "ask": write, "answer": answer}));
    }
    Ok(lines)
}

/// Creates objects. Namespaces may exist.
fn create(side: &Side, objects: &[Value]) -> Result<(), String> {
    for object in objects {
        let answer = side.admin("POST", &collection(object), Some(object))?;
        let may_exist = object["kind"] == "Namespace" && answer.code == 409;
        if answer.code != 201 && !may_exist {
            return Err(format!(
                "{}: {} {}",
                object["metadata"]["name"], answer.code, answer.body["message"]
            ));
        }
    }
    Ok(())
}

/// Deletes all roles and bindings of the check.
fn tidy(side: &Side) -> Result<(), String> {
    for object in side.stored()? {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        if name.starts_with(world::PREFIX) {
            let plural = object["kind"].as_str().unwrap_or_default();
            let within = match object["metadata"]["namespace"].as_str() {
                Some(namespace) => format!("namespaces/{namespace}/"),
                None => String::new(),
            };
            side.admin("DELETE", &format!("/apis/{}/v1/{within}{plural}/{name}", world::GROUP), None)?;
        }
    }
    Ok(())
}

/// Adds the answers of a server to lines that have none, many at a time.
fn answer(side: &Side, lines: &mut [Value]) -> Result<(), String> {
    let share = lines.len().div_ceil(CLIENTS).max(1);
    std::thread::scope(|scope| {
        let clients: Vec<_> = lines
            .chunks_mut(share)
            .map(|lines| {
                let side = side.again();
                scope.spawn(move || {
                    for line in lines {
                        if line.get("answer").is_none() {
                            line["answer"] = ask(&side, line)?;
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        clients
            .into_iter()
            .try_for_each(|client| client.join().map_err(|_| "a client panicked".to_owned())?)
    })
}

/// The answer of a server to a line.
fn ask(side: &Side, line: &Value) -> Result<Value, String> {
    let asked = &line["ask"];
    let text = |name: &str| asked[name].as_str().unwrap_or_default();
    match line["part"].as_str() {
        Some("question") => side.ask(asked),
        Some("rules") => side.rules(text("token"), text("namespace")),
        Some("request") => Ok(side.send(asked)?.kept()),
        Some("write") => Ok(side.write(asked)?.kept()),
        part => Err(format!("expected a part, found {part:?}")),
    }
}

/// Some of the lines, which are enough to notice a change.
fn sample(lines: &[Value]) -> impl Iterator<Item = &Value> {
    let mut seen = 0_usize;
    lines.iter().filter(move |line| {
        seen += 1;
        match line["part"].as_str() {
            Some("question") => seen.is_multiple_of(200),
            Some("request") => seen.is_multiple_of(8),
            Some("rules") => seen.is_multiple_of(12),
            _ => true,
        }
    })
}

/// A server of ours that decides by roles and bindings.
fn ours() -> Result<Ours, String> {
    let path = std::env::temp_dir().join(format!("hubgen-checks-tokens-{}", std::process::id()));
    fs::write(&path, tokens()).map_err(|error| format!("{}: {error}", path.display()))?;
    let tokens = Tokens::file(&path).map_err(|error| error.to_string());
    let _ = fs::remove_file(&path);
    let bootstrap = Bootstrap::parse(hubgen_schemas::bootstrap()).map_err(|error| error.to_string())?;
    let rbac = Rbac::with_bootstrap(bootstrap);
    let modes = Modes::default().with("rbac", rbac.clone());
    let access = Access { authenticate: Box::new(tokens?), authorize: Box::new(modes) };
    Ours::with(|settings| {
        settings.access = access;
        settings.rbac = Some(rbac);
        settings.limits.reads = 4 * CLIENTS;
        settings.limits.writes = 4 * CLIENTS;
    })
}

/// Asks a server of ours the same, and compares.
fn compared(lines: &[Value]) -> Result<Report, String> {
    let [world, lines @ ..] = lines else { return Err("expected a world, found nothing".to_owned()) };
    let server = ours()?;
    let side = Side::new(&server.url());
    create(&side, world["objects"].as_array().map_or(&[][..], Vec::as_slice))?;
    let theirs = world["answer"].as_array().cloned().unwrap_or_default();
    let stored = settled(&side, &theirs)?;
    let mut failures = differences(&theirs, &stored);
    let (objects, different_objects) = (theirs.len().max(stored.len()), failures.len());
    let oracle = Oracle::new(stored);
    let concurrent = lines.iter().take_while(|line| line["part"] != "write").count();
    let mut ours: Vec<Value> =
        lines[..concurrent].iter().map(|line| json!({"part": line["part"], "ask": line["ask"]})).collect();
    answer(&side, &mut ours)?;
    for line in &lines[concurrent..] {
        ours.push(json!({"answer": ask(&side, line)?}));
    }
    let counts: [AtomicUsize; 6] = Default::default();
    let count = |index: usize| counts[index].fetch_add(1, Ordering::Relaxed);
    for (number, (line, ours)) in lines.iter().zip(&ours).enumerate() {
        let (asked, theirs, ours) = (&line["ask"], &line["answer"], &ours["answer"]);
        let verdict = match line["part"].as_str() {
            Some("question") => {
                count(0);
                compare::questions(&oracle, asked, theirs, ours)
            }
            Some("rules") => {
                count(1);
                compare::rules(theirs, ours)
            }
            Some("request") => {
                count(2);
                if theirs["code"] == 403 {
                    count(3);
                }
                compare::requests(theirs, ours)
            }
            _ => {
                count(4);
                compare::writes(theirs, ours)
            }
        };
        match verdict {
            Verdict::Equal => {}
            Verdict::OtherBinding => drop(count(5)),
            Verdict::Different => failures.push(Failure {
                file: format!("line {}", number + 2),
                path: asked.to_string(),
                message: format!("there {theirs}, here {ours}"),
            }),
        }
    }
    let total = lines.len() + objects;
    let passed = total - failures.len();
    let failed = failures.len();
    failures.truncate(MOST_SHOWN);
    let number = |index: usize| counts[index].load(Ordering::Relaxed);
    Ok(Report {
        what: "answers about who may",
        passed,
        total,
        details: vec![
            ("roles and bindings", objects),
            ("of them different", different_objects),
            ("questions", number(0)),
            ("allowed by another binding", number(5)),
            ("lists of rules", number(1)),
            ("requests", number(2)),
            ("of them refused", number(3)),
            ("writes", number(4)),
            ("different", failed),
        ],
        failures,
        notes: Vec::new(),
    })
}

/// Our roles and bindings, after roles have the rules that they gather.
fn settled(side: &Side, theirs: &[Value]) -> Result<Vec<Value>, String> {
    let start = Instant::now();
    loop {
        let stored = side.stored()?;
        if stored == theirs || start.elapsed() > PATIENCE {
            return Ok(stored);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The roles and bindings that differ.
fn differences(theirs: &[Value], ours: &[Value]) -> Vec<Failure> {
    let is_in = |all: &[Value], object: &Value| all.contains(object);
    let failure = |object: &Value, message: &str| Failure {
        file: format!("{} {}", object["kind"], object["metadata"]["name"]),
        path: String::new(),
        message: message.to_owned(),
    };
    let only = |some: &[Value], others: &[Value], message: &str| {
        some.iter()
            .filter(|object| !is_in(others, object))
            .map(|object| failure(object, message))
            .collect::<Vec<_>>()
    };
    let mut found = only(theirs, ours, "only there");
    if found.is_empty() {
        found = only(ours, theirs, "only here");
    }
    found
}
