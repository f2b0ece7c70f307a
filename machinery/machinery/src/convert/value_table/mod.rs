//! Tables of values: what some fields of a version and some fields of the hub have together, row by row.

mod by_key;
mod cells;
mod known;
mod pattern;

use std::borrow::Cow;
use std::fmt;

use self::by_key::is_of_keys;
use self::cells::{Of, Side};
use self::known::{Known, Value, plain, read, there};
use super::function::Failure;
use super::parameters::{Parameters, Plain, PlainType, Results};
use crate::json::Raw;
use crate::reflect::{Held, Text};

/// A table of values. In either direction, the first row that has the values counts. Fields none of which has a value
/// are nothing on the other side, unless a row is for them: all its cells are [`Cell::Nothing`].
///
/// ```
/// use hubgen_machinery::Str;
/// use hubgen_machinery::convert::{Cell, Part, PlainType, Row, ValueTable, Way};
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
///     way: Way::Both,
/// };
/// let address = ValueTable {
///     version: Held::Static(&[PlainType::Text]),
///     hub: Held::Static(&[PlainType::Text, PlainType::Int32]),
///     rows: Held::Boxed(Box::new([row])),
///     each: Held::Static(&[]),
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
    /// The lists and maps through which the rows reach, outermost first: then each side has one field, and the rows and
    /// types are those of its items or entries.
    pub each: Held<[Level]>,
}

/// What has items or entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A list.
    List,
    /// A map.
    Map,
    /// Either: both sides have JSON of any form.
    Any,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// A cell for each field of the version.
    pub version: Held<[Cell]>,
    /// A cell for each field of the hub.
    pub hub: Held<[Cell]>,
    /// In which directions it counts.
    pub way: Way,
}

/// The directions in which a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Both.
    Both,
    /// To the hub only.
    ToHub,
    /// From the hub only.
    FromHub,
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
    /// A text that is there, and empty.
    EmptyText,
    /// A list that is there, and empty.
    EmptyList,
    /// A list with exactly these items.
    List(Held<[Self]>),
    /// A list with at least one item, of which each is like this one. Its names have a list of values.
    Each(Held<Self>),
    /// An object with these members, and no other member with a value.
    Object {
        /// The members.
        members: Held<[Member]>,
        /// The names of the others; `None` for any name. A typed object has no other names, and drops unknown ones.
        others: Option<Held<[Text]>>,
    },
    /// An object or a map with one member, whose key the part with this name on the other side has as well.
    Entry(Text, Held<Self>),
}

/// A member of an object in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub ty: PlainType,
    /// The JSON that it has if the row has nothing for it and its type requires it.
    pub always: Option<Text>,
    /// What the row has for it.
    pub cell: Cell,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// These characters.
    Literal(Text),
    /// At least one character, which the part with the same name on the other side has as well.
    Named(Text),
    /// Texts of at least one character, with the second text between two of them. The part with the same name on the
    /// other side is a list of them.
    Joined(Text, Text),
}

impl ValueTable {
    /// What errors call it.
    pub const NAME: &str = "table";

    /// Converts the values of a version's fields.
    ///
    /// # Errors
    /// If no row has them.
    pub fn to_hub<V: Results, H: Parameters>(&self, values: V) -> Result<H, String> {
        typed(self.typed(true, values.into_plains(), H::TYPES))
    }

    /// Converts the values of the hub's fields. What no row has is no value at the version.
    ///
    /// # Errors
    /// If the types are not those of the table.
    pub fn from_hub<H: Results, V: Parameters>(&self, values: H) -> Result<V, String> {
        typed(self.typed(false, values.into_plains(), V::TYPES))
    }

    /// Converts values in either direction. Objects, and what has items or entries, are JSON in the results.
    ///
    /// # Errors
    /// If no row has the values of a version, or the values have other types.
    pub fn run(&self, to_hub: bool, values: Vec<Plain>) -> Result<Vec<Plain>, Failure> {
        self.converted(to_hub, values, self.types(!to_hub))
    }

