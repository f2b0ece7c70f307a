//! `hubgen convert`: manifests from one version to another.
//!
//! Objects are converted through the hub of their kind, and only what the conversion changes is
//! changed in the text: order, layout and comments stay as they were written wherever they can.

mod atomic;
mod edit;
pub(crate) mod format;
pub(crate) mod input;
pub(crate) mod layout;
mod list;
pub(crate) mod manifest;
mod merge;
mod object;
mod output;
mod replaced;
mod report;
pub(crate) mod target;
mod text;
mod tree;

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use self::format::Format;
use self::input::{Input, Source};
use self::list::{Item, List};
use self::manifest::{Body, Piece, Pieces};
use self::object::{Converter, Found};
use self::output::Stream;
use self::report::Report;
use self::target::{Target, Wanted};
use self::text::Text;

/// Fewer files are done before anybody wonders.
const FILES_WORTH_A_BAR: usize = 50;

/// And fewer items of one list.
const ITEMS_WORTH_A_BAR: usize = 1000;

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
    report.shows_bars = (args.in_place || !io::stdout().is_terminal()) && io::stderr().is_terminal();
    report.bar = report.bar_for(sources.len(), "files", FILES_WORTH_A_BAR);
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
    let mut whole = Text::default();
    let mut end = 0;
    if streams {
        stream.start_file();
    }
    let is_list = |document: &serde_json::Value| converter.is_list(document);
    for piece in Pieces::of(&input, &is_list) {
        let piece = match piece {
            Ok(piece) => piece,
            Err(mistake) => {
                report.failure(&input.name, Some(mistake.line), "", &mistake.message);
                break;
            }
        };
        let before = &input.text[end..piece.bytes.start];
        let text = &input.text[piece.bytes.clone()];
        end = piece.bytes.end;
        let failures = report.failures;
        let format = if streams { stream.format(piece.format) } else { piece.format };
        let mut work = Work { name: &input.name, converter, says_changes: args.check, report };
        let new = work.document(text, &piece, format);
        let lost = report.failures > failures;
        if args.in_place {
            whole.push_str(before);
            match new {
                Some(new) => whole.append(new),
                None => whole.push_str(text),
            }
        } else if streams && !lost {
            let before = (format == piece.format).then_some(before);
            match (new, before) {
                (Some(new), before) => stream.write(format, before, new.parts())?,
                (None, Some(_)) => stream.write(format, before, std::iter::once(text))?,
                // It has no value to write in another format.
                (None, None) => {}
            }
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
            && let Err(error) = atomic::replace(path, &whole)
        {
            report.failure(&input.name, None, "", &format!("cannot be written: {error}"));
        }
    }
    Ok(())
}

/// What is done with the documents of one input.
struct Work<'a> {
    /// The input's name.
    name: &'a str,
    converter: &'a Converter<'a>,
    /// Whether each change is said.
    says_changes: bool,
    report: &'a mut Report,
}

/// A value in a text: a document, or an item of a list.
struct Part<'a> {
    text: &'a str,
    /// Its first line, from 1.
    line: usize,
    /// Its path in the document.
    path: &'a str,
    format: Format,
    /// What the lines of JSON begin with.
    margin: &'a str,
    value: &'a serde_json::Value,
}

/// What a part becomes: its value and its text.
type Rewritten<'a> = (&'a serde_json::Value, &'a str);

