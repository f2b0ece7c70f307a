//! Answers that begin before all of their body is made.

use std::io::{self, Write};
use std::pin::Pin;

use flate2::write::GzEncoder;

use crate::status::Failure;

/// The next part of a body, once it is made; `None` after the last one.
pub(crate) type NextPart<'r> = Pin<Box<dyn Future<Output = Result<Option<Vec<u8>>, Failure>> + Send + 'r>>;

/// What is made of a body while the client reads what is before it.
pub(crate) trait Rest: Send {
    /// Makes the next part, which may be empty. If it fails, the body ends without an end, so that the client does not
    /// take it for whole.
    fn next(&mut self) -> NextPart<'_>;

    /// How many bytes of what follows are in memory already. Then the parts need no memory of their own.
    fn held(&self) -> usize {
        0
    }
}

/// A body that is compressed part by part.
pub(super) struct Compressed {
    rest: Box<dyn Rest>,
    /// `None` after the last part.
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Compressed {
    /// Compresses the rest of a body, whose beginning the encoder has compressed.
    pub(super) fn new(rest: Box<dyn Rest>, encoder: GzEncoder<Vec<u8>>) -> Self {
        Self { rest, encoder: Some(encoder) }
    }

    /// Compresses a part; the end, if there is none.
    fn compress(&mut self, part: Option<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
        let Some(mut encoder) = self.encoder.take() else { return Ok(None) };
        let Some(part) = part else { return encoder.finish().map(Some) };
        encoder.write_all(&part)?;
        let compressed = std::mem::take(encoder.get_mut());
        self.encoder = Some(encoder);
        Ok(Some(compressed))
    }
}

impl Rest for Compressed {
    fn next(&mut self) -> NextPart<'_> {
        Box::pin(async move {
            let part = if self.encoder.is_some() { self.rest.next().await? } else { None };
            self.compress(part).map_err(Failure::internal)
        })
    }

    fn held(&self) -> usize {
        self.rest.held()
    }
}
