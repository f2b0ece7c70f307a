//! The path to a byte that no decoder has come to.

use super::lexer::{Error, Kind, Lexer, Result};

/// The error with the path to its place, where it has none: what is wrong with a document as such is found before
/// anything is known of its fields.
#[cold]
pub(super) fn located(error: Error, bytes: &[u8]) -> Error {
    if !error.path().is_empty() {
        return error;
    }
    let before = &bytes[..error.offset().min(bytes.len())];
    let text = before.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // What comes before is a document that ends too soon, at the error's place.
    match walk(&mut Lexer::over(text)) {
        Ok(()) => error,
        Err(end) => error.at_path(end.path()),
    }
}

/// Passes one value; an error has its path.
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
