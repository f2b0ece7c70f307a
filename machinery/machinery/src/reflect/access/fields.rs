//! The fields of an object.

#![allow(unsafe_code, reason = "fields are reached by the offsets that the derive takes from them: measured")]

use super::super::runtime::Dynamic;
use super::super::{ApiType, Descriptor, Field, List, Origin, Slot, SlotMut, no_such_field};
use super::address::{At, AtMut};
use super::{Access, Place, Quick};
use crate::scalar::Time;
use crate::{Str, StrMap};

/// What is done with the value of a field. Implementations are inlined into each branch of
/// [`Fields::visit`], so that there is no second branch on what a value is.
pub(crate) trait Visitor<'a> {
    /// The value is absent, and written nevertheless.
    fn absent(self);
    /// The value is a text.
    fn text(self, text: &'a Str);
    /// The value is a boolean.
    fn bool(self, value: bool);
    /// The value is an integer, of 32 or 64 bits.
    fn integer(self, value: i64);
    /// The value is a struct.
    fn object(self, object: Fields<'a>);
    /// The value is a list, which may be empty.
    fn list(self, list: &'a dyn List);
    /// The value is any other, or one of those above.
    fn other(self, slot: Slot<'a>);
}

/// The fields of an object, for reading.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    at: At<'a>,
    descriptor: &'a Descriptor,
}

impl<'a> Fields<'a> {
    /// The fields of an object of a compiled type. Derived code calls it.
    #[inline]
    pub fn of<T: ApiType>(object: &'a T) -> Self {
        Self { at: At::of(object), descriptor: T::describe() }
    }

    /// The fields of an object of a run-time type.
    pub(in crate::reflect) fn of_dynamic(object: &'a Dynamic, descriptor: &'a Descriptor) -> Self {
        Self { at: At::of(object), descriptor }
    }

    /// The objects of a list, if these are the elements of its type.
    ///
    /// # Safety
    /// The address is that of `len` elements with that access and size.
    #[inline]
    pub(in crate::reflect) unsafe fn of_list(
        first: At<'a>,
        len: usize,
        size: usize,
        access: &Access,
    ) -> Option<impl DoubleEndedIterator<Item = Self> + use<'a>> {
        (access.quick == Quick::Object).then(|| {
            let descriptor = (access.describe)();
            // SAFETY: the caller's promise. The type of the elements has this descriptor.
            (0..len).map(move |index| Self { at: unsafe { first.part(index * size) }, descriptor })
        })
    }

    /// The descriptor of the object.
    #[inline]
    pub fn descriptor(self) -> &'a Descriptor {
        self.descriptor
    }

    /// The number of fields.
    #[inline]
    pub fn len(self) -> usize {
        self.descriptor.fields.len()
    }

    /// Whether the object has no fields.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The slot of the field at `index` of the descriptor.
    ///
    /// # Panics
    /// When the index is out of range.
    #[inline]
    pub fn slot(self, index: usize) -> Slot<'a> {
        match self.descriptor.fields.get(index) {
            Some(field) => self.read(index, field),
            None => no_such_field(self.descriptor, index),
        }
    }

    /// The slots of all fields.
    #[inline]
    pub fn slots(self) -> impl ExactSizeIterator<Item = Slot<'a>> + Clone {
        self.iter().map(|(_, slot)| slot)
    }

    /// All fields with their slots.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a Field, Slot<'a>)> + Clone {
        let fields = self.descriptor.fields.iter().enumerate();
        fields.map(move |(index, field)| (field, self.read(index, field)))
    }

    /// Passes the value of a field of the descriptor to a visitor, unless it is absent or empty and not
    /// written then. The place is that of the field, which is found only if the place is not enough.
    #[inline(always)]
    pub(crate) fn visit(self, place: &Place, field: impl Fn() -> &'a Field, visitor: impl Visitor<'a>) {
        // SAFETY: as in `read`: the place is that of a field of the descriptor. Each variant belongs to
        // the type that is read.
        unsafe {
            let at = self.at.part(place.offset as usize);
            match place.quick {
                Quick::Str => visitor.text(at.get::<Str>()),
                Quick::Boxed | Quick::BoxedObject if at.is_null_box() => {}
                Quick::BoxedObject => {
                    visitor.object(Self { at: *at.get::<At<'a>>(), descriptor: (place.access.describe)() });
                }
                Quick::Object => visitor.object(Self { at, descriptor: (place.access.describe)() }),
                Quick::Bool => visitor.bool(*at.get::<bool>()),
                Quick::Int32 => visitor.integer((*at.get::<i32>()).into()),
                Quick::Int64 => visitor.integer(*at.get::<i64>()),
                Quick::Strs if at.get::<Vec<Str>>().is_empty() => {}
                Quick::StrMap if at.get::<StrMap<Str>>().is_empty() => {}
                Quick::OptionBool => {
                    if let Some(value) = *at.get::<Option<bool>>() {
                        visitor.bool(value);
                    }
                }
                Quick::OptionInt32 => {
                    if let Some(value) = *at.get::<Option<i32>>() {
                        visitor.integer(value.into());
                    }
                }
                Quick::OptionInt64 => {
                    if let Some(value) = *at.get::<Option<i64>>() {
                        visitor.integer(value);
                    }
                }
                Quick::OptionStr => {
                    if let Some(text) = at.get::<Option<Str>>() {
                        visitor.text(text);
                    }
                }
                Quick::OptionTime => {
                    if let Some(time) = at.get::<Option<Time>>() {
                        visitor.other(Slot::Scalar(time));
                    }
                }
                Quick::Empty if (place.access.is_empty)(at) => {}
                Quick::Elsewhere => match self.elsewhere(self.position(field())) {
                    Slot::Absent if place.writes_absent => visitor.absent(),
                    Slot::Absent => {}
                    slot => visitor.other(slot),
                },
                _ => match (place.access.read)(at) {
                    Slot::Absent if place.writes_absent => visitor.absent(),
                    Slot::Absent => {}
                    Slot::Struct(object) => visitor.object(object.fields()),
                    Slot::List(list) => visitor.list(list),
                    slot => visitor.other(slot),
                },
            }
        }
    }

    /// The position of a field of the descriptor.
    fn position(self, field: &Field) -> usize {
        let offset = std::ptr::from_ref(field).addr() - self.descriptor.fields.as_ptr().addr();
        offset / size_of::<Field>()
    }

    /// The slot of the object's field, which is that at `index`.
    #[inline(always)]
    fn read(self, index: usize, field: &Field) -> Slot<'a> {
        if field.place.quick == Quick::Elsewhere {
            return self.elsewhere(index);
        }
        // SAFETY: `of` made `self` from an object of this descriptor. The implementation of `ApiType`
        // promises that the descriptor describes the type. The other constructor is for run-time
        // types, of which each field is `Elsewhere`.
        unsafe { field.place.access.slot(self.at.part(field.place.offset as usize)) }
    }

    /// The slot of a field of an enum or of a run-time type.
    #[cold]
    fn elsewhere(self, index: usize) -> Slot<'a> {
        match &self.descriptor.origin {
            Origin::Enum { one_of: lend, .. } => {
                // SAFETY: `of` made `self` from an object of this descriptor, whose type is that enum.
                let object = unsafe { lend(self.at) };
                if object.active() == index { object.value() } else { Slot::Absent }
            }
            Origin::Compiled { .. } => unreachable!("each field of a struct has an address"),
            // SAFETY: `of_dynamic` made `self`: a `Dynamic` is the only object of a run-time type.
            Origin::Runtime(..) => unsafe { self.at.get::<Dynamic>() }.slot(index),
        }
    }
}