impl Work<'_> {
    /// The text of a document in a format; `None` where it stays as it is, or has none.
    fn document(&mut self, text: &str, piece: &Piece, format: Format) -> Option<Text> {
        match &piece.body {
            Body::Value(value) => {
                let (path, margin) = ("", "");
                let found = self.converter.document(value);
                let part = Part { text, line: piece.line, path, format: piece.format, margin, value };
                let new = self.part(&part, found);
                if format == piece.format {
                    return Some(new?.1.into());
                }
                (!value.is_null())
                    .then(|| layout::fresh(new.as_ref().map_or(value, |(value, _)| value), format).into())
            }
            Body::List(list) if format == piece.format => self.list(text, piece, list),
            Body::List(list) => self.fresh_list(text, piece, list, format),
        }
    }

    /// Says what was found in a part, and gives its value and its text: `None` where it stays as it
    /// is.
    fn part(&mut self, part: &Part<'_>, found: Found) -> Option<(serde_json::Value, String)> {
        if found.value.is_none() && found.notes.is_empty() {
            return None;
        }
        let tree = tree::Tree::of(part.text, part.format);
        let line =
            |path: &str| part.line + tree.as_ref().map_or(0, |tree| tree.lines_before(part.text, path));
        for note in &found.notes {
            let (line, path) = (Some(line(&note.path)), object::join(part.path, &note.path));
            if note.fails {
                self.report.failure(self.name, line, &path, &note.message);
            } else {
                self.report.warning(self.name, line, &path, &note.message);
            }
        }
        if found.fails() {
            return None;
        }
        let value = found.value?;
        for path in tree.iter().flat_map(|tree| tree.duplicates()) {
            let message = "this key comes more than once; the last one counts";
            self.report.warning(self.name, Some(line(&path)), &object::join(part.path, &path), message);
        }
        for change in &found.changes {
            self.report.changes += 1;
            if self.says_changes {
                self.report.say(&format!("{}:{}: {change}", self.name, line(&change.path)));
            }
        }
        let new = layout::again(part.text, tree.as_ref(), part.format, part.margin, part.value, &value);
        for comment in layout::lost_comments(part.text, &new) {
            let message = "a comment is lost, as what it stands in was laid out anew";
            self.report.warning(self.name, Some(part.line + comment), "", message);
        }
        Some((value, new))
    }

    /// Converts each item of a list where it stands.
    fn list(&mut self, text: &str, piece: &Piece, list: &List) -> Option<Text> {
        let (failures, changes) = (self.report.failures, self.report.changes);
        let of = self.items_of(piece, list);
        if matches!(of, object::Items::Stay) {
            return None;
        }
        let mut out = Text::default();
        let mut end = 0;
        // What the list itself says from now on.
        let (frame, place) = list.frame();
        let tree = tree::Tree::of(frame, piece.format);
        let mut words: Vec<(usize, usize, String)> = Vec::new();
        for (name, new) in of.names() {
            let Some(bytes) = tree.as_ref().and_then(|tree| tree.member(name)) else { continue };
            let new = layout::word(&frame[bytes.clone()], &new, piece.format);
            words.push((place(bytes.start), place(bytes.end), new));
        }
        words.sort();
        let mut words = words.into_iter().peekable();
        let mut copy = |out: &mut Text, to: usize, end: &mut usize| {
            while let Some((start, stop, new)) = words.next_if(|(start, ..)| *start < to) {
                out.push_str(&text[*end..start]);
                out.push_str(&new);
                *end = stop;
            }
            out.push_str(&text[*end..to]);
            *end = to;
        };
        self.each(text, piece, list, &of, &mut |item, _, new| {
            if let Some((_, new)) = new {
                copy(&mut out, item.bytes.start, &mut end);
                out.push_str(&unpadded(new, item.padding));
                end = item.bytes.end;
            }
        });
        copy(&mut out, text.len(), &mut end);
        if self.report.failures > failures {
            self.report.changes = changes;
            return None;
        }
        let is_same = out.parts().try_fold(text, |rest, part| rest.strip_prefix(part)) == Some("");
        (!is_same).then_some(out)
    }

    /// Converts each item of a list, and lays all of it out anew.
    fn fresh_list(&mut self, text: &str, piece: &Piece, list: &List, format: Format) -> Option<Text> {
        let (failures, changes) = (self.report.failures, self.report.changes);
        let of = self.items_of(piece, list);
        if self.report.failures > failures {
            return None;
        }
        let mut envelope = list.envelope.clone();
        for (name, word) in of.names() {
            envelope[name] = word.into();
        }
        let mut fresh = layout::Fresh::new(&envelope, format);
        self.each(text, piece, list, &of, &mut |_, old, new| {
            fresh.item(new.map_or(old, |(value, _)| value));
        });
        if self.report.failures > failures {
            self.report.changes = changes;
            return None;
        }
        Some(fresh.finish())
    }

    /// How the items of a list are converted.
    fn items_of(&mut self, piece: &Piece, list: &List) -> object::Items {
        let text = |name| list.envelope.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let mut found = Found::default();
        let of = self.converter.list_of(text("apiVersion"), text("kind"), "", &mut found);
        for note in &found.notes {
            let report = if note.fails { Report::failure } else { Report::warning };
            report(self.report, self.name, Some(piece.line), &note.path, &note.message);
        }
        of.unwrap_or(object::Items::Stay)
    }

    /// Visits each item of a list with its value, and what it becomes: its value and its text, with
    /// the item's padding.
    fn each(
        &mut self,
        text: &str,
        piece: &Piece,
        list: &List,
        of: &object::Items,
        visit: &mut dyn FnMut(&Item<'_>, &serde_json::Value, Option<Rewritten<'_>>),
    ) {
        let (mut line, mut at, mut index) = (piece.line, 0, 0);
        let items = self.report.bar_for(list.len(), "items", ITEMS_WORTH_A_BAR);
        let files = std::mem::replace(&mut self.report.bar, items);
        list.each(text, &mut |item| {
            line += text[at..item.bytes.start].matches('\n').count();
            at = item.bytes.start;
            let path = object::element("", index);
            index += 1;
            let value = match item.value(piece.format) {
                Ok(value) => value,
                Err((below, message)) => {
                    return self.report.failure(self.name, Some(line + below), &path, &message);
                }
            };
            let mut found = Found::default();
            found.value = self.converter.item(&value, of, "", &mut found);
            let margin = margin(text, item.bytes.start);
            let part =
                Part { text: &item.text, line, path: &path, format: piece.format, margin, value: &value };
            let new = self.part(&part, found);
            visit(&item, &value, new.as_ref().map(|(value, text)| (value, text.as_str())));
            self.report.bar.inc(1);
        });
        std::mem::replace(&mut self.report.bar, files).finish_and_clear();
    }
}

