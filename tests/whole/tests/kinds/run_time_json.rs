//! Kinds that are made at run time from a repository convert JSON as the compiled ones do, to the byte, and keep all laws.

use std::path::Path;
use std::sync::Arc;

use hubgen_laws::objects::{Source, fill};
use hubgen_laws::{objects, versions};
use hubgen_machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_migrate::Known;
use serde_json::Value;

/// The number of objects of each version.
const OBJECTS: u64 = 20;

fn made(repository: &str) -> Scheme {
    let config = Path::new(repository).join("hubgen.toml");
    Known::new(Some(&config)).unwrap_or_else(|errors| panic!("{}", errors[0])).scheme
}

/// Removes about half of the members of an object and of the objects in it, as the bytes choose.
fn subset(value: &mut Value, choose: &mut impl FnMut() -> bool) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| matches!(&**name, "apiVersion" | "kind" | "metadata") || choose());
            members
                .iter_mut()
                .filter(|(name, _)| *name != "metadata")
                .for_each(|(_, value)| subset(value, choose));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| subset(element, choose)),
        _ => {}
    }
}

/// The JSON of a random object, and of a part of it.
fn objects(entry: &Arc<KindEntry>, seed: u64) -> [Vec<u8>; 2] {
    let bytes = objects::bytes(seed);
    let words = entry.family.as_ref().map_or_else(Vec::new, |family| family.words());
    let mut object = Object::new(entry);
    fill(&mut *object.value, &mut Source::new(&bytes, &words));
    let whole = object.encode().unwrap();
    let mut part: Value = serde_json::from_slice(&whole).unwrap();
    let mut choices = bytes.iter().cycle().map(|byte| byte & 4 == 0);
    subset(&mut part, &mut || choices.next().unwrap_or_default());
    [whole, part.to_string().into_bytes()]
}

/// Compares all pairs of versions. Returns the number of pairs, and of answers with a stash.
fn compare(compiled: &Scheme, repository: &str) -> (usize, usize) {
    let made = made(repository);
    let (mut pairs, mut stashed) = (0, 0);
    for from in compiled.kinds().filter(|entry| entry.family.is_some()) {
        let family = from.family.as_ref().unwrap();
        for to in compiled.family(family).filter(|to| *to != from) {
            let in_made = |entry: &KindEntry| made.kind(&entry.group, &entry.version, &entry.kind).unwrap();
            let [made_from, made_to] = [from, to].map(|entry| in_made(entry));
            assert!(
                compiled.is_undecoded(from, to) && made.is_undecoded(made_from, made_to),
                "{from} → {to}"
            );
            let both = |json: &[u8], [to, made_to]: [&Arc<KindEntry>; 2]| {
                let [expected, found] = [(compiled, to), (&made, made_to)].map(|(scheme, to)| {
                    let converted = scheme.convert_json(json, to).map_err(|error| error.to_string());
                    converted.map(|json| String::from_utf8(json).unwrap())
                });
                assert_eq!(found, expected, "to {to}: {}", String::from_utf8_lossy(json));
                expected
            };
            for json in (1..=OBJECTS).flat_map(|seed| objects(from, seed)) {
                let Ok(converted) = both(&json, [to, made_to]) else { continue };
                stashed += usize::from(converted.contains("hubgen.dev/kept"));
                let _ = both(converted.as_bytes(), [from, made_from]);
            }
            pairs += 1;
        }
    }
    (pairs, stashed)
}

#[test]
fn json_converts_as_with_compiled_kinds() {
    // Each of 6 kinds has 4 versions, none of which needs a stash.
    let pairs = compare(&hubgen_example_cert_manager::api::scheme(), "../../examples/cert-manager");
    assert_eq!(pairs, (6 * 4 * 3, 0));
    let (pairs, stashed) = compare(&demo::api::scheme(), "../../examples/demo");
    assert!(pairs == 2 && stashed > 0, "{pairs} pairs, {stashed} objects with a stash");
}

/// Among them are those of partial objects and of edits beside a stash.
#[test]
fn all_laws_are_kept() {
    for (repository, count) in
        [("../../examples/cert-manager", 2), ("../../examples/operator", 20), ("../../examples/demo", 20)]
    {
        let checked = hubgen_laws::check(&made(repository), Path::new(repository).join("crds"), count);
        let checked = checked.unwrap_or_else(|violation| panic!("{repository}: {violation}"));
        // One more law is about the schemas of the other versions.
        let each = versions::JSON_LAWS.len() + versions::LAWS.len() + versions::UNDECODED_LAWS.len() + 1;
        assert_eq!(checked.objects, count * (each * checked.versions) as u64, "{repository}");
    }
}
