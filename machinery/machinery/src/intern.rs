//! Sharing equal texts between objects.

use std::collections::HashSet;

use crate::Str;
use crate::reflect::{ApiType, Lent, Reflect, SlotMut};

/// Makes objects share their equal texts, so that a cache of objects needs less memory.
///
/// Objects of one cluster repeat many texts: images, keys of labels and annotations, names of service accounts, and the
/// `managedFields` of pods that one controller created. [`Str`] stores short texts in place. Of the longer ones, an
/// interner remembers the first that it sees, and replaces each later text that is equal with a clone, which shares the
/// first one's allocation. The objects stay equal to what they were.
///
/// Texts of type `String`, in users' own types, cannot be shared and stay as they are.
///
/// ```
/// use hubgen_machinery::{ApiType, Interner, Str, json};
///
/// #[derive(ApiType)]
/// struct Container {
///     image: Str,
/// }
///
/// let mut interner = Interner::new();
/// let mut cache: Vec<Container> = Vec::new();
/// for _ in 0..2 {
///     let mut container = json::decode(br#"{"image": "registry.example.com/web:1.27.3"}"#)?;
///     interner.intern(&mut container);
///     cache.push(container);
/// }
/// assert!(cache[0].image.shares_with(&cache[1].image));
/// # Ok::<(), json::Error>(())
/// ```
#[derive(Debug)]
pub struct Interner {
    texts: HashSet<Str>,
    limit: usize,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl Interner {
    /// The most texts that an interner remembers, unless it has another limit.
    pub const LIMIT: usize = 1 << 14;

    /// An interner that remembers at most [`LIMIT`](Self::LIMIT) texts.
    pub fn new() -> Self {
        Self::with_limit(Self::LIMIT)
    }

    /// An interner that remembers at most `limit` texts. It forgets all of them when it would exceed the limit: texts
    /// that only one object has, such as uids, would otherwise fill the memory of a long-lived cache. Texts that
    /// objects share already stay shared.
    pub fn with_limit(limit: usize) -> Self {
        Self { texts: HashSet::new(), limit }
    }

    /// Replaces the texts of an object that the interner knows, and remembers the others.
    pub fn intern<T: ApiType>(&mut self, object: &mut T) {
        self.intern_any(Lent::new_mut(object));
    }

    /// As [`intern`](Self::intern), for an object whose type is known only at run time.
    pub fn intern_any(&mut self, object: &mut dyn Reflect) {
        let count = object.descriptor().fields.len();
        for index in 0..count {
            self.slot(object.write(index));
        }
    }

    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.texts.clear();
    }

    fn slot(&mut self, slot: SlotMut<'_>) {
        match slot {
            SlotMut::String(text) => {
                if let Some(text) = text.as_shared() {
                    self.text(text);
                }
            }
            SlotMut::Raw(value) => self.text(value.text_mut()),
            SlotMut::Struct(object) => self.intern_any(object),
            SlotMut::List(list) => {
                for index in 0..list.len() {
                    self.slot(list.get_mut(index));
                }
            }
            SlotMut::Map(map) => {
                map.share_keys(&mut |key| self.text(key));
                map.visit_mut(&mut |_, value| self.slot(value));
            }
            SlotMut::Optional(value) => {
                if value.is_present() {
                    self.slot(value.insert());
                }
            }
            SlotMut::Member(value, index) => {
                if value.active() == index {
                    self.slot(value.activate(index));
                }
            }
            SlotMut::Union(value) => self.slot(value.active_mut()),
            SlotMut::Bool(_)
            | SlotMut::Int32(_)
            | SlotMut::Int64(_)
            | SlotMut::Double(_)
            | SlotMut::Bytes(_)
            | SlotMut::Scalar(_) => {}
        }
    }

    fn text(&mut self, text: &mut Str) {
        if text.is_in_place() {
            return;
        }
        match self.texts.get(text.as_str()) {
            Some(known) => text.clone_from(known),
            None => {
                if self.texts.len() >= self.limit {
                    self.texts.clear();
                }
                self.texts.insert(text.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::json::Raw;
    use crate::reflect::OrArray;

    #[derive(hubgen_derive::ApiType)]
    struct Part {
        name: Str,
    }

    #[derive(hubgen_derive::ApiType)]
    enum Source {
        Path(Str),
        Part(Part),
    }

    #[derive(hubgen_derive::ApiType)]
    struct Widget {
        short: Str,
        owned: String,
        optional: Option<Str>,
        absent: Option<Str>,
        list: Vec<Str>,
        map: BTreeMap<Str, Str>,
        parts: BTreeMap<Str, Part>,
        union: OrArray<Part>,
        source: Source,
        raw: Raw,
        size: i32,
    }

    const LONG: &str = "a text that is too long to be stored in place";

    fn widget() -> Widget {
        let part = || Part { name: LONG.into() };
        Widget {
            short: "short".into(),
            owned: LONG.into(),
            optional: Some(LONG.into()),
            absent: None,
            list: vec![LONG.into()],
            map: [(LONG.into(), LONG.into()), ("key".into(), LONG.into())].into(),
            parts: [(LONG.into(), part())].into(),
            union: OrArray::Array(vec![part()]),
            source: Source::Part(part()),
            raw: format!("\"{LONG}\"").parse().unwrap(),
            size: 1,
        }
    }

    /// All texts that can be shared.
    fn texts(widget: &Widget) -> Vec<&Str> {
        let (OrArray::Array(union), Source::Part(source)) = (&widget.union, &widget.source) else {
            panic!("expected the members that `widget` sets")
        };
        let mut all = vec![widget.optional.as_ref().unwrap(), &widget.list[0], &union[0].name, &source.name];
        all.extend(widget.map.values());
        all.extend(widget.map.keys().filter(|key| *key == LONG));
        all.extend(widget.parts.iter().flat_map(|(key, part)| [key, &part.name]));
        all
    }

    #[test]
    fn equal_texts_of_all_fields_are_shared() {
        let mut interner = Interner::new();
        let mut widgets = [widget(), widget()];
        let first = interner_first(&mut interner, &mut widgets);
        for widget in &widgets {
            for text in texts(widget) {
                assert!(text.shares_with(&first), "{text}");
            }
            assert_eq!(*widget, self::widget());
        }
        assert!(std::ptr::eq(widgets[0].raw.as_str(), widgets[1].raw.as_str()));
    }

    fn interner_first(interner: &mut Interner, widgets: &mut [Widget]) -> Str {
        widgets.iter_mut().for_each(|widget| interner.intern(widget));
        widgets[0].list[0].clone()
    }

    #[test]
    fn absent_values_and_inactive_members_stay_as_they_are() {
        let mut widget = Widget { source: Source::Path(LONG.into()), ..Widget::default() };
        let before = widget.clone();
        Interner::new().intern(&mut widget);
        assert_eq!(widget, before);
        assert_eq!(widget.absent, None);
    }

    #[test]
    fn an_interner_forgets_its_texts_at_its_limit() {
        let mut interner = Interner::with_limit(2);
        for number in 0..5 {
            interner.intern(&mut Part { name: format!("{LONG} {number}").into() });
            assert!((1..=2).contains(&interner.texts.len()));
        }
        interner.clear();
        assert!(interner.texts.is_empty());
    }
}
