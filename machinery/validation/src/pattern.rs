//! Patterns in the syntax of Go's `regexp`, which is RE2's, matched with Rust's `regex`.
//!
//! Both engines match the same language, but write some of it differently. A pattern is translated:
//!
//! | in Go | in Rust |
//! | --- | --- |
//! | `\d`, `\w`, `\s` and `\b` know only ASCII | they know Unicode, and are written as classes of ASCII |
//! | `\Q…\E`, `\pN{…}`, octal codes, `\<` as a character | written as characters |
//! | `{` without a count and `[` in a class are characters | they need a backslash |
//! | `&&`, `--` and `~~` in a class are characters | they need backslashes |
//! | `a**` and counts above 1000 are errors | the translation refuses them |
//! | look-around and references do not exist | nor here |
//!
//! One form is refused that Go accepts: a repetition directly after flags, as in `a(?i)*`, where Go repeats the `a`.

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};

/// The memory that a compiled pattern may take. Go has no such limit, but none on counts in classes of Unicode either
/// that a schema needs.
const MAX_BYTES: usize = 32 << 20;

/// How deep groups may nest, as in Go.
const MAX_DEPTH: u32 = 1000;

/// The largest count, and the largest product of nested counts.
const MAX_COUNT: u32 = 1000;

/// A compiled pattern.
#[derive(Clone)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern in Go's syntax. The error is Go's, where Go has one.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let translated = Translator::new(text).translate()?;
        let regex = RegexBuilder::new(&translated).size_limit(MAX_BYTES).nest_limit(MAX_DEPTH).build();
        match regex {
            Ok(regex) => Ok(Self { text: text.to_owned(), regex }),
            Err(regex::Error::CompiledTooBig(_)) => {
                Err(format!("the pattern needs more than {MAX_BYTES} bytes: write smaller counts"))
            }
            Err(error) => {
                // The last line is the reason, without the translated pattern.
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default();
                Err(format!("error parsing regexp: {}", reason.strip_prefix("error: ").unwrap_or(reason)))
            }
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The pattern in the syntax of `regex`.
    pub(crate) fn translated(&self) -> &str {
        self.regex.as_str()
    }

    /// The first matches, at most `count`.
    pub(crate) fn find<'t>(&self, text: &'t str, count: usize) -> Vec<&'t str> {
        let found = self.regex.find_iter(text.as_bytes()).take(count);
        found.map(|found| text.get(found.range()).unwrap_or_default()).collect()
    }

    /// Whether the pattern matches anywhere in a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// What the next repetition would repeat.
#[derive(Clone, Copy)]
enum Last {
    /// Nothing: the beginning of a pattern, a group or an alternative.
    Nothing,
    /// An expression with this product of nested counts.
    Atom(u32),
    /// A repetition that begins here, with this product.
    Repetition(usize, u32),
}

impl Last {
    fn count(self) -> u32 {
        match self {
            Self::Nothing => 1,
            Self::Atom(count) | Self::Repetition(_, count) => count,
        }
    }
}

struct Translator<'p> {
    pattern: &'p str,
    at: usize,
    out: String,
    last: Last,
    /// The largest product of counts in the current group.
    largest: u32,
    /// The same for the groups around it.
    outer: Vec<u32>,
}

impl<'p> Translator<'p> {
    fn new(pattern: &'p str) -> Self {
        let out = String::with_capacity(pattern.len());
        Self { pattern, at: 0, out, last: Last::Nothing, largest: 1, outer: Vec::new() }
    }

    fn translate(mut self) -> Result<String, String> {
        while let Some(c) = self.peek() {
            match c {
                '(' => self.open()?,
                ')' => {
                    self.settle();
                    let Some(outer) = self.outer.pop() else {
                        return Err(error("unexpected )", self.pattern));
                    };
                    self.last = Last::Atom(self.largest);
                    self.largest = outer;
                    self.at += 1;
                    self.out.push(')');
                }
                '|' => {
                    self.settle();
                    self.last = Last::Nothing;
                    self.at += 1;
                    self.out.push('|');
                }
                '*' | '+' | '?' => {
                    let start = self.at;
                    self.at += 1;
                    self.repeat(start, c.encode_utf8(&mut [0; 4]), 1)?;
                }
                '{' => self.counts()?,
                '[' => {
                    self.class()?;
                    self.atom();
                }
                '.' | '^' | '$' => {
                    self.at += 1;
                    self.out.push(c);
                    self.atom();
                }
                '\\' => self.escape()?,
                _ => {
                    self.at += c.len_utf8();
                    self.character(c);
                    self.atom();
                }
            }
        }
        if !self.outer.is_empty() {
            return Err(error("missing closing )", self.pattern));
        }
        Ok(self.out)
    }

    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Takes the product of counts of what came last into that of the group.
    fn settle(&mut self) {
        self.largest = self.largest.max(self.last.count());
    }

