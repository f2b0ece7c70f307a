//! Parses and applies `labelSelector`, with the grammar and the errors of upstream's
//! `labels.Parse`.
//!
//! ```text
//! selector    = [ requirement { "," requirement } ]
//! requirement = [ "!" ] key | key ( "in" | "notin" ) set | key ( "=" | "==" | "!=" | ">" | "<" ) value
//! set         = "(" [ value ] { "," [ value ] } ")"
//! ```

use std::collections::BTreeSet;

use hubgen_validation::names;

use crate::validation::{Violation, Violations};

/// The binary operators, as errors list them.
const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

/// A requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    DoesNotExist,
    In(BTreeSet<String>),
    /// Also met if the label is missing.
    NotIn(BTreeSet<String>),
    /// The label is an integer greater than this one.
    Greater(i64),
    /// The label is an integer less than this one.
    Less(i64),
}

impl Requirement {
    /// Whether the labels that `label` looks up meet the requirement.
    pub(super) fn matches<'a>(&self, label: &impl Fn(&str) -> Option<&'a str>) -> bool {
        let value = label(&self.key);
        let number = || value.and_then(parse_int);
        match &self.test {
            Test::Exists => value.is_some(),
            Test::DoesNotExist => value.is_none(),
            Test::In(values) => value.is_some_and(|value| values.contains(value)),
            Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Test::Greater(bound) => number().is_some_and(|number| number > *bound),
            Test::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// Parses an integer like Go, in base 10.
fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Parses requirements, separated by commas.
///
/// # Errors
/// If the text cannot be parsed.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            Token::Word(_) | Token::Symbol("!") => {}
            Token::End => return Ok(requirements),
            other => {
                return Err(format!("found '{}', expected: !, identifier, or 'end of string'", other.text()));
            }
        }
        let requirement =
            parser.requirement().map_err(|error| format!("unable to parse requirement: {error}"))?;
        requirements.push(requirement);
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Symbol(",") => match parser.peek() {
                Token::Word(_) | Token::Symbol("!") => {}
                other => return Err(format!("found '{}', expected: identifier after ','", other.text())),
            },
            other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    /// A key, a value, or an operator that is a word.
    Word(&'t str),
    Symbol(&'static str),
    End,
}

impl<'t> Token<'t> {
    fn text(self) -> &'t str {
        match self {
            Self::Word(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

/// Symbols, longer ones before their prefixes.
const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let mut tokens = Vec::new();
    // Like upstream, a zero byte ends the text.
    let mut rest = text.split('\0').next().unwrap_or_default().trim_start_matches(is_space);
    while !rest.is_empty() {
        let token = match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            Some(symbol) => Token::Symbol(symbol),
            None => {
                let ends = |c| is_space(c) || "=!(),><".contains(c);
                Token::Word(&rest[..rest.find(ends).unwrap_or(rest.len())])
            }
        };
        rest = rest[token.text().len()..].trim_start_matches(is_space);
        tokens.push(token);
    }
    tokens.push(Token::End);
    tokens
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    position: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.position]
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        // The last token is `End`, and stays the next one.
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut first = self.next();
        let negated = first == Token::Symbol("!");
        if negated {
            first = self.next();
        }
        let Token::Word(key) = first else {
            return Err(format!("found '{}', expected: identifier", first.text()));
        };
        let mistakes = names::label_key_mistakes(key);
        if !mistakes.is_empty() {
            // Upstream has no field path here, and prints `<nil>`.
            return Err(Violation::invalid("<nil>", key, mistakes.join("; ")).to_string());
        }
        let key = key.to_owned();
        if negated {
            return Ok(Requirement { key, test: Test::DoesNotExist });
        }
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(Requirement { key, test: Test::Exists });
        }
        let operator = self.next();
        let values = match operator {
            Token::Word("in" | "notin") => self.set()?,
            Token::Symbol("=" | "==" | "!=" | ">" | "<") => BTreeSet::from([self.value()?]),
            other => return Err(format!("found '{}', expected: {OPERATORS}", other.text())),
        };
        check_values(&key, operator, &values)?;
        let number = || values.first().and_then(|value| parse_int(value)).unwrap_or_default();
        let test = match operator.text() {
            "in" | "=" | "==" => Test::In(values),
            ">" => Test::Greater(number()),
            "<" => Test::Less(number()),
            _ => Test::NotIn(values),
        };
        Ok(Requirement { key, test })
    }

    /// Parses the value after an operator. A missing value is empty.
    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(value) => Ok(value.to_owned()),
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    /// Parses the values between parentheses. Any of them may be empty.
    fn set(&mut self) -> Result<BTreeSet<String>, String> {
        match self.next() {
            Token::Symbol("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            Token::Word(_) | Token::Symbol(",") => {}
            Token::Symbol(")") => {
                self.next();
                return Ok(BTreeSet::from([String::new()]));
            }
            other => return Err(format!("found '{}', expected: ',', ')' or identifier", other.text())),
        }
        loop {
            match self.next() {
                Token::Word(value) => {
                    values.insert(value.to_owned());
                    match self.peek() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => break,
                        other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
                    }
                }
                Token::Symbol(",") => {
                    if values.is_empty() || self.peek() == Token::Symbol(",") {
                        values.insert(String::new());
                    }
                    if self.peek() == Token::Symbol(")") {
                        values.insert(String::new());
                        break;
                    }
                }
                other => return Err(format!("found '{}', expected: ',', or identifier", other.text())),
            }
        }
        self.next();
        Ok(values)
    }
}

