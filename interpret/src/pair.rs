//! A pair of types, link by link.

use std::any::Any;

use hubgen_machinery::convert::{is_unset, join, split};
use hubgen_machinery::reflect::{List, Reflect, Scalar, Slot, SlotMut, copy_slot, slots_equal};
use hubgen_machinery::scalar::IntOrString;
use hubgen_model::rules::Form;
use hubgen_model::{Omit, TypeExpr, TypeId};
use hubgen_plan::{Kept, Link, Mapping, Pair, Place, Value};

use crate::Way;
use crate::element::Element;
use crate::place::{
    IsAbsent, clear_if_unset, field_mut, field_of, is_option, is_set, open, parent, read, set_text, text,
    write,
};

/// Converts an object into an empty one of the other type.
pub(crate) fn convert(
    mapping: &Mapping,
    version: &TypeId,
    hub: &TypeId,
    from: &dyn Reflect,
    to: &mut dyn Reflect,
    way: Way,
) {
    let key = (version.clone(), hub.clone());
    let pair = mapping.pairs.get(&key).unwrap_or_else(|| panic!("{version} does not convert to {hub}"));
    // Fields of objects that are absent are read as empty ones.
    let mut opened = from.boxed_copy();
    for place in pair.links.iter().flat_map(|link| sources(link, way)) {
        open(&mut *opened, place);
        if is_option(place.field())
            && matches!(place.field().ty, TypeExpr::Ref(_))
            && reads_empty(pair, place, way)
        {
            write(&mut *opened, place).present();
        }
    }
    let mut run = Run { mapping, pair, way, original: from, source: opened, target: to, there: Vec::new() };
    for link in &pair.links {
        match way {
            Way::ToHub => run.lift(link),
            Way::FromHub => run.project(link),
        }
    }
    run.close();
}

