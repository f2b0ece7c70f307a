//! Backups in both layouts.

mod common;

use common::{Entry, converted, entries, gzip, rewritten, tar, version};
use tar::{Builder, EntryType, Header};

/// An object at a version, below `resources/`.
fn object(path: &str, version: &str) -> Entry {
    Entry::file(&format!("resources/{path}"), format!("{version}\n{path}"))
}

fn paths(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.path.strip_prefix("resources/").unwrap_or(&entry.path)).collect()
}

#[test]
fn an_object_moves_in_both_layouts() {
    let all = [
        version(),
        Entry {
            mode: 0o600,
            owner: 7,
            time: 5,
            ..object("pets.old.example.com/namespaces/a/b.json", "old.example.com/v1")
        },
        object("pets.old.example.com/v1-preferredversion/namespaces/a/b.json", "old.example.com/v1"),
        object("dens.new.example.com/cluster/b.json", "new.example.com/v1beta1"),
        object("dens.new.example.com/v1beta1-preferredversion/cluster/b.json", "new.example.com/v1beta1"),
        object("pods/namespaces/a/b.json", "v1"),
        object("pods/v1-preferredversion/namespaces/a/b.json", "v1"),
        Entry::file("resources/readme.txt", "kept"),
    ];
    let (new, heard) = converted(&all);
    assert_eq!(
        paths(&new),
        [
            "metadata/version",
            "pets.new.example.com/namespaces/a/b.json",
            "pets.new.example.com/v1-preferredversion/namespaces/a/b.json",
            "dens.new.example.com/cluster/b.json",
            "dens.new.example.com/v1-preferredversion/cluster/b.json",
            "pods/namespaces/a/b.json",
            "pods/v1-preferredversion/namespaces/a/b.json",
            "readme.txt",
        ]
    );
    assert!(heard.left_out.is_empty());
    assert_eq!((new[1].mode, new[1].owner, new[1].time), (0o600, 7, 5));
    assert!(new[1].data.as_ref().unwrap().starts_with(b"new.example.com/v1\nfrom old.example.com/v1"));
    assert_eq!(new[5..], all[5..]);
}

#[test]
fn the_object_at_the_preferred_version_is_kept_wherever_it_stands() {
    let preferred = object(
        "pets.new.example.com/v1beta2-preferredversion/namespaces/a/b.json",
        "new.example.com/v1beta2",
    );
    let others = [
        object("pets.new.example.com/v1/namespaces/a/b.json", "new.example.com/v1"),
        object("pets.new.example.com/v1beta1/namespaces/a/b.json", "new.example.com/v1beta1"),
        object("pets.new.example.com/v1/namespaces/a/c.json", "new.example.com/v1"),
    ];
    for at in 0..=others.len() {
        let mut all = others.to_vec();
        all.insert(at, preferred.clone());
        let (new, heard) = converted(&all);
        let mut expected = [
            "pets.new.example.com/v1-preferredversion/namespaces/a/b.json",
            "pets.new.example.com/v1/namespaces/a/c.json",
        ];
        if at == others.len() {
            expected.reverse();
        }
        assert_eq!(paths(&new), expected);
        let kept = preferred.path.clone();
        assert_eq!(heard.left_out, [&others[0], &others[1]].map(|other| (other.path.clone(), kept.clone())));
    }
}

#[test]
fn an_object_of_two_groups_stays_in_the_new_one() {
    let old = object("pets.old.example.com/namespaces/a/b.json", "old.example.com/v1");
    let same = object("pets.new.example.com/namespaces/a/b.json", "new.example.com/v1beta1");
    let elsewhere = object("pets.old.example.com/namespaces/c/b.json", "old.example.com/v1");
    for all in [[&old, &same, &elsewhere], [&same, &old, &elsewhere]] {
        let (new, heard) = converted(&all.map(Clone::clone));
        assert_eq!(
            paths(&new),
            ["pets.new.example.com/namespaces/a/b.json", "pets.new.example.com/namespaces/c/b.json"]
        );
        assert!(
            String::from_utf8_lossy(new[0].data.as_ref().unwrap()).contains("from new.example.com/v1beta1")
        );
        assert_eq!(heard.left_out, [(old.path.clone(), same.path.clone())]);
    }
    // One with an error is not kept in the place of one without.
    let broken = Entry::file(&same.path, "broken");
    let (new, heard) = converted(&[broken.clone(), old.clone()]);
    assert_eq!(paths(&new), ["pets.new.example.com/namespaces/a/b.json"]);
    assert_eq!(heard.left_out, [(broken.path, old.path)]);
}

