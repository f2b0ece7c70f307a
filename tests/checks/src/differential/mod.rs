//! `cargo xtask check differential`: compares the answers of another implementation with ours.
//!
//! The other implementation is a separate program. It reads requests, one per line, and writes each
//! with its answers; docs/differential.md describes the format.

pub mod access;
mod answers;
mod apply;
mod ask;
mod compare;
mod controllers;
mod conversion;
mod crds;
mod definitions;
mod differences;
pub mod discovery;
mod encoded;
mod errors;
mod exchange;
mod generate;
mod openapi;
mod ours;
mod owners;
mod patches;
mod path;
mod rbac;
mod record;
mod refusal;
mod select;
mod sequence;
mod sequences;
mod served;
mod stored;
mod tables;
pub(crate) mod told;
mod words;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{LazyLock, Mutex};

use self::ask::{Ask, Requests, Server};
use self::compare::{Comparison, Tally};
use self::encoded::Encoded;
use self::record::Record;
use super::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Compare conversions: objects at each version that the other implementation converted them to
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential convert --against tests/whole/recorded/convert/scheme-1.37.jsonl
  With a running API server:
    cargo xtask check differential convert --against https://127.0.0.1:6443 --token-file token")]
    Convert(Objects),
    /// Compare defaulting: objects that the other implementation has defaulted
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential defaults --against tests/whole/recorded/defaults/scheme-1.37.jsonl
  With a running API server, on objects of your own:
    cargo xtask check differential defaults --against https://127.0.0.1:6443 --requests requests.jsonl")]
    Defaults(Objects),
    /// Compare protobuf, byte for byte
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential protobuf --against tests/whole/recorded/protobuf/scheme-1.37.jsonl")]
    Protobuf(Protobuf),
    /// Compare the stored values of a server with its answers
    #[command(after_long_help = "\
Examples:
  Ask a running API server, and record its answers:
    cargo xtask check differential stored --dump etcd.json --against https://127.0.0.1:6443 --record answers.jsonl
  The same for a snapshot of its etcd:
    cargo xtask check differential stored --snapshot snapshot.db --against https://127.0.0.1:6443
  Compare a snapshot at an older revision with what etcd answers to `etcdctl get --prefix \"\" --rev 1000 -w json`:
    cargo xtask check differential stored --snapshot snapshot.db --revision 1000 --dump etcd-1000.json")]
    Stored(stored::Args),
    /// Compare what a server tells of its resources with what `hubgen serve` tells
    #[command(after_long_help = "\
Examples:
  With recorded answers, and a server that was started with `hubgen serve --in-memory`:
    cargo xtask check differential discovery --against answers.jsonl --ours http://127.0.0.1:8001
  With a running API server:
    cargo xtask check differential discovery --against https://127.0.0.1:6443 --ours http://127.0.0.1:8001")]
    Discovery(discovery::Args),
    /// Compare the errors that a server returns for wrong requests with those of `hubgen serve`
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential errors --against tests/whole/recorded/errors/server-1.37.jsonl
  Record the answers of a server that nobody needs:
    cargo xtask check differential errors --against https://127.0.0.1:6443 --record answers.jsonl")]
    Errors(errors::Args),
    /// Compare what a server makes of patches with what `hubgen serve` makes of them
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential patches --against tests/whole/recorded/patches/server-1.37.jsonl
  Record the answers of a server that nobody needs:
    cargo xtask check differential patches --against https://127.0.0.1:6443 --record answers.jsonl")]
    Patches(patches::Args),
    /// Compare what a server publishes of its kinds as OpenAPI with what `hubgen serve` publishes
    #[command(after_long_help = "\