/// The places that a link reads with all objects on the way made.
fn sources(link: &Link, way: Way) -> Vec<&Place> {
    match (link, way) {
        (Link::Copy { version, .. } | Link::Split { version, .. }, Way::ToHub)
        | (Link::Hoist { version, .. } | Link::Head { version, .. }, Way::ToHub) => vec![version],
        (Link::Copy { hub, .. }, Way::FromHub) => vec![hub],
        (Link::Split { number, name, .. }, Way::FromHub) => vec![number, name],
        (Link::Element { list, .. }, Way::FromHub) => vec![list],
        (Link::Function { version, .. }, Way::ToHub) => version.iter().collect(),
        (Link::Function { hub, .. }, Way::FromHub) => hub.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether an object that is absent is an empty one on the other side.
fn reads_empty(pair: &Pair, place: &Place, way: Way) -> bool {
    pair.links.iter().any(|link| match (link, way) {
        (Link::Copy { version, hub, .. }, Way::ToHub) => version == place && !is_option(hub.field()),
        (Link::Copy { version, hub, .. }, Way::FromHub) => hub == place && !is_option(version.field()),
        _ => false,
    })
}

struct Run<'a> {
    mapping: &'a Mapping,
    pair: &'a Pair,
    way: Way,
    /// What converts.
    original: &'a dyn Reflect,
    /// The same, with the objects that links read.
    source: Box<dyn Reflect>,
    target: &'a mut dyn Reflect,
    /// Objects of the target that are there even when nothing is in them.
    there: Vec<Place>,
}

impl Run<'_> {
    fn lift(&mut self, link: &Link) {
        match link {
            Link::Copy { version, hub, value } if self.is_hoisted(hub) => self.spread(version, hub, value),
            Link::Copy { version, hub, value } => self.copy(version, hub, value),
            Link::Constant { .. } | Link::Always { .. } | Link::Kept { .. } => {}
            // The list is copied with them.
            Link::Hoist { .. } | Link::Head { .. } => {}
            Link::Function { name, version, hub } => {
                crate::function::apply(name, version, &*self.source, hub, self.target, self.way);
            }
            Link::Tag { hub, set, otherwise } => {
                let word = set.iter().find(|(place, _)| is_set(self.original, place));
                set_text(write(self.target, hub), word.map_or(otherwise, |(_, word)| word));
            }
            Link::Element { version, list, .. } => {
                let value = read(self.original, version);
                if !value.is_absent()
                    && let (SlotMut::List(list), Some(element)) =
                        (write(self.target, list), Element::of(link))
                    && let SlotMut::Struct(target) = list.push()
                {
                    element.make(target, &value);
                }
            }
            Link::Split { version, number, name } => {
                let value = scalar(&read(&*self.source, version)).cloned().unwrap_or_default();
                let (first, second) = split(value);
                if let SlotMut::Int32(slot) = write(self.target, number).present() {
                    *slot = first;
                }
                set_text(write(self.target, name), &second);
                for place in [number, name].into_iter().filter(|place| is_option(place.field())) {
                    clear_if_unset(self.target, place);
                }
            }
        }
    }

    fn project(&mut self, link: &Link) {
        match link {
            Link::Copy { version, hub, value } if self.is_hoisted(hub) => self.hoist(version, hub, value),
            Link::Copy { version, hub, value } => self.copy(hub, version, value),
            Link::Tag { .. } | Link::Kept { .. } => {}
            // The list is copied with them.
            Link::Hoist { .. } | Link::Head { .. } => {}
            Link::Always { version } => self.there.push(version.clone()),
            Link::Function { name, version, hub } => {
                crate::function::apply(name, hub, &*self.source, version, self.target, self.way);
            }
            Link::Constant { version, value } => set_text(write(self.target, version), value),
            Link::Element { version, list, .. } => {
                let (Slot::List(list), Some(element)) = (read(&*self.source, list), Element::of(link)) else {
                    return;
                };
                let Some(at) = element.position(list) else { return };
                if let Slot::Struct(found) = list.get(at)
                    && let Some(value) = element.value(found)
                {
                    copy_slot(&value, write(self.target, version).present());
                    // What it is in is there because the value is.
                    let inner = version.0.iter().rposition(is_option);
                    self.there.extend(inner.map(|at| Place(version.0[..=at].to_vec())));
                }
            }
            Link::Split { version, number, name } => {
                let number = match read(&*self.source, number) {
                    Slot::Int32(number) => number,
                    _ => 0,
                };
                let joined = join(number, text(&*self.source, name).to_owned());
                copy_slot(&Slot::Scalar(&joined), write(self.target, version).present());
                if is_option(version.field()) {
                    clear_if_unset(self.target, version);
                }
            }
        }
    }

    /// One field's value into the other.
    fn copy(&mut self, from: &Place, to: &Place, value: &Value) {
        let slot = read(&*self.source, from);
        let (has_option, wants_option) = (is_option(from.field()), is_option(to.field()));
        if slot.is_absent() {
            // An absent object that is an empty one there was made.
            return;
        }
        self.mapping.value(value, &slot, write(self.target, to).present(), self.way);
        if wants_option && !has_option {
            let is_there = self.is_always(to) || is_there(from.field(), self.way) && !self.is_marked(to);
            if !is_there {
                clear_if_unset(self.target, to);
            }
        }
    }

    /// Whether something in a field that may be absent is there for sure.
    fn is_always(&self, place: &Place) -> bool {
        let always = |link: &Link| matches!(link, Link::Always { version } if version == place);
        self.way == Way::FromHub && self.pair.links.iter().any(always)
    }

    /// Whether an annotation says that a zero in the hub is meant.
    fn is_marked(&self, place: &Place) -> bool {
        let marks = |kept: &Kept| kept.annotation.form == Form::Zero && kept.place.0.ends_with(&place.0);
        self.way == Way::ToHub && self.mapping.kept.iter().any(marks)
    }

    fn is_hoisted(&self, place: &Place) -> bool {
        self.pair.links.iter().any(|link| match link {
            Link::Hoist { list, .. } | Link::Head { list, .. } => list == place,
            _ => false,
        })
    }

    /// Makes a list of the hub, with what fields of the version say of it.
    fn spread(&mut self, version: &Place, list_place: &Place, value: &Value) {
        self.copy(version, list_place, value);
        let SlotMut::List(list) = write(self.target, list_place).present() else { return };
        for link in &self.pair.links {
            if let Link::Head { version, list: other, element, set, .. } = link
                && other == list_place
            {
                let said = text(&*self.source, version);
                if list.is_empty()
                    && !said.is_empty()
                    && let SlotMut::Struct(target) = list.push()
                {
                    set_text(field_mut(target, &element.name), said);
                    for field in set {
                        if let SlotMut::Bool(slot) = field_mut(target, &field.name) {
                            *slot = true;
                        }
                    }
                }
            }
        }
        for link in &self.pair.links {
            if let Link::Hoist { version, list: other, element, value } = link
                && other == list_place
            {
                let said = read(&*self.source, version);
                for index in 0..list.len() {
                    let SlotMut::Struct(target) = list.get_mut(index) else { continue };
                    // What is not said for all leaves what each says.
                    let is_said = match &said {
                        Slot::Absent => false,
                        said if is_option(version.field()) => !said.is_absent(),
                        said => !is_unset(false, said),
                    };
                    if is_said {
                        field_mut(target, &element.name).clear();
                        let slot = field_mut(target, &element.name).present();
                        self.mapping.value(value, &said, slot, Way::ToHub);
                    }
                }
            }
        }
    }

    /// Makes a list of the version, and fields for what its elements agree on.
    fn hoist(&mut self, version: &Place, list_place: &Place, value: &Value) {
        for link in &self.pair.links {
            match link {
                Link::Head { version, list: other, element, .. } if other == list_place => {
                    if let Slot::List(list) = read(&*self.source, list_place)
                        && !list.is_empty()
                        && let Slot::Struct(first) = list.get(0)
                    {
                        copy_slot(&field_of(first, &element.name), write(self.target, version));
                    }
                }
                Link::Hoist { version, list: other, element, value } if other == list_place => {
                    let SlotMut::List(list) = write(&mut *self.source, list_place).present() else {
                        continue;
                    };
                    if !agree(list, &element.name) {
                        continue;
                    }
                    if let Slot::Struct(first) = list.get(0) {
                        let said = field_of(first, &element.name);
                        if !said.is_absent() {
                            let slot = write(self.target, version).present();
                            self.mapping.value(value, &said, slot, Way::FromHub);
                        }
                    }
                    for index in 0..list.len() {
                        if let SlotMut::Struct(object) = list.get_mut(index) {
                            field_mut(object, &element.name).clear();
                        }
                    }
                }
                _ => {}
            }
        }
        self.copy(list_place, version, value);
    }

    /// Objects on the way that may be absent are there when something in them
    /// is.
    fn close(self) {
        let mut parents: Vec<Place> = Vec::new();
        for place in self.pair.links.iter().flat_map(|link| targets(link, self.way)) {
            let mut next = parent(place);
            while let Some(place) = next {
                next = parent(&place);
                if is_option(place.field()) && !parents.contains(&place) {
                    parents.push(place);
                }
            }
        }
        parents.sort_by_key(|place| std::cmp::Reverse(place.0.len()));
        for place in parents {
            let is_always = self.there.iter().any(|always| {
                *always == place
                    || self.way == Way::FromHub && self.is_always(always) && place.0.starts_with(&always.0)
            });
            if is_always {
                write(self.target, &place).present();
            } else {
                clear_if_unset(self.target, &place);
            }
        }
    }
}

