//! Members that an object of JSON has more than once.

use std::collections::HashSet;

use hubgen_machinery::json::Lexer;
use hubgen_machinery::json::lexer::{Kind, Result};

use super::paths::Paths;

/// Finds the paths of members that their object has more than once, such as `spec.ports[0].name`, in one JSON value.
///
/// # Errors
/// If it is not JSON.
pub(super) fn duplicates(json: &str) -> Result<Paths> {
    let mut found = Paths::default();
    find(&mut Lexer::over(json), &mut String::new(), &mut found)?;
    Ok(found)
}

/// Finds them in the value at the cursor, which is at `path`.
fn find(lexer: &mut Lexer<'_>, path: &mut String, found: &mut Paths) -> Result<()> {
    let length = path.len();
    match lexer.peek()? {
        Kind::Object => {
            let mut names = HashSet::new();
            let mut more = lexer.enter_object()?;
            while more {
                let name = lexer.key()?;
                if length > 0 {
                    path.push('.');
                }
                path.push_str(&name);
                if !names.insert(name) {
                    found.add(path);
                }
                find(lexer, path, found)?;
                path.truncate(length);
                more = lexer.next_member()?;
            }
        }
        Kind::Array => {
            let mut more = lexer.enter_array()?;
            let mut index = 0;
            while more {
                path.push_str(&format!("[{index}]"));
                find(lexer, path, found)?;
                path.truncate(length);
                more = lexer.next_element()?;
                index += 1;
            }
        }
        _ => lexer.skip()?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(json: &str) -> Vec<String> {
        duplicates(json).unwrap().messages("duplicate").collect()
    }

    #[test]
    fn paths_are_found_once_and_in_order() {
        let json = r#"{"a":{"b":1,"c":[{"d":1,"d":2,"d":3},{"d":1}],"b":{"e":1,"e":1}},"x":0,"a":{"b":1}}"#;
        let paths = ["a.c[0].d", "a.b", "a.b.e", "a"].map(|path| format!("duplicate field {path:?}"));
        assert_eq!(messages(json), paths);
        assert!(messages(r#"[{"a":1},{"a":1}]"#).is_empty());
    }
}
