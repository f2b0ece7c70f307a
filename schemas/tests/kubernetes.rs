//! The crate contains what the folder does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The text of every file below a folder, by its path from there.
fn files(root: &Path, folder: &str, out: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            files(root, &path, out);
        } else {
            out.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

#[test]
fn every_file_but_the_pages_is_there() {
    let mut wanted = BTreeMap::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kubernetes"), "", &mut wanted);
    // Pages about the files, which the generator does not read.
    for page in
        ["INDEX.md", "behaviour/README.md", "columns/README.md", "defaults/README.md", "rules/README.md"]
    {
        assert!(wanted.remove(page).is_some(), "{page}");
    }
    let packed = hubgen_schemas::kubernetes();
    let paths: Vec<&str> = packed.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, wanted.keys().collect::<Vec<_>>());
    for (path, text) in packed {
        assert_eq!(*text, wanted[*path], "{path}");
    }
    for path in ["apps/v1.json", "boxes.toml", "core/v1.json", "crate.md", "meta.k8s.io/v1.json"] {
        assert!(paths.contains(&path), "{path}");
    }
}