/// The text of an item as it stands behind what its padding is for.
fn unpadded(text: &str, padding: usize) -> Cow<'_, str> {
    match text.split_at_checked(padding) {
        Some((blanks, rest)) if blanks.trim_matches(' ').is_empty() => Cow::Borrowed(rest),
        // It was laid out anew, without them.
        _ => Cow::Owned(edit::indented(text.trim_end_matches('\n'), padding) + "\n"),
    }
}

/// The blanks at the beginning of the line of a byte.
fn margin(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use allocation_counter::measure;

    use super::*;

    const ITEM: &str = r#"{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"a","labels":{"app":"a"}},"spec":{"replicas":3,"rollbackTo":{"revision":3},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":80}]}]}}}}"#;

    /// A list of so many items: one of anything, or one of a kind.
    fn list(items: usize, format: Format, of: &str) -> Input {
        let list = |items: serde_json::Value| match of {
            "List" => serde_json::json!({"apiVersion": "v1", "items": items, "kind": of}),
            _ => {
                serde_json::json!({"apiVersion": "apps/v1beta1", "items": items, "kind": of, "metadata": {"continue": "x"}})
            }
        };
        let item: serde_json::Value = serde_json::from_str(ITEM).unwrap();
        let text = layout::fresh(&list(vec![item; items].into()), format);
        Input { name: "list".to_owned(), text, is_json: format == Format::Json }
    }

    /// The text that becomes of an input in a format, and the most bytes that were in use at once
    /// beside it and the input.
    fn converted(input: &Input, to: Format) -> (String, u64) {
        let scheme = hubgen_kubernetes::scheme();
        let converter = Converter { scheme: &scheme, target: &Target::Newest, drops_unknown: false };
        let mut report = Report::default();
        let mut out = Text::default();
        let mut work = Work { name: "list", converter: &converter, says_changes: false, report: &mut report };
        let info = measure(|| {
            let is_list = |document: &serde_json::Value| converter.is_list(document);
            for piece in Pieces::of(input, &is_list) {
                let piece = piece.unwrap_or_else(|mistake| panic!("{}", mistake.message));
                out = work.document(&input.text[piece.bytes.clone()], &piece, to).expect("it changes");
            }
        });
        assert_eq!(report.failures, 0);
        (out.parts().collect(), info.bytes_max - out.capacity() as u64)
    }

    #[test]
    fn a_longer_list_takes_no_more_memory() {
        for from in [Format::Json, Format::Yaml] {
            for of in ["List", "DeploymentList"] {
                let [few, many] = [50, 1000].map(|items| converted(&list(items, from, of), from));
                assert_eq!(many.0.matches("deprecated.deployment.rollback.to").count(), 1000);
                assert!(!many.0.contains("v1beta1"));
                assert!(many.1 <= few.1 + 64, "{from:?} {of}: {} bytes, then {}", few.1, many.1);
            }
        }
    }

    /// Item by item, the text is what it is all at once.
    #[test]
    fn lists_in_another_format_are_laid_out_as_a_whole() {
        for (from, to) in [(Format::Json, Format::Yaml), (Format::Yaml, Format::Json)] {
            for (of, items) in [("List", 3), ("DeploymentList", 1), ("DeploymentList", 0)] {
                let (text, _) = converted(&list(items, from, of), to);
                let value = match to {
                    Format::Json => format::value(text.as_bytes()).unwrap(),
                    Format::Yaml => {
                        let json = hubgen_kubernetes::machinery::yaml::to_json(&text).unwrap();
                        format::value(&json).unwrap()
                    }
                };
                assert_eq!(value["items"].as_array().unwrap().len(), items);
                assert_eq!(text, layout::fresh(&value, to));
            }
        }
    }
}
