//! A strict JSON tokenizer over one buffer, the cursor that decoders drive.
//!
//! The grammar is RFC 8259's, nothing more: no comments, no trailing commas, no byte order mark.
//! UTF-8 is checked once, when the cursor is made, so that names and strings without escapes are
//! borrowed from the input without further checks.
//!
//! What Go's decoder does and a client may rely on is kept: an integer field takes integer syntax
//! only (`1`, never `1.0` or `1e3`), and a lone UTF-16 surrogate in a `\u` escape becomes U+FFFD.

mod error;
mod number;
mod string;

pub use self::error::{Error, ErrorKind};

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
    pub(in crate::json) fn pass_checked(&mut self, length: usize) {
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
    #[inline(always)]
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
    pub(in crate::json) fn skip_finite(&mut self) -> Result<()> {
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
