//! Writes values as YAML in block style, in the layout of Go's library.

use serde_json::{Map, Number, Value};

use super::order;
use super::reader::general;
use super::scalar::is_ambiguous;
use hubgen_json::writer::Shortest;

/// The column after which a long string is broken at the next space.
const WIDTH: usize = 80;

/// The longest key, in bytes, that is written on one line with its value.
const SIMPLE_KEY: usize = 128;

pub(super) fn write(value: &Value) -> String {
    let mut emitter = Emitter { out: String::new(), column: 0, indent: None, blank: true, indenting: true };
    emitter.value(value, Position::Root);
    emitter.break_line_unless_at_start();
    emitter.out
}

/// The position of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    /// After `- `.
    Item,
    /// After a key's `:`.
    Member,
    /// A key on the same line as its value.
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
    /// Whether the output ends with whitespace, so that the next token needs no space before it.
    blank: bool,
    /// Whether the line contains only indentation and the indicators `-`, `?`, `:` so far.
    indenting: bool,
}

impl Emitter {
    fn value(&mut self, value: &Value, position: Position) {
        match value {
            Value::Null => self.plain("null", position),
            Value::Bool(true) => self.plain("true", position),
            Value::Bool(false) => self.plain("false", position),
            Value::Number(number) => self.plain(&number_text(number), position),
            Value::String(text) => self.string(text, position),
            Value::Array(items) if items.is_empty() => self.indicator("[]", true, false),
            Value::Object(members) if members.is_empty() => self.indicator("{}", true, false),
            Value::Array(items) => self.list(items, position),
            Value::Object(members) => self.map(members),
        }
    }

    fn list(&mut self, items: &[Value], position: Position) {
        let before = self.indent;
        // A list under a key is not indented further than the key.
        let aligned = position == Position::Member && !self.indenting;
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

    fn string(&mut self, text: &str, position: Position) {
        let before = self.indent;
        // Lines of a scalar after its first are indented.
        self.indent = Some(before.unwrap_or(0) + 2);
        let styles = Styles::of(text);
        let folds = position != Position::SimpleKey;
        if text.contains('\n') {
            if styles.literal && folds {
                self.literal(text);
            } else {
                self.double_quoted(text, folds);
            }
        } else if is_ambiguous(text) {
            self.double_quoted(text, folds);
        } else if styles.plain {
            self.plain_folding(text, folds);
        } else if styles.single_quoted {
            self.single_quoted(text, folds);
        } else {
            self.double_quoted(text, folds);
        }
        self.indent = before;
    }

    /// Writes a scalar that contains no spaces.
    fn plain(&mut self, text: &str, position: Position) {
        self.plain_folding(text, position != Position::SimpleKey);
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

    /// Writes text that has no line breaks, and breaks it at single spaces beyond the width. Within
    /// `margin` characters of either end it does not break.
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

    /// Writes text with line breaks in literal style: unchanged, with each line indented.
    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with([' ', '\n']) {
            // Without this indicator, a reader would take the indentation from the first line.
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

    /// Advances to the current indentation. Starts a new line unless this line has not reached it.
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

/// The styles in which a text can be written so that it is read back unchanged.
struct Styles {
    plain: bool,
    single_quoted: bool,
    literal: bool,
}

impl Styles {
    fn of(text: &str) -> Styles {
        let characters: Vec<char> = text.chars().collect();
        let (Some(first), Some(last)) = (characters.first(), characters.last()) else {
            return Styles { plain: true, single_quoted: true, literal: false };
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
            // Readers of YAML 1.1 and of YAML 1.2 treat line breaks other than `\n` differently.
            special |= !is_printable(c) || (is_line_break(c) && c != '\n');
            breaks |= c == '\n';
            break_then_blank |= c == ' ' && before == Some('\n');
            blank_then_break |= c == '\n' && before == Some(' ');
            before = Some(c);
        }
        let edges = matches!(first, ' ' | '\n') || matches!(last, ' ' | '\n');
        let foldable = !special && !blank_then_break;
        Styles {
            plain: foldable && !breaks && !edges && !indicators,
            single_quoted: foldable && !break_then_blank,
            literal: foldable && *last != ' ',
        }
    }
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is written without an escape. YAML allows this for characters beyond 16 bits,
/// but Go escapes them.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}'
}
