//! Cuts an expression into tokens, as the grammar of CEL does.

use crate::cel::issues::{Issues, Source};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An operator or a bracket.
    Sign(&'static str),
    Int,
    Uint,
    Float,
    Text,
    Bytes,
    Ident,
    /// A name in backquotes.
    Quoted,
    True,
    False,
    Null,
    In,
    End,
}

/// A token with its place, in characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Longer signs come first.
const SIGNS: [&str; 25] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":",
    "+", "*", "/", "%", "\u{0}",
];

/// The tokens, of which the last is [`Token::End`]. What is no token is an error, and left out.
pub(crate) fn tokens(source: &Source, issues: &mut Issues) -> Vec<Lexeme> {
    let mut lexer = Lexer { chars: &source.chars, at: 0 };
    let mut out = Vec::new();
    while lexer.skip_space() {
        let start = lexer.at;
        match lexer.token() {
            Ok(token) => out.push(Lexeme { token, start, end: lexer.at }),
            Err(failed) => {
                let end = (failed + 1).min(lexer.chars.len());
                let text: String = lexer.chars[start..end].iter().collect();
                issues.report(Some(start), format!("Syntax error: token recognition error at: '{text}'"));
                lexer.at = end.max(start + 1);
            }
        }
    }
    out.push(Lexeme { token: Token::End, start: lexer.at, end: lexer.at });
    out
}

struct Lexer<'s> {
    chars: &'s [char],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Skips spaces and comments; whether something follows.
    fn skip_space(&mut self) -> bool {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(' ' | '\t' | '\r' | '\n' | '\u{c}'), _) => self.at += 1,
                (Some('/'), Some('/')) => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                (first, _) => return first.is_some(),
            }
        }
    }

    /// Reads a token, or returns the position of the character that fits none.
    fn token(&mut self) -> Result<Token, usize> {
        let c = self.peek(0).unwrap_or_default();
        if c.is_ascii_digit() || (c == '.' && self.peek(1).is_some_and(|c| c.is_ascii_digit())) {
            return Ok(self.number());
        }
        if let Some(text) = self.text()? {
            return Ok(text);
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let start = self.at;
            while self.peek(0).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.at += 1;
            }
            let word: String = self.chars[start..self.at].iter().collect();
            return Ok(match word.as_str() {
                "true" => Token::True,
                "false" => Token::False,
                "null" => Token::Null,
                "in" => Token::In,
                _ => Token::Ident,
            });
        }
        if c == '`' {
            return self.quoted();
        }
        for sign in SIGNS {
            if sign.chars().enumerate().all(|(at, c)| self.peek(at) == Some(c)) && sign != "\u{0}" {
                self.at += sign.len();
                return Ok(Token::Sign(sign));
            }
        }
        // `&` and `|` begin a sign, and the next character is wrong.
        Err(if matches!(c, '&' | '|' | '=') { self.at + 1 } else { self.at })
    }

    fn digits(&mut self) {
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Token {
        if self.peek(0) == Some('0')
            && self.peek(1) == Some('x')
            && self.peek(2).is_some_and(|c| c.is_ascii_hexdigit())
        {
            self.at += 2;
            while self.peek(0).is_some_and(|c| c.is_ascii_hexdigit()) {
                self.at += 1;
            }
            return self.unsigned(Token::Int);
        }
        let mut token = Token::Int;
        self.digits();
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            token = Token::Float;
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let signed = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if self.peek(1 + signed).is_some_and(|c| c.is_ascii_digit()) {
                token = Token::Float;
                self.at += 1 + signed;
                self.digits();
            }
        }
        if token == Token::Int { self.unsigned(token) } else { token }
    }

    fn unsigned(&mut self, token: Token) -> Token {
        if !matches!(self.peek(0), Some('u' | 'U')) {
            return token;
        }
        self.at += 1;
        Token::Uint
    }

    /// Reads a text or bytes, if there are any. A prefix before a text that does not end is a name.
    fn text(&mut self) -> Result<Option<Token>, usize> {
        let is_quote = |c: Option<char>| matches!(c, Some('"' | '\''));
        let is_raw = |c: Option<char>| matches!(c, Some('r' | 'R'));
        let is_bytes = matches!(self.peek(0), Some('b' | 'B'));
        let prefix = usize::from(is_bytes);
        let raw = is_raw(self.peek(prefix));
        let prefix = prefix + usize::from(raw);
        if !is_quote(self.peek(prefix)) {
            return Ok(None);
        }
        let start = self.at;
        self.at += prefix;
        match self.quoted_text(raw) {
            Ok(()) => Ok(Some(if is_bytes { Token::Bytes } else { Token::Text })),
            Err(_) if prefix > 0 => {
                self.at = start;
                Ok(None)
            }
            Err(failed) => {
                self.at = start;
                Err(failed)
            }
        }
    }

    fn quoted_text(&mut self, raw: bool) -> Result<(), usize> {
        let quote = self.peek(0);
        let is_long = self.peek(1) == quote && self.peek(2) == quote;
        let start = self.at;
        self.at += if is_long { 3 } else { 1 };
        loop {
            match self.peek(0) {
                // Two quotes are an empty text, if no third one ends the long text that begins here.
                None if is_long => {
                    self.at = start + 2;
                    return Ok(());
                }
                None => return Err(self.at),
                Some('\n' | '\r') if !is_long => return Err(self.at),
                c if c == quote && !is_long => {
                    self.at += 1;
                    return Ok(());
                }
                c if c == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return Ok(());
                }
                Some('\\') if !raw => self.escape(start, is_long)?,
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self, start: usize, is_long: bool) -> Result<(), usize> {
        let digits = |lexer: &Self, from: usize, count: usize, fits: fn(char) -> bool| {
            (from..from + count).find(|at| !lexer.peek(*at).is_some_and(fits))
        };
        let hex: fn(char) -> bool = |c| c.is_ascii_hexdigit();
        let octal: fn(char) -> bool = |c| ('0'..='7').contains(&c);
        let (length, failed) = match self.peek(1) {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`') => (2, None),
            Some('x' | 'X') => (4, digits(self, 2, 2, hex)),
            Some('u') => (6, digits(self, 2, 4, hex)),
            Some('U') => (10, digits(self, 2, 8, hex)),
            Some('0'..='3') => (4, digits(self, 2, 2, octal)),
            _ => (2, Some(1)),
        };
        match failed {
            None => {
                self.at += length;
                Ok(())
            }
            Some(_) if is_long => {
                // As at the end of the expression: the text that begins is only two quotes long.
                self.at = start + 2;
                Err(start + 2)
            }
            Some(failed) => Err(self.at + failed),
        }
    }

    fn quoted(&mut self) -> Result<Token, usize> {
        let mut end = self.at + 1;
        while self
            .chars
            .get(end)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' '))
        {
            end += 1;
        }
        if end == self.at + 1 || self.chars.get(end) != Some(&'`') {
            return Err(end);
        }
        self.at = end + 1;
        Ok(Token::Quoted)
    }
}
