//! The SHA-256 at the end of a snapshot.

use std::io::{self, Read, Seek, SeekFrom};

use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN};

/// All pages have a multiple of this size, so a longer file has something at its end.
const SECTOR: u64 = 512;

/// Whether a snapshot is as it was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// It has no checksum: it is the file of a member.
    Absent,
    /// It is as it was saved.
    Right,
    /// It has changed since.
    Wrong {
        /// What is at the end of the file.
        stated: String,
        /// What the database has.
        found: String,
    },
}

impl Checksum {
    /// Reads the whole of a snapshot, if a checksum is at its end.
    pub fn of(input: &mut (impl Read + Seek)) -> io::Result<Self> {
        let length = input.seek(SeekFrom::End(0))?;
        if length % SECTOR != SHA256_OUTPUT_LEN as u64 {
            return Ok(Self::Absent);
        }
        input.rewind()?;
        let mut context = Context::new(&SHA256);
        let mut left = length - SHA256_OUTPUT_LEN as u64;
        let mut buffer = vec![0; 64 << 10];
        while left > 0 {
            let part = &mut buffer[..left.min(64 << 10) as usize];
            input.read_exact(part)?;
            context.update(part);
            left -= part.len() as u64;
        }
        let mut stated = [0; SHA256_OUTPUT_LEN];
        input.read_exact(&mut stated)?;
        let found = context.finish();
        if found.as_ref() == stated {
            return Ok(Self::Right);
        }
        Ok(Self::Wrong { stated: hex(&stated), found: hex(found.as_ref()) })
    }

    /// What is wrong, in words; empty if nothing is.
    pub fn text(&self) -> String {
        match self {
            Self::Absent | Self::Right => String::new(),
            Self::Wrong { stated, found } => {
                format!("expected the SHA-256 {stated}, which is at the end of the snapshot, found {found}")
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