/// The places that a link writes.
fn targets(link: &Link, way: Way) -> Vec<&Place> {
    match (link, way) {
        (Link::Copy { version, .. }, Way::FromHub) => vec![version],
        (Link::Copy { hub, .. } | Link::Tag { hub, .. }, Way::ToHub) => vec![hub],
        (
            Link::Constant { version, .. }
            | Link::Element { version, .. }
            | Link::Split { version, .. }
            | Link::Hoist { version, .. }
            | Link::Head { version, .. },
            Way::FromHub,
        ) => vec![version],
        (Link::Element { list, .. }, Way::ToHub) => vec![list],
        (Link::Split { number, name, .. }, Way::ToHub) => vec![number, name],
        (Link::Function { version, .. }, Way::FromHub) => version.iter().collect(),
        (Link::Function { hub, .. }, Way::ToHub) => hub.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether there are elements and all say the same.
fn agree(list: &dyn List, name: &str) -> bool {
    let said = |index| match list.get(index) {
        Slot::Struct(object) => field_of(object, name),
        _ => Slot::Absent,
    };
    !list.is_empty() && (1..list.len()).all(|index| slots_equal(&said(index), &said(0)))
}

fn scalar<'a>(slot: &Slot<'a>) -> Option<&'a IntOrString> {
    let Slot::Scalar(value) = slot else { return None };
    let value: &'a dyn Scalar = *value;
    (value as &dyn Any).downcast_ref()
}

/// Converts values by a mapping.
pub(crate) trait Values {
    /// Writes a value as the other side has it into an empty slot.
    fn value(&self, value: &Value, from: &Slot<'_>, to: SlotMut<'_>, way: Way);
}

impl Values for Mapping {
    fn value(&self, value: &Value, from: &Slot<'_>, to: SlotMut<'_>, way: Way) {
        match (value, from, to) {
            (Value::Same, from, to) => copy_slot(from, to),
            (Value::Pair(version, hub), Slot::Struct(from), SlotMut::Struct(to)) => {
                convert(self, version, hub, *from, to, way);
            }
            (Value::List(inner), Slot::List(from), SlotMut::List(to)) => {
                for index in 0..from.len() {
                    self.value(inner, &from.get(index), to.push().present(), way);
                }
            }
            (Value::Map(inner), Slot::Map(from), SlotMut::Map(to)) => from.visit(&mut |key, from| {
                self.value(inner, &from, to.entry(key.to_owned()).present(), way);
            }),
            (Value::Wrapped(_, field), from, SlotMut::Struct(to)) if way == Way::ToHub => {
                copy_slot(from, field_mut(to, field));
            }
            (Value::Wrapped(_, field), Slot::Struct(from), to) => copy_slot(&field_of(*from, field), to),
            _ => panic!("the plan is of other types than the objects"),
        }
    }
}

/// Whether a value becomes one that is there even when it is zero. To the hub
/// it does where JSON always shows it; back from there only where no zero
/// could stand for absence.
fn is_there(field: &hubgen_model::Field, way: Way) -> bool {
    let has_empty = field.ty.has_empty();
    match field.omit {
        Omit::Never => way == Way::ToHub || !has_empty,
        Omit::Empty => !has_empty,
        Omit::Zero => false,
    }
}
