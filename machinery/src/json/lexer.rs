//! A strict JSON tokenizer over one buffer, the cursor that decoders drive.
//!
//! The grammar is RFC 8259's, nothing more: no comments, no trailing commas, no byte order mark.
//! UTF-8 is checked once, when the cursor is made, so that names and strings without escapes are
//! borrowed from the input without further checks.
//!
//! What Go's decoder does and a client may rely on is kept: an integer field takes integer syntax
//! only (`1`, never `1.0` or `1e3`), and a lone UTF-16 surrogate in a `\u` escape becomes U+FFFD.

use std::borrow::Cow;
use std::fmt;

/// How many objects and arrays may be open at once.
///
/// Go allows 10,000; a decoder that recurses has to stay far from the end of a 2 MiB thread stack,
/// and no API type nests anywhere near this deep.
pub const MAX_DEPTH: u32 = 512;

/// Result of reading JSON.
pub type Result<T> = std::result::Result<T, Error>;

/// What the next value is, as its first byte tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// `-1`, `0.5`, `1e3`
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl Kind {
    /// The kind with its article, as messages name it: `an object`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Bool => "a boolean",
            Kind::Null => "null",
        }
    }
}

/// What sort of mistake an [`Error`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is not JSON.
    Syntax,
    /// The input is not UTF-8.
    Utf8,
    /// More than [`MAX_DEPTH`] objects and arrays are open.
    TooDeep,
    /// Good JSON, but not what is wanted here: another kind of value, a number out of range, a
    /// text that is no time.
    Mismatch,
}

/// A reading error: where it is and what was expected there.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    kind: ErrorKind,
    message: String,
    offset: usize,
    line: usize,
    column: usize,
    path: String,
}

