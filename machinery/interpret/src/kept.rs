//! Upstream's annotations for what a version cannot represent: writes them on the way to the version, after the program
//! has run, and reads them on the way back, before the stash, which has what they lack. An annotation that cannot be
//! read is as good as none.

use hubgen_machinery::Str;
use hubgen_machinery::convert::{Annotations, ConvertError, annotation, is_unset, with_annotations};
use hubgen_machinery::json;
use hubgen_machinery::reflect::AnyObject;
use hubgen_machinery::reflect::{List, Literal, Reflect, Slot, SlotMut, copy_slot};
use hubgen_model::GroupVersion;
use hubgen_model::rules::Form;
use hubgen_plan::program::Element;
use hubgen_plan::{Direction, How, Kept, Member, ResolvedPath, Value};

use crate::access::{IsAbsent, read, write};
use crate::program::Programs;
use crate::value::Values;
use crate::{Version, element};

/// The texts of annotations, in the order of the rules.
pub(crate) struct KeptTexts(Vec<Option<Str>>);

/// Removes and returns the annotations of this version. Removes those of other versions as well.
pub(crate) fn take(version: &Version, object: &mut dyn Reflect) -> KeptTexts {
    let kept = &version.mapping().kept;
    let mut texts = vec![None; kept.len()];
    with_annotations(object, &mut |annotations| {
        for (text, kept) in texts.iter_mut().zip(kept) {
            *text = annotations.remove(&kept.annotation.key);
        }
        for key in &version.plan.reserved {
            annotations.remove(key);
        }
    });
    KeptTexts(texts)
}

impl KeptTexts {
    /// Writes the texts into the fields of the hub that they belong to.
    ///
    /// # Errors
    /// When a text needs a function that is missing.
    pub(crate) fn put(self, version: &Version, hub: &mut dyn Reflect) -> Result<(), ConvertError> {
        for (text, kept) in self.0.into_iter().zip(&version.mapping().kept) {
            if let Some(text) = text
                && is_reachable(hub, &kept.path)
            {
                put(version, kept, &text, hub)?;
            }
        }
        Ok(())
    }
}

/// Whether all objects on the path exist, except for the innermost optional one, which the
/// annotation creates.
fn is_reachable(hub: &dyn Reflect, path: &ResolvedPath) -> bool {
    let innermost = path.innermost().map_or(0, |innermost| innermost.0.len() - 1);
    (1..=innermost).all(|count| !read(hub, &path.first(count)).is_absent())
}

fn put(version: &Version, kept: &Kept, text: &str, hub: &mut dyn Reflect) -> Result<(), ConvertError> {
    match &kept.annotation.form {
        Form::Zero => {
            write(hub, &kept.path).present();
        }
        Form::Text => {
            // Parsed into a copy: text that cannot be parsed must not create objects.
            let mut copy = hub.boxed_copy();
            if read_text(write(&mut *copy, &kept.path).present(), text) {
                copy_slot(&read(&*copy, &kept.path), write(hub, &kept.path));
            }
        }
        Form::Internal => {
            let mut copy = hub.boxed_copy();
            write(&mut *copy, &kept.path).clear();
            if let SlotMut::Struct(object) = write(&mut *copy, &kept.path).present()
                && annotation::read_internal(text, object)
            {
                copy_slot(&read(&*copy, &kept.path), write(hub, &kept.path));
            }
        }
        Form::Version(other) => put_version(version, kept, other, text, hub)?,
    }
    Ok(())
}

fn put_version(
    version: &Version,
    kept: &Kept,
    other: &GroupVersion,
    text: &str,
    hub: &mut dyn Reflect,
) -> Result<(), ConvertError> {
    let (mut theirs, value, programs) = of_version(version, kept, other);
    let path = path_in(&kept.path);
    let is_valid = match at(&mut *theirs, &path).present() {
        SlotMut::List(list) => annotation::read_list(text, list),
        SlotMut::Struct(object) => json::decode_into(text.as_bytes(), object).is_ok(),
        _ => false,
    };
    if !is_valid {
        return Ok(());
    }
    let mut copy = (version.new)(&version.plan.hub);
    let slot = write(&mut *copy, &kept.path).present();
    match programs.value(value, &found(&*theirs, &path), slot, Direction::ToHub) {
        Ok(()) => {}
        Err(error @ ConvertError::NoFunction { .. }) => return Err(error),
        // Like any annotation that cannot be read, it is dropped.
        Err(_) => return Ok(()),
    }
    let value = read(&*copy, &kept.path);
    match (&value, write(hub, &kept.path).present(), &kept.shown) {
        (Slot::List(read), SlotMut::List(list), Some(element)) => {
            let shown = copied(list);
            list.clear();
            for index in 0..read.len() {
                copy_slot(&read.get(index), list.push());
            }
            if kept.annotation.whole {
                with_shown(list, shown, element);
            } else {
                append(list, &shown);
            }
        }
        (value, slot, _) => copy_slot(value, slot),
    }
    Ok(())
}

