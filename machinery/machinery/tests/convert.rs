//! Lossless conversion, on a small kind with two hand-written versions that represent much less
//! than its hub.

use std::collections::BTreeMap;

use hubgen_laws::objects::{Source, generate};
use hubgen_laws::versions::{self, Convertible, Version};
use hubgen_machinery::convert::{self, Annotations, Convert, ConvertError, STASH, Terms, ViaHub, annotation};
use hubgen_machinery::json;
use hubgen_machinery::reflect::{self, DeepCopy};
use hubgen_machinery::scalar::{IntOrString, Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap};
use proptest::prelude::*;

#[derive(ApiType)]
struct Meta {
    name: String,
    annotations: StrMap<Str>,
}

/// The hub.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v2", kind = "Widget")]
struct Widget {
    metadata: Meta,
    size: i32,
    #[field(omit = never)]
    parts: Vec<Part>,
    #[field(list = map("name"))]
    ports: Vec<Port>,
    labels: BTreeMap<String, Option<i32>>,
    tuning: Option<Tuning>,
    color: Color,
    source: Origin,
}

#[derive(ApiType)]
struct Part {
    kind: String,
    weight: Option<i32>,
    #[field(omit = zero)]
    inner: Option<Inner>,
}

#[derive(ApiType)]
struct Inner {
    note: Option<String>,
    big: i64,
    data: Vec<u8>,
}

#[derive(ApiType)]
struct Port {
    name: String,
    number: Option<IntOrString>,
    hidden: Option<bool>,
}

#[derive(ApiType)]
struct Tuning {
    factor: Option<f64>,
    limit: Quantity,
    since: Option<Time>,
    steps: Vec<String>,
}

#[derive(ApiType)]
enum Color {
    Red,
    Green,
}

#[derive(ApiType)]
enum Origin {
    Url(String),
    Inline(Inner),
}

const TERMS: Terms<'static> = Terms {
    hub: "example.com/v2",
    others: &[("example.com/v1", ViaHub::of::<Old>()), ("example.com/v1alpha1", ViaHub::of::<Poor>())],
};

impl Convert for Widget {
    type Hub = Self;

