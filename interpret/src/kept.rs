//! What upstream keeps in annotations.

use hubgen_machinery::convert::laws::{AnyObject, with_annotations};
use hubgen_machinery::convert::{Annotations, annotation, is_unset};
use hubgen_machinery::json;
use hubgen_machinery::reflect::{List, Literal, Reflect, Slot, SlotMut, copy_slot};
use hubgen_model::GroupVersion;
use hubgen_model::rules::Form;
use hubgen_plan::program::Element;
use hubgen_plan::{How, Kept, Mapping, Member, ResolvedPath, Value, Way};

use crate::access::{IsAbsent, read, write};
use crate::value::Values;
use crate::{Version, element};

/// What annotations said, in the order of the rules.
pub(crate) struct Said(Vec<Option<String>>);

/// Takes off what annotations say, and those that say nothing at this version.
pub(crate) fn take(version: &Version, object: &mut dyn Reflect) -> Said {
    let kept = &version.mapping().kept;
    let mut said = vec![None; kept.len()];
    with_annotations(object, &mut |annotations| {
        for (said, kept) in said.iter_mut().zip(kept) {
            *said = annotations.remove(&kept.annotation.key);
        }
        for key in &version.plan.reserved {
            annotations.remove(key);
        }
    });
    Said(said)
}

impl Said {
    /// Puts what they said where it belongs.
    pub(crate) fn put(self, version: &Version, hub: &mut dyn Reflect) {
        for (said, kept) in self.0.into_iter().zip(&version.mapping().kept) {
            if let Some(said) = said
                && is_reachable(hub, &kept.place)
            {
                put(version, kept, &said, hub);
            }
        }
    }
}

/// Whether all objects on the way are there, but for the innermost one that
/// may be absent, which the annotation makes.
fn is_reachable(hub: &dyn Reflect, place: &ResolvedPath) -> bool {
    let innermost = place.innermost().map_or(0, |innermost| innermost.0.len() - 1);
    (1..=innermost).all(|count| !read(hub, &place.first(count)).is_absent())
}

fn put(version: &Version, kept: &Kept, said: &str, hub: &mut dyn Reflect) {
    match &kept.annotation.form {
        Form::Zero => {
            write(hub, &kept.place).present();
        }
        Form::Text => {
            // Into a copy, since text that cannot be read makes nothing.
            let mut copy = hub.boxed_copy();
            if read_text(write(&mut *copy, &kept.place).present(), said) {
                copy_slot(&read(&*copy, &kept.place), write(hub, &kept.place));
            }
        }
        Form::Internal => {
            let mut copy = hub.boxed_copy();
            write(&mut *copy, &kept.place).clear();
            if let SlotMut::Struct(object) = write(&mut *copy, &kept.place).present()
                && annotation::read_internal(said, object)
            {
                copy_slot(&read(&*copy, &kept.place), write(hub, &kept.place));
            }
        }
        Form::Version(other) => put_version(version, kept, other, said, hub),
    }
}

fn put_version(version: &Version, kept: &Kept, other: &GroupVersion, said: &str, hub: &mut dyn Reflect) {
    let (mut theirs, value, mapping) = of_version(version, kept, other);
    let path = path_in(&kept.place);
    let could = match at(&mut *theirs, &path).present() {
        SlotMut::List(list) => annotation::read_list(said, list),
        SlotMut::Struct(object) => json::decode_into(said.as_bytes(), object).is_ok(),
        _ => false,
    };
    if !could {
        return;
    }
    let mut copy = (version.new)(&version.plan.hub);
    mapping.value(value, &found(&*theirs, &path), write(&mut *copy, &kept.place).present(), Way::ToHub);
    let said = read(&*copy, &kept.place);
    match (&said, write(hub, &kept.place).present(), &kept.shown) {
        (Slot::List(said), SlotMut::List(list), Some(element)) => {
            let shown = copied(list);
            list.clear();
            for index in 0..said.len() {
                copy_slot(&said.get(index), list.push());
            }
            if kept.annotation.whole {
                with_shown(list, shown, element);
            } else {
                append(list, &shown);
            }
        }
        (said, slot, _) => copy_slot(said, slot),
    }
}

/// The list with the element that the version shows as a field: what the field
/// says wins.
fn with_shown(list: &mut dyn List, shown: Vec<AnyObject>, element: &Element) {
    let Some(shown) = shown.into_iter().next() else {
        // Nothing is shown, so no element may be left that would be.
        while let Some(at) = element::position(element, list)
            && let SlotMut::Struct(object) = list.get_mut(at)
        {
            element::set(element, object, None);
        }
        return;
    };
    match element::position(element, list) {
        Some(at) => {
            if let SlotMut::Struct(object) = list.get_mut(at) {
                element::set(element, object, element::value(element, &*shown).as_ref());
            }
        }
        None => append(list, &[shown]),
    }
}

