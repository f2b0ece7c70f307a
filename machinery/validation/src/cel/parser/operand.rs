//! Parses operands: literals, names, calls, lists, maps, objects, and what is in parentheses.

use std::sync::Arc;

use super::{Deep, MAX_DEPTH, Parse, Parser, RESERVED, Stop, begins, operand_or};
use crate::cel::ast::{Entry, Expr, Item, Kind, Literal, Struct};
use crate::cel::lexer::Token;
use crate::cel::macros;
use crate::cel::unescape::unescape;

impl Parser {
    pub(super) fn primary(&mut self) -> Parse<Deep> {
        let lexeme = self.current();
        match lexeme.token {
            Token::Sign("(") => {
                self.advance();
                let found = self.expression()?;
                self.expect(")")?;
                Ok(found)
            }
            Token::Sign("[") => self.list(),
            Token::Sign("{") => self.map(),
            Token::Sign(".") if self.ahead(1) == Token::Ident => {
                self.advance();
                self.name(".")
            }
            Token::Ident => self.name(""),
            Token::Sign("-") if matches!(self.ahead(1), Token::Int | Token::Float) => {
                self.advance();
                Ok((self.literal(lexeme.start, "-"), 0))
            }
            Token::Int | Token::Uint | Token::Float | Token::Text | Token::Bytes => {
                Ok((self.literal(lexeme.start, ""), 0))
            }
            Token::True | Token::False | Token::Null => Ok((self.literal(lexeme.start, ""), 0)),
            Token::Sign("-" | ".") => {
                let first = self.at;
                self.advance();
                Err(self.no_alternative(first))
            }
            _ => {
                if lexeme.token != Token::End && begins(self.ahead(1)) {
                    self.unexpected("extraneous", &operand_or(&[]));
                    self.advance();
                    return self.primary_after_extraneous();
                }
                Err(self.unexpected("mismatched", &operand_or(&[])))
            }
        }
    }

    /// Goes on after a token that was left out, to find more errors.
    fn primary_after_extraneous(&mut self) -> Parse<Deep> {
        if self.depth == MAX_DEPTH || self.issues.issues.len() > 30 {
            return Err(Stop);
        }
        self.depth += 1;
        let found = self.unary();
        self.depth -= 1;
        found
    }

    fn list(&mut self) -> Parse<Deep> {
        let open = self.advance();
        let (mut items, mut depth) = (Vec::new(), 0);
        self.begin(&["]", ",", "?"])?;
        let mut goes_on = self.take(",").is_none() && !self.is_sign("]");
        while goes_on {
            let optional = self.take("?").is_some();
            let (value, of_value) = self.expression()?;
            items.push(Item { value, optional });
            depth = depth.max(of_value);
            goes_on = self.goes_on("]")?;
        }
        self.expect("]")?;
        Ok((self.expr(open.start, Kind::List(items)), depth))
    }

    fn map(&mut self) -> Parse<Deep> {
        let open = self.advance();
        let (mut entries, mut depth) = (Vec::new(), 0);
        self.begin(&["}", ",", "?"])?;
        let mut goes_on = self.take(",").is_none() && !self.is_sign("}");
        while goes_on {
            let optional = self.take("?").is_some();
            let (key, of_key) = self.expression()?;
            self.colon()?;
            let (value, of_value) = self.expression()?;
            entries.push(Entry { key, value, optional });
            depth = depth.max(of_key).max(of_value);
            goes_on = self.goes_on("}")?;
        }
        self.expect("}")?;
        Ok((self.expr(open.start, Kind::Map(entries)), depth))
    }

    /// A name, a call of a function, or an object: `Name{…}`.
    fn name(&mut self, prefix: &str) -> Parse<Deep> {
        let start = self.current().start - prefix.len();
        let mut length = 1;
        while self.ahead(length) == Token::Sign(".") && self.ahead(length + 1) == Token::Ident {
            length += 2;
        }
        if self.ahead(length) == Token::Sign("{") {
            return self.object(prefix, length);
        }
        let lexeme = self.advance();
        let word = self.text(lexeme);
        if RESERVED.contains(&word.as_str()) {
            self.issues.report(Some(start), format!("reserved identifier: {word}"));
            let mut depth = 0;
            if self.take("(").is_some() {
                depth = self.arguments(")")?.1;
            }
            return Ok((self.expr(start, Kind::Bad), depth));
        }
        let Some(open) = self.take("(") else {
            return Ok((self.expr(lexeme.start, Kind::Ident(format!("{prefix}{word}").into())), 0));
        };
        let (args, depth) = self.arguments(")")?;
        let expr = match macros::expand(self, open.start, &word, None, args) {
            Ok(expanded) => expanded,
            Err((_, args)) => self.call(open.start, &word, args),
        };
        Ok((expr, depth))
    }

    fn object(&mut self, prefix: &str, length: usize) -> Parse<Deep> {
        let mut name = prefix.to_owned();
        for _ in 0..length {
            let lexeme = self.advance();
            name.push_str(&self.text(lexeme));
        }
        let open = self.advance();
        let (mut values, mut depth) = (Vec::new(), 0);
        let mut goes_on = self.take(",").is_none() && !self.is_sign("}");
        while goes_on {
            self.take("?");
            if !matches!(self.current().token, Token::Ident | Token::Quoted) {
                return Err(self.unexpected("mismatched", "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"));
            }
            self.advance();
            self.colon()?;
            let (value, of_value) = self.expression()?;
            values.push(value);
            depth = depth.max(of_value);
            goes_on = self.goes_on("}")?;
        }
        self.expect("}")?;
        Ok((self.expr(open.start, Kind::Struct(Box::new(Struct { name: name.into(), values }))), depth))
    }

    fn literal(&mut self, at: usize, sign: &str) -> Expr {
        let lexeme = self.advance();
        let text = self.text(lexeme);
        let whole = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => (format!("{sign}{hex}"), 16),
            None => (format!("{sign}{text}"), 10),
        };
        let literal = match lexeme.token {
            Token::True => Ok(Literal::Bool(true)),
            Token::False => Ok(Literal::Bool(false)),
            Token::Null => Ok(Literal::Null),
            Token::Int => {
                let (digits, radix) = whole(&text);
                i64::from_str_radix(&digits, radix)
                    .map(Literal::Int)
                    .map_err(|_| "invalid int literal".to_owned())
            }
            Token::Uint => {
                let (digits, radix) = whole(&text[..text.len() - 1]);
                u64::from_str_radix(&digits, radix)
                    .map(Literal::Uint)
                    .map_err(|_| "invalid uint literal".to_owned())
            }
            Token::Float => match format!("{sign}{text}").parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Literal::Double(number)),
                _ => Err("invalid double literal".to_owned()),
            },
            Token::Bytes => {
                unescape(&text[1..], true).map(|bytes| Literal::Bytes(bytes.into())).map_err(str::to_owned)
            }
            _ => unescape(&text, false)
                .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "invalid unicode code point"))
                .map(|text| Literal::Text(Arc::from(text)))
                .map_err(str::to_owned),
        };
        match literal {
            Ok(literal) => self.expr(at, Kind::Literal(literal)),
            Err(message) => {
                self.issues.report(Some(at), message);
                self.expr(at, Kind::Bad)
            }
        }
    }
}
