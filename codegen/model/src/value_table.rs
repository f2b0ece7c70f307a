//! Tables of values: what some fields of a version and some fields of the hub have together, row by row.

/// A table of values. In either direction, the first row that has the values counts. Fields none of which has a value
/// are nothing on the other side, unless a row is for them: all its cells are `""`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTable {
    /// The rows.
    pub rows: Vec<Row>,
    /// Through how many lists and maps the rows reach: one for each `*` at the end of the two fields. Then the cells are
    /// those of the items or entries.
    pub each: usize,
}

impl ValueTable {
    /// The cells of the target where no field of the source has a value; `None` if the target has none, either.
    pub fn of_nothing(&self, to_hub: bool) -> Option<&[Cell]> {
        if self.each > 0 {
            return None;
        }
        let source = |row: &Row| is_nothing(if to_hub { &row.version } else { &row.hub });
        let row = self.rows.iter().find(|row| row.way.is_to(to_hub) && source(row))?;
        let cells = if to_hub { &row.hub } else { &row.version };
        cells.iter().any(Cell::is_value).then_some(cells)
    }
}

fn is_nothing(cells: &[Cell]) -> bool {
    cells.iter().all(|cell| *cell == Cell::Nothing)
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// A cell for each field of the version.
    pub version: Vec<Cell>,
    /// A cell for each field of the hub.
    pub hub: Vec<Cell>,
    /// In which directions it counts.
    pub way: Way,
}

/// The directions in which a row counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Both.
    #[default]
    Both,
    /// To the hub only.
    ToHub,
    /// From the hub only.
    FromHub,
}

impl Way {
    /// Its name in rules; `None` for both directions.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "to-hub" => Some(Self::ToHub),
            "from-hub" => Some(Self::FromHub),
            _ => None,
        }
    }

    /// Whether a row counts in this direction.
    pub fn is_to(self, to_hub: bool) -> bool {
        match self {
            Self::Both => true,
            Self::ToHub => to_hub,
            Self::FromHub => !to_hub,
        }
    }
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
    /// A text that is there, and empty: `'{""}'`.
    EmptyText,
    /// A list that is there, and empty: `[]`.
    EmptyList,
    /// A list with exactly these items: `["{first}", "{second}"]`.
    List(Vec<Self>),
    /// A list with at least one item, of which each is like this one: `["{name}", "..."]`. Its names have a list of
    /// values.
    Each(Box<Self>),
    /// An object with these members, and no other member with a value: `{ kind = "Secret", name = "{name}" }`.
    Object(Vec<(String, Self)>),
    /// An object or a map with one member, whose key has this name: `{ "{key}" = "{value}" }`.
    Entry(String, Box<Self>),
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
                Part::Joined(_, separator) => format!("{with}{separator}{with}"),
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
    /// Texts of at least one character, with the second text between two of them: `{name:,}`. The part with the same
    /// name on the other side is a list of them.
    Joined(String, String),
}

impl Cell {
    /// What a text in a table means.
    ///
    /// # Errors
    /// If a brace is not closed, a name is not made of letters, or two names have nothing between them: what is wrong,
    /// and what to do.
    pub fn parse(text: &str) -> Result<Self, (&'static str, &'static str)> {
        if text == "{\"\"}" {
            return Ok(Self::EmptyText);
        }
        let mut parts = parts(text)?;
        if text == "{}" {
            return Ok(Self::Any);
        }
        let is_pair = |pair: &[Part]| pair.iter().all(|part| part.name().is_some());
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
            (Some(last), _) => {
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
            Self::List(cells) => cells.iter().flat_map(Self::names).collect(),
            Self::Each(cell) => cell.names(),
            Self::Object(members) => members.iter().flat_map(|(_, cell)| cell.names()).collect(),
            Self::Entry(name, cell) => [vec![&**name], cell.names()].concat(),
            _ => Vec::new(),
        }
    }

    /// Whether it is a value that is always the same.
    pub fn is_value(&self) -> bool {
        match self {
            Self::Bool(_) | Self::Integer(_) | Self::Word(_) | Self::EmptyText | Self::EmptyList => true,
            Self::Object(members) => {
                members.iter().all(|(_, cell)| cell.is_value() || *cell == Self::Nothing)
            }
            Self::List(cells) => cells.iter().all(|cell| cell.is_value() || *cell == Self::Nothing),
            Self::Nothing | Self::Any | Self::Named(_) | Self::Text(_) | Self::Each(_) | Self::Entry(..) => {
                false
            }
        }
    }

    /// Texts that a field with this cell may have, and its members, each with the name of the field.
    pub fn examples<'a>(&'a self, field: &'a str) -> Vec<(&'a str, &'a str)> {
        match self {
            Self::Word(word) => vec![(field, word)],
            Self::Text(pattern) => pattern.examples.iter().map(|text| (field, text.as_str())).collect(),
            Self::List(cells) => cells.iter().flat_map(|cell| cell.examples(field)).collect(),
            Self::Each(cell) | Self::Entry(_, cell) => cell.examples(field),
            Self::Object(members) => members.iter().flat_map(|(name, cell)| cell.examples(name)).collect(),
            _ => Vec::new(),
        }
    }
}

impl Part {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) | Self::Joined(name, _) => Some(name),
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
                let (name, separator) = match name.split_once(':') {
                    Some((name, separator)) => (name.to_owned(), Some(separator.to_owned())),
                    None => (name, None),
                };
                let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
                if !is_name || name.is_empty() && text != "{}" {
                    return Err(("a name has letters, digits and `_` only", BRACES));
                }
                if separator.as_ref().is_some_and(String::is_empty) {
                    return Err((
                        "nothing is between the items of a text",
                        "write what is between them: \"{names:,}\"",
                    ));
                }
                if !literal.is_empty() {
                    out.push(Part::Literal(std::mem::take(&mut literal)));
                }
                out.push(match separator {
                    Some(separator) => Part::Joined(name, separator),
                    None => Part::Named(name),
                });
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
            ("{\"\"}", Cell::EmptyText),
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
