//! Parses expressions, within limits on their length and nesting.

mod operand;

use crate::cel::ast::{Call, Expr, Id, Kind, Literal, Name, Select, operator};
use crate::cel::issues::{Issues, Source};
use crate::cel::lexer::{self, Lexeme, Token};
use crate::cel::macros;

/// The longest expression, in characters: cel-go's default.
const MAX_LENGTH: usize = 100_000;

/// How deep expressions nest, and how long chains of operators and fields are: cel-go's default.
const MAX_DEPTH: u32 = 250;

/// The signs that errors of cel-go name, in their order.
const SIGNS: [&str; 11] = ["[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?"];

/// The signs that can begin an operand.
const OF_OPERANDS: [&str; 6] = ["[", "{", "(", ".", "-", "!"];

/// Words that CEL reserves.
pub(crate) const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// An expression, and where each part of it is.
pub(crate) struct Parsed {
    pub(crate) expr: Expr,
    pub(crate) places: Places,
}

/// The positions of expressions by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Vec<u32>);

impl Places {
    /// The number of a new expression.
    pub(crate) fn id(&mut self, at: usize) -> Id {
        // Expressions have at most `MAX_LENGTH` characters, and macros multiply them by less than a hundred.
        self.0.push(u32::try_from(at).unwrap_or(u32::MAX));
        Id::try_from(self.0.len() - 1).unwrap_or(Id::MAX)
    }

    pub(crate) fn get(&self, id: Id) -> Option<usize> {
        self.0.get(id as usize).map(|at| *at as usize)
    }

    /// The number of expressions.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

pub(crate) fn parse(text: &str) -> Result<Parsed, Issues> {
    let length = text.chars().count();
    if length > MAX_LENGTH {
        // Nobody wants to see the expression.
        let mut issues = Issues::new(Source::new(""));
        issues.report(
            None,
            format!("expression code point size exceeds limit: size: {length}, limit {MAX_LENGTH}"),
        );
        return Err(issues);
    }
    let source = Source::new(text);
    let mut issues = Issues::new(source.clone());
    let tokens = lexer::tokens(&source, &mut issues);
    let mut parser = Parser { source, tokens, at: 0, depth: 0, places: Places::default(), issues };
    let parsed = parser.whole();
    let Parser { places, issues, .. } = parser;
    match parsed {
        Ok(expr) if issues.is_empty() => Ok(Parsed { expr, places }),
        _ => Err(issues),
    }
}

/// An error was reported after which parsing cannot go on.
pub(crate) struct Stop;

type Parse<T> = Result<T, Stop>;

/// An expression, and how many operators and fields are on the longest way down in it.
type Deep = (Expr, u32);

pub(crate) struct Parser {
    source: Source,
    tokens: Vec<Lexeme>,
    at: usize,
    /// How many expressions are around the current one.
    depth: u32,
    pub(crate) places: Places,
    pub(crate) issues: Issues,
}

impl Parser {
    fn current(&self) -> Lexeme {
        self.tokens[self.at]
    }

    fn ahead(&self, count: usize) -> Token {
        self.tokens.get(self.at + count).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn advance(&mut self) -> Lexeme {
        let lexeme = self.current();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        lexeme
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.current().token, Token::Sign(found) if found == sign)
    }

    fn take(&mut self, sign: &str) -> Option<Lexeme> {
        self.is_sign(sign).then(|| self.advance())
    }

    fn text(&self, lexeme: Lexeme) -> String {
        match lexeme.token {
            Token::End => "<EOF>".to_owned(),
            _ => self.source.chars[lexeme.start..lexeme.end].iter().collect(),
        }
    }

    /// The text of tokens, and the spaces between them.
    fn text_between(&self, first: usize, last: usize) -> String {
        let mut out = String::new();
        for at in first..=last {
            let lexeme = self.tokens[at];
            if at > first {
                let gap = &self.source.chars[self.tokens[at - 1].end..lexeme.start];
                out.extend(gap.iter().filter(|c| c.is_whitespace()));
            }
            out.extend(&self.source.chars[lexeme.start..lexeme.end]);
        }
        out
    }