    /// The types of one side, with which JSON is read and written.
    pub fn types(&self, of_version: bool) -> &[PlainType] {
        /// Of as many fields as there may be.
        const JSON: &[PlainType] = &[PlainType::Optional(&PlainType::Json); 6];
        let own = if of_version { &*self.version } else { &*self.hub };
        if self.each.is_empty() { own } else { JSON.get(..own.len()).unwrap_or(own) }
    }

    /// Converts values to those of Rust types.
    fn typed(&self, to_hub: bool, values: Vec<Plain>, types: &[PlainType]) -> Result<Vec<Plain>, Failure> {
        let own = self.types(!to_hub);
        let fits = !self.each.is_empty() || own.iter().zip(types).all(|(own, ty)| is_written_as(*own, *ty));
        if own.len() == types.len() && fits {
            self.converted(to_hub, values, types)
        } else {
            Err(Failure::Types)
        }
    }

    fn converted(
        &self,
        to_hub: bool,
        values: Vec<Plain>,
        types: &[PlainType],
    ) -> Result<Vec<Plain>, Failure> {
        let values: Vec<Value> = values.into_iter().map(read).collect::<Option<_>>().ok_or(Failure::Types)?;
        let found = match (&*self.each, &values[..]) {
            ([], values) => self.look_up(to_hub, values),
            (_, values) if self.version.len().max(self.hub.len()) > 1 => self.by_key(to_hub, values),
            (levels, [Some(value)]) => self.inside(to_hub, value, levels).map(|known| vec![Some(known)]),
            _ => Ok(vec![None]),
        };
        let found = match found {
            Err(Failure::Refused(_)) if !to_hub => vec![None; types.len()],
            found => found?,
        };
        let found = found.into_iter().zip(types).map(|(value, ty)| plain(value, *ty));
        found.collect::<Option<_>>().ok_or(Failure::Types)
    }

    /// Converts each item or entry of a list or a map, and those in them.
    fn inside(&self, to_hub: bool, value: &Known, levels: &[Level]) -> Result<Known, Failure> {
        let Some((level, levels)) = levels.split_first() else {
            let value = there(value.clone());
            let found = self.row(to_hub, std::slice::from_ref(&value), Of::Item);
            let found = found.ok_or_else(|| Failure::Refused(self.no_row(&[value])))?;
            // Only JSON of any form may be `null` in a list or a map.
            return Ok(found.into_iter().next().flatten().unwrap_or(Known::Json(Raw::NULL)));
        };
        match (level, value) {
            (Level::List | Level::Any, Known::List(items)) => {
                let item = |item| self.inside(to_hub, item, levels);
                Ok(Known::List(items.iter().map(item).collect::<Result<_, _>>()?))
            }
            (Level::Map | Level::Any, Known::Object(entries)) => {
                let entry = |(name, value): (&String, &Known)| {
                    Ok((name.clone(), self.inside(to_hub, value, levels)?))
                };
                Ok(Known::Object(entries.iter().map(entry).collect::<Result<_, _>>()?))
            }
            (level, other) => {
                let expected = match level {
                    Level::List => "a list",
                    Level::Map => "a map",
                    Level::Any => "a list or a map",
                };
                Err(Failure::Refused(format!("expected {expected}, found {}", short(other))))
            }
        }
    }

    /// The values of the other side.
    fn look_up(&self, to_hub: bool, values: &[Value]) -> Result<Vec<Value>, Failure> {
        let is_nothing = values.iter().all(is_nothing);
        match self.row(to_hub, values, Of::Fields) {
            Some(results) => Ok(results),
            None if to_hub && !is_nothing => Err(Failure::Refused(self.no_row(values))),
            None => Ok(self.types(!to_hub).iter().map(|_| None).collect()),
        }
    }

