//! `hubgen convert`: manifests from one version to another.
//!
//! Objects are converted through the hub of their kind, and only what the conversion changes is
//! changed in the text: order, layout and comments stay as they were written wherever they can.

mod atomic;
mod edit;
mod input;
mod layout;
mod manifest;
mod merge;
mod object;
mod output;
mod replaced;
mod report;
mod target;
mod tree;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::input::{Input, Source};
use self::layout::Format;
use self::manifest::{Piece, Pieces};
use self::object::Converter;
use self::output::Stream;
use self::report::Report;
use self::target::Target;

/// Fewer files are done before anybody wonders.
const FILES_WORTH_A_BAR: usize = 50;

/// Convert manifests to other versions of their kinds.
///
/// Reads YAML and JSON: files, folders with all below them (.yaml, .yml, .json), or standard
/// input. A file may hold many documents and lists. What a conversion does not change stays as
/// it was written, comments included.
#[derive(clap::Args)]
#[command(after_help = "\
Objects of unknown kinds pass through untouched, with a warning. Fields that the version of an \
object does not have are an error, as they would be lost; see --drop-unknown.

An object that cannot be converted is left out of the stream. With --in-place its whole file \
stays as it is, while files without errors are written; run again once it is mended.

Exit codes:
  0  done; there may be warnings
  1  --check: something would change
  2  an error: wrong arguments, a file that cannot be read, an object that cannot be converted")]
pub struct Args {
    /// Files and folders; `-` or nothing for standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    /// The format to write, if not that of the input.
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["in_place", "check"])]
    output: Option<Format>,
    /// Write each file back, all at once, instead of one stream to standard output.
    #[arg(long)]
    in_place: bool,
    /// Write nothing; say what would change, and exit with 1 if anything would.
    #[arg(long, conflicts_with = "in_place")]
    check: bool,
    /// Drop fields that the version of an object does not have, instead of refusing the object.
    #[arg(long)]
    drop_unknown: bool,
}

/// The version that is wanted; one of these.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Wanted {
    /// To this version, as in `apps/v1`, or to the first of several (`apps/v1,batch/v1`) that an
    /// object's kind has. Objects of kinds that have none of them pass through.
    #[arg(long, value_name = "GROUP/VERSION", value_delimiter = ',')]
    to: Vec<String>,
    /// To the newest version that release 1.35 serves: stable before beta before alpha.
    #[arg(long)]
    newest: bool,
    /// To the version that objects are stored at by default.
    #[arg(long)]
    storage: bool,
}

/// Converts what it is told to; the exit codes are in the help.
pub fn run(args: &Args) -> ExitCode {
    let mut report = Report::default();
    let scheme = hubgen_kubernetes::scheme();
    let target = match Target::new(&scheme, &args.wanted) {
        Ok(target) => target,
        Err(message) => {
            report.failure("", None, "", &message);
            return ExitCode::from(2);
        }
    };
    let converter = Converter { scheme: &scheme, target: &target, drops_unknown: args.drop_unknown };
    let sources = input::sources(&args.paths, args.in_place, &mut report);
    report.bar = bar(args, sources.len());
    let mut stream = Stream::new(io::stdout().lock(), args.output);
    let written = sources.iter().try_for_each(|source| {
        let done = one(args, source, &converter, &mut stream, &mut report);
        report.bar.inc(1);
        done
    });
    report.bar.finish_and_clear();
    match written.and_then(|()| stream.finish()) {
        // Whoever reads has enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(error) => report.failure("", None, "", &format!("cannot write to standard output: {error}")),
        Ok(()) => {}
    }
    if args.in_place || args.check {
        report.summary(args.check);
    }
    match (report.failures, args.check && report.changes > 0) {
        (0, false) => ExitCode::SUCCESS,
        (0, true) => ExitCode::from(1),
        _ => ExitCode::from(2),
    }
}

/// A bar where somebody looks at it and nothing else is written there.
fn bar(args: &Args, files: usize) -> ProgressBar {
    let alone = args.in_place || !io::stdout().is_terminal();
    if !alone || files < FILES_WORTH_A_BAR || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Converts one input. An error is one of standard output: there is no sense in going on.
fn one<W: Write>(
    args: &Args,
    source: &Source,
    converter: &Converter<'_>,
    stream: &mut Stream<W>,
    report: &mut Report,
) -> io::Result<()> {
    let input = match Input::read(source) {
        Ok(input) => input,
        Err(message) => {
            report.failure(&source.to_string(), None, "", &message);
            return Ok(());
        }
    };
    report.files += 1;
    let (failures, changes) = (report.failures, report.changes);
    let streams = !args.in_place && !args.check;
    let mut whole = String::new();
    let mut end = 0;
    if streams {
        stream.start_file();
    }
    for piece in Pieces::of(&input) {
        let piece = match piece {
            Ok(piece) => piece,
            Err(mistake) => {
                report.failure(&input.name, Some(mistake.line), "", &mistake.message);
                break;
            }
        };
        let before = &input.text[end..piece.bytes.start];
        end = piece.bytes.end;
        let failures = report.failures;
        let outcome = document(&input, &piece, converter, args.check, report);
        let lost = report.failures > failures;
        if args.in_place {
            whole.push_str(before);
            whole.push_str(outcome.as_ref().map_or(&input.text[piece.bytes.clone()], |(_, text)| text));
        } else if streams && !lost {
            stream.write(&input, &piece, before, outcome.as_ref())?;
        }
    }
    let rest = &input.text[end..];
    if report.changes > changes {
        report.changed_files += 1;
    }
    if streams {
        return if report.failures == failures { stream.rest(rest) } else { Ok(()) };
    }
    if args.in_place && report.failures == failures && report.changes > changes {
        whole.push_str(rest);
        if let Source::File(path) = source
            && let Err(error) = atomic::replace(path, whole.as_bytes())
        {
            report.failure(&input.name, None, "", &format!("cannot be written: {error}"));
        }
    }
    Ok(())
}

/// What became of a document: its value and its text; `None` where it stays as it is.
fn document(
    input: &Input,
    piece: &Piece,
    converter: &Converter<'_>,
    says_changes: bool,
    report: &mut Report,
) -> Option<(serde_json::Value, String)> {
    let found = converter.document(&piece.value);
    let text = &input.text[piece.bytes.clone()];
    if found.value.is_none() && found.notes.is_empty() {
        return None;
    }
    let tree = tree::Tree::of(text, piece.format);
    let line = |path: &str| piece.line + tree.as_ref().map_or(0, |tree| tree.lines_before(text, path));
    for note in &found.notes {
        let line = Some(line(&note.path));
        if note.fails {
            report.failure(&input.name, line, &note.path, &note.message);
        } else {
            report.warning(&input.name, line, &note.path, &note.message);
        }
    }
    if found.fails() {
        return None;
    }
    let value = found.value?;
    for path in tree.iter().flat_map(|tree| tree.duplicates()) {
        let message = "this key comes more than once; the last one counts";
        report.warning(&input.name, Some(line(&path)), &path, message);
    }
    for change in &found.changes {
        report.changes += 1;
        if says_changes {
            report.say(&format!("{}:{}: {change}", input.name, line(&change.path)));
        }
    }
    let new = layout::again(text, tree.as_ref(), piece, &value);
    for comment in layout::lost_comments(text, &new) {
        let message = "a comment is lost, as what it stands in was laid out anew";
        report.warning(&input.name, Some(piece.line + comment), "", message);
    }
    Some((value, new))
}