    fn atom(&mut self) {
        self.settle();
        self.last = Last::Atom(1);
    }

    /// Writes a character that stands for itself.
    fn character(&mut self, c: char) {
        if c.is_alphanumeric() || c == '_' {
            self.out.push(c);
        } else {
            self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
        }
    }

    fn open(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let Some(flags) = rest.strip_prefix("(?") else {
            self.at += 1;
            self.group("(?:");
            return Ok(());
        };
        if let Some(name) = flags.strip_prefix("P<").or_else(|| flags.strip_prefix('<')) {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let Some((name, after)) = name.split_once('>') else {
                return Err(error("invalid named capture", rest));
            };
            let text = &rest[..rest.len() - after.len()];
            if name.is_empty() || !name.chars().all(is_letter) {
                return Err(error("invalid named capture", text));
            }
            self.at += text.len();
            self.group("(?:");
            return Ok(());
        }
        let mut is_negative = false;
        let mut is_useful = false;
        for (at, c) in flags.char_indices() {
            let used = &flags[..at];
            match c {
                'i' | 'm' | 's' | 'U' => is_useful = true,
                '-' if !is_negative => (is_negative, is_useful) = (true, false),
                ':' | ')' if !is_negative || is_useful => {
                    self.at += 2 + at + 1;
                    if c == ':' {
                        self.group(&format!("(?{used}:"));
                    } else if !used.is_empty() {
                        self.out.push_str(&format!("(?{used})"));
                    }
                    return Ok(());
                }
                _ => {
                    let text = &rest[..2 + at + c.len_utf8()];
                    return Err(error("invalid or unsupported Perl syntax", text));
                }
            }
        }
        Err(error("invalid or unsupported Perl syntax", rest))
    }

    fn group(&mut self, open: &str) {
        self.settle();
        self.out.push_str(open);
        self.outer.push(std::mem::replace(&mut self.largest, 1));
        self.last = Last::Nothing;
    }

    /// Writes a repetition that begins at `start` in the pattern, and ends before the current position.
    fn repeat(&mut self, start: usize, operator: &str, count: u32) -> Result<(), String> {
        let is_lazy = self.peek() == Some('?');
        if is_lazy {
            self.at += 1;
        }
        let text = &self.pattern[start..self.at];
        let inner = match self.last {
            Last::Nothing => return Err(error("missing argument to repetition operator", text)),
            Last::Repetition(first, _) => {
                return Err(error("invalid nested repetition operator", &self.pattern[first..self.at]));
            }
            Last::Atom(inner) => inner,
        };
        let product = inner.saturating_mul(count.max(1));
        if count >= 2 && product > MAX_COUNT {
            return Err(error("invalid repeat count", text));
        }
        self.out.push_str(operator);
        if is_lazy {
            self.out.push('?');
        }
        self.last = Last::Repetition(start, product);
        Ok(())
    }

    /// `{n}`, `{n,}` and `{n,m}`; any other brace is a character.
    fn counts(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        let Some((min, max, length)) = counts(self.rest()) else {
            self.character('{');
            self.atom();
            return Ok(());
        };
        self.at += length;
        let is_valid = min <= MAX_COUNT && max.is_none_or(|max| max <= MAX_COUNT && min <= max);
        if !is_valid {
            return Err(error("invalid repeat count", &self.pattern[start..self.at]));
        }
        let operator = self.pattern[start..self.at].to_owned();
        self.repeat(start, &operator, max.unwrap_or(min))
    }

    fn escape(&mut self) -> Result<(), String> {
        let after = self.rest().get(1..).unwrap_or_default();
        if let Some(quoted) = after.strip_prefix('Q') {
            let (text, length) = match quoted.find("\\E") {
                Some(end) => (&quoted[..end], end + 2),
                None => (quoted, quoted.len()),
            };
            self.at += 2 + length;
            for c in text.chars() {
                self.character(c);
                self.atom();
            }
            return Ok(());
        }
        let known = match after.chars().next() {
            Some('A') => "\\A",
            Some('b') => "(?-u:\\b)",
            Some('B') => "(?-u:\\B)",
            Some('z') => "\\z",
            _ => "",
        };
        if !known.is_empty() {
            self.at += 2;
            self.out.push_str(known);
        } else if let Some(class) = self.named_class()? {
            self.out.push_str(&format!("[{class}]"));
        } else {
            let c = self.escaped()?;
            self.character(c);
        }
        self.atom();
        Ok(())
    }

