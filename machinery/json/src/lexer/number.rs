//! Numbers.

use std::borrow::Cow;

use super::{Error, ErrorKind, Lexer, Result};

impl<'a> Lexer<'a> {
    /// Skips a number and returns its text unchanged.
    ///
    /// # Errors
    /// When the next value is not a number, or is malformed.
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

    /// Skips one or more digits.
    fn digits(&mut self) -> Result<()> {
        let rest = &self.bytes()[self.position..];
        let count = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        if count == 0 {
            return Err(self.syntax("a digit"));
        }
        self.position += count;
        Ok(())
    }

    /// Reads a 32-bit integer.
    ///
    /// # Errors
    /// As [`Lexer::i64`], with the range of 32 bits.
    #[inline]
    pub fn i32(&mut self) -> Result<i32> {
        let (start, wide) = self.integer("a 32-bit integer")?;
        i32::try_from(wide).map_err(|_| self.integer_error(start, "a 32-bit integer"))
    }

    /// Reads a 64-bit integer.
    ///
    /// # Errors
    /// When the next value is not a number, has a fraction or an exponent (Go refuses `1.0` for an
    /// integer too), or is out of range.
    #[inline]
    pub fn i64(&mut self) -> Result<i64> {
        Ok(self.integer("a 64-bit integer")?.1)
    }

    /// Returns the offset at which the integer begins, and the integer.
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

    /// Reads an integer of 19 digits, and reports everything that is not an integer.
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

    /// Reads a number as a 64-bit float.
    ///
    /// # Errors
    /// When the next value is not a number, or when a 64-bit float cannot represent it.
    pub fn f64(&mut self) -> Result<f64> {
        let number = self.number()?;
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error_at(
                self.position - number.len(),
                ErrorKind::Mismatch,
                format!("expected a number that a 64-bit float can represent, found {}", shortened(number)),
            )),
        }
    }
}

/// A number's text for a message, cut off after 40 characters.
fn shortened(number: &str) -> Cow<'_, str> {
    match number.get(..40) {
        None => Cow::Borrowed(number),
        Some(start) => Cow::Owned(format!("{start}…")),
    }
}
