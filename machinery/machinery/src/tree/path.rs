//! Reads and writes the members of an object by their paths.

use super::fault::{Fault, Result};
use super::{Path, Tree};

/// The value at a path; `None` if it or an object on the path is absent or `null`.
pub(super) fn get<'t, 'a>(tree: &'t mut Tree<'a>, path: &Path) -> Result<Option<&'t mut Tree<'a>>> {
    let mut tree = tree;
    for (depth, name) in path.names().enumerate() {
        let found = tree.get(name).map_err(|error| Fault::from(error).below(first(path, depth)))?;
        match found {
            Some(value) if depth + 1 == path.len() || !value.is_null() => tree = value,
            _ => return Ok(None),
        }
    }
    Ok(Some(tree))
}

/// The first names of a path.
fn first(path: &Path, count: usize) -> impl DoubleEndedIterator<Item = &str> {
    (0..count).map(|index| path.name(index))
}

/// Sets the value at a path. Objects on the path that are absent or `null` are created.
pub(super) fn put<'a>(tree: &mut Tree<'a>, path: &Path, value: Tree<'a>) -> Result<()> {
    let mut tree = tree;
    let last = path.len() - 1;
    for depth in 0..last {
        let name = path.name(depth);
        let is_there = tree.get(name)?.is_some_and(|value| !value.is_null());
        if !is_there {
            tree.set_member(path.member(depth), Tree::Object(Vec::new()))?;
        }
        tree = tree.get(name)?.ok_or_else(|| Fault::unfit("the object was just created"))?;
    }
    tree.set_member(path.member(last), value).map_err(|error| Fault::from(error).below(first(path, last)))
}

/// Removes the value at a path, which is at another path now, and the objects on the path that are empty without it. An
/// object that was empty before stays: somebody wrote it.
pub(super) fn move_out(tree: &mut Tree<'_>, path: &Path) -> Result<()> {
    remove_from(tree, path, 0, true).map(|_| ())
}

/// Removes the value at a path, which is lost. The objects on the path stay, so that it has a place when it comes back,
/// except for those that nobody wrote. Returns whether there was one.
pub(super) fn drop_out(tree: &mut Tree<'_>, path: &Path) -> Result<bool> {
    remove_from(tree, path, 0, false)
}

/// Returns whether something was removed.
fn remove_from(tree: &mut Tree<'_>, path: &Path, depth: usize, with_parents: bool) -> Result<bool> {
    let name = path.name(depth);
    let here = |error| Fault::from(error).below(first(path, depth));
    if depth + 1 == path.len() {
        return Ok(tree.remove(name).map_err(here)?.is_some());
    }
    let Some(inner) = tree.get(name).map_err(here)?.filter(|inner| !inner.is_null()) else {
        return Ok(false);
    };
    let removed = remove_from(inner, path, depth + 1, with_parents)?;
    let is_removed = removed && (with_parents || matches!(inner, Tree::Around(_)));
    if is_removed && inner.members()?.is_empty() {
        tree.remove(name)?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: Path = Path::of(&["a", "b", "c"]);

    fn tree(json: &str) -> Tree<'_> {
        Tree::new(json.as_bytes()).unwrap()
    }

    fn json(tree: &Tree<'_>) -> String {
        String::from_utf8(tree.to_json()).unwrap()
    }

    #[test]
    fn objects_that_become_empty_go_and_others_stay() {
        let cases = [
            (r#"{"a":{"b":{"c":1}},"d":2}"#, r#"{"d":2}"#),
            (r#"{"a":{"b":{"c":1},"d":2}}"#, r#"{"a":{"d":2}}"#),
            (r#"{"a":{"b":{}}}"#, r#"{"a":{"b":{}}}"#),
            (r#"{"a":null}"#, r#"{"a":null}"#),
            (r#"{"a":{"b":{"c":null}}}"#, "{}"),
        ];
        for (before, after) in cases {
            let mut found = tree(before);
            move_out(&mut found, &PATH).unwrap();
            assert_eq!(json(&found), after);
        }
    }

    #[test]
    fn what_is_lost_leaves_its_objects() {
        let mut found = tree(r#"{"a":{"b":{"c":1}}}"#);
        assert!(drop_out(&mut found, &PATH).unwrap());
        assert!(!drop_out(&mut found, &PATH).unwrap());
        assert_eq!(json(&found), r#"{"a":{"b":{}}}"#);
    }

    #[test]
    fn objects_on_a_path_are_created() {
        for before in ["{}", r#"{"a":null}"#, r#"{"a":{"b":null}}"#] {
            let mut found = tree(before);
            put(&mut found, &PATH, Tree::string("x")).unwrap();
            assert_eq!(json(&found), r#"{"a":{"b":{"c":"x"}}}"#);
            assert_eq!(get(&mut found, &PATH).unwrap().unwrap().str().unwrap(), "x");
        }
    }

    #[test]
    fn a_fault_names_the_member() {
        let mut found = tree(r#"{"a":{"b":[1]}}"#);
        let error = |fault: Fault| crate::convert::ConvertError::from(fault).to_string();
        let expected = "a.b: expected an object, found an array";
        assert_eq!(error(get(&mut found, &PATH).unwrap_err()), expected);
        assert_eq!(error(move_out(&mut found, &PATH).unwrap_err()), expected);
        assert_eq!(error(put(&mut found, &PATH, Tree::string("x")).unwrap_err()), expected);
    }
}