    /// `\d` and the like, and `\p{…}`, as what stands between brackets.
    fn named_class(&mut self) -> Result<Option<String>, String> {
        let rest = self.rest();
        let letter = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let class = match letter {
            Some('d') => "0-9",
            Some('D') => "[^0-9]",
            Some('s') => "\\t\\n\\x{c}\\r\\x{20}",
            Some('S') => "[^\\t\\n\\x{c}\\r\\x{20}]",
            Some('w') => "0-9A-Za-z_",
            Some('W') => "[^0-9A-Za-z_]",
            Some(letter @ ('p' | 'P')) => return self.unicode_class(letter == 'P').map(Some),
            _ => return Ok(None),
        };
        self.at += 2;
        Ok(Some(class.to_owned()))
    }

    fn unicode_class(&mut self, is_negative: bool) -> Result<String, String> {
        let rest = self.rest();
        let name = &rest[2..];
        let (name, length) = match name.strip_prefix('{') {
            Some(braced) => match braced.find('}') {
                Some(end) => (&braced[..end], 2 + end + 2),
                None => return Err(error("invalid character class range", rest)),
            },
            None => match name.chars().next() {
                Some(c) => (&name[..c.len_utf8()], 2 + c.len_utf8()),
                None => return Err(error("invalid character class range", rest)),
            },
        };
        let (name, is_negative) = match name.strip_prefix('^') {
            Some(name) => (name, !is_negative),
            None => (name, is_negative),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_- ".contains(c);
        let is_valid = !name.is_empty() && name.chars().all(is_name);
        // Go knows general categories and scripts. `regex` knows more properties, as many as the features
        // that anything in a build turns on.
        let letter = if is_negative { 'P' } else { 'p' };
        let classes = ["gc", "sc"].map(|property| format!("\\{letter}{{{property}={name}}}"));
        match classes.into_iter().find(|class| is_valid && Regex::new(class).is_ok()) {
            Some(class) => {
                self.at += length;
                Ok(class)
            }
            None => Err(error("invalid character class range", &rest[..length])),
        }
    }

    /// The character that an escape sequence stands for.
    fn escaped(&mut self) -> Result<char, String> {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.next() else { return Err(error("trailing backslash at end of expression", "")) };
        let is_octal = |c: Option<char>| c.filter(|c| ('0'..='7').contains(c));
        let code = match c {
            '0'..='7' if c == '0' || is_octal(self.peek()).is_some() => {
                let mut code = c.to_digit(8);
                for _ in 0..2 {
                    let Some(digit) = is_octal(self.peek()) else { break };
                    self.at += 1;
                    code = code.zip(digit.to_digit(8)).map(|(code, digit)| code * 8 + digit);
                }
                code
            }
            'x' => self.hexadecimal(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        code.and_then(char::from_u32)
            .ok_or_else(|| error("invalid escape sequence", &self.pattern[start..self.at]))
    }

    /// Two hexadecimal digits, or any number of them in braces. Reads up to what is wrong, which Go's error contains.
    fn hexadecimal(&mut self) -> Option<u32> {
        let first = self.next()?;
        if first != '{' {
            let second = self.next()?;
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut code: Option<u32> = None;
        loop {
            match self.next()? {
                '}' => return code,
                c => code = Some(code.unwrap_or(0) * 16 + c.to_digit(16)?),
            }
            code.filter(|code| *code <= u32::from(char::MAX))?;
        }
    }

    fn class(&mut self) -> Result<(), String> {
        let start = self.at;
        let rest = self.rest();
        self.at += 1;
        self.out.push('[');
        if self.peek() == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            match self.peek() {
                None => return Err(error("missing closing ]", rest)),
                Some(']') if !is_first => {
                    self.at += 1;
                    self.out.push(']');
                    return Ok(());
                }
                Some(_) => {}
            }
            is_first = false;
            if let Some(name) = self.posix_class()? {
                self.out.push_str(name);
                continue;
            }
            if let Some(class) = self.named_class()? {
                self.out.push_str(&class);
                continue;
            }
            let range = self.at;
            let low = self.member(start)?;
            let is_range =
                self.rest().starts_with('-') && !matches!(self.rest()[1..].chars().next(), Some(']') | None);
            let mut high = low;
            if is_range {
                self.at += 1;
                high = self.member(start)?;
            }
            if high < low {
                return Err(error("invalid character class range", &self.pattern[range..self.at]));
            }
            self.character(low);
            if is_range {
                self.out.push('-');
                self.character(high);
            }
        }
    }

    /// A character of a class that begins at `start`.
    fn member(&mut self, start: usize) -> Result<char, String> {
        match self.peek() {
            Some('\\') => self.escaped(),
            Some(c) => {
                self.at += c.len_utf8();
                Ok(c)
            }
            None => Err(error("missing closing ]", &self.pattern[start..])),
        }
    }

    /// `[:alpha:]` and the like.
    fn posix_class(&mut self) -> Result<Option<&'p str>, String> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "word", "xdigit",
        ];
        let rest = self.rest();
        let Some(end) = rest.strip_prefix("[:").and_then(|inner| inner.find(":]")) else { return Ok(None) };
        let (text, name) = (&rest[..end + 4], &rest[2..end + 2]);
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(error("invalid character class range", text));
        }
        self.at += text.len();
        Ok(Some(text))
    }
}

