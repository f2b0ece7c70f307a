//! The database file.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use redb::{Builder, Database, DatabaseError};

use super::super::Error;
use super::cannot_open;

/// The number of bytes that are rewritten at a time.
const CHUNK: usize = 1 << 20;

/// Opens the database in a directory. The first time, a missing directory or file is created;
/// later, a missing file must not become an empty store.
pub(super) fn open(
    data_dir: &Path,
    path: &Path,
    builder: &Builder,
    is_first: bool,
) -> Result<Database, Error> {
    let file = open_file(data_dir, path, is_first).map_err(|error| cannot_open(path, error))?;
    let to_rewrite =
        if is_first { None } else { Some(file.try_clone().map_err(|error| cannot_open(path, error))?) };
    let database = match builder.create_file(file) {
        Ok(database) => database,
        Err(DatabaseError::DatabaseAlreadyOpen) => return Err(Error::InUse { path: path.into() }),
        Err(error) => return Err(cannot_open(path, error)),
    };
    if let Some(to_rewrite) = to_rewrite {
        rewrite(to_rewrite).map_err(|error| cannot_open(path, error))?;
    }
    Ok(database)
}

/// Writes the whole file again, and syncs it.
///
/// After a failed sync, the operating system may return data that it could not write and treat it
/// as written. The next sync would not write it either, and everything acknowledged on top of it
/// would be lost on a power failure. The database is open and locked, and nothing writes to it yet.
fn rewrite(mut file: File) -> io::Result<()> {
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

/// Opens the file, readable by its owner only, because it contains secrets.
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

/// Other systems cannot open a directory; there the file system is responsible for its entries.
#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