impl Error {
    /// An error at byte `offset` of `input`; line and column are counted from there.
    #[cold]
    pub fn new(kind: ErrorKind, input: &[u8], offset: usize, message: impl Into<String>) -> Error {
        let before = &input[..offset.min(input.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        Error(Box::new(Detail { kind, message: message.into(), offset, line, column, path: String::new() }))
    }

    /// What sort of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What was expected and what was found, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Bytes before the place of the error.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The JSON path, as in `spec.containers[0].image`; empty at the root or when no decoder has
    /// filled it in.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The same error seen from one object further out: `name` is put before the path.
    #[cold]
    pub fn in_field(mut self, name: &str) -> Error {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, name);
        self
    }

    /// The same error seen from one array further out: `[index]` is put before the path.
    #[cold]
    pub fn in_element(mut self, index: usize) -> Error {
        let path = &mut self.0.path;
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        path.insert_str(0, &format!("[{index}]{dot}"));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { message, line, column, path, .. } = &*self.0;
        if path.is_empty() {
            write!(f, "line {line}, column {column}: {message}")
        } else {
            write!(f, "line {line}, column {column}, {path}: {message}")
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// The cursor. It stands before a value, or inside an object or array between two of its items.
///
/// ```
/// use hubgen_machinery::json::lexer::Lexer;
/// let mut lexer = Lexer::new(br#"{"replicas": 3, "other": [1]}"#)?;
/// let mut replicas = None;
/// let mut more = lexer.enter_object()?;
/// while more {
///     if lexer.take_key("replicas") {
///         replicas = Some(lexer.i32()?);
///     } else {
///         let _unknown = lexer.key()?;
///         lexer.skip()?;
///     }
///     more = lexer.next_member()?;
/// }
/// lexer.finish()?;
/// assert_eq!(replicas, Some(3));
/// # Ok::<(), hubgen_machinery::json::lexer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    /// Never beyond the end of `text`.
    position: usize,
    depth: u32,
}

impl<'a> Lexer<'a> {
    /// A cursor at the start of `input`.
    ///
    /// # Errors
    /// When the input is not UTF-8.
    pub fn new(input: &'a [u8]) -> Result<Lexer<'a>> {
        match std::str::from_utf8(input) {
            Ok(text) => Ok(Lexer::over(text)),
            Err(error) => Err(Error::new(
                ErrorKind::Utf8,
                input,
                error.valid_up_to(),
                "expected UTF-8, found a byte that is none",
            )),
        }
    }

    /// A cursor at the start of `text`.
    pub fn over(text: &'a str) -> Lexer<'a> {
        Lexer { text, position: 0, depth: 0 }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> usize {
        self.position
    }

    /// Passes over a value that the caller has checked.
    pub(super) fn pass_checked(&mut self, length: usize) {
        self.position += length;
    }

    /// The whole input.
    pub fn input(&self) -> &'a str {
        self.text
    }

    #[inline]
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The first byte of the next token; 0 at the end of the input. Whitespace before it is passed.
    #[inline]
    fn token(&mut self) -> u8 {
        match self.bytes().get(self.position) {
            Some(&byte) if byte > b' ' => byte,
            _ => self.token_after_whitespace(),
        }
    }

    #[inline(never)]
    fn token_after_whitespace(&mut self) -> u8 {
        let rest = &self.bytes()[self.position..];
        let blank =
            rest.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t')).unwrap_or(rest.len());
        self.position += blank;
        rest.get(blank).copied().unwrap_or(0)
    }

    /// The kind of the next value; nothing but whitespace is consumed.
    ///
    /// # Errors
    /// When no value can begin here.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind> {
        match self.token() {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            b't' | b'f' => Ok(Kind::Bool),
            b'n' => Ok(Kind::Null),
            _ => Err(self.syntax("a value")),
        }
    }

    /// Consumes `{`. True when a member follows, false when the object was empty and `}` is
    /// consumed too.
    ///
    /// # Errors
    /// When the next value is no object, or too many are open.
    #[inline]
    pub fn enter_object(&mut self) -> Result<bool> {
        if self.token() != b'{' {
            return Err(self.mismatch("an object"));
        }
        self.descend()?;
        match self.token() {
            b'"' => Ok(true),
            b'}' => Ok(self.ascend()),
            _ => Err(self.syntax("a member name in double quotes or `}`")),
        }
    }

    /// After a member's value: true when another member follows, false when `}` ended the object.
    ///
    /// # Errors
    /// When neither `,` and a name nor `}` follows.
    #[inline]
    pub fn next_member(&mut self) -> Result<bool> {
        match self.token() {
            b',' => {
                self.position += 1;
                match self.token() {
                    b'"' => Ok(true),
                    _ => Err(self.syntax("a member name in double quotes")),
                }
            }
            b'}' => Ok(self.ascend()),
            _ => Err(self.syntax("`,` or `}`")),
        }
    }

    /// Consumes `[`. True when an element follows, false when the array was empty and `]` is
    /// consumed too.
    ///
    /// # Errors
    /// When the next value is no array, or too many are open.
    #[inline]
    pub fn enter_array(&mut self) -> Result<bool> {
        if self.token() != b'[' {
            return Err(self.mismatch("an array"));
        }
        self.descend()?;
        match self.token() {
            b']' => Ok(self.ascend()),
            _ => Ok(true),
        }
    }

    /// After an element: true when another one follows, false when `]` ended the array.
    ///
    /// # Errors
    /// When neither `,` nor `]` follows.
    #[inline]
    pub fn next_element(&mut self) -> Result<bool> {
        match self.token() {
            b',' => {
                self.position += 1;
                Ok(true)
            }
            b']' => Ok(self.ascend()),
            _ => Err(self.syntax("`,` or `]`")),
        }
    }

    /// Passes the opening bracket.
    #[inline]
    fn descend(&mut self) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(
                ErrorKind::TooDeep,
                format!("expected at most {MAX_DEPTH} nested objects and arrays, found more"),
            ));
        }
        self.depth += 1;
        self.position += 1;
        Ok(())
    }

    /// Passes the closing bracket; false, as in "nothing follows".
    #[inline]
    fn ascend(&mut self) -> bool {
        self.depth -= 1;
        self.position += 1;
        false
    }

    /// Consumes `"name":` if exactly these bytes come next; nothing otherwise.
    ///
    /// This is how a decoder that knows the order of fields passes a name without reading it. The
    /// name is compared with the text as it stands there, so it must hold no character that JSON
    /// escapes.
    #[inline]
    pub fn take_key(&mut self, name: &str) -> bool {
        let rest = &self.bytes()[self.position..];
        let length = name.len();
        // The two bytes after the name are looked at first: most misses end there.
        if rest.len() > length + 2
            && rest[length + 1] == b'"'
            && rest[length + 2] == b':'
            && rest[0] == b'"'
            && rest[1..=length] == *name.as_bytes()
        {
            self.position += length + 3;
            true
        } else {
            false
        }
    }

    /// Reads a member's name and the `:` after it.
    ///
    /// # Errors
    /// When no string, or no colon after it, follows.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'a, str>> {
        let name = self.string()?;
        self.colon()?;
        Ok(name)
    }

