//! The edits of the plan as those that the machinery runs on JSON. Both are the same data: the plan has names and paths
//! of its own, and what runs them holds texts that many objects share.

use hubgen_machinery::reflect::{Held, Text};
use hubgen_machinery::tree;
use hubgen_plan::edits::{
    Blank, Case, Change, Each, Edit, Edits, Element, Expected, First, NoValue, Path, VersionEdits,
};

use crate::value_table;

/// The edits of a version.
pub(crate) fn lowered(edits: &VersionEdits) -> tree::VersionEdits {
    let VersionEdits { to_hub, from_hub, exact, expected_to_hub, expected_from_hub } = edits;
    tree::VersionEdits {
        to_hub: list(to_hub, pair),
        from_hub: list(from_hub, pair),
        exact: *exact,
        expected_to_hub: list(expected_to_hub, expected),
        expected_from_hub: list(expected_from_hub, expected),
    }
}

fn list<T, L>(items: &[T], lowered: impl Fn(&T) -> L) -> Held<[L]> {
    items.iter().map(lowered).collect::<Vec<_>>().into()
}

fn text<T: AsRef<str>>(text: &T) -> Text {
    text.as_ref().to_owned().into()
}

fn path(names: &Path) -> tree::Path {
    tree::Path::new(names.iter().map(String::as_str))
}

fn word((at, word): &(Path, String)) -> (tree::Path, Text) {
    (path(at), text(word))
}

fn expected(Expected { path: at, words }: &Expected) -> tree::Expected {
    tree::Expected { path: path(at), words: list(words, text) }
}

fn pair(Edits { name, strangers, refuses, drops, edits }: &Edits) -> tree::Edits {
    tree::Edits {
        name: text(name),
        strangers: list(strangers, path),
        refuses: *refuses,
        drops: list(drops, path),
        edits: list(edits, edit),
    }
}

fn edit(edit: &Edit) -> tree::Edit {
    match edit {
        Edit::Change { path: at, change: how } => tree::Edit::Change { path: path(at), change: change(how) },
        Edit::Move { from, to, change: how } => {
            tree::Edit::Move { from: path(from), to: path(to), change: change(how) }
        }
        Edit::Present { from, to } => tree::Edit::Present { from: path(from), to: path(to) },
        Edit::Empty { to, zeros, nulls } => {
            tree::Edit::Empty { to: path(to), zeros: list(zeros, path), nulls: list(nulls, path) }
        }
        Edit::Hollow { to, nothing: values, makes } => {
            tree::Edit::Hollow { to: path(to), nothing: list(values, nothing), makes: *makes }
        }
        Edit::Null { to } => tree::Edit::Null { to: path(to) },
        Edit::Required { to, empty } => tree::Edit::Required { to: path(to), empty: text(empty) },
        Edit::Made { to, value, without } => {
            tree::Edit::Made { to: path(to), value: text(value), without: path(without) }
        }
        Edit::Word { to, cases, otherwise } => {
            tree::Edit::Word { to: path(to), cases: list(cases, case), otherwise: text(otherwise) }
        }
        Edit::Determined { path: at } => tree::Edit::Determined { path: path(at) },
        Edit::Filled { path: at } => tree::Edit::Filled { path: path(at) },
        Edit::Table { table, from, to } => tree::Edit::Table {
            table: value_table::lowered(table),
            from: list(from, path),
            to: list(to, path),
        },
        Edit::Call { function, from, reads, to } => tree::Edit::Call {
            function: text(function),
            from: list(from, path),
            reads: list(reads, path),
            to: list(to, path),
        },
        Edit::Split { from, number, name } => {
            tree::Edit::Split { from: path(from), number: path(number), name: path(name) }
        }
        Edit::Join { number, name, to } => {
            tree::Edit::Join { number: path(number), name: path(name), to: path(to) }
        }
        Edit::ToElement { list, element: which } => {
            tree::Edit::ToElement { list: path(list), element: element(which) }
        }
        Edit::FromElement { list, element: which } => {
            tree::Edit::FromElement { list: path(list), element: element(which) }
        }
        Edit::Spread { list: at, first: firsts, each: all } => {
            tree::Edit::Spread { list: path(at), first: list(firsts, first), each: list(all, each) }
        }
        Edit::Gather { list: at, first: firsts, each: all } => {
            tree::Edit::Gather { list: path(at), first: list(firsts, first), each: list(all, each) }
        }
    }
}

fn change(how: &Change) -> tree::Change {
    match how {
        Change::Same => tree::Change::Same,
        Change::Object(name) => tree::Change::Object(text(name)),
        Change::List(inner) => tree::Change::List(Held::Boxed(Box::new(change(inner)))),
        Change::Map(inner) => tree::Change::Map(Held::Boxed(Box::new(change(inner)))),
        Change::Wrap(name) => tree::Change::Wrap(text(name)),
        Change::Unwrap(name, empty) => tree::Change::Unwrap(text(name), text(empty)),
        Change::ToItems { key, writes_empty, value } => tree::Change::ToItems {
            key: text(key),
            writes_empty: *writes_empty,
            value: Held::Boxed(Box::new(change(value))),
        },
        Change::ToEntries(key, inner) => {
            tree::Change::ToEntries(text(key), Held::Boxed(Box::new(change(inner))))
        }
        Change::ToText(form) => tree::Change::ToText(*form),
        Change::ToNumber(form, bits) => tree::Change::ToNumber(*form, *bits),
        Change::Words(words) => tree::Change::Words(list(words, |(from, to)| (text(from), text(to)))),
    }
}

fn nothing(NoValue { path: at, value }: &NoValue) -> tree::NoValue {
    let value = match value {
        Blank::Null => tree::Blank::Null,
        Blank::Empty => tree::Blank::Empty,
        Blank::Number => tree::Blank::Number,
        Blank::Quantity => tree::Blank::Quantity,
        Blank::Duration => tree::Blank::Duration,
    };
    tree::NoValue { path: path(at), value }
}

fn case(Case { path: at, word, empty }: &Case) -> tree::Case {
    tree::Case { path: path(at), word: text(word), empty: empty.as_ref().map(text) }
}

fn element(Element { field, field_empty, when, value, empty, last }: &Element) -> tree::Element {
    tree::Element {
        field: path(field),
        field_empty: field_empty.as_ref().map(text),
        when: list(when, word),
        value: path(value),
        empty: empty.as_ref().map(text),
        last: *last,
    }
}

fn first(First { field, element, set }: &First) -> tree::First {
    tree::First { field: path(field), element: text(element), set: list(set, text) }
}

fn each(Each { field, element, empty, change: how }: &Each) -> tree::Each {
    tree::Each {
        field: path(field),
        element: text(element),
        empty: empty.as_ref().map(text),
        change: change(how),
    }
}