Examples:
  With a running API server, which is only read:
    cargo xtask check differential openapi --against https://127.0.0.1:6443
  With recorded documents:
    cargo xtask check differential openapi --against tests/whole/recorded/openapi/server-1.37.jsonl
  With the published documents of a release:
    cargo xtask check differential openapi --release 1.35 --against upstream/openapi/v1.35")]
    Openapi(openapi::Args),
    /// Compare the tables in which another implementation shows objects with ours
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential tables --against tests/whole/recorded/tables/server-1.37.jsonl
  With Kubernetes' own printers, for objects of every kind:
    cargo xtask check differential generate tables --count 200 | tables | cargo xtask check differential tables --against -
  Record the answers of a server that nobody needs:
    cargo xtask check differential tables --against https://127.0.0.1:6443 --record answers.jsonl")]
    Tables(tables::Args),
    /// Compare who owns which fields after the same writes to a server and to `hubgen serve`
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential owners --against tests/whole/recorded/owners/server-1.37.jsonl
  Record the answers of a server that nobody needs:
    cargo xtask check differential owners --against https://127.0.0.1:6443 --record answers.jsonl")]
    Owners(owners::Args),
    /// Compare for whom a server takes the senders of good and bad credentials with what `hubgen serve` does
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential access --against tests/whole/recorded/access/server-1.37.jsonl --hubgen target/debug/hubgen
  Record the answers of a kube-apiserver that was started with the flags that the first command prints:
    cargo xtask check differential access --material made --prepare
    cargo xtask check differential access --material made --against https://127.0.0.1:6443 --record answers.jsonl --hubgen target/debug/hubgen")]
    Access(access::Args),
    /// Compare who may do what by roles and bindings, and what is told to those who may not
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential rbac --against tests/whole/recorded/rbac/server-1.37.jsonl
  With a server that nobody needs, started with --authorization-mode=RBAC and --token-auth-file=tokens.csv:
    cargo xtask check differential rbac --print-tokens > tokens.csv
    cargo xtask check differential rbac --against https://127.0.0.1:6443")]
    Rbac(rbac::Args),
    /// Compare what a server answers about CustomResourceDefinitions, and what becomes of them, with what `hubgen serve` does
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential crds --against tests/whole/recorded/crds/server-1.37.jsonl
  With a server that nobody needs, and the definitions of projects:
    cargo xtask check differential crds --against https://127.0.0.1:6443 --projects examples --projects definitions/")]
    Crds(crds::Args),
    /// Compare what clients see of wrong conversion webhooks at a server with what they see at `hubgen serve`
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential conversion --against tests/whole/recorded/conversion/server-1.37.jsonl
  Record the answers of a server on this machine that nobody needs, started with --watch-cache=false:
    cargo xtask check differential conversion --against https://127.0.0.1:6443 --record answers.jsonl")]
    Conversion(conversion::Args),
    /// Compare what becomes of objects beside controllers: garbage collection, and the lives of namespaces
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential controllers --against tests/whole/recorded/controllers/server-1.37.jsonl
  Record the answers of a server with a kube-controller-manager that nobody needs:
    cargo xtask check differential controllers --against https://127.0.0.1:6443 --record answers.jsonl")]
    Controllers(controllers::Args),
    /// Compare what applies make of objects and of their owners with another API server
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential apply --against tests/whole/recorded/apply/server-1.37.jsonl
  Record the answers of a server that nobody needs:
    cargo xtask check differential apply --against https://127.0.0.1:6443 --count 3000 --record answers.jsonl")]
    Apply(apply::Args),
    /// Compare what a server makes of objects of CustomResourceDefinitions with what `hubgen serve` does
    #[command(after_long_help = "\
Examples:
  With recorded answers:
    cargo xtask check differential definitions --against answers.jsonl
  Record the answers of a server that nobody needs:
    cargo xtask check differential definitions --against https://127.0.0.1:6443 examples/cert-manager/crds --record answers.jsonl")]
    Definitions(definitions::Args),
    /// Write requests for the other implementation, with objects generated from types
    #[command(after_long_help = "\
Examples:
  Ask the program `scheme` for conversions:
    cargo xtask check differential generate convert --count 100 | scheme > answers.jsonl
  Ask for the defaults of manifests:
    cargo xtask check differential generate defaults --objects manifests/ > requests.jsonl")]
    Generate(generate::Args),
    /// Select a few of the answers on standard input that show all of their effects
    #[command(after_long_help = "\
Examples:
  Select answers to commit:
    cargo xtask check differential select < answers.jsonl > scheme-1.37.jsonl")]
    Select(select::Args),
}

/// The answers to compare objects with.
#[derive(clap::Args)]
struct Objects {
    /// The answers, one per line; `-` for standard input; or the URL of an API server, such as
    /// https://127.0.0.1:6443
    #[arg(long, value_name = "FILE-OR-URL")]
    against: String,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    requests: Requests,
    #[command(flatten)]
    server: Server,
}

/// The answers to compare protobuf with.
#[derive(clap::Args)]
struct Protobuf {
    /// The answers, one per line; `-` for standard input
    #[arg(long, value_name = "FILE")]
    against: PathBuf,
    #[command(flatten)]
    shown: Shown,
}

/// How to print the result.
#[derive(clap::Args)]
struct Shown {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print every answer that differs from ours in full
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
}

/// The part of an answer to compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Conversions,
    Defaults,
    Protobuf,
}

/// Runs the check, or writes the output of `generate` and `select`.
///
/// # Errors
/// If there is nothing to compare with: a file cannot be read, a line in it is not an answer, or
/// the server cannot be reached.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    match &args.what {
        What::Convert(objects) => objects.run(Ask::Conversions),
        What::Defaults(objects) => objects.run(Ask::Defaults),
        What::Protobuf(Protobuf { against, shown }) => shown.run(against, Part::Protobuf),
        What::Stored(args) => stored::run(args),
        What::Discovery(args) => discovery::run(args),
        What::Errors(args) => errors::run(args),
        What::Patches(args) => patches::run(args),
        What::Openapi(args) => openapi::run(args),
        What::Tables(args) => tables::run(args),
        What::Owners(args) => owners::run(args),
        What::Access(args) => access::run(args),
        What::Rbac(args) => rbac::run(args),
        What::Apply(args) => apply::run(args),
        What::Definitions(args) => definitions::run(args),
        What::Controllers(args) => controllers::run(args),
        What::Conversion(args) => conversion::run(args),
        What::Crds(args) => crds::run(args),
        What::Generate(args) => generate::run(args),
        What::Select(args) => select::run(args),
    }
}

