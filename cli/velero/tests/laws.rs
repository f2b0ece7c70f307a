//! Laws of rewriting, with random backups.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Entry, converted, gzip, rewritten, tar, version};
use proptest::prelude::*;

/// An entry with nothing to convert: any path, any attributes.
fn other() -> impl Strategy<Value = Entry> {
    let path = prop_oneof![
        "[a-zé]{1,5}(/[a-z ]{1,90}){0,4}",
        "resources/pods(/v1-preferredversion)?/namespaces/[a-z]{1,60}/[a-z]{1,250}\\.json",
    ];
    let attributes = (0u32..0o1000, 0u64..2_000_000, 0u64..4_000_000_000);
    let data = prop::option::weighted(0.9, prop::collection::vec(any::<u8>(), 0..1500));
    (path, attributes, data).prop_map(|(path, (mode, owner, time), data)| Entry {
        path,
        mode,
        owner,
        time,
        data,
    })
}

/// Objects of few names, so that they meet: group, version folder (with `*` where it is preferred), namespace and name.
fn object() -> impl Strategy<Value = (String, Option<String>, String, String)> {
    let group = prop_oneof!["old\\.example\\.com", "new\\.example\\.com", "kept\\.example\\.com"];
    let folder = prop::option::of("(v1|v1beta1|v1beta2)\\*?");
    (group, folder, "[ab]", "[ab]")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_backup_with_nothing_to_convert_stays_byte_for_byte(entries in prop::collection::vec(other(), 0..12)) {
        let tar = tar(&[&[version()], &entries[..]].concat());
        let (new, heard) = rewritten(gzip(&tar).as_slice()).unwrap();
        prop_assert!(new == tar);
        prop_assert!(heard.left_out.is_empty());
    }

    /// Of the objects that go to one path exactly one is there, one at a preferred version if there is any, and all others
    /// are told of.
    #[test]
    fn each_object_is_kept_once(objects in prop::collection::vec(object(), 0..30)) {
        let mut all = vec![version()];
        // Where each entry goes, without the mark of the preferred version.
        let mut targets: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
        for (group, folder, namespace, name) in &objects {
            let version = folder.as_deref().unwrap_or("v1beta1").trim_end_matches('*');
            let is_preferred = folder.as_ref().is_none_or(|folder| folder.ends_with('*'));
            let folder = |version: &str| match folder {
                Some(_) => format!("/{version}"),
                None => String::new(),
            };
            let mark = if is_preferred && !folder("").is_empty() { "-preferredversion" } else { "" };
            let rest = format!("namespaces/{namespace}/{name}.json");
            let path = format!("resources/pets.{group}{}{mark}/{rest}", folder(version));
            if all.iter().any(|entry| entry.path == path) {
                continue;
            }
            all.push(Entry::file(&path, format!("{group}/{version}\n{path}")));
            let target = if group == "kept.example.com" {
                format!("resources/pets.{group}{}/{rest}", folder(version))
            } else {
                format!("resources/pets.new.example.com{}/{rest}", folder("v1"))
            };
            targets.entry(target).or_default().push((path, is_preferred));
        }
        let (new, heard) = converted(&all);
        let found: Vec<String> = new.iter().skip(1).map(|entry| entry.path.clone()).collect();
        prop_assert_eq!(found.len(), found.iter().collect::<BTreeSet<_>>().len());
        let left_out: BTreeMap<String, String> = heard.left_out.into_iter().collect();
        let unmarked = |path: &String| path.replace("-preferredversion", "");
        let unchanged = |path: &str| path.contains("kept.example.com");
        for (target, sources) in &targets {
            let kept: Vec<_> = sources.iter().filter(|(path, _)| !left_out.contains_key(path)).collect();
            if unchanged(target) {
                prop_assert_eq!(kept.len(), sources.len());
                continue;
            }
            let has_moved = sources.iter().any(|(path, _)| unmarked(path) != *target);
            if !has_moved && sources.len() > 1 {
                // `v1` beside `v1-preferredversion` is as it was, unless something else came there.
                continue;
            }
            prop_assert_eq!(kept.len(), 1, "{}: {:?}", target, sources);
            prop_assert_eq!(kept[0].1, sources.iter().any(|(_, is_preferred)| *is_preferred));
            prop_assert_eq!(found.iter().filter(|path| unmarked(path) == *target).count(), 1);
            for (path, _) in sources.iter().filter(|(path, _)| left_out.contains_key(path)) {
                prop_assert_eq!(&left_out[path], &kept[0].0);
            }
        }
    }
}
