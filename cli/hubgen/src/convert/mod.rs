//! `hubgen convert`: manifests from one version to another.
//!
//! Objects are converted through the hub of their kind. In the text, only what the conversion changes is
//! edited: order, layout and comments stay where possible.

mod atomic;
mod comments;
mod edit;
pub(crate) mod format;
pub(crate) mod input;
pub(crate) mod layout;
mod list;
pub(crate) mod manifest;
mod merge;
mod mistake;
mod object;
mod output;
mod replaced;
mod report;
pub(crate) mod target;
mod text;
pub(crate) mod tree;

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_terminal::{Diagnostic, FAILURE, Messages, Progress, Severity};

use self::comments::Convert;
use self::format::Format;
use self::input::{Input, Origin};
use self::list::{Item, List};
use self::manifest::{Body, Piece, Pieces};
use self::object::{Converter, Found, Note};
use self::output::Stream;
use self::report::Report;
use self::target::{Target, Wanted};
use self::text::Text;
use crate::known::Known;

/// Convert manifests to other versions of their kinds.
///
/// Reads YAML and JSON from files, from folders with all folders below them (.yaml, .yml, .json), or from
/// standard input. A file may contain many documents and lists. What a conversion does not change stays as
/// it was written, comments included.
///
/// Objects of unknown kinds stay as they are, with a warning. A field that the version of an object does
/// not have is an error, because it would be lost; see --drop-unknown.
///
/// An object that cannot be converted is left out of the output. With --in-place its whole file stays as it
/// is, while files without errors are written.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Convert a file to the newest versions, comments and layout included:
    hubgen convert --newest deployment.yaml
  List what would change in a folder of manifests:
    hubgen convert --newest --check manifests/
  Change the files:
    hubgen convert --newest --in-place manifests/
  Convert the answer of a cluster to an older version, as JSON:
    kubectl get hpa -o yaml | hubgen convert --to autoscaling/v1 -o json
  Convert objects of a repository's own kinds, too:
    hubgen convert --newest --in-place --config hubgen.toml manifests/
  List the changes for a program to read:
    hubgen convert --newest --check --json manifests/

JSON (--json), to standard output with --check or --in-place, otherwise to standard error:
  {\"ok\": true, \"files\": N, \"changed_files\": N, \"changed_objects\": N, \"errors\": N, \"warnings\": N,
   \"kept_files\": [FILE],
   \"changes\": [{\"file\", \"line\", \"path\", \"from\": {\"apiVersion\", \"kind\"},
                \"to\": {\"apiVersion\", \"kind\"}, \"namespace\", \"name\"}],
   \"diagnostics\": [{\"severity\", \"file\", \"line\", \"column\", \"path\", \"message\", \"help\"}]}
  Members that do not apply are absent. kept_files would have changed, but for errors in them.

Exit codes:
  0  success; there may be warnings
  1  an object cannot be converted, a file cannot be read or written, or
     --check found something to change
  2  wrong arguments")]
pub struct Args {
    /// Files and folders; standard input for `-` or without any
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    /// Write every object in this format, instead of the format of its input
    #[arg(short, long, value_name = "FORMAT", conflicts_with_all = ["in_place", "check"])]
    output: Option<Format>,
    /// Write each file back, instead of one stream to standard output
    #[arg(long)]
    in_place: bool,
    /// Write nothing; list what would change, and exit with 1 if anything would
    #[arg(long, conflicts_with = "in_place")]
    check: bool,
    /// Drop fields that the version of an object does not have, with a warning
    #[arg(long)]
    drop_unknown: bool,
    /// Convert the kinds of a repository, too: the hubgen.toml that describes it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Report changes, warnings and errors as JSON
    #[arg(long)]
    json: bool,
}

/// Converts, and reports.
pub fn run(args: &Args, is_quiet: bool) -> ExitCode {
    let mut messages = Messages::new(args.json, is_quiet);
    let known = match Known::new(args.config.as_deref()) {
        Ok(known) => known,
        Err(errors) => return messages.fail(&errors),
    };
    let target = match Target::new(&known.scheme, &args.wanted) {
        Ok(target) => target,
        Err(message) => return crate::usage("convert", &message),
    };
    let converter = Converter { known: &known, target: &target, drops_unknown: args.drop_unknown };
    let (origins, errors) = input::origins(&args.paths);
    if args.in_place && origins.iter().any(|origin| matches!(origin, Origin::Stdin)) {
        return crate::usage("convert", "--in-place needs files: standard input cannot be written back");
    }
    // A bar would mix with a stream on the same terminal.
    let is_free = args.in_place || args.check || !io::stdout().is_terminal();
    messages.progress = Progress::new(is_free && !args.json && !is_quiet);
    let bar = messages.progress.bar(origins.len(), "files");
    let mut report = Report::new(messages);
    errors.iter().for_each(|error| report.add(error));
    let mut stream = Stream::new(io::stdout().lock(), args.output);
    let written = origins.iter().try_for_each(|origin| {
        let done = one(args, origin, &converter, &mut stream, &mut report);
        bar.step();
        done
    });
    drop(bar);
    if let Err(error) = written.and_then(|()| stream.finish()) {
        // The reader has enough, as `head` does.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        report.add(&unwritable(&error));
    }
    drop(stream);
    finish(args, report)
}

/// The end of the report, and the exit code.
fn finish(args: &Args, mut report: Report) -> ExitCode {
    let has_output = args.in_place || args.check;
    let fails = report.errors() > 0 || (args.check && report.changes > 0);
    if args.json {
        let written =
            if has_output { report.write_json(io::stdout()) } else { report.write_json(io::stderr()) };
        if written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
            return ExitCode::from(FAILURE);
        }
    } else if has_output {
        report.summary(args.check);
    }
    if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
}

