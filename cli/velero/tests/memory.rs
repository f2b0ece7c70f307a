//! What is held of a backup does not grow with it.

mod common;

use std::io::BufWriter;
use std::thread;

use allocation_counter::measure;
use common::{Entry, ToV1, version};
use flate2::Compression;
use flate2::write::GzEncoder;
use hubgen_velero::rewrite;
use tar::Builder;

/// The most bytes that are in use at once while a backup of so many objects comes through a pipe. Each is there twice, and with
/// `meets` also in the group that it moves to.
fn most(objects: usize, meets: bool) -> u64 {
    let (reader, writer) = std::io::pipe().unwrap();
    let generator = thread::spawn(move || {
        let mut tar = Builder::new(GzEncoder::new(BufWriter::new(writer), Compression::fast()));
        version().append(&mut tar);
        for index in 0..objects {
            for folder in ["", "/v1-preferredversion"] {
                for group in ["old", "new"].into_iter().take(1 + usize::from(meets)) {
                    let path = format!(
                        "resources/pets.{group}.example.com{folder}/namespaces/default/{index:08}.json"
                    );
                    let text = format!("{group}.example.com/v1beta1\n{index}{}", " ".repeat(1000));
                    Entry::file(&path, text).append(&mut tar);
                }
            }
        }
        tar.into_inner().unwrap().finish().unwrap();
    });
    let folder = tempfile::tempdir().unwrap();
    // Messages are not part of it.
    struct Quiet(ToV1, usize);
    impl hubgen_velero::Convert for Quiet {
        fn object(
            &mut self,
            entry: &str,
            place: &hubgen_velero::Place,
            text: &[u8],
        ) -> hubgen_velero::Outcome {
            self.0.object(entry, place, text)
        }
        fn too_large(&mut self, _: &str, _: u64) {}
        fn left_out(&mut self, _: &str, _: &str) {
            self.1 += 1;
        }
    }
    let mut quiet = Quiet(ToV1::default(), 0);
    let used = measure(|| drop(rewrite(reader, folder.path(), &mut quiet).unwrap()));
    generator.join().unwrap();
    assert_eq!(quiet.1, if meets { 2 * objects } else { 0 });
    used.bytes_max
}

#[test]
fn a_larger_backup_takes_four_bytes_more_for_each_entry() {
    let [few, many] = [200, 2000].map(|objects| most(objects, false));
    // While the list grows, there are two of them.
    let allowed = 2 * 2000 * 4 * 4;
    assert!(many <= few + allowed, "{few} bytes, then {many}");
}

#[test]
fn only_names_of_objects_that_may_meet_are_held() {
    let [few, many] = [200, 2000].map(|objects| most(objects, true));
    let each = (many - few) / (2 * 1800);
    assert!(each < 600, "{each} bytes for each object");
}