#[test]
fn folders_that_objects_left_are_left_out() {
    let all = [
        Entry::folder("./resources/"),
        Entry::folder("./resources/pets.new.example.com/v1beta1-preferredversion/"),
        Entry::folder("./resources/pets.new.example.com/v1beta1-preferredversion/cluster/"),
        Entry::file(
            "./resources/pets.new.example.com/v1beta1-preferredversion/cluster/a.json",
            "new.example.com/v1beta1\n",
        ),
        Entry::folder("./resources/pods/v1-preferredversion/"),
    ];
    let (new, _) = converted(&all);
    let expected = [
        "./resources/",
        "./resources/pets.new.example.com/v1-preferredversion/cluster/a.json",
        "./resources/pods/v1-preferredversion/",
    ];
    assert_eq!(new.iter().map(|entry| &*entry.path).collect::<Vec<_>>(), expected);
    assert_eq!(entries(&tar(&new)), new);
}

#[test]
fn long_names_are_written_as_they_are_read() {
    for length in [1, 40, 60, 99, 100, 101, 150, 200, 250] {
        let name = "n".repeat(length);
        for (old, new) in
            [("old.example.com", "old.example.com/v1"), ("new.example.com", "new.example.com/v1beta1")]
        {
            let of =
                |group: &str, version: &str| format!("pets.{group}/{version}/namespaces/{name}/{name}.json");
            let (new, _) = converted(&[object(&of(old, "v1beta1-preferredversion"), new)]);
            assert_eq!(paths(&new), [of("new.example.com", "v1-preferredversion")]);
        }
    }
}

/// Records of a pax header stay, apart from the path.
#[test]
fn records_of_pax_headers_stay() {
    let path = format!("resources/pets.old.example.com/cluster/{}.json", "n".repeat(200));
    let mut tar = Builder::new(Vec::new());
    tar.append_pax_extensions([("path", path.as_bytes()), ("mtime", &b"1.5"[..]), ("comment", &b"a\nb"[..])])
        .unwrap();
    let text = b"old.example.com/v1\n";
    let mut header = Header::new_ustar();
    header.set_path("short").unwrap();
    header.set_size(text.len() as u64);
    header.set_cksum();
    tar.append(&header, &text[..]).unwrap();
    let old = tar.into_inner().unwrap();
    let (new, _) = rewritten(gzip(&old).as_slice()).unwrap();
    let mut archive = tar::Archive::new(new.as_slice());
    let headers: Vec<(EntryType, Vec<u8>)> = archive
        .entries()
        .unwrap()
        .raw(true)
        .map(|entry| {
            let mut entry = entry.unwrap();
            let mut data = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut data).unwrap();
            (entry.header().entry_type(), data)
        })
        .collect();
    assert_eq!(
        headers.iter().map(|(of, _)| *of).collect::<Vec<_>>(),
        [EntryType::XHeader, EntryType::Regular]
    );
    let records = String::from_utf8_lossy(&headers[0].1).into_owned();
    assert!(records.starts_with("13 mtime=1.5\n15 comment=a\nb\n"), "{records}");
    assert!(records.ends_with(&format!("path={}\n", path.replace("old.", "new."))), "{records}");
}

#[test]
fn an_object_that_is_too_large_stays() {
    let large = Entry::file("resources/pets.old.example.com/cluster/a.json", vec![b' '; (16 << 20) + 1]);
    let small = object("pets.old.example.com/cluster/b.json", "old.example.com/v1");
    let (new, heard) = converted(&[large.clone(), small]);
    assert_eq!(new[0], large);
    assert_eq!(paths(&new)[1], "pets.new.example.com/cluster/b.json");
    assert_eq!(heard.too_large, [(large.path, (16 << 20) + 1)]);
}