    /// Passes a member's name and the `:` after it, and gives the name as it stands, quotes
    /// included.
    ///
    /// # Errors
    /// As [`Lexer::key`].
    pub fn raw_key(&mut self) -> Result<&'a str> {
        let name = self.raw_string()?;
        self.colon()?;
        Ok(name)
    }

    #[inline]
    fn colon(&mut self) -> Result<()> {
        if self.token() != b':' {
            return Err(self.syntax("`:` after a member name"));
        }
        self.position += 1;
        Ok(())
    }

    /// Reads a string; borrowed unless it has escapes.
    ///
    /// # Errors
    /// When the next value is no string, or a broken one.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) == Some(&b'"') {
            self.position = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        let mut text = String::new();
        self.unescape(start, end, &mut text)?;
        Ok(Cow::Owned(text))
    }

    /// Reads a string into `target`, replacing what it held and reusing what it has allocated.
    ///
    /// # Errors
    /// When the next value is no string, or a broken one; `target` is then empty or a part of it.
    #[inline]
    pub fn string_into(&mut self, target: &mut String) -> Result<()> {
        let (start, end) = self.plain_run()?;
        if self.bytes().get(end) == Some(&b'"') {
            self.position = end + 1;
            let text = &self.text[start..end];
            if target.capacity() < text.len() {
                // Nothing more than the text needs, and without the detour of growing.
                *target = text.to_owned();
            } else {
                target.clear();
                target.push_str(text);
            }
            return Ok(());
        }
        target.clear();
        self.unescape(start, end, target)
    }

    /// Where the next string's text begins, and where its first byte is that does not stand for
    /// itself: its closing quote, in most strings.
    #[inline]
    fn plain_run(&mut self) -> Result<(usize, usize)> {
        if self.token() != b'"' {
            return Err(self.mismatch("a string"));
        }
        let start = self.position + 1;
        Ok((start, plain_end(self.bytes(), start)))
    }

    /// Reads on, into `target`, a string whose plain beginning is `start..end`.
    #[inline(never)]
    fn unescape(&mut self, start: usize, end: usize, target: &mut String) -> Result<()> {
        target.push_str(&self.text[start..end]);
        self.position = end;
        loop {
            match self.bytes().get(self.position) {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(());
                }
                Some(b'\\') => target.push(self.escape()?),
                _ => return Err(self.broken_string()),
            }
            let run = self.position;
            self.position = plain_end(self.bytes(), run);
            target.push_str(&self.text[run..self.position]);
        }
    }

    /// Reads one escape, or the two of a surrogate pair.
    fn escape(&mut self) -> Result<char> {
        let escaped = match self.bytes().get(self.position + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                return Err(self.error(
                    ErrorKind::Syntax,
                    "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash",
                ));
            }
        };
        self.position += 2;
        Ok(escaped)
    }

    fn unicode_escape(&mut self) -> Result<char> {
        let Some(unit) = hex_escape(self.bytes(), self.position) else {
            return Err(self.error(ErrorKind::Syntax, "expected four hexadecimal digits after \\u"));
        };
        self.position += 6;
        if let Some(plain) = char::from_u32(unit) {
            return Ok(plain);
        }
        if let Some(second) = hex_escape(self.bytes(), self.position)
            && (0xD800..0xDC00).contains(&unit)
            && (0xDC00..0xE000).contains(&second)
        {
            self.position += 6;
            let pair = 0x1_0000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
            return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Passes a string and gives its text as it stands, quotes included.
    ///
    /// # Errors
    /// When the next value is no string, or a broken one.
    #[inline]
    pub fn raw_string(&mut self) -> Result<&'a str> {
        let (start, end) = self.plain_run()?;
        self.position = end;
        if self.bytes().get(end) != Some(&b'"') {
            self.pass_escapes()?;
        }
        self.position += 1;
        Ok(&self.text[start - 1..self.position])
    }

    /// Goes on to a string's closing quote.
    #[inline(never)]
    fn pass_escapes(&mut self) -> Result<()> {
        loop {
            match self.bytes().get(self.position) {
                Some(b'"') => return Ok(()),
                Some(b'\\') => {
                    self.escape()?;
                }
                _ => return Err(self.broken_string()),
            }
            self.position = plain_end(self.bytes(), self.position);
        }
    }

    /// Passes a number and gives its text as it stands.
    ///
    /// # Errors
    /// When the next value is no number, or a broken one.
    pub fn number(&mut self) -> Result<&'a str> {
        if !matches!(self.token(), b'-' | b'0'..=b'9') {
            return Err(self.mismatch("a number"));
        }
        let start = self.position;
        if self.bytes()[start] == b'-' {
            self.position += 1;
        }
        if self.bytes().get(self.position) == Some(&b'0') {
            self.position += 1;
        } else {
            self.digits()?;
        }
        if self.bytes().get(self.position) == Some(&b'.') {
            self.position += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes().get(self.position) {
            self.position += 1;
            if let Some(b'+' | b'-') = self.bytes().get(self.position) {
                self.position += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.position])
    }

    /// Passes one or more digits.
    fn digits(&mut self) -> Result<()> {
        let rest = &self.bytes()[self.position..];
        let count = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        if count == 0 {
            return Err(self.syntax("a digit"));
        }
        self.position += count;
        Ok(())
    }

    /// Reads an integer of 32 bits.
    ///
    /// # Errors
    /// As [`Lexer::i64`], with the narrower range.
    #[inline]
    pub fn i32(&mut self) -> Result<i32> {
        let (start, wide) = self.integer("an integer of 32 bits")?;
        i32::try_from(wide).map_err(|_| self.integer_error(start, "an integer of 32 bits"))
    }

    /// Reads an integer of 64 bits.
    ///
    /// # Errors
    /// When the next value is no number, is written with a fraction or an exponent (`1.0` is none
    /// for Go either), or is out of range.
    #[inline]
    pub fn i64(&mut self) -> Result<i64> {
        Ok(self.integer("an integer of 64 bits")?.1)
    }

    /// Where the integer begins, and the integer.
    #[inline]
    fn integer(&mut self, wanted: &str) -> Result<(usize, i64)> {
        let negative = self.token() == b'-';
        let start = self.position;
        let digits = &self.bytes()[start + usize::from(negative)..];
        let mut value = 0i64;
        let mut count = 0;
        while let Some(digit) = digits.get(count).map(|b| b.wrapping_sub(b'0'))
            && digit < 10
            && count < 18
        {
            value = value * 10 + i64::from(digit);
            count += 1;
        }
        let next = digits.get(count).copied().unwrap_or(0);
        if count == 0
            || (digits[0] == b'0' && count > 1)
            || next.is_ascii_digit()
            || matches!(next, b'.' | b'e' | b'E')
        {
            return self.unusual_integer(wanted);
        }
        self.position = start + usize::from(negative) + count;
        Ok((start, if negative { -value } else { value }))
    }

    /// Integers of 19 digits, and all that is wrong.
    #[cold]
    fn unusual_integer(&mut self, wanted: &str) -> Result<(usize, i64)> {
        if !matches!(self.token(), b'-' | b'0'..=b'9') {
            return Err(self.mismatch(wanted));
        }
        let start = self.position;
        match self.number()?.parse() {
            Ok(value) => Ok((start, value)),
            Err(_) => Err(self.integer_error(start, wanted)),
        }
    }

    #[cold]
    fn integer_error(&self, start: usize, wanted: &str) -> Error {
        let found = &self.text[start..self.position];
        self.error_at(start, ErrorKind::Mismatch, format!("expected {wanted}, found {}", shortened(found)))
    }

    /// Reads a number as a float of 64 bits.
    ///
    /// # Errors
    /// When the next value is no number, or beyond what 64 bits hold.
    pub fn f64(&mut self) -> Result<f64> {
        let number = self.number()?;
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error_at(
                self.position - number.len(),
                ErrorKind::Mismatch,
                format!("expected a number that 64 bits can hold, found {}", shortened(number)),
            )),
        }
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// When neither comes next.
    #[inline]
    pub fn bool(&mut self) -> Result<bool> {
        match self.token() {
            b't' => self.literal("true").map(|()| true),
            b'f' => self.literal("false").map(|()| false),
            _ => Err(self.mismatch("a boolean")),
        }
    }

    /// Reads `null`.
    ///
    /// # Errors
    /// When something else comes next.
    #[inline]
    pub fn null(&mut self) -> Result<()> {
        match self.token() {
            b'n' => self.literal("null"),
            _ => Err(self.mismatch("null")),
        }
    }

    /// Consumes `null` and says true if it comes next; consumes nothing otherwise.
    ///
    /// # Errors
    /// When something other than `null` begins with `n`.
    #[inline]
    pub fn take_null(&mut self) -> Result<bool> {
        match self.token() {
            b'n' => self.literal("null").map(|()| true),
            _ => Ok(false),
        }
    }

    #[inline]
    fn literal(&mut self, word: &str) -> Result<()> {
        if !self.bytes()[self.position..].starts_with(word.as_bytes()) {
            return Err(self.syntax(&format!("`{word}`")));
        }
        self.position += word.len();
        Ok(())
    }

    /// Passes one value of any kind, checking it.
    ///
    /// # Errors
    /// When it is not JSON, or nests too deep.
    pub fn skip(&mut self) -> Result<()> {
        self.pass(|lexer| lexer.number().map(drop))
    }

    /// Passes one value of any kind, checking too that 64 bits of float can hold its numbers.
    ///
    /// # Errors
    /// As [`Lexer::skip`], and as [`Lexer::f64`].
    pub(super) fn skip_finite(&mut self) -> Result<()> {
        self.pass(|lexer| {
            let start = lexer.clone();
            let text = lexer.number()?;
            // Only these can be out of range.
            if text.len() > 300 || text.contains(['e', 'E']) {
                start.clone().f64()?;
            }
            Ok(())
        })
    }

    /// Passes one value; what a number is passed by is the caller's.
    fn pass(&mut self, number: impl Fn(&mut Self) -> Result<()> + Copy) -> Result<()> {
        match self.peek()? {
            Kind::Object => {
                let mut more = self.enter_object()?;
                while more {
                    self.raw_key()?;
                    self.pass(number)?;
                    more = self.next_member()?;
                }
                Ok(())
            }
            Kind::Array => {
                let mut more = self.enter_array()?;
                while more {
                    self.pass(number)?;
                    more = self.next_element()?;
                }
                Ok(())
            }
            Kind::String => self.raw_string().map(drop),
            Kind::Number => number(self),
            Kind::Bool => self.bool().map(drop),
            Kind::Null => self.null(),
        }
    }

    /// Passes one value of any kind and gives its text as it stands, checked.
    ///
    /// # Errors
    /// As [`Lexer::skip`].
    pub fn raw(&mut self) -> Result<&'a str> {
        self.token();
        let start = self.position;
        self.skip()?;
        Ok(&self.text[start..self.position])
    }

    /// Checks that nothing but whitespace is left.
    ///
    /// # Errors
    /// When there is more.
    pub fn finish(&mut self) -> Result<()> {
        self.token();
        if self.position == self.text.len() { Ok(()) } else { Err(self.syntax("the end of the document")) }
    }

    /// An error at the cursor.
    #[cold]
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        self.error_at(self.position, kind, message)
    }

    /// An error at byte `offset`.
    #[cold]
    pub fn error_at(&self, offset: usize, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, self.bytes(), offset, message)
    }

    /// "Expected `wanted`, found …", where what is found may be good JSON of another kind.
    #[cold]
    pub fn mismatch(&mut self, wanted: &str) -> Error {
        match self.peek() {
            Ok(found) => {
                self.error(ErrorKind::Mismatch, format!("expected {wanted}, found {}", found.name()))
            }
            Err(_) => self.syntax(wanted),
        }
    }

    #[cold]
    fn syntax(&self, wanted: &str) -> Error {
        let found = match self.text[self.position..].chars().next() {
            None => "the end of the document".to_owned(),
            Some(found) => format!("`{}`", found.escape_debug()),
        };
        self.error(ErrorKind::Syntax, format!("expected {wanted}, found {found}"))
    }

    #[cold]
    fn broken_string(&self) -> Error {
        match self.bytes().get(self.position) {
            None => self.syntax("`\"` at the end of a string"),
            Some(control) => self.error(
                ErrorKind::Syntax,
                format!("expected control characters in strings to be escaped: write \\u{control:04x}"),
            ),
        }
    }
}

