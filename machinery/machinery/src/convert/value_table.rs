//! Tables of values: what some fields of a version and some fields of the hub have together, row by row.

use std::collections::BTreeMap;
use std::fmt;

use super::function::Failure;
use super::parameters::{Parameters, Plain, PlainType, Results};
use crate::Str;
use crate::reflect::{Held, Text};

/// A table of values. In either direction, the first row that has the values counts. Fields none of which has a value
/// are nothing on the other side.
///
/// ```
/// use hubgen_machinery::Str;
/// use hubgen_machinery::convert::{Cell, Part, PlainType, Row, ValueTable};
/// use hubgen_machinery::reflect::{Held, Text};
///
/// const fn name(name: &'static str) -> Part {
///     Part::Named(Text::Static(name))
/// }
///
/// let parts = Box::new([name("host"), Part::Literal(Text::Static(":")), name("port")]);
/// let row = Row {
///     version: Held::Boxed(Box::new([Cell::Text(Held::Boxed(parts))])),
///     hub: Held::Boxed(Box::new(["host", "port"].map(|name| Cell::Named(Text::Static(name))))),
/// };
/// let address = ValueTable {
///     version: Held::Static(&[PlainType::Text]),
///     hub: Held::Static(&[PlainType::Text, PlainType::Int32]),
///     rows: Held::Boxed(Box::new([row])),
/// };
/// let (host, port): (Str, i32) = address.to_hub((Str::from("db:5432"),)).unwrap();
/// assert_eq!((&*host, port), ("db", 5432));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ValueTable {
    /// The types of the version's fields.
    pub version: Held<[PlainType]>,
    /// The types of the hub's fields.
    pub hub: Held<[PlainType]>,
    /// The rows.
    pub rows: Held<[Row]>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// A cell for each field of the version.
    pub version: Held<[Cell]>,
    /// A cell for each field of the hub.
    pub hub: Held<[Cell]>,
}

/// What a row has for a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value, or an empty text. A field that cannot be absent has its zero.
    Nothing,
    /// Anything. No value is written.
    Any,
    /// This truth value. A field without a value is `false`.
    Bool(bool),
    /// This whole number. A field without a value is zero.
    Integer(i64),
    /// This text.
    Word(Text),
    /// A value that the field with the same name on the other side has as well, or none on both sides.
    Named(Text),
    /// A text with these parts.
    Text(Held<[Part]>),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// These characters.
    Literal(Text),
    /// At least one character, which the part with the same name on the other side has as well.
    Named(Text),
}

/// A value; `None` if the field has none, or an empty text, or cannot be absent and is zero.
type Value = Option<Known>;

#[derive(Clone, Debug, PartialEq)]
enum Known {
    Bool(bool),
    Integer(i64),
    Text(Str),
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What named parts have.
type Bound = BTreeMap<String, String>;

impl ValueTable {
    /// What errors call it.
    pub const NAME: &str = "table";

    /// Converts the values of a version's fields.
    ///
    /// # Errors
    /// If no row has them.
    pub fn to_hub<V: Results, H: Parameters>(&self, values: V) -> Result<H, String> {
        typed(self.run(true, values.into_plains()))
    }

    /// Converts the values of the hub's fields. What no row has is no value at the version.
    ///
    /// # Errors
    /// If the types are not those of the table.
    pub fn from_hub<H: Results, V: Parameters>(&self, values: H) -> Result<V, String> {
        typed(self.run(false, values.into_plains()))
    }

    /// Converts values in either direction.
    ///
    /// # Errors
    /// If no row has the values of a version, or the values have other types.
    pub fn run(&self, to_hub: bool, values: Vec<Plain>) -> Result<Vec<Plain>, Failure> {
        let values: Vec<Value> = values.into_iter().map(read).collect::<Option<_>>().ok_or(Failure::Types)?;
        let types = if to_hub { &self.hub } else { &self.version };
        if values.iter().all(Option::is_none) {
            return Ok(nothing(types));
        }
        for row in &*self.rows {
            let (from, to) = if to_hub { (&row.version, &row.hub) } else { (&row.hub, &row.version) };
            if let Some(results) = bind(from, &values).and_then(|bound| fill(to, &bound, types)) {
                return Ok(results.into_iter().zip(&**types).map(|(value, ty)| plain(value, *ty)).collect());
            }
        }
        if to_hub { Err(Failure::Refused(self.no_row(&values))) } else { Ok(nothing(types)) }
    }