/// Checks the values of a requirement.
fn check_values(key: &str, operator: Token<'_>, values: &BTreeSet<String>) -> Result<(), String> {
    let mut found = Violations::default();
    if let (Token::Symbol(">" | "<"), Some(value)) = (operator, values.first())
        && parse_int(value).is_none()
    {
        let why = "for 'Gt', 'Lt' operators, the value must be an integer";
        found.add(|| Violation::invalid("values[0]", value, why));
    }
    for (index, value) in values.iter().enumerate() {
        let why = names::label_value_mistakes(value);
        if !why.is_empty() {
            found.add(|| Violation::invalid(format!("values[{index}][{key}]"), value, why.join("; ")));
        }
    }
    let texts: Vec<String> = found.into_vec().iter().map(ToString::to_string).collect();
    match texts.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_parsed() {
        let read = parse("a, !b,c=d,e!=f,g in (h, i),j notin (k),l==,in in (in),m>1,n<2,o in (),p in (q,,)")
            .unwrap();
        let set = |values: &[&str]| values.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let expected = [
            ("a", Test::Exists),
            ("b", Test::DoesNotExist),
            ("c", Test::In(set(&["d"]))),
            ("e", Test::NotIn(set(&["f"]))),
            ("g", Test::In(set(&["h", "i"]))),
            ("j", Test::NotIn(set(&["k"]))),
            ("l", Test::In(set(&[""]))),
            ("in", Test::In(set(&["in"]))),
            ("m", Test::Greater(1)),
            ("n", Test::Less(2)),
            ("o", Test::In(set(&[""]))),
            ("p", Test::In(set(&["", "q"]))),
        ];
        let expected = expected.map(|(key, test)| Requirement { key: key.to_owned(), test });
        assert_eq!(read, expected);
        assert_eq!(parse("").unwrap(), []);
    }

    /// A query of some kilobytes does not cause a response of megabytes.
    #[test]
    fn errors_about_many_mistakes_are_bounded() {
        let values: Vec<String> = (0..20_000).map(|number| format!("@{number}")).collect();
        let error = parse(&format!("a in ({})", values.join(","))).unwrap_err();
        assert!(error.len() < 64 << 10, "{}", error.len());
        assert!(error.ends_with(" more]"), "{}", &error[error.len() - 100..]);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let matches = |selector: &str, value: Option<&'static str>| {
            parse(selector).unwrap()[0].matches(&|_: &str| value)
        };
        assert!(matches("a>9", Some("10")));
        assert!(matches("a<10", Some("9")));
        assert!(!matches("a<1", Some("1")));
        for none in [None, Some(""), Some("9"), Some("x"), Some("99999999999999999999")] {
            assert!(!matches("a>9", none), "{none:?}");
        }
    }

    #[test]
    fn invalid_selectors_are_refused() {
        for (text, why) in [
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (!", "unable to parse requirement: found '!', expected: ',', ')' or identifier"),
            ("a in (b,!", "unable to parse requirement: found '!', expected: ',', or identifier"),
            ("=b", "found '=', expected: !, identifier, or 'end of string'"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            ("a,,b", "found ',', expected: identifier after ','"),
            ("in (a)", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, \
                 the value must be an integer",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
        let error = parse("a@b").unwrap_err();
        assert!(
            error.starts_with("unable to parse requirement: <nil>: Invalid value: \"a@b\": name part must"),
            "{error}"
        );
        let error = parse("a=b@").unwrap_err();
        assert!(
            error.starts_with(
                "unable to parse requirement: values[0][a]: Invalid value: \"b@\": a valid label must"
            ),
            "{error}"
        );
    }
}