    fn to_hub(self) -> Self {
        convert::restore_hub(self, &TERMS, |hub| &mut hub.metadata.annotations)
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

/// A version with the first part of kind `cpu` as a field, the other parts by kind only and in
/// reverse order, ports without the hidden field, and flat tuning.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
struct Old {
    metadata: Meta,
    size: i32,
    cpu: Option<i32>,
    kinds: Vec<String>,
    #[field(list = map("name"))]
    ports: Vec<OldPort>,
    limit: Quantity,
}

#[derive(ApiType)]
struct OldPort {
    name: String,
    number: Option<IntOrString>,
}

fn to_hub(old: Old) -> Widget {
    let mut parts: Vec<Part> =
        old.kinds.into_iter().rev().map(|kind| Part { kind, ..Part::default() }).collect();
    if old.cpu.is_some() {
        parts.push(Part { kind: "cpu".into(), weight: old.cpu, ..Part::default() });
    }
    let ports = old.ports.into_iter().map(|port| Port { name: port.name, number: port.number, hidden: None });
    let tuning = (old.limit != Quantity::default()).then(|| Tuning { limit: old.limit, ..Tuning::default() });
    Widget {
        metadata: old.metadata,
        size: old.size,
        parts,
        ports: ports.collect(),
        tuning,
        ..Widget::default()
    }
}

fn from_hub(mut hub: Widget) -> Old {
    let cpu = hub.parts.iter().position(|part| part.kind == "cpu" && part.weight.is_some());
    let cpu = cpu.and_then(|index| hub.parts.remove(index).weight);
    let ports = hub.ports.into_iter().map(|port| OldPort { name: port.name, number: port.number });
    Old {
        metadata: hub.metadata,
        size: hub.size,
        cpu,
        kinds: hub.parts.into_iter().rev().map(|part| part.kind).collect(),
        ports: ports.collect(),
        limit: hub.tuning.unwrap_or_default().limit,
    }
}

impl Convert for Old {
    type Hub = Widget;

    fn to_hub(mut self) -> Widget {
        let mut kept = convert::take_stash(&mut self.metadata.annotations);
        let mut hub = convert::restore(self, &mut kept, &TERMS, to_hub, from_hub);
        convert::leave_unread(&mut hub.metadata.annotations, kept);
        hub
    }

    fn from_hub(hub: Widget) -> Result<Self, ConvertError> {
        let mut object = from_hub(hub.deep_copy());
        let reconverted = to_hub(object.deep_copy());
        convert::stash(&mut object.metadata.annotations, &TERMS, &reconverted, &hub)?;
        Ok(object)
    }
}

/// A version that has only a size.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Widget")]
struct Poor {
    metadata: Meta,
    size: i32,
}

fn poor_to_hub(poor: Poor) -> Widget {
    Widget { metadata: poor.metadata, size: poor.size, ..Widget::default() }
}

fn poor_from_hub(hub: Widget) -> Poor {
    Poor { metadata: hub.metadata, size: hub.size }
}

impl Convert for Poor {
    type Hub = Widget;

    fn to_hub(mut self) -> Widget {
        let mut kept = convert::take_stash(&mut self.metadata.annotations);
        let mut hub = convert::restore(self, &mut kept, &TERMS, poor_to_hub, poor_from_hub);
        convert::leave_unread(&mut hub.metadata.annotations, kept);
        hub
    }

    fn from_hub(hub: Widget) -> Result<Self, ConvertError> {
        let mut object = poor_from_hub(hub.deep_copy());
        let shown = poor_to_hub(object.deep_copy());
        convert::stash(&mut object.metadata.annotations, &TERMS, &shown, &hub)?;
        Ok(object)
    }
}

fn generated<T: reflect::ApiType>(bytes: &[u8]) -> T {
    generate(&mut Source::new(bytes, &[("kind", "cpu"), ("kind", "memory")]))
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_hub_survives_every_version(bytes in bytes()) {
        let hub: Widget = generated(&bytes);
        let (old, poor) = (Version::of::<Old>(), Version::of::<Poor>());
        let (old, poor): (&dyn Convertible, &dyn Convertible) = (&old, &poor);
        for versions in [&[old][..], &[poor], &[old, poor], &[poor, old]] {
            versions::hub_survives(versions, &hub)?;
        }
    }

    #[test]
    fn a_version_is_canonicalized_once(bytes in bytes()) {
        let old: Old = generated(&bytes);
        let once = versions::canonicalizes_once(&Version::of::<Old>(), &old)?;
        let once: &Old = once.downcast_ref().unwrap();
        prop_assert_eq!(&once.ports, &old.ports);
        prop_assert_eq!(once.size, old.size);
        versions::canonicalizes_once(&Version::of::<Poor>(), &generated::<Poor>(&bytes))?;
    }

    #[test]
    fn an_edit_wins_and_the_rest_stays(bytes in bytes(), size in any::<i32>()) {
        let mut hub: Widget = generated(&bytes);
        let mut old = Old::from_hub(hub.clone()).unwrap();
        old.size = size;
        hub.size = size;
        prop_assert_eq!(old.to_hub(), hub.clone());
        let mut poor = Poor::from_hub(hub.clone()).unwrap();
        poor.size = 7;
        hub.size = 7;
        prop_assert_eq!(poor.to_hub(), hub);
    }

    #[test]
    fn added_and_removed_elements_are_added_and_removed_in_the_hub(bytes in bytes(), at in any::<prop::sample::Index>()) {
        let mut hub: Widget = generated(&bytes);
        hub.ports.dedup_by(|a, b| a.name == b.name);
        hub.ports.sort_by(|a, b| a.name.cmp(&b.name));
        hub.ports.dedup_by(|a, b| a.name == b.name);
        let mut old = Old::from_hub(hub.clone()).unwrap();
        if !old.ports.is_empty() {
            let at = at.index(old.ports.len());
            old.ports.remove(at);
            hub.ports.remove(at);
        }
        old.ports.push(OldPort { name: "new".into(), number: None });
        hub.ports.push(Port { name: "new".into(), number: None, hidden: None });
        prop_assert_eq!(old.to_hub(), hub);
    }

    #[test]
    fn invalid_annotations_are_dropped(bytes in bytes(), text in ".{0,80}", cut in any::<prop::sample::Index>()) {
        let old: Old = generated(&bytes);
        versions::bad_annotations_are_dropped(&Version::of::<Old>(), &old, &[], &text)?;
        // A stash of another object, truncated anywhere.
        let kept = Old::from_hub(generated(&bytes)).unwrap().metadata.annotations.remove(STASH).unwrap_or_default();
        let cut = cut.index(kept.len() + 1);
        let other: Old = generated(&bytes[..bytes.len() / 2]);
        if kept.is_char_boundary(cut) {
            versions::bad_annotations_are_dropped(&Version::of::<Old>(), &other, &[], &kept[..cut])?;
        }
    }
}

fn part(kind: &str, weight: Option<i32>, note: Option<&str>) -> Part {
    let inner = note.map(|note| Inner { note: Some(note.into()), ..Inner::default() });
    Part { kind: kind.into(), weight, inner }
}

#[test]
fn order_survives_an_edit_of_an_element() {
    let parts =
        vec![part("memory", None, None), part("cpu", Some(80), Some("kept")), part("disk", None, None)];
    let hub = Widget { parts, ..Widget::default() };
    let mut old = Old::from_hub(hub.clone()).unwrap();
    assert_eq!((old.cpu, old.kinds.join(" ")), (Some(80), "disk memory".to_owned()));
    old.cpu = Some(70);
    let back = old.to_hub();
    let expected =
        [part("memory", None, None), part("cpu", Some(70), Some("kept")), part("disk", None, None)];
    assert_eq!(back.parts, expected);
}

#[test]
fn hidden_data_is_dropped_with_its_element() {
    let parts = vec![part("memory", Some(1), Some("secret")), part("cpu", Some(80), None)];
    let hub = Widget { parts, ..Widget::default() };
    let mut old = Old::from_hub(hub.clone()).unwrap();
    old.kinds.clear();
    assert_eq!(old.to_hub().parts, [part("cpu", Some(80), None)]);
    // Nothing is restored without the annotation.
    let mut old = Old::from_hub(hub).unwrap();
    old.metadata.annotations.clear();
    assert_eq!(old.to_hub().parts, [part("memory", None, None), part("cpu", Some(80), None)]);
}

#[test]
fn a_different_element_at_the_same_index_is_not_an_edited_one() {
    let parts = vec![part("memory", Some(1), Some("secret")), part("cpu", Some(80), None)];
    let hub = Widget { parts, ..Widget::default() };
    let mut old = Old::from_hub(hub).unwrap();
    old.kinds = vec!["disk".into()];
    assert_eq!(old.to_hub().parts, [part("disk", None, None), part("cpu", Some(80), None)]);
}

#[test]
fn a_new_order_at_the_version_wins() {
    let ports =
        ["a", "b", "c"].map(|name| Port { name: name.into(), number: None, hidden: Some(name == "b") });
    let hub = Widget { ports: ports.to_vec(), ..Widget::default() };
    let mut old = Old::from_hub(hub).unwrap();
    old.ports.swap(0, 2);
    let back: Vec<_> = old.to_hub().ports.into_iter().map(|port| (port.name, port.hidden)).collect();
    assert_eq!(back, [("c".into(), Some(false)), ("b".into(), Some(true)), ("a".into(), Some(false))]);
}

#[test]
fn an_edited_value_is_not_overridden() {
    let tuning = Tuning { factor: Some(0.5), limit: "5".parse().unwrap(), ..Tuning::default() };
    let hub = Widget { tuning: Some(tuning), ..Widget::default() };
    let mut old = Old::from_hub(hub).unwrap();
    old.limit = "6".parse().unwrap();
    let back = old.to_hub().tuning.unwrap();
    assert_eq!((back.limit.to_string(), back.factor), ("6".to_owned(), Some(0.5)));
}

#[test]
fn a_version_that_represents_everything_has_no_stash() {
    let hub = Widget { parts: vec![part("cpu", Some(1), None)], size: 3, ..Widget::default() };
    assert_eq!(Old::from_hub(hub).unwrap().metadata.annotations, Annotations::new());
}

#[test]
fn a_stash_that_is_too_large_is_an_error_with_the_sizes() {
    let hub = Widget { parts: vec![part(&"x".repeat(300 * 1024), None, None)], ..Widget::default() };
    let error = Poor::from_hub(hub).unwrap_err();
    let ConvertError::TooLarge { total, largest, size } = &error else { panic!("{error}") };
    assert!(*total > 300 * 1024 && *size > 300 * 1024 && largest == STASH);
    assert!(error.to_string().contains("262144"), "{error}");
}

#[test]
fn the_format_of_the_stash_is_stable() {
    let hub = Widget {
        parts: vec![part("memory", Some(1), None), part("cpu", Some(80), None)],
        ..Widget::default()
    };
    let old = Old::from_hub(hub.clone()).unwrap();
    let content = concat!(
        r#""seen":"d7800a0238dec5fc","delta":{"fields":{"parts":{"#,
        r#""shown":[["ff4f2b9d228b7495","046b9de094239b88"],"cc4dc7d934ead4c3"],"#,
        r#""items":[[0,{"fields":{"weight":{"is":1}}}],1]}}}}"#,
    );
    // The first format did not name the version in whose terms it is.
    let formats = [format!("{{{content}"), format!(r#"{{"hub":"example.com/v2",{content}"#)];
    assert_eq!(old.metadata.annotations[STASH], formats[1]);
    for format in formats {
        let mut stored = old.deep_copy();
        stored.metadata.annotations.insert(STASH, format.into());
        let stored = json::encode(&stored).unwrap();
        assert_eq!(json::decode::<Old>(&stored).unwrap().to_hub(), hub);
    }
}

/// The stash fits this object but contains other values.
#[test]
fn a_stash_never_overrides_what_the_version_shows() {
    let object = || Old { size: 5, kinds: vec!["a".into()], ..Old::default() };
    let forged = |hub: Widget| {
        let mut annotations = Annotations::new();
        convert::stash(&mut annotations, &TERMS, &to_hub(object()), &hub).unwrap();
        Old { metadata: Meta { annotations, ..Meta::default() }, ..object() }
    };
    let hidden = vec![part("a", Some(1), Some("hidden"))];
    let hub = Widget { size: 9, parts: hidden.clone(), ..Widget::default() };
    let back = forged(hub).to_hub();
    // The size stays, and what the version cannot represent is restored.
    assert_eq!((back.size, back.parts), (5, hidden));
    let named = Widget { metadata: Meta { name: "other".into(), ..Meta::default() }, ..to_hub(object()) };
    assert_eq!(forged(named).to_hub().metadata.name, "");
}

/// `cpu` is the weight of the first part that has one; a part of another kind has none.
#[test]
fn a_stale_stash_removes_nothing() {
    let hub = Widget { parts: vec![part("cpu", Some(80), None)], ..Widget::default() };
    let other = Widget { parts: vec![part("disk", Some(80), None)], ..Widget::default() };
    let reconverted = to_hub(Old::from_hub(hub.clone()).unwrap());
    let mut annotations = Annotations::new();
    convert::stash(&mut annotations, &TERMS, &reconverted, &other).unwrap();
    let old = Old { metadata: Meta { annotations, ..Meta::default() }, cpu: Some(80), ..Old::default() };
    assert_eq!(old.to_hub(), hub);
}

/// Comparing each element with each would take 10,000 million steps, and the test would never end.
#[test]
fn long_lists_are_merged_in_few_steps() {
    const MANY: usize = 100_000;
    let port = |name: String, hidden| Port { name, number: None, hidden };
    let hub = Widget {
        ports: (0..3).map(|at| port(format!("p{at}"), Some(true))).collect(),
        parts: vec![Part { kind: "cpu".into(), weight: None, ..Part::default() }],
        ..Widget::default()
    };
    let mut old = Old::from_hub(hub).unwrap();
    // The client adds many before, between and after the elements that it has read.
    let mut ports: Vec<OldPort> =
        (0..MANY).map(|at| OldPort { name: format!("n{at}"), number: None }).collect();
    for (at, port) in old.ports.drain(..).enumerate() {
        ports.insert(at * (MANY / 3), port);
    }
    let names: Vec<String> = ports.iter().map(|port| port.name.clone()).collect();
    old.ports = ports;
    let mut backwards = old.clone();
    let hub = old.to_hub();
    assert_eq!(hub.ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>(), names);
    assert_eq!(hub.ports.iter().filter(|port| port.hidden == Some(true)).count(), 3);
    backwards.ports.reverse();
    let hub = backwards.to_hub();
    assert!(hub.ports.iter().map(|port| &port.name).eq(names.iter().rev()));
    assert_eq!(hub.ports.iter().filter(|port| port.hidden == Some(true)).count(), 3);
}

/// No conversion writes this annotation, and trying a forged one takes time.
#[test]
fn a_stash_that_is_too_long_is_ignored() {
    let hub = Widget {
        ports: vec![Port { name: "p".into(), number: None, hidden: Some(true) }],
        ..Widget::default()
    };
    let old = Old::from_hub(hub.clone()).unwrap();
    assert_eq!(old.clone().to_hub(), hub);
    let padded = |length: usize| {
        let mut old = old.clone();
        let kept = old.metadata.annotations.get_mut(STASH).unwrap();
        *kept = format!("{kept}{}", " ".repeat(length - kept.len())).into();
        old.to_hub().ports[0].hidden
    };
    assert_eq!(padded(convert::MAX_ANNOTATIONS), Some(true));
    assert_eq!(padded(convert::MAX_ANNOTATIONS + 1), None);
}

/// A struct of 12 KB, which takes two bytes of JSON.
#[derive(ApiType)]
struct Large {
    rows: Row,
    cells: Row,
}

#[derive(ApiType)]
struct Row {
    first: Cells,
    second: Cells,
    third: Cells,
    fourth: Cells,
}

#[derive(ApiType)]
struct Cells {
    first: Group,
    second: Group,
    third: Group,
    fourth: Group,
}

#[derive(ApiType)]
struct Group {
    first: Four,
    second: Four,
    third: Four,
    fourth: Four,
}

#[derive(ApiType)]
struct Four {
    first: Str,
    second: Str,
    third: Str,
    fourth: Str,
}

#[test]
fn a_list_in_an_annotation_takes_bounded_memory() {
    let read = |count: usize| {
        let text = format!("[{}]", vec!["{}"; count].join(","));
        let annotations = Annotations::from([("list", text.into())]);
        annotation::get_list::<Large>(&annotations, "list").map(|list| list.len())
    };
    assert_eq!(read(100), Some(100));
    // Five times as much memory as any input of this length may take.
    assert_eq!(read(5 * (64 << 20) / size_of::<Large>()), None);
}