    fn no_row(&self, values: &[Value]) -> String {
        let shown = |value: &Value| match value {
            None => "nothing".to_owned(),
            Some(Known::Text(text)) => format!("{:?}", &**text),
            Some(value) => value.to_string(),
        };
        let values: Vec<String> = values.iter().map(shown).collect();
        let rows: Vec<String> = self.rows.iter().map(|row| listed(&row.version)).collect();
        format!("no row of the table has {}; rows have {}", values.join(" and "), rows.join(", or "))
    }
}

fn nothing(types: &[PlainType]) -> Vec<Plain> {
    types.iter().map(|ty| plain(None, *ty)).collect()
}

fn listed(cells: &[Cell]) -> String {
    cells.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Any => f.write_str("anything"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Word(word) => write!(f, "{:?}", &**word),
            Self::Named(name) => write!(f, "\"{{{name}}}\""),
            Self::Text(parts) => {
                let part = |part: &Part| match part {
                    Part::Literal(text) => text.to_string(),
                    Part::Named(name) => format!("{{{name}}}"),
                };
                write!(f, "{:?}", parts.iter().map(part).collect::<String>())
            }
        }
    }
}

/// The results as those of a function in Rust.
fn typed<P: Parameters>(results: Result<Vec<Plain>, Failure>) -> Result<P, String> {
    let other_types = || "the table has other types".to_owned();
    match results {
        Ok(plains) => P::from_plains(plains).ok_or_else(other_types),
        Err(Failure::Refused(message)) => Err(message),
        Err(Failure::Types) => Err(other_types()),
    }
}

/// A value of a field; `None` if it has another type.
fn read(plain: Plain) -> Option<Value> {
    Some(match plain {
        Plain::Optional(None) | Plain::Bool(false) | Plain::Int32(0) | Plain::Int64(0) => None,
        Plain::Optional(Some(value)) => match *value {
            Plain::Bool(false) => Some(Known::Bool(false)),
            Plain::Int32(0) | Plain::Int64(0) => Some(Known::Integer(0)),
            value => return read(value),
        },
        Plain::Bool(true) => Some(Known::Bool(true)),
        Plain::Int32(value) => Some(Known::Integer(value.into())),
        Plain::Int64(value) => Some(Known::Integer(value)),
        Plain::Text(text) => (!text.is_empty()).then_some(Known::Text(text)),
        _ => return None,
    })
}

/// A value for a field of a type.
fn plain(value: Value, ty: PlainType) -> Plain {
    match (ty, value) {
        (PlainType::Optional(_), None) => Plain::Optional(None),
        (PlainType::Optional(inner), value) => Plain::Optional(Some(Box::new(plain(value, *inner)))),
        (PlainType::Bool, value) => Plain::Bool(value == Some(Known::Bool(true))),
        (PlainType::Int32, Some(Known::Integer(value))) => {
            Plain::Int32(i32::try_from(value).unwrap_or_default())
        }
        (PlainType::Int32, _) => Plain::Int32(0),
        (PlainType::Int64, Some(Known::Integer(value))) => Plain::Int64(value),
        (PlainType::Int64, _) => Plain::Int64(0),
        (_, Some(Known::Text(text))) => Plain::Text(text),
        (_, _) => Plain::Text(Str::new()),
    }
}