/// The slot of the field of a struct at `index` of its descriptor, for writing. Derived code calls
/// it.
///
/// # Panics
/// When the index is out of range.
#[inline]
pub fn write_field<T: ApiType>(object: &mut T, index: usize) -> SlotMut<'_> {
    // SAFETY: the descriptor is that of the object's type.
    unsafe { write_at(AtMut::of(object), T::describe(), index) }
}

/// As [`write_field`], compiled once for all types.
///
/// # Safety
/// The address is that of an object with this descriptor.
unsafe fn write_at<'a>(at: AtMut<'a>, descriptor: &'static Descriptor, index: usize) -> SlotMut<'a> {
    let Some(field) = descriptor.fields.get(index) else { no_such_field(descriptor, index) };
    assert!(field.place.quick != Quick::Elsewhere, "each field of a struct has an address");
    // SAFETY: the caller's promise, and the implementation of `ApiType`, which promises that the
    // descriptor describes the type.
    unsafe { field.place.access.slot_mut(at.part(field.place.offset as usize)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::json::Raw;
    use crate::reflect::{DeepCopy, Lent, Reflect, TextRef, slots_equal};
    use crate::scalar::{Duration, IntOrString, MicroTime, Quantity};
    use std::collections::BTreeMap;

    #[derive(hubgen_derive::ApiType)]
    struct Inner {
        #[field(number = 1)]
        text: Str,
        #[field(number = 2)]
        inners: Vec<Inner>,
    }

    #[derive(hubgen_derive::ApiType)]
    enum Choice {
        First(Inner),
        Second(Str),
    }

    /// A field of every type that is read in its own way, and others between them.
    #[derive(hubgen_derive::ApiType)]
    struct All {
        bool: bool,
        int32: i32,
        int64: i64,
        double: f64,
        str: Str,
        string: String,
        bytes: Vec<u8>,
        raw: Raw,
        quantity: Quantity,
        duration: Duration,
        port: IntOrString,
        strs: Vec<Str>,
        numbers: Vec<i64>,
        str_map: StrMap<Str>,
        quantities: StrMap<Quantity>,
        tree: BTreeMap<Str, Str>,
        strings: BTreeMap<String, String>,
        option_bool: Option<bool>,
        option_int32: Option<i32>,
        option_int64: Option<i64>,
        option_double: Option<f64>,
        option_str: Option<Str>,
        option_string: Option<String>,
        time: Option<Time>,
        micro_time: Option<MicroTime>,
        option_list: Option<Vec<Str>>,
        inner: Inner,
        boxed: Option<Box<Inner>>,
        option: Option<Inner>,
        list: Vec<Inner>,
        options: Vec<Option<Inner>>,
        map: StrMap<Inner>,
        choice: Choice,
        #[field(omit = never)]
        always: Option<Str>,
        #[field(omit = never)]
        always_boxed: Option<Box<Inner>>,
        #[field(omit = never)]
        always_list: Vec<Str>,
    }

    #[derive(hubgen_derive::ApiType)]
    struct Nothing {}

    const LONG: &str = "a text that is too long to be stored in place";

    /// Gives every field a value, through its slot for writing.
    fn filled() -> All {
        let mut all = All::default();
        let json = format!(
            r#"{{"bool":true,"int32":-3,"int64":5,"double":0.5,"str":"{LONG}","string":"{LONG}","bytes":"AQID",
            "raw":{{"a":[1]}},"quantity":"500m","duration":"1h0m0s","port":"http","strs":["a","{LONG}"],"numbers":[1,2,3],
            "strMap":{{"a":"{LONG}","b":""}},"quantities":{{"cpu":"1"}},"strings":{{"a":"b"}},"optionBool":false,
            "optionInt32":0,"optionInt64":0,"optionDouble":0,"optionStr":"","optionString":"",
            "time":"2006-01-02T15:04:05Z","microTime":"2006-01-02T15:04:05.000001Z","optionList":[],
            "inner":{{"text":"{LONG}"}},"boxed":{{"inners":[{{"text":"a"}},{{}}]}},"option":{{"text":"b"}},
            "list":[{{}},{{"text":"{LONG}"}}],"options":[null,{{"text":"c"}}],"map":{{"k":{{"text":"d"}}}},
            "choice":{{"second":"{LONG}"}}}}"#
        );
        json::decode_into(json.as_bytes(), Lent::new_mut(&mut all)).unwrap();
        all
    }

    /// Keeps what a visitor gets.
    struct Seen<'s, 'a>(&'s mut Option<Slot<'a>>, &'s mut Option<Fields<'a>>);

    impl<'a> Visitor<'a> for Seen<'_, 'a> {
        fn absent(self) {}

        fn text(self, text: &'a Str) {
            *self.0 = Some(Slot::String(TextRef::Str(text)));
        }

        fn bool(self, value: bool) {
            *self.0 = Some(Slot::Bool(value));
        }

        fn integer(self, value: i64) {
            *self.0 = Some(Slot::Int64(value));
        }

        fn object(self, object: Fields<'a>) {
            *self.1 = Some(object);
        }

        fn list(self, list: &'a dyn List) {
            *self.0 = Some(Slot::List(list));
        }

        fn other(self, slot: Slot<'a>) {
            *self.0 = Some(slot);
        }
    }

    /// A visitor gets what the slot contains, or nothing if the slot is absent or an empty list or map.
    fn visits_agree(object: &dyn Reflect) {
        let fields = object.fields();
        for (field, slot) in fields.iter() {
            let (mut seen, mut object) = (None, None);
            fields.visit(&field.place, || field, Seen(&mut seen, &mut object));
            if let (Some(seen), Slot::Struct(expected)) = (object, slot) {
                assert!(std::ptr::eq(seen.descriptor(), expected.descriptor()), "{}", field.name);
                let mut slots = seen.slots().zip(expected.fields().slots());
                assert!(slots.all(|(seen, expected)| slots_equal(&seen, &expected)), "{}", field.name);
                visits_agree(expected);
                continue;
            }
            assert!(object.is_none(), "{}", field.name);
            let slot = if let Slot::Int32(value) = slot { Slot::Int64(value.into()) } else { slot };
            match seen {
                Some(seen) => assert!(slots_equal(&seen, &slot), "{}", field.name),
                None => {
                    let is_absent = match slot {
                        Slot::Absent => true,
                        Slot::List(list) => list.is_empty() && !field.optional,
                        Slot::Map(map) => map.is_empty(),
                        _ => false,
                    };
                    assert!(is_absent, "{}", field.name);
                }
            }
        }
    }

    #[test]
    fn every_field_is_read_where_it_was_written() {
        let all = filled();
        assert!(all.bool && all.int32 == -3 && all.int64 == 5 && all.double == 0.5);
        assert_eq!((&*all.str, &*all.string, &*all.bytes), (LONG, LONG, [1, 2, 3].as_slice()));
        assert_eq!((all.strs.len(), all.numbers.len(), all.str_map.len()), (2, 3, 2));
        assert_eq!((all.option_bool, all.option_int32, all.option_int64), (Some(false), Some(0), Some(0)));
        assert_eq!((all.option_str, all.option_list), (Some(Str::new()), Some(Vec::new())));
        assert_eq!(&*all.inner.text, LONG);
        assert_eq!(all.boxed.map(|inner| inner.inners.len()), Some(2));
        assert_eq!((all.list.len(), all.options.len(), &*all.map["k"].text), (2, 2, "d"));
        assert!(matches!(all.choice, Choice::Second(text) if text == LONG));
    }

    #[test]
    fn a_visitor_gets_what_a_slot_contains() {
        visits_agree(&All::default());
        visits_agree(&filled());
        visits_agree(&filled().choice);
    }

    #[test]
    fn a_cleared_object_is_empty_and_equal_to_a_new_one() {
        let mut all = filled();
        let copy = all.deep_copy();
        for index in 0..all.fields().len() {
            all.write(index).clear();
        }
        // The variant of an enum stays: it has no value that is absent.
        all.choice = Choice::default();
        assert!(all == All::default());
        assert!(copy == filled());
    }

    #[test]
    fn an_empty_value_is_copied_into_a_box() {
        let mut object = All::describe().new_object();
        let SlotMut::String(text) = object.write(4) else { unreachable!() };
        text.set(LONG);
        assert_eq!(object.downcast_ref::<All>().map(|all| &*all.str), Some(LONG));
        assert!(Nothing::describe().new_object().fields().is_empty());
    }

    #[test]
    #[should_panic(expected = "Inner has no field 2; it has 2 fields")]
    fn reading_a_field_that_does_not_exist_panics() {
        Inner::default().fields().slot(2);
    }

    #[test]
    #[should_panic(expected = "Inner has no field 2; it has 2 fields")]
    fn writing_a_field_that_does_not_exist_panics() {
        Inner::default().write(2);
    }
}