/// An error with Go's text.
fn error(what: &str, at: &str) -> String {
    format!("error parsing regexp: {what}: `{at}`")
}

/// The counts of `n}`, `n,}` or `n,m}` at the beginning of a text, and their length.
fn counts(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let end = text.find('}')?;
    let number = |digits: &str| {
        let is_number = !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && (digits.len() == 1 || !digits.starts_with('0'));
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    let (min, max) = match text[..end].split_once(',') {
        None => {
            let count = number(&text[..end])?;
            (count, Some(count))
        }
        Some((min, "")) => (number(min)?, None),
        Some((min, max)) => (number(min)?, Some(number(max)?)),
    };
    Some((min, max, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pattern with a text that matches and one that does not, as in Go.
    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, good, bad) in [
            (r"^\d+$", "12", "١٢"),
            (r"^\D$", "١", "1"),
            (r"^\w+$", "a_1", "é"),
            (r"^[\w-]+$", "a-b", "a b"),
            (r"^[^\W]$", "a", "é"),
            (r"^\s$", " ", "\u{a0}"),
            (r"^\S$", "\u{b}", " "),
            (r"\bé", "aé", "é"),
            (r"^é\Bé$", "éé", "é"),
            (r"^\pL\p{^Greek}$", "αa", "aα"),
            (r"^\P{Lu}$", "a", "A"),
            (r"^\Qa.b\E+$", "a.bb", "aab"),
            (r"^\101\x41\x{41}\0$", "AAA\0", "AAA0"),
            (r"^\<\>\_\-\ $", "<>_- ", "a"),
            (r"^a{2,3}b{,2}$", "aab{,2}", "aabb"),
            (r"^{a}$", "{a}", "a"),
            (r"^a{01}$", "a{01}", "a"),
            (r"^[a[b&&~~!--]+$", "[&-~ab!", "e"),
            (r"^[]a]+$", "a]", "b"),
            (r"^[^]a]+$", "b", "]"),
            (r"^[a-z-9]+$", "b-9", "8"),
            (r"^[+--]+$", "+,-", "."),
            (r"^[[:alpha:][:^ascii:]]+$", "aé", "1"),
            (r"^(?P<year>\d{4})-(?<month>\d\d)$", "2024-01", "2024-1"),
            (r"^(?i)kb$", "KB", "k"),
            (r"^(?i:a)b$", "Ab", "AB"),
            (r"^(?s:.)$", "\n", "ab"),
            (r"^.$", "é", "\n"),
            (r"(?m)^b$", "a\nb", "a"),
            (r"b$", "ab", "b\n"),
            (r"^(a|b)*?$", "abab", "c"),
            (r"^(|a)+$", "aa", "b"),
            (r"^[^a]$", "\n", "a"),
            (r"^}]$", "}]", "}"),
            ("^#a b$", "#a b", "ab"),
            (r"^(?P<1a>a)(?P<1a>b)$", "ab", "a"),
            (r"^(?:[\p{L}]{1,63}\.){1,4}$", "é.a.", "1."),
        ] {
            let compiled = Pattern::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert!(compiled.is_match(good), "{pattern} matches {good:?}");
            assert!(!compiled.is_match(bad), "{pattern} does not match {bad:?}");
        }
    }

    #[test]
    fn errors_are_those_of_go() {
        for (pattern, error) in [
            ("a**", "invalid nested repetition operator: `**`"),
            ("a*{2}", "invalid nested repetition operator: `*{2}`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("(+?)", "missing argument to repetition operator: `+?`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{3,2}", "invalid repeat count: `{3,2}`"),
            ("(a{100}){100}", "invalid repeat count: `{100}`"),
            ("(a", "missing closing ): `(a`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
            (r"\p{Alphabetic}", r"invalid character class range: `\p{Alphabetic}`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
            ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\y", r"invalid escape sequence: `\y`"),
            (r"\Z", r"invalid escape sequence: `\Z`"),
            (r"[\b]", r"invalid escape sequence: `\b`"),
            (r"\xg0", r"invalid escape sequence: `\xg0`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\p", r"invalid character class range: `\p`"),
            ("(?", "invalid or unsupported Perl syntax: `(?`"),
            (r"a\", "trailing backslash at end of expression: ``"),
            ("(?P<a b>)", "invalid named capture: `(?P<a b>`"),
            ("(?P<a", "invalid named capture: `(?P<a`"),
        ] {
            let found = Pattern::new(pattern).map(|pattern| pattern.as_str().to_owned());
            assert_eq!(found, Err(format!("error parsing regexp: {error}")), "{pattern}");
        }
    }
}