/// What the named parts of a row have if it has these values.
fn bind(cells: &[Cell], values: &[Value]) -> Option<Bound> {
    let mut bound = Bound::new();
    for (cell, value) in cells.iter().zip(values) {
        match (cell, value) {
            (Cell::Any, _) | (Cell::Nothing, None) => {}
            (Cell::Bool(expected), found) => {
                let found = found.as_ref().unwrap_or(&Known::Bool(false));
                (*found == Known::Bool(*expected)).then_some(())?;
            }
            (Cell::Integer(expected), found) => {
                let found = found.as_ref().unwrap_or(&Known::Integer(0));
                (*found == Known::Integer(*expected)).then_some(())?;
            }
            (Cell::Word(word), Some(Known::Text(found))) => (**word == **found).then_some(())?,
            // The other side has none, either.
            (Cell::Named(_), None) => {}
            (Cell::Named(name), Some(found)) => drop(bound.insert(name.to_string(), found.to_string())),
            (Cell::Text(parts), Some(Known::Text(text))) => bound.extend(split(parts, text)?),
            _ => return None,
        }
    }
    Some(bound)
}

/// The values of a row; `None` if they would not be read as this row again, with the same parts.
fn fill(cells: &[Cell], bound: &Bound, types: &[PlainType]) -> Option<Vec<Value>> {
    let value = |(cell, ty): (&Cell, &PlainType)| -> Option<Value> {
        Some(match cell {
            Cell::Nothing | Cell::Any => None,
            Cell::Bool(value) => Some(Known::Bool(*value)),
            Cell::Integer(value) => Some(Known::Integer(*value)),
            Cell::Word(word) => Some(Known::Text((&**word).into())),
            Cell::Named(name) => match bound.get(&**name) {
                Some(text) => Some(known(text, *ty)?),
                None => None,
            },
            Cell::Text(parts) => {
                let mut text = String::new();
                for part in &**parts {
                    match part {
                        Part::Literal(literal) => text += literal,
                        Part::Named(name) => text += bound.get(&**name)?,
                    }
                }
                Some(Known::Text(text.into()))
            }
        })
    };
    let values: Vec<Value> = cells.iter().zip(types).map(value).collect::<Option<_>>()?;
    let reread: Vec<Value> = values
        .iter()
        .cloned()
        .zip(types)
        .map(|(value, ty)| read(plain(value, *ty)))
        .collect::<Option<_>>()?;
    (bind(cells, &reread).as_ref() == Some(bound)).then_some(values)
}

/// The value of a type that a text stands for.
fn known(text: &str, ty: PlainType) -> Option<Known> {
    Some(match ty {
        PlainType::Optional(inner) => known(text, *inner)?,
        PlainType::Bool => Known::Bool(text.parse().ok()?),
        PlainType::Int32 => Known::Integer(text.parse::<i32>().ok()?.into()),
        PlainType::Int64 => Known::Integer(text.parse().ok()?),
        _ => Known::Text(text.into()),
    })
}

/// What the named parts of a text have; `None` if it has other parts, or there are two ways to divide it.
fn split(parts: &[Part], text: &str) -> Option<Bound> {
    let (mut parts, mut text) = (parts, text);
    if let [Part::Literal(start), rest @ ..] = parts {
        (parts, text) = (rest, text.strip_prefix(&**start)?);
    }
    if let [rest @ .., Part::Literal(end)] = parts {
        (parts, text) = (rest, text.strip_suffix(&**end)?);
    }
    let mut names = Vec::new();
    let mut between: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            Part::Named(name) => names.push(&**name),
            Part::Literal(literal) => between.push(literal),
        }
    }
    if names.is_empty() {
        return text.is_empty().then(Bound::new);
    }
    // Each literal is between where it is first and where it is last, so the way is unique if both are the same.
    let first = from_start(&between, text)?;
    (first == from_end(&between, text)?).then(|| {
        names.into_iter().zip(first).map(|(name, found)| (name.to_owned(), found.to_owned())).collect()
    })
}

/// The texts around literals, each as short as possible.
fn from_start<'a>(between: &[&str], mut text: &'a str) -> Option<Vec<&'a str>> {
    let mut out = Vec::with_capacity(between.len() + 1);
    for literal in between {
        let start = text.chars().next()?.len_utf8();
        let end = start + text[start..].find(literal)?;
        out.push(&text[..end]);
        text = &text[end + literal.len()..];
    }
    out.push(text);
    (!text.is_empty()).then_some(out)
}

