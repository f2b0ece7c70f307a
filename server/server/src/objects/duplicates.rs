//! Members that an object of JSON has more than once.

use std::collections::HashSet;

use hubgen_machinery::json::lexer::{Kind, Result};
use hubgen_machinery::json::{Lexer, MAX_PATHS};

use crate::validation::cut;

/// The most bytes that are shown of a path.
const MAX_PATH: usize = 1024;

/// The paths of members that their object has more than once, such as `spec.ports[0].name`.
#[derive(Default)]
pub(super) struct Duplicates {
    /// Each path once, in the order of the text.
    pub(super) paths: Vec<String>,
    /// The number of such members beyond those in `paths`.
    pub(super) more: usize,
}

impl Duplicates {
    /// Finds them in one JSON value.
    ///
    /// # Errors
    /// If it is not JSON.
    pub(super) fn find(json: &str) -> Result<Self> {
        let mut found = Self::default();
        found.value(&mut Lexer::over(json), &mut String::new())?;
        Ok(found)
    }

    /// Finds them in the value at the cursor, which is at `path`.
    fn value(&mut self, lexer: &mut Lexer<'_>, path: &mut String) -> Result<()> {
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
                        self.add(path);
                    }
                    self.value(lexer, path)?;
                    path.truncate(length);
                    more = lexer.next_member()?;
                }
            }
            Kind::Array => {
                let mut more = lexer.enter_array()?;
                for index in 0.. {
                    if !more {
                        break;
                    }
                    path.push_str(&format!("[{index}]"));
                    self.value(lexer, path)?;
                    path.truncate(length);
                    more = lexer.next_element()?;
                }
            }
            _ => lexer.skip()?,
        }
        Ok(())
    }

    fn add(&mut self, path: &str) {
        let path = cut(path, MAX_PATH);
        if self.paths.iter().any(|known| *known == path) {
            return;
        }
        match self.paths.len() < MAX_PATHS {
            true => self.paths.push(path.into_owned()),
            false => self.more += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_once_and_in_order() {
        let json = r#"{"a":{"b":1,"c":[{"d":1,"d":2,"d":3},{"d":1}],"b":{"e":1,"e":1}},"x":0,"a":{"b":1}}"#;
        let found = Duplicates::find(json).unwrap();
        assert_eq!(
            (found.paths.as_slice(), found.more),
            (["a.c[0].d", "a.b", "a.b.e", "a"].map(str::to_owned).as_slice(), 0)
        );
        assert!(Duplicates::find(r#"[{"a":1},{"a":1}]"#).unwrap().paths.is_empty());
    }

    #[test]
    fn paths_beyond_the_most_are_counted() {
        let twice: Vec<String> = (0..MAX_PATHS + 7).map(|n| format!(r#""{n}":0,"{n}":0"#)).collect();
        let found = Duplicates::find(&format!("{{{}}}", twice.join(","))).unwrap();
        assert_eq!((found.paths.len(), found.more), (MAX_PATHS, 7));
    }
}