    /// The current token does not go on with what began at another one.
    fn no_alternative(&mut self, first: usize) -> Stop {
        let message = format!("no viable alternative at input '{}'", self.text_between(first, self.at));
        self.syntax(self.current().start, &message)
    }

    /// Sees that an operand follows, or one of these signs. A token before that is left out.
    fn begin(&mut self, others: &[&str]) -> Parse<()> {
        let fits =
            |token: Token| begins(token) || matches!(token, Token::Sign(sign) if others.contains(&sign));
        if fits(self.current().token) {
            return Ok(());
        }
        let is_one_too_many = self.current().token != Token::End && fits(self.ahead(1));
        let kind = if is_one_too_many { "extraneous" } else { "mismatched" };
        let stop = self.unexpected(kind, &operand_or(others));
        if !is_one_too_many {
            return Err(stop);
        }
        self.advance();
        Ok(())
    }

    fn syntax(&mut self, at: usize, message: &str) -> Stop {
        self.issues.report(Some(at), format!("Syntax error: {message}"));
        Stop
    }

    fn unexpected(&mut self, kind: &str, expected: &str) -> Stop {
        let lexeme = self.current();
        let message = format!("{kind} input '{}' expecting {expected}", self.text(lexeme));
        self.syntax(lexeme.start, &message)
    }

    /// Checks the length of the way down through an operator.
    fn deeper(&mut self, depth: u32) -> Parse<u32> {
        if depth < MAX_DEPTH {
            return Ok(depth + 1);
        }
        self.issues.report(None, "max recursion depth exceeded");
        Err(Stop)
    }

    pub(crate) fn expr(&mut self, at: usize, kind: Kind) -> Expr {
        Expr { id: self.places.id(at), kind }
    }

    pub(crate) fn call(&mut self, at: usize, function: &str, args: Vec<Expr>) -> Expr {
        self.expr(at, Kind::Call(Box::new(Call { function: function.into(), target: None, args })))
    }

    fn whole(&mut self) -> Parse<Expr> {
        let (expr, _) = self.expression()?;
        if self.current().token == Token::End {
            return Ok(expr);
        }
        let kind = if self.ahead(1) == Token::End { "extraneous" } else { "mismatched" };
        Err(self.unexpected(kind, "<EOF>"))
    }

    /// `condition ? value : other`, or less.
    fn expression(&mut self) -> Parse<Deep> {
        if self.depth == MAX_DEPTH {
            self.issues.report(None, format!("expression recursion limit exceeded: {MAX_DEPTH}"));
            return Err(Stop);
        }
        self.depth += 1;
        let found = self.conditional();
        self.depth -= 1;
        found
    }

    fn conditional(&mut self) -> Parse<Deep> {
        let (condition, depth) = self.logic(operator::OR)?;
        let Some(question) = self.take("?") else { return Ok((condition, depth)) };
        let (value, of_value) = self.logic(operator::OR)?;
        self.expect(":")?;
        let (other, of_other) = self.expression()?;
        let depth = self.deeper(depth.max(of_value).max(of_other))?;
        Ok((self.call(question.start, operator::CONDITIONAL, vec![condition, value, other]), depth))
    }

    /// A chain of `||`, or of `&&`. It becomes a balanced tree, as cel-go makes it.
    fn logic(&mut self, function: &'static str) -> Parse<Deep> {
        let (sign, is_or) = if function == operator::OR { ("||", true) } else { ("&&", false) };
        let (first, mut depth) = if is_or { self.logic(operator::AND)? } else { self.binary(0)? };
        let (mut terms, mut signs) = (vec![Some(first)], Vec::new());
        while let Some(found) = self.take(sign) {
            let (term, of_term) = if is_or { self.logic(operator::AND)? } else { self.binary(0)? };
            terms.push(Some(term));
            signs.push(found.start);
            depth = depth.max(of_term);
        }
        Ok((self.balanced(function, &mut terms, &signs), depth))
    }

    fn balanced(&mut self, function: &'static str, terms: &mut [Option<Expr>], signs: &[usize]) -> Expr {
        if signs.is_empty() {
            return terms[0].take().unwrap_or(Expr { id: 0, kind: Kind::Bad });
        }
        let middle = signs.len() / 2;
        let (left, right) = terms.split_at_mut(middle + 1);
        let left = self.balanced(function, left, &signs[..middle]);
        let right = self.balanced(function, right, &signs[middle + 1..]);
        self.call(signs[middle], function, vec![left, right])
    }

