//! A strict JSON tokenizer: a cursor over one buffer that decoders drive.
//!
//! The grammar is that of RFC 8259, without extensions: no comments, no trailing commas, no byte
//! order mark. UTF-8 is checked once, when the cursor is created. Names and strings without escapes
//! are then borrowed from the input without further checks.
//!
//! Two rules follow Go's decoder, because clients may rely on them. An integer field accepts integer
//! syntax only (`1`, never `1.0` or `1e3`). A lone UTF-16 surrogate in a `\u` escape becomes U+FFFD.

mod error;
mod known;
mod number;
mod string;

pub use self::error::{Error, ErrorKind};

/// The most objects and arrays that may be open at once.
///
/// Go allows 10,000. A decoder that recurses must stay far from the end of a 2 MiB thread stack,
/// and no API type nests anywhere near this deep.
pub const MAX_DEPTH: u32 = 512;

/// The result of reading JSON.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of the next value. Its first byte determines it.
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
    /// The kind with its article, for messages: `an object`.
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

/// The cursor. Its position is before a value, or between two items of an object or array.
///
/// ```
/// use hubgen_json::Lexer;
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
/// # Ok::<(), hubgen_json::Error>(())
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
        match crate::utf8::text(input) {
            Ok(text) => Ok(Lexer::over(text)),
            Err(error) => Err(Error::new(
                ErrorKind::Utf8,
                input,
                error.valid_up_to(),
                "expected UTF-8, found an invalid byte",
            )),
        }
    }

    /// A cursor at the start of `text`.
    pub fn over(text: &'a str) -> Lexer<'a> {
        Lexer { text, position: 0, depth: 0 }
    }

    /// The number of bytes read so far.
    pub fn offset(&self) -> usize {
        self.position
    }

    /// Skips a value that the caller has checked.
    pub(crate) fn pass_checked(&mut self, length: usize) {
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

    /// Skips whitespace and returns the first byte of the next token; 0 at the end of the input.
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

    /// The kind of the next value. Consumes only whitespace.
    ///
    /// # Errors
    /// When no value begins here.
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

    /// Consumes `{`. Returns true when a member follows. Returns false when the object is empty,
    /// and consumes `}` too.
    ///
    /// # Errors
    /// When the next value is not an object, or when [`MAX_DEPTH`] of them are open.
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

    /// Call this after a member's value. Returns true when another member follows, false when `}`
    /// ended the object.
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

    /// Consumes `[`. Returns true when an element follows. Returns false when the array is empty,
    /// and consumes `]` too.
    ///
    /// # Errors
    /// When the next value is not an array, or when [`MAX_DEPTH`] of them are open.
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

    /// Call this after an element. Returns true when another one follows, false when `]` ended the
    /// array.
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

    /// Consumes the opening bracket.
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

    /// Consumes the closing bracket. Returns false: no item follows.
    #[inline]
    fn ascend(&mut self) -> bool {
        self.depth -= 1;
        self.position += 1;
        false
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// When neither is next.
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
    /// When something else is next.
    #[inline]
    pub fn null(&mut self) -> Result<()> {
        match self.token() {
            b'n' => self.literal("null"),
            _ => Err(self.mismatch("null")),
        }
    }

    /// Consumes `null` and returns true if it is next. Otherwise consumes nothing.
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

    /// Skips and checks one value of any kind.
    ///
    /// # Errors
    /// When it is not JSON, or nests too deep.
    pub fn skip(&mut self) -> Result<()> {
        self.pass(|lexer| lexer.number().map(drop))
    }

    /// Skips one value of any kind and checks that a 64-bit float can represent its numbers.
    ///
    /// # Errors
    /// As [`Lexer::skip`], and as [`Lexer::f64`].
    pub(crate) fn skip_finite(&mut self) -> Result<()> {
        self.pass(|lexer| {
            let start = lexer.clone();
            let text = lexer.number()?;
            // Only numbers of this length or with an exponent can be out of range.
            if text.len() > 300 || text.contains(['e', 'E']) {
                start.clone().f64()?;
            }
            Ok(())
        })
    }

    /// Skips one value. `number` skips a number.
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

    /// Skips and checks one value of any kind, and returns its text unchanged.
    ///
    /// # Errors
    /// As [`Lexer::skip`].
    pub fn raw(&mut self) -> Result<&'a str> {
        self.token();
        let start = self.position;
        self.skip()?;
        Ok(&self.text[start..self.position])
    }

    /// Checks that only whitespace is left.
    ///
    /// # Errors
    /// When anything else is left.
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

    /// The error "expected `wanted`, found …" for the next token. That may be valid JSON of another
    /// kind.
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
