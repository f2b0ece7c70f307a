//! A file in memory, which takes only as much as was written into it.
//!
//! A new database is a megabyte, of which nearly all is zeros. Many stores in one process would take that each.

use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use redb::StorageBackend;

/// The size of the parts that are there or not: that of a page of the database.
const PART: usize = 4096;

/// A file in memory.
#[derive(Debug, Default)]
pub(super) struct Memory(RwLock<File>);

#[derive(Debug, Default)]
struct File {
    len: usize,
    /// What was written; `None` where there are zeros.
    parts: Vec<Option<Box<[u8; PART]>>>,
}

/// A range within one part.
struct Piece {
    part: usize,
    start: usize,
    len: usize,
}

/// The pieces of a range of bytes.
fn pieces(mut offset: usize, mut len: usize) -> impl Iterator<Item = Piece> {
    std::iter::from_fn(move || {
        let (part, start) = (offset / PART, offset % PART);
        let piece = Piece { part, start, len: len.min(PART - start) };
        offset += piece.len;
        len -= piece.len;
        (piece.len > 0).then_some(piece)
    })
}

impl Memory {
    fn read_lock(&self) -> RwLockReadGuard<'_, File> {
        // Nothing panics while it is written.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, File> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl File {
    /// The beginning of a range, if the file has all of it.
    fn offset(&self, offset: u64, len: usize) -> io::Result<usize> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let has_all = offset.checked_add(len).is_some_and(|end| end <= self.len);
        has_all.then_some(offset).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.read_lock().len as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let file = self.read_lock();
        let offset = file.offset(offset, out.len())?;
        let mut rest = out;
        for Piece { part, start, len } in pieces(offset, rest.len()) {
            let (out, others) = rest.split_at_mut(len);
            match &file.parts[part] {
                Some(part) => out.copy_from_slice(&part[start..start + len]),
                None => out.fill(0),
            }
            rest = others;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut file = self.write_lock();
        let len = usize::try_from(len).map_err(io::Error::other)?;
        file.parts.resize_with(len.div_ceil(PART), || None);
        // Whatever was behind the end does not come back when the file grows again.
        if let Some(Some(last)) = file.parts.last_mut().filter(|_| len % PART > 0) {
            last[len % PART..].fill(0);
        }
        file.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut file = self.write_lock();
        let offset = file.offset(offset, data.len())?;
        let mut rest = data;
        for Piece { part, start, len } in pieces(offset, rest.len()) {
            let (data, others) = rest.split_at(len);
            let part = &mut file.parts[part];
            // Zeros that are there already take no room.
            if part.is_some() || data.iter().any(|byte| *byte != 0) {
                part.get_or_insert_with(|| Box::new([0; PART]))[start..start + len].copy_from_slice(data);
            }
            rest = others;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &Memory, offset: u64, len: usize) -> Vec<u8> {
        let mut out = vec![9; len];
        file.read(offset, &mut out).unwrap();
        out
    }

    fn parts(file: &Memory) -> usize {
        file.read_lock().parts.iter().flatten().count()
    }

    #[test]
    fn what_is_written_is_read_across_parts() {
        let file = Memory::default();
        file.set_len(5 * PART as u64 + 7).unwrap();
        assert_eq!((file.len().unwrap(), parts(&file)), (5 * PART as u64 + 7, 0));
        let data: Vec<u8> = (0..2 * PART).map(|at| at as u8 | 1).collect();
        file.write(PART as u64 - 3, &data).unwrap();
        assert_eq!(read(&file, PART as u64 - 3, data.len()), data);
        assert_eq!(read(&file, PART as u64 - 4, 1), [0]);
        assert_eq!(read(&file, 5 * PART as u64, 7), [0; 7]);
        assert_eq!(parts(&file), 3);
        file.write(4 * PART as u64, &[0; PART]).unwrap();
        assert_eq!(parts(&file), 3, "zeros take no room");
        file.write(PART as u64, &[0; PART]).unwrap();
        assert_eq!(read(&file, PART as u64, PART), [0; PART]);
    }

    #[test]
    fn what_is_cut_off_does_not_come_back() {
        let file = Memory::default();
        file.set_len(2 * PART as u64).unwrap();
        file.write(0, &[1; 2 * PART]).unwrap();
        file.set_len(10).unwrap();
        file.set_len(2 * PART as u64).unwrap();
        assert_eq!(read(&file, 0, 12), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(read(&file, PART as u64, 2), [0, 0]);
    }

    #[test]
    fn there_is_nothing_behind_the_end() {
        let file = Memory::default();
        file.set_len(10).unwrap();
        for offset in [9, u64::MAX] {
            file.read(offset, &mut [0; 2]).unwrap_err();
            file.write(offset, &[1; 2]).unwrap_err();
        }
    }
}
