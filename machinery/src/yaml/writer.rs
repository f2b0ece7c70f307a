//! From values to YAML in block style, laid out as Go's library does it.

use serde_json::{Map, Number, Value};

use super::order;
use super::reader::general;
use super::scalar::is_ambiguous;
use crate::json::writer::Shortest;

/// Columns after which a long string is broken at the next blank.
const WIDTH: usize = 80;

/// The longest key, in bytes, that stands on a line with its value.
const SIMPLE_KEY: usize = 128;

pub(super) fn write(value: &Value) -> String {
    let mut emitter = Emitter { out: String::new(), column: 0, indent: None, blank: true, indenting: true };
    emitter.value(value, Position::Root);
    emitter.break_line_unless_at_start();
    emitter.out
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    /// After `- `.
    Item,
    /// After a key's `:`.
    Member,
    /// A key on one line with its value.
    SimpleKey,
    /// A key after `? `, which may span lines.
    ComplexKey,
}

struct Emitter {
    out: String,
    /// Characters since the last line break.
    column: usize,
    /// The current block's indentation; none before the first block.
    indent: Option<usize>,
    /// Whether the last thing written separates what follows from what was before.
    blank: bool,
    /// Whether the line holds nothing yet but indentation and `-`, `?`, `:`.
    indenting: bool,
}

impl Emitter {
    fn value(&mut self, value: &Value, place: Position) {
        match value {
            Value::Null => self.plain("null", place),
            Value::Bool(true) => self.plain("true", place),
            Value::Bool(false) => self.plain("false", place),
            Value::Number(number) => self.plain(&number_text(number), place),
            Value::String(text) => self.string(text, place),
            Value::Array(items) if items.is_empty() => self.indicator("[]", true, false),
            Value::Object(members) if members.is_empty() => self.indicator("{}", true, false),
            Value::Array(items) => self.list(items, place),
            Value::Object(members) => self.map(members),
        }
    }

    fn list(&mut self, items: &[Value], place: Position) {
        let before = self.indent;
        // A list under a key is not indented further than the key.
        let aligned = place == Position::Member && !self.indenting;
        self.indent = Some(match before {
            None => 0,
            Some(indent) if aligned => indent,
            Some(indent) => indent + 2,
        });
        for item in items {
            self.start_line();
            self.indicator("-", true, true);
            self.value(item, Position::Item);
        }
        self.indent = before;
    }

    fn map(&mut self, members: &Map<String, Value>) {
        let before = self.indent;
        self.indent = Some(before.map_or(0, |indent| indent + 2));
        for (key, value) in order::sort(members.iter().collect()) {
            self.start_line();
            if key.len() <= SIMPLE_KEY && !key.contains(is_line_break) {
                self.string(key, Position::SimpleKey);
                self.indicator(":", false, false);
            } else {
                self.indicator("?", true, true);
                self.string(key, Position::ComplexKey);
                self.start_line();
                self.indicator(":", true, true);
            }
            self.value(value, Position::Member);
        }
        self.indent = before;
    }

    fn string(&mut self, text: &str, place: Position) {
        let before = self.indent;
        // What a scalar spans beyond its first line is indented.
        self.indent = Some(before.unwrap_or(0) + 2);
        let form = Form::of(text);
        let folds = place != Position::SimpleKey;
        if text.contains('\n') {
            if form.literal && folds {
                self.literal(text);
            } else {
                self.double_quoted(text, folds);
            }
        } else if is_ambiguous(text) {
            self.double_quoted(text, folds);
        } else if form.plain {
            self.plain_folding(text, folds);
        } else if form.single_quoted {
            self.single_quoted(text, folds);
        } else {
            self.double_quoted(text, folds);
        }
        self.indent = before;
    }

    /// Writes a scalar that has no blanks.
    fn plain(&mut self, text: &str, place: Position) {
        self.plain_folding(text, place != Position::SimpleKey);
    }

    fn plain_folding(&mut self, text: &str, folds: bool) {
        self.separate();
        self.folding(text, folds, 0, |emitter, c| emitter.put(c));
        self.blank = false;
        self.indenting = false;
    }

    fn single_quoted(&mut self, text: &str, folds: bool) {
        self.indicator("'", true, false);
        self.folding(text, folds, 1, |emitter, c| {
            if c == '\'' {
                emitter.put('\'');
            }
            emitter.put(c);
        });
        self.indicator("'", false, false);
    }