    /// Operators that bind at least so strongly: comparisons, sums, products.
    fn binary(&mut self, strength: u8) -> Parse<Deep> {
        let (mut left, mut depth) = self.unary()?;
        loop {
            let (function, found) = match self.current().token {
                Token::In => (operator::IN, 0),
                Token::Sign(sign) => match sign {
                    "==" => (operator::EQUALS, 0),
                    "!=" => (operator::NOT_EQUALS, 0),
                    "<" => ("_<_", 0),
                    "<=" => ("_<=_", 0),
                    ">" => ("_>_", 0),
                    ">=" => ("_>=_", 0),
                    "+" => (operator::ADD, 1),
                    "-" => ("_-_", 1),
                    "*" => ("_*_", 2),
                    "/" => ("_/_", 2),
                    "%" => ("_%_", 2),
                    _ => break,
                },
                _ => break,
            };
            if found < strength {
                break;
            }
            let sign = self.advance();
            let (right, of_right) = self.binary(found + 1)?;
            depth = self.deeper(depth.max(of_right))?;
            left = self.call(sign.start, function, vec![left, right]);
        }
        Ok((left, depth))
    }

    fn unary(&mut self) -> Parse<Deep> {
        let Token::Sign(sign @ ("!" | "-")) = self.current().token else { return self.member() };
        // A minus before a number belongs to it.
        if sign == "-" && matches!(self.ahead(1), Token::Int | Token::Float) {
            return self.member();
        }
        let (first, index) = (self.current().start, self.at);
        let mut count = 0;
        while self.is_sign(sign) {
            if sign == "-" && matches!(self.ahead(1), Token::Int | Token::Float) && count > 0 {
                break;
            }
            self.advance();
            count += 1;
        }
        if sign == "-" && (!begins(self.current().token) || self.is_sign("!")) {
            return Err(self.no_alternative(index));
        }
        if !begins(self.current().token) {
            let stop = self.unexpected("extraneous", &operand_or(&[]));
            self.advance();
            if !begins(self.current().token) {
                return Err(stop);
            }
        }
        let (operand, depth) = self.member()?;
        if count % 2 == 0 {
            return Ok((operand, depth));
        }
        let function = if sign == "!" { operator::NOT } else { operator::NEGATE };
        Ok((self.call(first, function, vec![operand]), depth))
    }

    /// An operand with fields, calls and indices after it.
    fn member(&mut self) -> Parse<Deep> {
        let (mut operand, mut depth) = self.primary()?;
        loop {
            let before = self.at;
            if let Some(dot) = self.take(".") {
                let optional = self.take("?").is_some();
                let found = self.current();
                let field: Name = match found.token {
                    Token::Ident => self.text(found).into(),
                    Token::Quoted => self.text(found).trim_matches('`').into(),
                    Token::True | Token::False | Token::Null => {
                        return Err(self.unexpected("mismatched", "IDENTIFIER"));
                    }
                    _ if optional => {
                        let stop = self.unexpected("mismatched", "{IDENTIFIER, ESC_IDENTIFIER}");
                        self.issues.report(Some(found.start), "unsupported ident kind");
                        return Err(stop);
                    }
                    _ => return Err(self.no_alternative(before)),
                };
                self.advance();
                depth = self.deeper(depth)?;
                let is_called = found.token == Token::Ident && !optional;
                if !is_called && self.is_sign("(") {
                    return Err(self.unexpected("mismatched", "<EOF>"));
                }
                operand = match self.take("(") {
                    Some(open) => {
                        let (args, of_args) = self.arguments(")")?;
                        depth = depth.max(self.deeper(of_args)?);
                        self.receiver(open.start, &field, operand, args)
                    }
                    None if optional => {
                        let name = self.expr(found.start, Kind::Literal(Literal::Text(field)));
                        self.call(dot.start, operator::OPT_SELECT, vec![operand, name])
                    }
                    None => {
                        let select = Select { operand, field, test: false };
                        self.expr(dot.start, Kind::Select(Box::new(select)))
                    }
                };
            } else if let Some(open) = self.take("[") {
                self.begin(&["?"])?;
                let optional = self.take("?").is_some();
                let (index, of_index) = self.expression()?;
                self.expect("]")?;
                depth = self.deeper(depth.max(of_index))?;
                let function = if optional { operator::OPT_INDEX } else { operator::INDEX };
                operand = self.call(open.start, function, vec![operand, index]);
            } else {
                return Ok((operand, depth));
            }
        }
    }

