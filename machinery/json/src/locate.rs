//! The field path of an error that was found before a decoder reached its place.

use crate::lexer::{Error, Kind, Lexer, Result};

/// Adds the field path to an error that has none. Errors of the document as a
/// whole, such as invalid UTF-8, are found before any field is read.
#[cold]
pub fn located(error: Error, bytes: &[u8]) -> Error {
    if !error.path().is_empty() {
        return error;
    }
    let before = &bytes[..error.offset().min(bytes.len())];
    let text = before.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // The text before the error is a document that ends too early, so reading
    // it fails with the path of the error's place.
    match walk(&mut Lexer::over(text)) {
        Ok(()) => error,
        Err(end) => error.at_path(end.path()),
    }
}

/// Skips one value. An error contains its field path.
fn walk(lexer: &mut Lexer<'_>) -> Result<()> {
    match lexer.peek()? {
        Kind::Object => {
            let mut more = lexer.enter_object()?;
            while more {
                let name = lexer.key()?;
                walk(lexer).map_err(|error| error.in_field(&name))?;
                more = lexer.next_member()?;
            }
        }
        Kind::Array => {
            let mut index = 0;
            let mut more = lexer.enter_array()?;
            while more {
                walk(lexer).map_err(|error| error.in_element(index))?;
                index += 1;
                more = lexer.next_element()?;
            }
        }
        _ => lexer.skip()?,
    }
    Ok(())
}