    /// Writes text without line breaks, broken at single blanks beyond the width. A blank at the
    /// edge, `margin` characters wide, is no place to break.
    fn folding(&mut self, text: &str, folds: bool, margin: usize, put: fn(&mut Emitter, char)) {
        let characters: Vec<char> = text.chars().collect();
        let mut after_blank = false;
        for (at, c) in characters.iter().copied().enumerate() {
            if c != ' ' {
                put(self, c);
                self.indenting = false;
                after_blank = false;
                continue;
            }
            let inside = at >= margin && at + margin < characters.len();
            let single = !after_blank && characters.get(at + 1) != Some(&' ');
            if folds && single && inside && self.column > WIDTH {
                self.start_line();
            } else {
                self.put(' ');
            }
            after_blank = true;
        }
    }

    fn double_quoted(&mut self, text: &str, folds: bool) {
        self.indicator("\"", true, false);
        let characters: Vec<char> = text.chars().collect();
        let mut after_blank = false;
        for (at, c) in characters.iter().copied().enumerate() {
            if c == ' ' {
                let inside = at > 0 && at + 1 < characters.len();
                if folds && !after_blank && inside && self.column > WIDTH {
                    self.start_line();
                    if characters[at + 1] == ' ' {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                after_blank = true;
                continue;
            }
            after_blank = false;
            if is_printable(c) && !is_line_break(c) && c != '"' && c != '\\' {
                self.put(c);
            } else {
                self.escape(c);
            }
        }
        self.indicator("\"", false, false);
    }

    fn escape(&mut self, c: char) {
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(c);
                let long = match code {
                    0..=0xFF => format!("\\x{code:02X}"),
                    0x100..=0xFFFF => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                for c in long.chars() {
                    self.put(c);
                }
                return;
            }
        };
        self.put('\\');
        self.put(short);
    }

    /// Writes text with line breaks as it is, each line indented.
    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with([' ', '\n']) {
            // Otherwise the first line would tell the indentation.
            self.put('2');
        }
        match text.strip_suffix('\n') {
            None => self.put('-'),
            Some(rest) if rest.is_empty() || rest.ends_with('\n') => self.put('+'),
            Some(_) => {}
        }
        self.line_break();
        self.indenting = true;
        self.blank = true;
        let mut line_starts = true;
        for c in text.chars() {
            if c == '\n' {
                self.line_break();
                self.indenting = true;
                line_starts = true;
                continue;
            }
            if line_starts {
                self.start_line();
            }
            self.put(c);
            self.indenting = false;
            line_starts = false;
        }
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn separate(&mut self) {
        if !self.blank {
            self.put(' ');
        }
    }

    fn indicator(&mut self, text: &str, separated: bool, indenting: bool) {
        if separated {
            self.separate();
        }
        for c in text.chars() {
            self.put(c);
        }
        self.blank = false;
        self.indenting = self.indenting && indenting;
    }

    /// Goes to the current indentation, on a new line unless this one is still before it.
    fn start_line(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indenting || self.column > indent || (self.column == indent && !self.blank) {
            self.line_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.blank = true;
        self.indenting = true;
    }

    fn break_line_unless_at_start(&mut self) {
        self.indent = None;
        self.start_line();
    }
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => {
            let mut out = Vec::new();
            general(&Shortest::of(value), &mut out);
            String::from_utf8_lossy(&out).into_owned()
        }
        _ => number.to_string(),
    }
}

/// In which forms a text can be written so that it is read back as it is.
struct Form {
    plain: bool,
    single_quoted: bool,
    literal: bool,
}

impl Form {
    fn of(text: &str) -> Form {
        let characters: Vec<char> = text.chars().collect();
        let (Some(first), Some(last)) = (characters.first(), characters.last()) else {
            return Form { plain: true, single_quoted: true, literal: false };
        };
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let mut special = false;
        let mut breaks = false;
        let mut break_then_blank = false;
        let mut blank_then_break = false;
        let mut before = None;
        for (at, c) in characters.iter().copied().enumerate() {
            let next = characters.get(at + 1);
            let ends = next.is_none_or(|c| matches!(c, ' ' | '\t'));
            indicators |= match c {
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    at == 0
                }
                '?' | '-' => at == 0 && ends,
                ':' => ends,
                '#' => before.is_none_or(|c| matches!(c, ' ' | '\t') || is_line_break(c)),
                _ => false,
            };
            // Other line breaks than `\n` are read differently by readers of YAML 1.1 and 1.2.
            special |= !is_printable(c) || (is_line_break(c) && c != '\n');
            breaks |= c == '\n';
            break_then_blank |= c == ' ' && before == Some('\n');
            blank_then_break |= c == '\n' && before == Some(' ');
            before = Some(c);
        }
        let edges = matches!(first, ' ' | '\n') || matches!(last, ' ' | '\n');
        let foldable = !special && !blank_then_break;
        Form {
            plain: foldable && !breaks && !edges && !indicators,
            single_quoted: foldable && !break_then_blank,
            literal: foldable && *last != ' ',
        }
    }
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character stands for itself. Those beyond 16 bits do in YAML, but Go escapes them.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}'
}