/// Standard output that cannot be written.
pub(crate) fn unwritable(error: &io::Error) -> Diagnostic {
    Diagnostic::message(format!("cannot write to standard output: {error}"), "")
}

/// Converts one input. An error is one of standard output, and ends the command.
fn one<W: Write>(
    args: &Args,
    origin: &Origin,
    converter: &Converter<'_>,
    stream: &mut Stream<W>,
    report: &mut Report,
) -> io::Result<()> {
    let input = match Input::read(origin) {
        Ok(input) => input,
        Err(error) => {
            report.add(&error);
            return Ok(());
        }
    };
    report.files += 1;
    let (errors, changes) = (report.errors(), report.changes);
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
                report.add(&mistake.diagnostic(&input.source));
                break;
            }
        };
        let before = &input.text()[end..piece.bytes.start];
        let text = &input.text()[piece.bytes.clone()];
        end = piece.bytes.end;
        let errors = report.errors();
        let format = if streams { stream.format(piece.format) } else { piece.format };
        let mut work = Work { input: &input, converter, shows_changes: args.check, report };
        let new = work.document(text, &piece, format);
        let is_left_out = report.errors() > errors;
        if args.in_place {
            whole.push_str(before);
            match new {
                Some(new) => whole.append(new),
                None => whole.push_str(text),
            }
        } else if streams && !is_left_out {
            let before = (format == piece.format).then_some(before);
            match (new, before) {
                (Some(new), before) => stream.write(format, before, new.parts())?,
                (None, Some(_)) => stream.write(format, before, std::iter::once(text))?,
                // It has no value to write in another format.
                (None, None) => {}
            }
        }
    }
    let rest = &input.text()[end..];
    if streams && report.errors() == errors {
        stream.rest(rest)?;
    }
    if report.changes == changes {
        return Ok(());
    }
    if args.in_place && report.errors() == errors {
        whole.push_str(rest);
        if let Origin::File(path) = origin
            && let Err(error) = atomic::replace(path, &whole)
        {
            let help = "the file is as it was; check its permissions, and free space";
            report.add(&Diagnostic::file(path, format!("cannot be written: {error}"), help));
        }
    }
    if args.in_place && report.errors() > errors {
        report.keep_file(&input.name, changes);
    } else {
        report.changed_files += 1;
    }
    Ok(())
}

/// Converts the documents of one input.
struct Work<'a> {
    input: &'a Input,
    converter: &'a Converter<'a>,
    /// Whether each change is printed.
    shows_changes: bool,
    report: &'a mut Report,
}

/// A value in a text: a document, or an item of a list.
struct Part<'a> {
    text: &'a str,
    /// The byte of the input at which it begins.
    start: usize,
    /// How many blanks its text begins with that the input does not have there.
    padding: usize,
    /// Its path in the document.
    path: &'a str,
    format: Format,
    /// What the lines of JSON begin with.
    margin: &'a str,
    value: &'a serde_json::Value,
}

