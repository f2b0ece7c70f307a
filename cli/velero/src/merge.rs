//! The second reading, where it is needed: of objects that come to the same path, one is kept.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::convert::Convert;
use crate::entry::{Writer, walk};
use crate::folders::{Folders, Moved, Origin};
use crate::place::Place;
use crate::refusal::Refusal;

/// A converted backup without the objects that others take the place of, and without folders that objects left.
pub fn settled(
    file: NamedTempFile,
    space: &Path,
    folders: Folders,
    convert: &mut dyn Convert,
) -> Result<NamedTempFile, Refusal> {
    let (meetings, deserted) = (folders.meetings(), folders.deserted());
    if meetings.iter().all(Option::is_none) && deserted.is_empty() {
        return Ok(file);
    }
    let kept = Kept::find(&file, &folders, meetings)?;
    let temporary = |error| Refusal::temporary(&error);
    let new = NamedTempFile::new_in(space).map_err(temporary)?;
    let mut out = Writer::new(BufWriter::new(new));
    let mut index = 0;
    walk(reopened(&file)?, &mut |head, data| {
        let entry = index;
        index += 1;
        let is_deserted = || deserted.iter().any(|folder| folder.contains(&head.path));
        if *folders.origin(entry) == Origin::Folder && is_deserted() {
            return Ok(());
        }
        if let Some((key, place)) = kept.meeting(entry, &head.path, &folders)
            && let Some(winner) = kept.objects.get(&key).filter(|winner| **winner != entry)
            && let (Origin::Object(this), Origin::Object(winner)) =
                (folders.origin(entry), folders.origin(*winner))
        {
            let was = |moved: &Moved| place.within(&moved.from).to_string();
            convert.left_out(&was(this), &was(winner));
            return Ok(());
        }
        out.copy(&head, data).map_err(|error| Refusal::unwritten(&head.path, &error))
    })?;
    let new = out.finish().and_then(|out| out.into_inner().map_err(std::io::IntoInnerError::into_error));
    new.map_err(temporary)
}

/// The objects that are kept of those that meet.
struct Kept {
    /// For each origin, which of its objects may meet others.
    meetings: Vec<Option<u32>>,
    /// The entry that is kept.
    objects: HashMap<Key, usize>,
}

/// Where objects meet, the namespace and the name.
type Key = (u32, Box<str>);

impl Kept {
    fn find(file: &NamedTempFile, folders: &Folders, meetings: Vec<Option<u32>>) -> Result<Self, Refusal> {
        let mut kept = Self { meetings, objects: HashMap::new() };
        let mut index = 0;
        walk(reopened(file)?, &mut |head, _| {
            let entry = index;
            index += 1;
            if let Some((key, _)) = kept.meeting(entry, &head.path, folders) {
                let winner = kept.objects.entry(key).or_insert(entry);
                // Of equal ones the last, as when a backup is unpacked.
                if rank(folders, *winner) <= rank(folders, entry) {
                    *winner = entry;
                }
            }
            Ok(())
        })?;
        Ok(kept)
    }

    /// The key of an entry that is an object which may meet others, and its place.
    fn meeting(&self, entry: usize, path: &str, folders: &Folders) -> Option<(Key, Place)> {
        let number = self.meetings[folders.number(entry)]?;
        let place = Place::parse(path)?;
        let namespace = place.namespace.as_deref().unwrap_or_default();
        Some(((number, format!("{namespace}/{}", place.name).into()), place))
    }
}

/// Which of objects that meet is kept: the greatest.
fn rank(folders: &Folders, entry: usize) -> Option<impl Ord> {
    match folders.origin(entry) {
        Origin::Object(moved) => Some(moved.rank()),
        Origin::Folder | Origin::Other => None,
    }
}

/// A temporary file from its beginning.
fn reopened(file: &NamedTempFile) -> Result<File, Refusal> {
    file.reopen().map_err(|error| Refusal::temporary(&error))
}
