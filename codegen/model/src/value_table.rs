//! Tables of values: what some fields of a version and some fields of the hub have together, row by row.

use crate::TypeExpr;

/// A table of values. In either direction, the first row that has the values counts. Fields none of which has a value
/// are nothing on the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTable {
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// A cell for each field of the version.
    pub version: Vec<Cell>,
    /// A cell for each field of the hub.
    pub hub: Vec<Cell>,
}

/// What a row has for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No value, or an empty text: `""`.
    Nothing,
    /// Anything; no value is written: `"{}"`.
    Any,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A word.
    Word(String),
    /// A value that the field with the same name on the other side has as well, or none on both sides: `"{name}"`.
    Named(String),
    /// A text with several parts: `"{host}:{port}"`.
    Text(Pattern),
}

/// A text with several parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The parts. Between two names is a literal.
    pub parts: Vec<Part>,
    /// Texts that have these parts.
    examples: [String; 2],
}

impl Pattern {
    fn new(parts: Vec<Part>) -> Self {
        let examples = ["a", "80"].map(|with| {
            let text = |part: &Part| match part {
                Part::Literal(text) => text.clone(),
                Part::Named(_) => with.to_owned(),
            };
            parts.iter().map(text).collect()
        });
        Self { parts, examples }
    }
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These characters.
    Literal(String),
    /// At least one character, which the part with the same name on the other side has as well.
    Named(String),
}

impl Cell {
    /// What a text in a table means.
    ///
    /// # Errors
    /// If a brace is not closed, a name is not made of letters, or two names have nothing between them: what is wrong,
    /// and what to do.
    pub fn parse(text: &str) -> Result<Self, (&'static str, &'static str)> {
        let mut parts = parts(text)?;
        if text == "{}" {
            return Ok(Self::Any);
        }
        let is_pair = |pair: &[Part]| matches!(pair, [Part::Named(_), Part::Named(_)]);
        if parts.windows(2).any(is_pair) {
            return Err((
                "nothing divides two names, so there are many ways to read a text",
                "write what is between them: \"{host}:{port}\"",
            ));
        }
        Ok(match (parts.pop(), parts.is_empty()) {
            (None, _) => Self::Nothing,
            (Some(Part::Literal(word)), true) => Self::Word(word),
            (Some(Part::Named(name)), true) => Self::Named(name),
            (Some(last), false) => {
                parts.push(last);
                Self::Text(Pattern::new(parts))
            }
        })
    }

    /// The names of its parts.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Named(name) => vec![name],
            Self::Text(pattern) => pattern.parts.iter().filter_map(Part::name).collect(),
            _ => Vec::new(),
        }
    }

    /// The type that a field with this cell needs; `None` if any will do.
    pub fn needs(&self) -> Option<&'static [TypeExpr]> {
        match self {
            Self::Nothing | Self::Any | Self::Named(_) => None,
            Self::Bool(_) => Some(&[TypeExpr::Bool]),
            Self::Integer(_) => Some(&[TypeExpr::Int32, TypeExpr::Int64]),
            Self::Word(_) | Self::Text(_) => Some(&[TypeExpr::String]),
        }
    }

    /// Texts that a field with this cell may have.
    pub fn examples(&self) -> &[String] {
        match self {
            Self::Word(word) => std::slice::from_ref(word),
            Self::Text(pattern) => &pattern.examples,
            _ => &[],
        }
    }
}

impl Part {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Literal(_) => None,
        }
    }
}

/// The parts of a text. `{{` and `}}` are braces.
fn parts(text: &str) -> Result<Vec<Part>, (&'static str, &'static str)> {
    const BRACES: &str = "write \"{name}\" for a part of a text, and `{{` and `}}` for braces";
    let mut out: Vec<Part> = Vec::new();
    let mut literal = String::new();
    let mut rest = text.chars().peekable();
    while let Some(found) = rest.next() {
        match found {
            '{' | '}' if rest.peek() == Some(&found) => {
                rest.next();
                literal.push(found);
            }
            '}' => return Err(("a brace is closed that is not open", BRACES)),
            '{' => {
                let name: String = std::iter::from_fn(|| rest.next_if(|next| *next != '}')).collect();
                if rest.next().is_none() {
                    return Err(("a brace is not closed", BRACES));
                }
                let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
                if !is_name || name.is_empty() && text != "{}" {
                    return Err(("a name has letters, digits and `_` only", BRACES));
                }
                if !literal.is_empty() {
                    out.push(Part::Literal(std::mem::take(&mut literal)));
                }
                out.push(Part::Named(name));
            }
            letter => literal.push(letter),
        }
    }
    if !literal.is_empty() {
        out.push(Part::Literal(literal));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read() {
        let word = |text: &str| Part::Literal(text.to_owned());
        let name = |text: &str| Part::Named(text.to_owned());
        for (text, expected) in [
            ("", Cell::Nothing),
            ("{}", Cell::Any),
            ("a", Cell::Word("a".to_owned())),
            ("{{a}}", Cell::Word("{a}".to_owned())),
            ("{a}", Cell::Named("a".to_owned())),
            ("v{a}", Cell::Text(Pattern::new(vec![word("v"), name("a")]))),
            ("{host}:{port}", Cell::Text(Pattern::new(vec![name("host"), word(":"), name("port")]))),
        ] {
            assert_eq!(Cell::parse(text), Ok(expected), "{text}");
        }
        for wrong in ["{a", "a}", "{a}{b}", "{a-b}", "x{}"] {
            assert!(Cell::parse(wrong).is_err(), "{wrong}");
        }
    }
}
