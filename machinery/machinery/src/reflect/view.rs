//! Views: structs with some of the fields of another struct, the whole.
//!
//! The descriptor of a view is made by the compiler. What codecs need to know of a field (name, number, when it is
//! written) comes from the descriptor of the whole, and where it is from the view. Nothing of it is left at run time.

use std::mem::{forget, replace};

use super::descriptor::{Descriptor, Field, KindName, Numbered, REST_MEMBER};
use super::flatten::same;
use super::{ApiType, Held, Place, Value};

/// Does nothing: it compiles if `V` is the type of the whole's field, or a view of it. For derived code.
pub const fn sees<V: Value<Whole = W::Whole>, W: Value>(_: &W) {}

/// Whether the compiler knows that the `metadata` of a type has a field of that name: a view has what it lists, and all
/// other kinds have all. For hubgen-kube.
pub const fn has_metadata<T: ApiType>(name: &str) -> bool {
    match T::METADATA {
        Some(metadata) => metadata.has_field(name),
        None => !T::HAS_VIEW,
    }
}

impl Descriptor {
    const fn has_field(&'static self, name: &str) -> bool {
        let fields = self.fields.as_static();
        let mut index = 0;
        while index < fields.len() {
            // What is around the name are `,"` and `":`.
            let (_, rest) = fields[index].name.as_static().split_at(2);
            let (found, _) = rest.split_at(rest.len() - 2);
            if same(found, name) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Which kind the objects of a view are.
    pub const fn kind_of_view(whole: &'static Self) -> Option<KindName> {
        match &whole.kind {
            Some(KindName { api_version, kind }) => Some(KindName {
                api_version: Held::Static(api_version.as_static()),
                kind: Held::Static(kind.as_static()),
            }),
            None => None,
        }
    }
}

impl Field {
    /// The field of a view at `offset`, which is the field of the whole at `at`. `T` is its type in the view.
    ///
    /// Several fields of the whole are at the same offset if some have no size. Of these it is the one of that name,
    /// which is the usual one of its name in Rust, written as in [`Name::of`](super::Name::of).
    ///
    /// # Panics
    /// When no field of the whole is there, or none of several has the name. The compiler reports it.
    pub const fn of_view<T: Value>(
        whole: &'static Descriptor,
        at: usize,
        name: &'static str,
        offset: usize,
    ) -> Self {
        let fields = whole.fields.as_static();
        let (mut index, mut count, mut found) = (0, 0, None);
        while index < fields.len() {
            if fields[index].place.is_at(at) {
                count += 1;
                if found.is_none() || same(fields[index].name.as_static(), name) {
                    found = Some(index);
                }
            }
            index += 1;
        }
        let Some(index) = found else {
            panic!("a view cannot contain a flattened object, or the variants of an enum")
        };
        let field = &fields[index];
        assert!(
            count == 1 || same(field.name.as_static(), name),
            "a view cannot tell this field from one of a type without fields: give it the name in JSON that follows from Rust's"
        );
        assert!(
            !same(field.name.as_static(), REST_MEMBER),
            "a view cannot contain the rest: it is what the whole has no fields for"
        );
        Self {
            name: field.name.copy(),
            number: Held::Static(field.number.as_static()),
            ty: T::TYPE,
            pointer: field.pointer,
            optional: field.optional,
            nullable: field.nullable,
            omit: field.omit,
            facts: field.facts.copy(),
            place: Place::of::<T>(offset)
                .written(field.omit.writes_absent(field.pointer, T::NODE.ty.has_empty())),
        }
    }

    /// The field as an entry of a message.
    const fn numbered(&self, number: u32, position: usize) -> Numbered {
        // A value that is no pointer, but an `Option` in Rust, is written even if it is absent.
        let is_written = self.optional && !self.pointer;
        Numbered::Field { number, position: position as u16, place: self.place.afresh().written(is_written) }
    }
}

/// A protobuf message of a view that has `N` fields, or one that is nested in it, whose fields JSON inlines.
///
/// Only the whole knows which messages there are. The compiler therefore makes one for each field and each depth, and
/// each refers to those that it needs.
pub struct Level<const N: usize> {
    entries: [Numbered; N],
    count: usize,
}

impl<const N: usize> Level<N> {
    /// The messages at that depth: for each field, the one that it is in. `below` are those one level deeper.
    pub const fn all(fields: &'static [Field], depth: usize, below: &'static [Self]) -> [Self; N] {
        let mut out = [const { Self { entries: [const { empty() }; N], count: 0 } }; N];
        let mut index = 0;
        while index < N {
            forget(replace(&mut out[index], Self::around(index, fields, depth, below)));
            index += 1;
        }
        out
    }

    /// The message that the field at `index` is in.
    const fn around(index: usize, fields: &'static [Field], depth: usize, below: &'static [Self]) -> Self {
        let mut out = Self { entries: [const { empty() }; N], count: 0 };
        let path = fields[index].number.as_static();
        let mut last = 0;
        while let Some(position) = next(fields, path, depth, last) {
            let numbers = fields[position].number.as_static();
            last = numbers[depth];
            let entry = if numbers.len() == depth + 1 {
                fields[position].numbered(last, position)
            } else {
                assert!(!below.is_empty(), "expected at most three nested messages that JSON inlines");
                Numbered::Inlined { number: last, message: Held::Static(below[position].entries()) }
            };
            forget(replace(&mut out.entries[out.count], entry));
            out.count += 1;
        }
        out
    }

    /// The message of the view itself, of all that are not nested.
    pub const fn message(all: &'static [Self]) -> &'static [Numbered] {
        // All have the same entries, except those of fields without a number.
        let mut index = 0;
        while index < all.len() {
            if all[index].count > 0 {
                return all[index].entries();
            }
            index += 1;
        }
        &[]
    }

    /// What is in the message, in the order of the numbers.
    const fn entries(&self) -> &[Numbered] {
        self.entries.split_at(self.count).0
    }
}

/// The position of a field in the same message as `path`, with the smallest number above `last`.
const fn next(fields: &[Field], path: &[u32], depth: usize, last: u32) -> Option<usize> {
    let (mut position, mut smallest) = (0, None);
    let mut bound = u32::MAX;
    while position < fields.len() {
        let numbers = fields[position].number.as_static();
        if numbers.len() > depth && is_in(numbers, path, depth) {
            let number = numbers[depth];
            if number > last && number < bound {
                (bound, smallest) = (number, Some(position));
            }
        }
        position += 1;
    }
    smallest
}

/// Whether the first `depth` numbers are those of `path`.
const fn is_in(numbers: &[u32], path: &[u32], depth: usize) -> bool {
    let mut at = 0;
    while at < depth {
        if at >= path.len() || numbers[at] != path[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn empty() -> Numbered {
    Numbered::Field { number: 0, position: 0, place: Place::ELSEWHERE }
}