/// A number's text for a message: whole, unless somebody sent a very long one.
fn shortened(number: &str) -> Cow<'_, str> {
    match number.get(..40) {
        None => Cow::Borrowed(number),
        Some(start) => Cow::Owned(format!("{start}…")),
    }
}

const EACH: u64 = u64::MAX / 0xFF;
const HIGH_BITS: u64 = EACH << 7;

/// The first index from `at` of a byte that ends a run of plain string text: a quote, a backslash
/// or a control character; the length of `bytes` if there is none.
///
/// Eight bytes at a time. The arithmetic may mark a byte falsely only above a rightly marked one,
/// and the lowest is taken.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*eight);
        let quote = word ^ (EACH * b'"' as u64);
        let backslash = word ^ (EACH * b'\\' as u64);
        let marks = (word.wrapping_sub(EACH * 0x20) & !word)
            | (quote.wrapping_sub(EACH) & !quote)
            | (backslash.wrapping_sub(EACH) & !backslash);
        let marks = marks & HIGH_BITS;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at)
        && !matches!(byte, b'"' | b'\\' | 0..=0x1F)
    {
        at += 1;
    }
    at
}

/// The code unit of the `\uXXXX` at `at`, if there is one.
fn hex_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else {
        return None;
    };
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)?;
    }
    Some(unit)
}