    /// The other side of the first row that has the values.
    fn row(&self, to_hub: bool, values: &[Value], of: Of) -> Option<Vec<Value>> {
        let [from_types, types] = [to_hub, !to_hub].map(|of_version| {
            let own = if of_version { &*self.version } else { &*self.hub };
            let at_key = |ty: &PlainType| if is_of_keys(*ty) { PlainType::Bool } else { *ty };
            if of == Of::Key { Cow::Owned(own.iter().map(at_key).collect()) } else { Cow::Borrowed(own) }
        });
        let is_nothing = of == Of::Fields && values.iter().all(is_nothing);
        let counts = |row: &&Row| row.is_to(to_hub) && (!is_nothing || row.is_of_empty(to_hub));
        self.rows.iter().filter(counts).find_map(|row| {
            let (from, to) = row.sides(to_hub);
            let from = Side { cells: from, types: &from_types, of };
            Side { cells: to, types: &types, of }.fill(&from.bind(values)?)
        })
    }

    /// Whether fields without values may have some on the other side, in either direction.
    pub(crate) fn fills_nothing(&self) -> bool {
        let is_of_nothing = |row: &Row, to_hub: bool| row.is_to(to_hub) && row.is_of_nothing(to_hub);
        self.rows.iter().any(|row| {
            is_of_nothing(row, true) && !row.is_of_nothing(false)
                || is_of_nothing(row, false) && !row.is_of_nothing(true)
        })
    }

    fn no_row(&self, values: &[Value]) -> String {
        let shown = |value: &Value| value.as_ref().map_or_else(|| "nothing".to_owned(), short);
        let values: Vec<String> = values.iter().map(shown).collect();
        let rows: Vec<String> = self.rows.iter().map(|row| listed(&row.version)).collect();
        format!("no row of the table has {}; rows have {}", values.join(" and "), rows.join(", or "))
    }
}

impl Row {
    /// The cells of the source and those of the target.
    fn sides(&self, to_hub: bool) -> (&[Cell], &[Cell]) {
        if to_hub { (&self.version, &self.hub) } else { (&self.hub, &self.version) }
    }

    fn is_to(&self, to_hub: bool) -> bool {
        match self.way {
            Way::Both => true,
            Way::ToHub => to_hub,
            Way::FromHub => !to_hub,
        }
    }

    /// Whether it is for fields of the source without values.
    fn is_of_nothing(&self, to_hub: bool) -> bool {
        self.sides(to_hub).0.iter().all(|cell| *cell == Cell::Nothing)
    }

    /// Whether it is for fields of the source without values, or for an empty one that is there.
    fn is_of_empty(&self, to_hub: bool) -> bool {
        let is_there = |cell: &Cell| matches!(cell, Cell::EmptyText | Cell::EmptyList);
        self.is_of_nothing(to_hub) || self.sides(to_hub).0.iter().any(is_there)
    }
}

impl Cell {
    /// Appends its names.
    fn names<'c>(&'c self, out: &mut Vec<&'c str>) {
        match self {
            Self::Nothing
            | Self::Any
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Word(_)
            | Self::EmptyText
            | Self::EmptyList => {}
            Self::Named(name) => out.push(name),
            Self::Text(parts) => out.extend(parts.iter().filter_map(|part| match part {
                Part::Literal(_) => None,
                Part::Named(name) | Part::Joined(name, _) => Some(&**name),
            })),
            Self::List(cells) => cells.iter().for_each(|cell| cell.names(out)),
            Self::Each(cell) => cell.names(out),
            Self::Object { members, .. } => members.iter().for_each(|member| member.cell.names(out)),
            Self::Entry(name, cell) => {
                out.push(name);
                cell.names(out);
            }
        }
    }
}

