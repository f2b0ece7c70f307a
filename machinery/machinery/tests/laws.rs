//! The laws of conversions detect conversions that violate them.

use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible, Version};
use hubgen_laws::{Violations, objects, versions};
use hubgen_machinery::ApiType;
use hubgen_machinery::convert::{self, Annotations, ConvertError, FromHub, Terms, ToHub, ViaHub};
use hubgen_machinery::reflect::NewObject;

#[derive(ApiType)]
struct Meta {
    annotations: Annotations,
}

#[derive(ApiType)]
struct Hub {
    metadata: Meta,
    width: i32,
    height: i32,
    parts: Vec<Part>,
}

#[derive(ApiType)]
struct Part {
    name: String,
    note: Option<String>,
}

#[derive(ApiType)]
struct Old {
    metadata: Meta,
    wide: i32,
    high: i32,
    parts: Vec<OldPart>,
}

/// Has no notes.
#[derive(ApiType)]
struct OldPart {
    name: String,
}

fn old_to_hub(old: Old) -> Hub {
    let part = |part: OldPart| Part { name: part.name, note: None };
    Hub {
        metadata: old.metadata,
        width: old.wide,
        height: old.high,
        parts: old.parts.into_iter().map(part).collect(),
    }
}

fn old_from_hub(hub: Hub) -> Old {
    let part = |part: Part| OldPart { name: part.name };
    Old {
        metadata: hub.metadata,
        wide: hub.width,
        high: hub.height,
        parts: hub.parts.into_iter().map(part).collect(),
    }
}

const TERMS: Terms<'static> = Terms { hub: "example.com/v1", others: &[] };

fn to_hub(object: AnyObject) -> Result<AnyObject, ConvertError> {
    let mut old = *object.downcast::<Old>().ok().unwrap();
    let mut kept = convert::take_stash(&mut old.metadata.annotations);
    let mut hub = convert::restore(old, &mut kept, &TERMS, old_to_hub, old_from_hub);
    convert::leave_unread(&mut hub.metadata.annotations, kept);
    Ok(Box::new(hub))
}

fn from_hub(hub: AnyObject) -> Result<AnyObject, ConvertError> {
    let hub = *hub.downcast::<Hub>().ok().unwrap();
    let mut old = old_from_hub(hub.clone());
    let shown = old_to_hub(old.clone());
    convert::stash(&mut old.metadata.annotations, &TERMS, &shown, &hub)?;
    Ok(Box::new(old))
}

fn version(to_hub: ToHub, from_hub: FromHub) -> Version {
    Version {
        new: NewObject::Compiled(|| Box::new(Old::default())),
        conversion: ViaHub::Compiled {
            empty_hub: None,
            to_hub,
            from_hub,
            canonical: &[],
            may_be_invalid: &[],
            json: None,
        },
    }
}

/// The message of a law for the first of many generated objects that violates it, shrunk.
fn broken(version: Version, law: fn(&Version, &[u8]) -> Result<(), Violations>) -> Option<String> {
    let fails = |bytes: &[u8]| law(&version, bytes).is_err();
    let bytes = (0..300).map(objects::bytes).find(|bytes| fails(bytes))?;
    law(&version, &objects::shrink(&bytes, fails)).err().map(String::from)
}

fn hub_survives(version: &Version, bytes: &[u8]) -> Result<(), Violations> {
    versions::hub_survives(&[version], &*version.generate_hub(&mut Source::new(bytes, &[])))
}

fn canonicalizes_once(version: &Version, bytes: &[u8]) -> Result<(), Violations> {
    versions::canonicalizes_once(version, &*version.generate(&mut Source::new(bytes, &[]))).map(drop)
}

fn an_edit_wins(version: &Version, bytes: &[u8]) -> Result<(), Violations> {
    let (choices, rest) = bytes.split_at(bytes.len().min(8));
    let hub = version.generate_hub(&mut Source::new(rest, &[]));
    versions::an_edit_wins(version, &*hub, &mut Source::new(choices, &[]))
}

fn bad_annotations(version: &Version, bytes: &[u8]) -> Result<(), Violations> {
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let object = version.generate(&mut Source::new(one, &[]));
    let annotation = versions::forged(version, &*object, &mut Source::new(other, &[]))?;
    versions::a_bad_annotation_changes_nothing(version, &*object, &annotation)
}

#[test]
fn a_correct_conversion_passes() {
    for law in [hub_survives, canonicalizes_once, an_edit_wins, bad_annotations] {
        assert_eq!(broken(version(to_hub, from_hub), law), None);
    }
}

#[test]
fn lost_data_is_detected() {
    // This version has no stash.
    let version = version(to_hub, |hub| Ok(Box::new(old_from_hub(*hub.downcast::<Hub>().ok().unwrap()))));
    let message = broken(version, hub_survives).unwrap();
    // One or two parts with an empty note, and nothing else.
    assert!(message.contains(r#"{"note":""}"#) && message.lines().all(|line| line.len() < 60), "{message}");
}

#[test]
fn an_object_that_changes_every_time_is_detected() {
    let version = version(
        |object| {
            let mut hub = to_hub(object)?;
            hub.downcast_mut::<Hub>().unwrap().width ^= 1;
            Ok(hub)
        },
        from_hub,
    );
    assert!(broken(version, canonicalizes_once).is_some());
}

#[test]
fn an_overridden_edit_is_detected() {
    // The hub's old value replaces the one that the client wrote.
    let version = version(
        |object| {
            let mut old = *object.downcast::<Old>().ok().unwrap();
            let had = old.metadata.annotations.remove("wide").and_then(|wide| wide.parse().ok());
            let mut hub = *to_hub(Box::new(old))?.downcast::<Hub>().ok().unwrap();
            hub.width = had.unwrap_or(hub.width);
            Ok(Box::new(hub))
        },
        |hub| {
            let mut old = *from_hub(hub)?.downcast::<Old>().ok().unwrap();
            old.metadata.annotations.insert("wide", old.wide.to_string().into());
            Ok(Box::new(old))
        },
    );
    assert_eq!(broken(version.clone(), hub_survives), None);
    assert!(broken(version, an_edit_wins).is_some());
}

#[test]
fn a_trusted_annotation_is_detected() {
    let version = version(
        |object| {
            let mut old = *object.downcast::<Old>().ok().unwrap();
            let is_there = convert::take_stash(&mut old.metadata.annotations).is_some();
            let mut hub = old_to_hub(old);
            hub.height += i32::from(is_there);
            Ok(Box::new(hub))
        },
        from_hub,
    );
    assert!(broken(version, bad_annotations).is_some());
}