impl Part<'_> {
    /// The bytes of the input at bytes of this part's text.
    fn place(&self, bytes: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.start + byte.saturating_sub(self.padding);
        at(bytes.start)..at(bytes.end)
    }
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
                let (start, padding) = (piece.bytes.start, 0);
                let part = Part { text, start, padding, path, format: piece.format, margin, value };
                let converter = self.converter;
                let new = self.part(&part, found, &|value| converter.document(value).value);
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

    /// Reports what was found in a part, and returns its new value and text: `None` where it stays as
    /// it is. `convert` converts another value of the part.
    fn part(
        &mut self,
        part: &Part<'_>,
        found: Found,
        convert: &Convert<'_>,
    ) -> Option<(serde_json::Value, String)> {
        if found.value.is_none() && found.notes.is_empty() {
            return None;
        }
        let tree = tree::Tree::of(part.text, part.format);
        let place = |path: &str| part.place(tree.as_ref().map_or(0..0, |tree| tree.place(path)));
        for Note { severity, path, message, help } in &found.notes {
            self.add(*severity, place(path), &object::join(part.path, path), message, help);
        }
        if found.fails() {
            return None;
        }
        let value = found.value?;
        for path in tree.iter().flat_map(|tree| tree.duplicates()) {
            let message = "duplicate key; the last value counts";
            self.add(Severity::Warning, place(&path), &object::join(part.path, &path), message, "");
        }
        for change in &found.changes {
            self.report.changes += 1;
            // Nobody else needs the line, and counting lines takes time.
            if self.shows_changes || self.report.messages.are_json() {
                let (line, _) = self.input.source.position(place(&change.path).start);
                let path = object::join(part.path, &change.path);
                self.report.change(&self.input.name, line, &path, change, self.shows_changes);
            }
        }
        let (tree, old) = (tree.as_ref(), part.value);
        let new = layout::again(part.text, tree, part.format, part.margin, old, &value, convert);
        for comment in comments::lost(part.text, &new) {
            let message = "this comment is lost: its field is gone, or had to be written anew";
            self.add(Severity::Warning, part.place(comment), "", message, "");
        }
        Some((value, new))
    }

    /// Reports a finding at bytes of the input.
    fn add(&mut self, severity: Severity, bytes: Range<usize>, path: &str, message: &str, help: &str) {
        let error = self.input.source.error(bytes, path, message, help);
        self.report.add(&Diagnostic { severity, ..error });
    }

    /// Converts each item of a list where it stands.
    fn list(&mut self, text: &str, piece: &Piece, list: &List) -> Option<Text> {
        let (errors, changes) = (self.report.errors(), self.report.changes);
        let of = self.items_of(piece, list);
        if matches!(of, object::Items::Stay) {
            return None;
        }
        let mut out = Text::default();
        let mut end = 0;
        // The new version and kind of the list itself.
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
        if self.report.errors() > errors {
            self.report.forget_changes(changes);
            return None;
        }
        let is_same = out.parts().try_fold(text, |rest, part| rest.strip_prefix(part)) == Some("");
        (!is_same).then_some(out)
    }

    /// Converts each item of a list, and lays all of it out anew.
    fn fresh_list(&mut self, text: &str, piece: &Piece, list: &List, format: Format) -> Option<Text> {
        let (errors, changes) = (self.report.errors(), self.report.changes);
        let of = self.items_of(piece, list);
        if self.report.errors() > errors {
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
        if self.report.errors() > errors {
            self.report.forget_changes(changes);
            return None;
        }
        Some(fresh.finish())
    }

    /// How the items of a list are converted.
    fn items_of(&mut self, piece: &Piece, list: &List) -> object::Items {
        let text = |name| list.envelope.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let mut found = Found::default();
        let of = self.converter.list_of(text("apiVersion"), text("kind"), "", &mut found);
        for Note { severity, path, message, help } in &found.notes {
            self.add(*severity, piece.bytes.clone(), path, message, help);
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
        let bar = self.report.messages.progress.bar(list.len(), "items");
        let mut index = 0;
        list.each(text, &mut |item| {
            let path = object::element("", index);
            index += 1;
            let (start, padding) = (piece.bytes.start + item.bytes.start, item.padding);
            let value = match item.value(piece.format) {
                Ok(value) => value,
                Err(mistake) => {
                    let at = start + mistake.at.saturating_sub(padding);
                    return self.add(Severity::Error, at..at + 1, &path, &mistake.message, mistake.help);
                }
            };
            let mut found = Found::default();
            found.value = self.converter.item(&value, of, "", &mut found);
            let margin = margin(text, item.bytes.start);
            let format = piece.format;
            let part = Part { text: &item.text, start, padding, path: &path, format, margin, value: &value };
            let converter = self.converter;
            let convert = |value: &_| converter.item(value, of, "", &mut Found::default());
            let new = self.part(&part, found, &convert);
            visit(&item, &value, new.as_ref().map(|(value, text)| (value, text.as_str())));
            bar.step();
        });
    }
}

/// The text of an item without its padding.
fn unpadded(text: &str, padding: usize) -> Cow<'_, str> {
    match text.split_at_checked(padding) {
        Some((blanks, rest)) if blanks.trim_matches(' ').is_empty() => Cow::Borrowed(rest),
        // It was written anew, without padding.
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
    use std::path::Path;

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
        Input::new(Path::new("list"), text, format == Format::Json)
    }

    /// The text that becomes of an input in a format, and the most bytes that were in use at once
    /// beside it and the input.
    fn converted(input: &Input, to: Format) -> (String, u64) {
        let known = Known::kubernetes();
        let converter = Converter { known: &known, target: &Target::Newest, drops_unknown: false };
        let mut report = Report::new(Messages::print(false));
        let mut out = Text::default();
        let mut work = Work { input, converter: &converter, shows_changes: false, report: &mut report };
        let info = measure(|| {
            let is_list = |document: &serde_json::Value| converter.is_list(document);
            for piece in Pieces::of(input, &is_list) {
                let piece = piece.unwrap_or_else(|mistake| panic!("{}", mistake.message));
                out = work.document(&input.text()[piece.bytes.clone()], &piece, to).expect("it changes");
            }
        });
        assert_eq!(report.errors(), 0);
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