/// A value for an error: an object may be long.
fn short(known: &Known) -> String {
    const LETTERS: usize = 200;
    let text = known.to_string();
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Whether a value of a table's type is one of a type in Rust. What is JSON in a table may be an object there.
fn is_written_as(own: PlainType, ty: PlainType) -> bool {
    match (own, ty) {
        (PlainType::Optional(own), PlainType::Optional(ty)) | (PlainType::List(own), PlainType::List(ty)) => {
            is_written_as(*own, *ty)
        }
        (PlainType::Json, PlainType::Struct(_) | PlainType::Map(_) | PlainType::List(_)) => true,
        (own, ty) => own == ty,
    }
}

/// Whether a field has no value, or an empty one.
fn is_nothing(value: &Value) -> bool {
    value.as_ref().is_none_or(Known::is_empty)
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
                    Part::Joined(name, separator) => format!("{{{name}:{separator}}}"),
                };
                write!(f, "{:?}", parts.iter().map(part).collect::<String>())
            }
            Self::List(cells) => {
                let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", cells.join(", "))
            }
            Self::Each(cell) => write!(f, "[{cell}, \"...\"]"),
            Self::EmptyText => f.write_str("an empty text"),
            Self::EmptyList => f.write_str("[]"),
            Self::Object { members, .. } => {
                let member = |member: &Member| match member.cell {
                    Self::Nothing => None,
                    _ => Some(format!("{} = {}", &*member.name, member.cell)),
                };
                let members: Vec<String> = members.iter().filter_map(member).collect();
                write!(f, "{{ {} }}", members.join(", "))
            }
            Self::Entry(name, cell) => write!(f, "{{ \"{{{name}}}\" = {cell} }}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Str;
    use crate::json::Raw;

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
            Ok(joined) => Cell::Text(Held::Boxed(Box::new(joined))),
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
                out.push(match name.split_once(':') {
                    Some((name, separator)) => Part::Joined(owned(name), owned(separator)),
                    None => Part::Named(owned(name)),
                });
            }
        }
        out
    }

    fn table(version: &[PlainType], hub: &[PlainType], rows: &[[&[&str]; 2]]) -> ValueTable {
        let cells = |cells: &[&str]| Held::Boxed(cells.iter().map(|text| cell(text)).collect());
        let row =
            |[version, hub]: &[&[&str]; 2]| Row { version: cells(version), hub: cells(hub), way: Way::Both };
        ValueTable {
            version: Held::Boxed(version.into()),
            hub: Held::Boxed(hub.into()),
            rows: Held::Boxed(rows.iter().map(row).collect()),
            each: Held::Static(&[]),
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
            let values = pattern::split(&parts(pattern), text)?.into_values();
            Some(values.map(|value| value.text().unwrap().to_string()).collect::<Vec<_>>().join("|"))
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

    fn row(version: Cell, hub: Cell) -> Row {
        Row { version: Held::Boxed(Box::new([version])), hub: Held::Boxed(Box::new([hub])), way: Way::Both }
    }

    fn each(text: &str) -> Cell {
        Cell::Each(Held::Boxed(Box::new(cell(text))))
    }

    const TEXTS: PlainType = PlainType::List(&TEXT);

    #[test]
    fn lists_and_texts_with_separators_are_the_same() {
        let joined = ValueTable {
            version: Held::Static(&[MAYBE]),
            hub: Held::Static(&[TEXTS]),
            rows: Held::Boxed(Box::new([row(cell("{names:, }"), each("v{names}")), row(cell(""), each(""))])),
            each: Held::Static(&[]),
        };
        let to_hub = |value: Option<Str>| joined.to_hub::<_, (Vec<Str>,)>((value,)).map(|(list,)| list);
        let from_hub = |list: &[&str]| {
            let list: Vec<Str> = list.iter().map(|item| Str::from(*item)).collect();
            joined.from_hub::<_, (Option<Str>,)>((list,)).unwrap().0
        };
        assert_eq!(to_hub(text("a, b")), Ok(vec!["va".into(), "vb".into()]));
        assert_eq!(from_hub(&["va", "vb"]), text("a, b"));
        // They would be read as other lists.
        assert_eq!(
            [from_hub(&["va, b"]), from_hub(&["v"]), from_hub(&["a"]), from_hub(&[])],
            [None, None, None, None]
        );
        assert!(to_hub(text("a, , b")).is_err());
        assert_eq!(to_hub(None), Ok(Vec::new()));
    }

    #[test]
    fn a_list_has_as_many_items_as_the_row() {
        let pair = Cell::List(Held::Boxed(Box::new([cell("{a}"), cell("x"), cell("")])));
        let table = ValueTable {
            version: Held::Static(&[TEXTS]),
            hub: Held::Static(&[MAYBE]),
            rows: Held::Boxed(Box::new([row(pair, cell("{a}"))])),
            each: Held::Static(&[]),
        };
        let to_hub = |list: &[&str]| {
            let list: Vec<Str> = list.iter().map(|item| Str::from(*item)).collect();
            table.to_hub::<_, (Option<Str>,)>((list,)).map(|(value,)| value)
        };
        assert_eq!(to_hub(&["1", "x", ""]), Ok(text("1")));
        assert_eq!(
            table.from_hub::<_, (Vec<Str>,)>((text("1"),)),
            Ok((vec!["1".into(), "x".into(), "".into()],))
        );
        for list in [&["1", "x"][..], &["1", "y", ""], &["1", "x", "", ""]] {
            assert!(to_hub(list).is_err(), "{list:?}");
        }
    }

    #[test]
    fn json_of_any_form_matches_by_its_type() {
        let table = ValueTable {
            version: Held::Static(&[PlainType::Optional(&PlainType::Json)]),
            hub: Held::Static(&[MAYBE]),
            rows: Held::Boxed(Box::new([
                row(Cell::Bool(false), cell("off")),
                row(each("{all}"), cell("many {all:+}")),
                row(Cell::Integer(0), cell("zero")),
                row(cell("{a}"), cell("{a}")),
            ])),
            each: Held::Static(&[]),
        };
        let json = |json: &str| Some(json.parse::<Raw>().unwrap());
        let to_hub = |value: Option<Raw>| table.to_hub::<_, (Option<Str>,)>((value,)).map(|(value,)| value);
        let from_hub = |value: &str| table.from_hub::<_, (Option<Raw>,)>((text(value),)).unwrap().0;
        for (version, hub) in [("false", "off"), (r#"["a","b"]"#, "many a+b"), ("0", "zero"), (r#""x""#, "x")]
        {
            assert_eq!((to_hub(json(version)), from_hub(hub)), (Ok(text(hub)), json(version)), "{version}");
        }
        assert_eq!(
            [to_hub(None), to_hub(json("null")), to_hub(json(r#""""#))],
            [Ok(None), Ok(None), Ok(None)]
        );
        assert_eq!(
            to_hub(json(r#"{"a": [1.5]}"#)).unwrap_err(),
            r#"no row of the table has {"a":[1.5]}; rows have false, or ["{all}", "..."], or 0, or "{a}""#
        );
    }

    #[test]
    fn a_row_for_no_values_counts_wherever_it_stands() {
        let rows: [[&[&str]; 2]; 2] = [[&["{a}"], &["{a}"]], [&[""], &["Never"]]];
        let with = table(&[MAYBE], &[MAYBE], &rows);
        let to_hub = |value: Option<Str>| with.to_hub::<_, (Option<Str>,)>((value,)).unwrap().0;
        assert_eq!(
            [to_hub(None), to_hub(text("")), to_hub(text("5s"))],
            [text("Never"), text("Never"), text("5s")]
        );
        // What it writes comes back as the first row has it.
        assert_eq!(with.from_hub::<_, (Option<Str>,)>((text("Never"),)), Ok((text("Never"),)));
        let first = table(&[MAYBE], &[MAYBE], &[rows[1], rows[0]]);
        assert_eq!(first.from_hub::<_, (Option<Str>,)>((text("Never"),)), Ok((None,)));
        assert!(with.fills_nothing());
        assert!(!table(&[MAYBE], &[MAYBE], &[[&["{a}"], &["{a}"]]]).fills_nothing());
    }
}