    fn receiver(&mut self, at: usize, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        match macros::expand(self, at, function, Some(target), args) {
            Ok(expanded) => expanded,
            Err((target, args)) => {
                self.expr(at, Kind::Call(Box::new(Call { function: function.into(), target, args })))
            }
        }
    }

    /// Expressions with commas between them, up to a bracket that closes.
    fn arguments(&mut self, close: &'static str) -> Parse<(Vec<Expr>, u32)> {
        let (mut args, mut depth) = (Vec::new(), 0);
        self.begin(&[close])?;
        if self.take(close).is_some() {
            return Ok((args, depth));
        }
        loop {
            let (arg, of_arg) = self.expression()?;
            args.push(arg);
            depth = depth.max(of_arg);
            if self.take(",").is_none() {
                self.expect(close)?;
                return Ok((args, depth));
            }
        }
    }

    fn expect(&mut self, sign: &'static str) -> Parse<()> {
        if self.take(sign).is_some() {
            return Ok(());
        }
        let expected = format!("'{sign}'");
        if matches!(self.ahead(1), Token::Sign(next) if next == sign) {
            self.unexpected("extraneous", &expected);
            self.advance();
            self.advance();
            return Ok(());
        }
        let lexeme = self.current();
        let can_follow = match lexeme.token {
            Token::End | Token::In => true,
            // Nothing is separated around the whole.
            Token::Sign(",") => self.depth > 1,
            Token::Sign(sign) => !matches!(sign, "(" | "{" | "!"),
            _ => false,
        };
        if can_follow && sign != ":" {
            let message = format!("missing {expected} at '{}'", self.text(lexeme));
            return Err(self.syntax(lexeme.start, &message));
        }
        Err(self.unexpected("mismatched", &expected))
    }

    /// What follows an element of a list, a map or an object: whether another one does.
    fn goes_on(&mut self, close: &'static str) -> Parse<bool> {
        let ends = |token: Token| matches!(token, Token::Sign(sign) if sign == close || sign == ",");
        if !ends(self.current().token) {
            let is_one_too_many = self.current().token != Token::End && ends(self.ahead(1));
            let kind = if is_one_too_many { "extraneous" } else { "mismatched" };
            let stop = self.unexpected(kind, &format!("{{'{close}', ','}}"));
            if !is_one_too_many {
                return Err(stop);
            }
            self.advance();
        }
        // A comma before the end separates nothing.
        Ok(self.take(",").is_some() && self.can_begin(close))
    }

    /// Whether the current token can begin an element.
    fn can_begin(&self, close: &str) -> bool {
        let token = self.current().token;
        begins(token) || token == Token::Sign("?") || close == "}" && token == Token::Quoted
    }

    /// The colon after a key.
    fn colon(&mut self) -> Parse<()> {
        if self.take(":").is_some() {
            return Ok(());
        }
        let lexeme = self.current();
        if begins(lexeme.token) {
            let message = format!("missing ':' at '{}'", self.text(lexeme));
            self.syntax(lexeme.start, &message);
            return Ok(());
        }
        Err(self.unexpected("mismatched", "':'"))
    }
}

/// Whether a token can begin an operand.
fn begins(token: Token) -> bool {
    match token {
        Token::Sign(sign) => OF_OPERANDS.contains(&sign),
        _ => !matches!(token, Token::In | Token::End | Token::Quoted),
    }
}

/// What can begin an operand, and these signs, in the words of cel-go's errors.
fn operand_or(others: &[&str]) -> String {
    let signs = SIGNS.iter().filter(|sign| OF_OPERANDS.contains(sign) || others.contains(sign));
    let signs: String = signs.map(|sign| format!("'{sign}', ")).collect();
    format!("{{{signs}'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}}")
}
