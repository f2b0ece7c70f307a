//! What compiling costs: crates alone, their dependencies compiled before, and
//! from nothing, dependencies included.

mod own_kinds;
mod subject;
mod users;

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use self::subject::Subject;
use super::{Report, Result, least};
use crate::programs::{Peer, compiler, peer};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// How often each crate is compiled in each way
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only crates whose names contain this text, such as `core`, `user` or `own kinds`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only this way of compiling
    #[arg(long, value_name = "WAY", value_parser = clap::builder::PossibleValuesParser::new(WAYS.map(|(way, _)| way)))]
    way: Option<String>,
}

const K8S_OPENAPI: &str = "k8s-openapi";
const KUBE: &str = "kube";

/// The release that both sides describe; the peer has newer ones too.
const RELEASE: &str = "v1_35";

/// The ways of compiling: a name, what cargo is told.
const WAYS: [(&str, &[&str]); 3] =
    [("check", &["check"]), ("dev", &["build"]), ("release", &["build", "--release"])];

/// The same on both sides: a name, what is compiled of ours and of the peer's.
const CUTS: [(&str, Sides); 7] = [
    ("core+apps+meta", |peers| {
        Ok([
            Subject::ours("cut-hubgen", &["core", "apps", "meta"], "v1")?,
            Subject::theirs("cut-k8s-openapi", &peers.k8s_openapi, Some(&["core", "apps"]))?,
        ])
    }),
    (EVERYTHING_SERVED, |peers| {
        Ok([Subject::ours("whole-hubgen", &["kubernetes"], "current")?, whole(peers)?])
    }),
    (WHOLE_ARCHIVE, |peers| Ok([archive()?, whole(peers)?])),
    ("a user's ten kinds", users::sides),
    ("own kinds, three versions each", own_kinds::sides),
    ("the whole archive, from nothing", |peers| {
        Ok([archive()?, whole(peers)?].map(Subject::with_dependencies))
    }),
    ("a user's ten kinds, from nothing", |peers| Ok(users::sides(peers)?.map(Subject::with_dependencies))),
];

type Sides = fn(&Peers) -> Result<[Subject; 2]>;

/// What a cut may take of the peer: a cut, the ways that its bar is for, the ratio, and the bar.
const BARS: [(&str, &[&str], &str, f64); 2] = [
    (EVERYTHING_SERVED, &["release"], "processor", 1.0),
    (WHOLE_ARCHIVE, &["check", "dev", "release"], "clock", 1.4),
];

const EVERYTHING_SERVED: &str = "everything served";
const WHOLE_ARCHIVE: &str = "the whole archive";

/// The crates that are compiled beside ours.
struct Peers {
    k8s_openapi: Peer,
    kube: Peer,
}

fn whole(peers: &Peers) -> Result<Subject> {
    Subject::theirs("whole-k8s-openapi", &peers.k8s_openapi, None)
}

/// What a user gets who names no features.
fn archive() -> Result<Subject> {
    Subject::ours("archive-hubgen", &["kubernetes"], "default")
}

