//! The database file.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use redb::{Builder, Database, DatabaseError};

use super::super::Error;
use super::cannot_open;

/// How many bytes are written again at once.
const CHUNK: usize = 1 << 20;

/// Opens the database in a directory. The first time, both are made if they are missing; later, a
/// file that is gone must not become an empty store.
pub(super) fn open(
    data_dir: &Path,
    path: &Path,
    builder: &Builder,
    is_first: bool,
) -> Result<Database, Error> {
    let file = open_file(data_dir, path, is_first).map_err(|error| cannot_open(path, error))?;
    let again =
        if is_first { None } else { Some(file.try_clone().map_err(|error| cannot_open(path, error))?) };
    let database = match builder.create_file(file) {
        Ok(database) => database,
        Err(DatabaseError::DatabaseAlreadyOpen) => return Err(Error::InUse { path: path.into() }),
        Err(error) => return Err(cannot_open(path, error)),
    };
    if let Some(again) = again {
        write_again(again).map_err(|error| cannot_open(path, error))?;
    }
    Ok(database)
}

/// Writes the whole file once more, and syncs it.
///
/// After a sync that failed, the system may show what it could not write and take it for written:
/// the next sync would not write it either, and what is acknowledged on top of it would be lost with
/// the power. The database is open and locked, and nobody writes to it yet.
fn write_again(mut file: File) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    let mut offset = 0;
    loop {
        file.seek(SeekFrom::Start(offset))?;
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return file.sync_all();
        }
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(&chunk[..length])?;
        offset += length as u64;
    }
}

/// Only its owner may read the file: secrets are in it.
fn open_file(data_dir: &Path, path: &Path, is_first: bool) -> io::Result<File> {
    let mut directories = fs::DirBuilder::new();
    directories.recursive(true);
    let mut file = fs::OpenOptions::new();
    file.read(true).write(true).create(is_first).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        directories.mode(0o700);
        file.mode(0o600);
    }
    if is_first {
        directories.create(data_dir)?;
    }
    file.open(path)
}

#[cfg(unix)]
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere a directory cannot be opened, and its entries are the file system's business.
#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