/// The same from the end.
fn from_end<'a>(between: &[&str], mut text: &'a str) -> Option<Vec<&'a str>> {
    let mut out = Vec::with_capacity(between.len() + 1);
    for literal in between.iter().rev() {
        let end = text.len() - text.chars().next_back()?.len_utf8();
        let start = text[..end].rfind(literal)?;
        out.push(&text[start + literal.len()..]);
        text = &text[..start];
    }
    out.push(text);
    out.reverse();
    (!text.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell as rules write it: `{}`, `true`, `5`, an empty text, or a text with parts.
    fn cell(text: &str) -> Cell {
        match text {
            "" => Cell::Nothing,
            "{}" => Cell::Any,
            "true" | "false" => Cell::Bool(text == "true"),
            text => text.parse().map_or_else(|_| of_text(text), Cell::Integer),
        }
    }

    fn of_text(text: &str) -> Cell {
        match <[Part; 1]>::try_from(parts(text)) {
            Ok([Part::Literal(word)]) => Cell::Word(word),
            Ok([Part::Named(name)]) => Cell::Named(name),
            Err(parts) => Cell::Text(Held::Boxed(parts.into())),
        }
    }

    fn parts(text: &str) -> Vec<Part> {
        let owned = |text: &str| Text::Boxed(text.into());
        let mut out = Vec::new();
        for piece in text.split_inclusive('}') {
            let (literal, name) = piece.split_once('{').unwrap_or((piece, ""));
            if !literal.is_empty() {
                out.push(Part::Literal(owned(literal)));
            }
            if let Some(name) = name.strip_suffix('}') {
                out.push(Part::Named(owned(name)));
            }
        }
        out
    }

    fn table(version: &[PlainType], hub: &[PlainType], rows: &[[&[&str]; 2]]) -> ValueTable {
        let cells = |cells: &[&str]| Held::Boxed(cells.iter().map(|text| cell(text)).collect());
        let row = |[version, hub]: &[&[&str]; 2]| Row { version: cells(version), hub: cells(hub) };
        ValueTable {
            version: Held::Boxed(version.into()),
            hub: Held::Boxed(hub.into()),
            rows: Held::Boxed(rows.iter().map(row).collect()),
        }
    }

    const TEXT: PlainType = PlainType::Text;
    const MAYBE: PlainType = PlainType::Optional(&PlainType::Text);

    fn address() -> ValueTable {
        table(
            &[MAYBE],
            &[TEXT, PlainType::Int32],
            &[[&["{host}:{port}"], &["{host}", "{port}"]], [&["{host}"], &["{host}", "0"]]],
        )
    }

    fn text(text: &str) -> Option<Str> {
        Some(text.into())
    }

    #[test]
    fn a_text_is_divided_in_one_way_only() {
        let way = |pattern: &str, text: &str| {
            split(&parts(pattern), text).map(|bound| bound.into_values().collect::<Vec<_>>().join("|"))
        };
        assert_eq!(way("{a}:{b}", "x:y").as_deref(), Some("x|y"));
        assert_eq!(way("{a}:{b}", "x:y:z"), None);
        assert_eq!(way("{a}:{b}", ":y").or(way("{a}:{b}", "x:")).or(way("{a}:{b}", "xy")), None);
        assert_eq!(way("{a}::{b}", "é::𝒳").as_deref(), Some("é|𝒳"));
        assert_eq!(way("{a}::{b}", "x:::y"), None);
        assert_eq!(way("v{a}-{b}.git", "v1-2.git").as_deref(), Some("1|2"));
        assert_eq!(way("v{a}", "w1"), None);
        assert_eq!(way("same", "same").as_deref(), Some(""));
        assert_eq!(way("same", "samer"), None);
    }

    #[test]
    fn parts_move_in_both_directions() {
        let table = address();
        let to_hub = |value: Option<Str>| table.to_hub::<_, (Str, i32)>((value,));
        let from_hub =
            |host: &str, port: i32| table.from_hub::<_, (Option<Str>,)>((Str::from(host), port)).unwrap().0;
        assert_eq!(to_hub(text("db:5432")), Ok(("db".into(), 5432)));
        assert_eq!(from_hub("db", 5432), text("db:5432"));
        assert_eq!(to_hub(text("db")), Ok(("db".into(), 0)));
        assert_eq!(from_hub("db", 0), text("db"));
        assert_eq!(to_hub(None), Ok((Str::new(), 0)));
        // A port that is no number is part of the host, which comes back as it is.
        assert_eq!(to_hub(text("db:http")), Ok(("db:http".into(), 0)));
        // It would be read as another host with another port.
        assert_eq!(from_hub("db:1", 2), None);
        assert_eq!(to_hub(text("db:007")), Ok(("db:007".into(), 0)));
    }

    #[test]
    fn the_first_row_counts() {
        let table = table(
            &[MAYBE],
            &[MAYBE, PlainType::Bool],
            &[[&["="], &["=", "{}"]], [&["=~"], &["=~", "{}"]], [&["=~"], &["", "true"]]],
        );
        let to_hub = |value: Option<Str>| table.to_hub::<_, (Option<Str>, bool)>((value,));
        let from_hub =
            |word: Option<Str>, is: bool| table.from_hub::<_, (Option<Str>,)>((word, is)).unwrap().0;
        assert_eq!(to_hub(text("=~")), Ok((text("=~"), false)));
        assert_eq!(to_hub(None), Ok((None, false)));
        assert_eq!(from_hub(text("=~"), true), text("=~"));
        assert_eq!(from_hub(None, true), text("=~"));
        assert_eq!((from_hub(text(""), false), from_hub(text("="), false)), (None, text("=")));
        assert_eq!(from_hub(text("!"), false), None);
        assert_eq!(
            to_hub(text("!")).unwrap_err(),
            "no row of the table has \"!\"; rows have \"=\", or \"=~\", or \"=~\""
        );
    }

    #[test]
    fn a_named_value_may_be_absent_on_both_sides() {
        let table = table(&[TEXT, TEXT], &[MAYBE, MAYBE], &[[&["own", "{name}"], &["Own", "{name}"]]]);
        let to_hub = |source: &str, name: &str| {
            table.to_hub::<_, (Option<Str>, Option<Str>)>((Str::from(source), Str::from(name)))
        };
        assert_eq!(to_hub("own", ""), Ok((text("Own"), None)));
        assert_eq!(to_hub("own", "a"), Ok((text("Own"), text("a"))));
        assert!(to_hub("", "a").is_err());
        assert_eq!(
            table.from_hub::<_, (Str, Str)>((text("Own"), None::<Str>)),
            Ok(("own".into(), Str::new()))
        );
    }

    #[test]
    fn values_of_other_types_are_refused() {
        let failure = address().run(true, vec![Plain::Double(1.0)]).err();
        assert_eq!(failure, Some(Failure::Types));
        assert_eq!(
            address().to_hub::<_, (Str, Str)>((text("a"),)),
            Err("the table has other types".to_owned())
        );
    }

    #[test]
    fn numbers_and_truth_values_move_as_they_are() {
        let maybe = PlainType::Optional(&PlainType::Bool);
        let flipped = table(&[maybe], &[maybe], &[[&["true"], &["false"]], [&["false"], &["true"]]]);
        let to_hub = |value: Option<bool>| flipped.to_hub::<_, (Option<bool>,)>((value,)).unwrap().0;
        assert_eq!([to_hub(Some(true)), to_hub(Some(false)), to_hub(None)], [Some(false), Some(true), None]);
        let copied = table(&[PlainType::Int64], &[PlainType::Int32], &[[&["{n}"], &["{n}"]]]);
        assert_eq!(copied.to_hub::<_, (i32,)>((7i64,)), Ok((7,)));
        assert!(copied.to_hub::<_, (i32,)>((1i64 << 40,)).is_err());
    }
}