fn copied(list: &dyn List) -> Vec<AnyObject> {
    let copies = (0..list.len()).filter_map(|index| match list.get(index) {
        Slot::Struct(object) => Some(object.boxed_copy()),
        _ => None,
    });
    copies.collect()
}

fn append(list: &mut dyn List, objects: &[AnyObject]) {
    for object in objects {
        copy_slot(&Slot::Struct(&**object), list.push());
    }
}

/// Writes what this version cannot say into the hub's annotations, which it
/// takes over.
pub(crate) fn write_all(version: &Version, hub: &mut dyn Reflect) {
    for kept in &version.mapping().kept {
        let mut annotations = Annotations::new();
        put_on(version, kept, hub, &mut annotations);
        with_annotations(hub, &mut |all| all.append(&mut annotations));
    }
}

fn put_on(version: &Version, kept: &Kept, hub: &dyn Reflect, annotations: &mut Annotations) {
    let slot = read(hub, &kept.place);
    let key = &*kept.annotation.key;
    match (&kept.annotation.form, &slot) {
        (_, Slot::Absent) => {}
        (_, Slot::List(list)) if list.is_empty() => {}
        (Form::Zero, slot) => {
            if is_unset(false, slot) {
                annotation::put_zero(annotations, key);
            }
        }
        (Form::Text, slot) => annotation::put_text(annotations, key, &display(slot)),
        (Form::Internal, Slot::Struct(object)) => annotation::put_internal_any(annotations, key, *object),
        (Form::Version(other), slot) => {
            let (mut theirs, value, mapping) = of_version(version, kept, other);
            let path = path_in(&kept.place);
            mapping.value(value, slot, at(&mut *theirs, &path).present(), Way::FromHub);
            match (slot, at(&mut *theirs, &path).present()) {
                (Slot::List(ours), SlotMut::List(list)) => {
                    if let Some(element) = kept.shown.as_ref().filter(|_| !kept.annotation.whole)
                        && let Some(at) = element::position(element, *ours)
                    {
                        // One element is a field already.
                        list.shift(at, list.len() - 1);
                        list.truncate(list.len() - 1);
                        if list.is_empty() {
                            return;
                        }
                    }
                    annotation::put_list_any(annotations, key, list);
                }
                (_, SlotMut::Struct(object)) => annotation::put_object_any(annotations, key, object),
                _ => panic!("neither an object nor a list is kept as JSON"),
            }
        }
        _ => panic!("{} cannot be kept as {}", kept.place, kept.annotation.form),
    }
}

/// An object of the version in whose form something is kept, how it converts,
/// and by which mapping.
fn of_version<'a>(
    version: &'a Version,
    kept: &'a Kept,
    other: &GroupVersion,
) -> (AnyObject, &'a Value, &'a Mapping) {
    let member = version.plan.members.iter().find(|member| member.group_version == *other);
    let (Some(Member { root, how: How::Convert(mapping), .. }), Some((_, _, value))) = (member, &kept.via)
    else {
        panic!("{other} does not convert");
    };
    ((version.new)(root), value, mapping)
}

/// The names on the way, which other versions have too.
fn path_in(place: &ResolvedPath) -> Vec<&str> {
    place.names()
}

fn at<'a>(object: &'a mut dyn Reflect, path: &[&str]) -> SlotMut<'a> {
    path.iter().fold(SlotMut::Struct(object), |slot, name| match slot.present() {
        SlotMut::Struct(object) => crate::access::field_mut(object, name),
        _ => panic!("{path:?} leads through what is no object"),
    })
}

fn found<'a>(object: &'a dyn Reflect, path: &[&str]) -> Slot<'a> {
    path.iter().fold(Slot::Struct(object), |slot, name| match slot {
        Slot::Struct(object) => crate::access::field_of(object, name),
        _ => Slot::Absent,
    })
}

fn display(slot: &Slot<'_>) -> String {
    match slot {
        Slot::String(text) => (*text).to_owned(),
        Slot::Int32(number) => number.to_string(),
        Slot::Int64(number) => number.to_string(),
        Slot::Bool(value) => value.to_string(),
        Slot::Scalar(value) => {
            let mut out = String::new();
            value.show(&mut |literal| {
                out = match literal {
                    Literal::Text(text) | Literal::Number(text) => text.to_owned(),
                    Literal::Integer(number) => number.to_string(),
                }
            });
            out
        }
        _ => panic!("only plain values are kept as text"),
    }
}

/// Reads text into a plain value; says whether it could.
fn read_text(slot: SlotMut<'_>, text: &str) -> bool {
    fn set<T: std::str::FromStr>(slot: &mut T, text: &str) -> bool {
        text.parse().map(|value| *slot = value).is_ok()
    }
    match slot {
        SlotMut::String(slot) => set(slot, text),
        SlotMut::Int32(slot) => set(slot, text),
        SlotMut::Int64(slot) => set(slot, text),
        SlotMut::Bool(slot) => set(slot, text),
        SlotMut::Scalar(slot) => slot.set(Literal::Text(text)).is_ok(),
        _ => false,
    }
}