/// Compiles both sides of each cut by turns.
pub fn measure(args: &Args) -> Result<Report> {
    let cuts = chosen(args.only.as_deref())?;
    let peers = Peers { k8s_openapi: peer(K8S_OPENAPI)?, kube: peer(KUBE)? };
    let compiler = compiler()?;
    let mut text = format!(
        "{compiler}\n{K8S_OPENAPI} {} ({RELEASE}), {KUBE} {}\n",
        peers.k8s_openapi.version, peers.kube.version
    );
    let _ = writeln!(
        text,
        "ours over the peer's, least of {} runs by turns; dependencies compiled before, or from nothing\n",
        args.runs
    );
    let _ = writeln!(text, "{:<34}{:<9}{:>10}{:>8}  bar", "", "", "processor", "clock");
    let mut rows = Map::new();
    for (cut, sides) in cuts {
        let sides = sides(&peers)?;
        let mut ways = Map::new();
        for (way, arguments) in WAYS {
            if args.way.as_ref().is_some_and(|only| only != way) {
                continue;
            }
            let mut row = compare(&sides, arguments, args.runs)?;
            let bar = BARS.iter().find(|(name, ways, ..)| *name == cut && ways.contains(&way));
            let verdict = bar.and_then(|(_, _, of, bar)| {
                let held = row[format!("{of}_ratio")].as_f64()? <= *bar;
                row["bar"] = json!({"of": format!("{of}_ratio"), "most": bar, "held": held});
                Some(format!("  {of} {bar} {}", if held { "held" } else { "missed" }))
            });
            let ratio =
                |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
            let line = format!(
                "{cut:<34}{way:<9}{:>10}{:>8}{}",
                ratio(row["processor_ratio"].as_f64()),
                ratio(row["clock_ratio"].as_f64()),
                verdict.unwrap_or_default()
            );
            // It takes long: each row is shown when it is there, too.
            eprintln!("{line}");
            let _ = writeln!(text, "{line}");
            ways.insert(way.to_owned(), row);
        }
        rows.insert(cut.to_owned(), ways.into());
    }
    let _ = writeln!(
        text,
        "\n{K8S_OPENAPI} cannot be compiled in part; its core+apps+meta is its source without the modules of\n\
         other groups, and compiles as it stands. The whole archive of ours is every version since 1.7,\n\
         the default features; the peer's side is one release. From nothing: dependencies included.\n\
         A user's crate reads, copies, compares and writes objects of ten kinds in JSON.\n\
         Own kinds are ten, written with our derive beside {KUBE}'s with conversions by hand."
    );
    let json = json!({
        "compiler": compiler,
        "peers": [
            {"name": K8S_OPENAPI, "version": peers.k8s_openapi.version, "release": RELEASE},
            {"name": KUBE, "version": peers.kube.version},
        ],
        "cuts": rows,
    });
    Ok(Report { text, json })
}

/// All cuts, the one of that name, or those whose names contain the text.
fn chosen(only: Option<&str>) -> Result<Vec<(&'static str, Sides)>> {
    let Some(part) = only else { return Ok(CUTS.to_vec()) };
    let is_whole_name = CUTS.iter().any(|(name, _)| *name == part);
    let is_chosen = |name: &str| if is_whole_name { name == part } else { name.contains(part) };
    let chosen: Vec<_> = CUTS.into_iter().filter(|(name, _)| is_chosen(name)).collect();
    if chosen.is_empty() {
        let names = CUTS.map(|(name, _)| name).join("; ");
        return Err(format!("--only {part}: expected a part of one of these names: {names}"));
    }
    Ok(chosen)
}

fn compare(sides: &[Subject; 2], way: &[&str], runs: u32) -> Result<Value> {
    // What does not start from nothing needs its dependencies compiled.
    for side in sides.iter().filter(|side| side.needs_dependencies()) {
        side.compile(way)?;
    }
    let mut usages = [Vec::new(), Vec::new()];
    for _ in 0..runs {
        for (side, usages) in sides.iter().zip(&mut usages) {
            side.make_stale()?;
            usages.push(side.compile(way)?);
        }
    }
    let [ours, theirs] = usages.map(|usages| {
        let wall = least(&usages.iter().map(|usage| usage.wall).collect::<Vec<_>>());
        let processor: Option<Vec<f64>> = usages.iter().map(|usage| usage.processor).collect();
        (processor.map(|runs| least(&runs)), wall)
    });
    Ok(json!({
        "processor_ratio": ours.0.zip(theirs.0).map(|(ours, theirs)| ours / theirs),
        "clock_ratio": ours.1 / theirs.1,
        "ours": {"processor": ours.0, "clock": ours.1},
        "theirs": {"processor": theirs.0, "clock": theirs.1},
    }))
}