/// Merges a list with the element that the version shows as a field. The field wins.
fn with_shown(list: &mut dyn List, shown: Vec<AnyObject>, element: &Element) {
    let Some(shown) = shown.into_iter().next() else {
        // The field is absent, so no element may keep a value that the field would show.
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

/// Writes what this version cannot represent into the hub's annotations, which become those of the
/// version.
///
/// # Errors
/// When a function refuses a value, or is missing.
pub(crate) fn write_all(version: &Version, hub: &mut dyn Reflect) -> Result<(), ConvertError> {
    for kept in &version.mapping().kept {
        let mut annotations = Annotations::new();
        put_on(version, kept, hub, &mut annotations)?;
        with_annotations(hub, &mut |all| all.append(&mut annotations));
    }
    Ok(())
}

fn put_on(
    version: &Version,
    kept: &Kept,
    hub: &dyn Reflect,
    annotations: &mut Annotations,
) -> Result<(), ConvertError> {
    let slot = read(hub, &kept.path);
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
            let (mut theirs, value, programs) = of_version(version, kept, other);
            let path = path_in(&kept.path);
            programs
                .value(value, slot, at(&mut *theirs, &path).present(), Direction::FromHub)
                .map_err(|error| error.below(&kept.path.to_string()))?;
            match (slot, at(&mut *theirs, &path).present()) {
                (Slot::List(ours), SlotMut::List(list)) => {
                    if let Some(element) = kept.shown.as_ref().filter(|_| !kept.annotation.whole)
                        && let Some(at) = element::position(element, *ours)
                    {
                        // The version shows one element as a field.
                        list.shift(at, list.len() - 1);
                        list.truncate(list.len() - 1);
                        if list.is_empty() {
                            return Ok(());
                        }
                    }
                    annotation::put_list_any(annotations, key, list);
                }
                (_, SlotMut::Struct(object)) => annotation::put_object_any(annotations, key, object),
                _ => panic!("only objects and lists are kept as JSON"),
            }
        }
        _ => panic!("{} cannot be kept in the annotation form {}", kept.path, kept.annotation.form),
    }
    Ok(())
}

/// An object of the version whose form an annotation has, with the conversion of the value and the
/// programs of that version.
fn of_version<'a>(
    version: &'a Version,
    kept: &'a Kept,
    other: &GroupVersion,
) -> (AnyObject, &'a Value, Programs<'a>) {
    let member = version.plan.members.iter().find(|member| member.group_version == *other);
    let (Some(Member { root, how: How::Convert(mapping), .. }), Some((_, _, value))) = (member, &kept.via)
    else {
        panic!("{other} does not convert");
    };
    ((version.new)(root), value, Programs { mapping, functions: &version.functions, whole: None })
}

/// The names on the path, which are the same in other versions.
fn path_in(path: &ResolvedPath) -> Vec<&str> {
    path.names()
}

fn at<'a>(object: &'a mut dyn Reflect, path: &[&str]) -> SlotMut<'a> {
    path.iter().fold(SlotMut::Struct(object), |slot, name| match slot.present() {
        SlotMut::Struct(object) => crate::access::field_mut(object, name),
        _ => panic!("{path:?} leads through a field that is not an object"),
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
        Slot::String(text) => text.as_str().to_owned(),
        Slot::Int32(number) => number.to_string(),
        Slot::Int64(number) => number.to_string(),
        Slot::Bool(value) => value.to_string(),
        Slot::Scalar(value) => {
            let mut out = String::new();
            value.show(&mut |literal| {
                out = match literal {
                    Literal::Text(text) | Literal::Number(text) => text.to_owned(),
                    Literal::Integer(number) => number.to_string(),
                    Literal::Unsigned(number) => number.to_string(),
                    Literal::Float(number) => number.to_string(),
                }
            });
            out
        }
        _ => panic!("only scalars are kept as text"),
    }
}

/// Parses text into a scalar. Returns whether that succeeded.
fn read_text(slot: SlotMut<'_>, text: &str) -> bool {
    fn set<T: std::str::FromStr>(slot: &mut T, text: &str) -> bool {
        text.parse().map(|value| *slot = value).is_ok()
    }
    match slot {
        SlotMut::String(slot) => {
            slot.set(text);
            true
        }
        SlotMut::Int32(slot) => set(slot, text),
        SlotMut::Int64(slot) => set(slot, text),
        SlotMut::Bool(slot) => set(slot, text),
        SlotMut::Scalar(slot) => slot.set(Literal::Text(text)).is_ok(),
        _ => false,
    }
}
