//! The first reading: objects become what they become, and their folders are noted.

use std::io::{BufWriter, Read};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::convert::{Convert, Outcome};
use crate::entry::{Head, Writer, walk};
use crate::folders::{Folders, Origin, State};
use crate::merge::settled;
use crate::place::Place;
use crate::refusal::Refusal;

/// The most bytes of an object. A cluster accepts requests of 3 MiB, and etcd of half of that in protobuf.
pub const LARGEST_OBJECT: u64 = 16 << 20;

/// The format of backups that Velero writes, up to the first dot.
const FORMAT: &str = "1";

/// The most bytes of `metadata/version`, which has a version on a line.
const LARGEST_VERSION: u64 = 64;

/// Converts a backup into a temporary file in a folder. The order of entries stays, and each has the mode, the owner and
/// the time that it had.
///
/// # Errors
/// What is wrong with the backup as a whole. What is wrong with an object, [`Convert`] knows.
pub fn rewrite(input: impl Read, space: &Path, convert: &mut dyn Convert) -> Result<NamedTempFile, Refusal> {
    let file = NamedTempFile::new_in(space).map_err(|error| Refusal::temporary(&error))?;
    let out = Writer::new(BufWriter::new(file));
    let mut rewriting = Rewriting { out, folders: Folders::default(), is_backup: false, convert };
    walk(input, &mut |head, data| rewriting.entry(&head, data))?;
    let Rewriting { out, folders, is_backup, convert } = rewriting;
    if !is_backup {
        return Err(Refusal::no_backup());
    }
    let file = out.finish().and_then(|out| out.into_inner().map_err(std::io::IntoInnerError::into_error));
    let file = file.map_err(|error| Refusal::temporary(&error))?;
    settled(file, space, folders, convert)
}

struct Rewriting<'a> {
    out: Writer<BufWriter<NamedTempFile>>,
    folders: Folders,
    /// Whether there is something that only backups have.
    is_backup: bool,
    convert: &'a mut dyn Convert,
}

impl Rewriting<'_> {
    fn entry(&mut self, head: &Head, data: &mut dyn Read) -> Result<(), Refusal> {
        if head.is_folder() {
            self.folders.add(Origin::Folder);
            return self.copy(head, data);
        }
        if let Some(place) = Place::parse(&head.path) {
            self.is_backup = true;
            return self.object(head, &place, data);
        }
        self.folders.add(Origin::Other);
        if head.path.trim_start_matches("./") == "metadata/version" {
            self.is_backup = true;
            return self.version(head, data);
        }
        self.copy(head, data)
    }

    /// The format of the backup.
    fn version(&mut self, head: &Head, data: &mut dyn Read) -> Result<(), Refusal> {
        if head.size > LARGEST_VERSION {
            let message = format!("expected the format of the backup, found {} bytes", head.size);
            return Err(Refusal::of(&head.path, message, ""));
        }
        let text = whole(head, data)?;
        let version = String::from_utf8_lossy(&text);
        let version = version.trim();
        if version.split('.').next() != Some(FORMAT) {
            let message = format!("expected a backup of format {FORMAT}, found {version:?}");
            return Err(Refusal::of(&head.path, message, "a newer hubgen may know this format"));
        }
        self.copy(head, &mut text.as_slice())
    }

    fn object(&mut self, head: &Head, place: &Place, data: &mut dyn Read) -> Result<(), Refusal> {
        let from = &place.folder;
        if head.size > LARGEST_OBJECT {
            self.convert.too_large(&head.path, head.size);
            self.folders.add(Origin::object(from, from, State::Failed));
            return self.copy(head, data);
        }
        let text = whole(head, data)?;
        match self.convert.object(&head.path, place, &text) {
            Outcome::Keep => self.folders.add(Origin::object(from, from, State::Fine)),
            Outcome::Fail => self.folders.add(Origin::object(from, from, State::Failed)),
            Outcome::New { resource, version, text } => {
                let to = from.moved(&resource, &version);
                let path = place.within(&to).to_string();
                self.folders.add(Origin::object(from, &to, State::Fine));
                return self.out.put(head, &path, &text).map_err(|error| Refusal::temporary(&error));
            }
        }
        self.copy(head, &mut text.as_slice())
    }

    fn copy(&mut self, head: &Head, data: &mut dyn Read) -> Result<(), Refusal> {
        self.out.copy(head, data).map_err(|error| Refusal::unwritten(&head.path, &error))
    }
}

/// The data of an entry that is not large.
fn whole(head: &Head, data: &mut dyn Read) -> Result<Vec<u8>, Refusal> {
    let mut text = Vec::new();
    data.read_to_end(&mut text).map_err(|error| Refusal::unreadable(&head.path, &error))?;
    if text.len() as u64 != head.size {
        return Err(Refusal::truncated(&head.path));
    }
    Ok(text)
}