impl Objects {
    fn run(&self, ask: Ask) -> Result<ExitCode, String> {
        let answers = if ask::is_url(&self.against) {
            ask::objects(&self.against, ask, &self.requests, &self.server)?
        } else {
            PathBuf::from(&self.against)
        };
        let part = match ask {
            Ask::Conversions => Part::Conversions,
            Ask::Defaults => Part::Defaults,
        };
        self.shown.run(&answers, part)
    }
}

impl Shown {
    fn run(&self, against: &Path, part: Part) -> Result<ExitCode, String> {
        let tally = compare(against, part).map_err(|error| format!("{}: {error}", against.display()))?;
        Ok(tally.report(part, self.verbose).print(self.json))
    }
}

impl Tally {
    fn report(&self, part: Part, whole: bool) -> Report {
        let mut notes: Vec<String> =
            self.kinds.iter().map(|(kind, counts)| format!("{kind}: {counts}")).collect();
        notes.extend(self.served.iter().map(|(who, count)| format!("by the {who}: in {count} answers")));
        notes.extend(self.listed.iter().map(|(name, count)| format!("{name}: {count} answers differ so")));
        let total = self.total();
        Report {
            what: match part {
                Part::Conversions => "conversions",
                Part::Defaults => "defaulted objects",
                Part::Protobuf => "objects in protobuf",
            },
            passed: total.passed(),
            total: total.compared(),
            details: match part {
                Part::Protobuf => vec![
                    ("kinds", self.compared_kinds()),
                    ("equal", total.equal),
                    ("different", total.different),
                    ("not known there", total.unknown),
                ],
                Part::Conversions | Part::Defaults => vec![
                    ("kinds", self.compared_kinds()),
                    ("equal", total.equal),
                    ("equal but for what a server sets", total.served),
                    ("listed differences", total.listed),
                    ("in other order", total.reordered),
                    ("different", total.different),
                    ("not known there", total.unknown),
                ],
            },
            failures: self.failures(whole),
            notes,
        }
    }
}

/// Compares all answers on all processors.
fn compare(against: &Path, part: Part) -> io::Result<Tally> {
    let input: Box<dyn BufRead + Send> = if against.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::with_capacity(1 << 20, File::open(against)?))
    };
    let scheme = hubgen_kubernetes::scheme();
    if part == Part::Protobuf {
        return compare_lines(input, |line, number, tally| {
            Encoded::read(line)?.compare(&scheme, number, tally);
            Ok(())
        });
    }
    let comparison = Comparison { scheme, part };
    compare_lines(input, |line, number, tally| {
        comparison.take(&Record::read(line)?, number, tally);
        Ok(())
    })
}

/// The text of a file; `-` is standard input.
fn read(path: &Path) -> io::Result<String> {
    if path.as_os_str() == "-" { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) }
}

/// Compares conversions with those of one record.
///
/// # Errors
/// Errors in the record, and differences that are not listed.
pub(crate) fn compare_line(line: &str) -> Result<(), String> {
    static COMPARISON: LazyLock<Comparison> =
        LazyLock::new(|| Comparison { scheme: hubgen_kubernetes::scheme(), part: Part::Conversions });
    let mut tally = Tally::default();
    COMPARISON.take(&Record::read(line)?, 0, &mut tally);
    let total = tally.total();
    if total.unknown > 0 {
        return Err(format!("{} versions have no answer: leave them out", total.unknown));
    }
    if total.different == 0 {
        return Ok(());
    }
    let messages =
        tally.failures(false).into_iter().map(|failure| format!("{} {}", failure.path, failure.message));
    Err(messages.collect::<Vec<_>>().join("; "))
}

/// Sums up the results of `take` for each line, on all processors.
fn compare_lines(
    input: Box<dyn BufRead + Send>,
    take: impl Fn(&str, usize, &mut Tally) -> Result<(), String> + Sync,
) -> io::Result<Tally> {
    let input = Mutex::new(input.lines().enumerate());
    let tallies = std::thread::scope(|scope| {
        let run = || -> io::Result<Tally> {
            let mut tally = Tally::default();
            loop {
                let lines: Vec<_> = input.lock().expect("no thread panics").by_ref().take(64).collect();
                if lines.is_empty() {
                    return Ok(tally);
                }
                for (number, line) in lines {
                    take(&line?, number, &mut tally).map_err(|error| {
                        io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", number + 1))
                    })?;
                }
            }
        };
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a comparison never panics"))
            .collect::<Vec<_>>()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all.add(tally?);
    }
    Ok(all)
}
