//! Applies edits to an object.

use std::borrow::Cow;
use std::cell::Cell;

use super::edits::{Change, Each, Edit, Edits, Element, First};
use super::fault::{Fault, Result};
use super::function::call;
use super::node::value;
use super::path::{drop_out, get, move_out, put};
use super::{Path, Tree};
use crate::convert::Functions;
use crate::json::lexer::Kind;

/// The edits of a version in one direction.
pub(super) struct Run<'e> {
    pub(super) pairs: &'e [Edits],
    /// The functions of the user's own code.
    pub(super) functions: &'e Functions,
    /// The metadata of the object, for functions that read it.
    pub(super) metadata: Option<Tree<'e>>,
    /// Whether to the hub, otherwise from it.
    pub(super) to_hub: bool,
    /// Whether something was read that does not come back by the edits of the other direction.
    pub(super) loses: Cell<bool>,
}

/// What a member gets, in the order of the edits.
enum Put<'e, 'a> {
    Set(&'e Path, Tree<'a>),
    /// An object, unless it is there.
    Object(&'e Path),
    /// An object, if the object around it is there.
    Required(&'e Path),
    /// Only if the object around it is there.
    Word(&'e Path, &'e str),
    Push(&'e Path, Tree<'a>),
    First(&'e Path, &'e First, Tree<'a>),
    Each(&'e Path, &'e Each, Tree<'a>),
}

impl<'e> Run<'e> {
    /// Applies the edits of a pair of types to an object.
    pub(super) fn object(&self, name: &str, tree: &mut Tree<'_>) -> Result<()> {
        let Some(edits) = self.pairs.iter().find(|edits| edits.name == *name) else { return Ok(()) };
        for path in &*edits.strangers {
            if edits.refuses && self.to_hub && get(tree, path)?.is_some() {
                return Err(Fault::known_name().below(path.names()));
            }
            self.drop_out(tree, path)?;
        }
        let mut puts = Vec::new();
        // What a list shares leaves its elements before the list itself is read.
        for edit in &*edits.edits {
            if let Edit::Gather { list, first, each } = edit {
                self.gather(tree, list, first, each, &mut puts)?;
            }
        }
        // Objects that only what enters them makes.
        let mut made = Vec::new();
        for edit in &*edits.edits {
            self.read(edit, tree, &mut puts)?;
            if let Edit::Present { from, to } = edit
                && from == to
                && present(tree, from)?.is_none()
            {
                made.push(from);
            }
        }
        for path in edits.edits.iter().flat_map(Edit::takes) {
            move_out(tree, path)?;
        }
        for path in &*edits.drops {
            self.drop_out(tree, path)?;
        }
        for edit in &*edits.edits {
            if let Edit::Present { from, to } = edit
                && from != to
                && let Some(value) = present(tree, from)?
            {
                // Members that nobody knows.
                self.loses.set(self.loses.get() || !value.members()?.is_empty());
                move_out(tree, from)?;
            }
        }
        for edit in &*edits.edits {
            if let Edit::Change { path, change } = edit
                && let Some(value) = get(tree, path)?
            {
                self.change(change, value).map_err(|fault| fault.below(path.names()))?;
                if matches!(value, Tree::Around(members) if members.is_empty()) {
                    move_out(tree, path)?;
                }
            }
        }
        // Required objects and words need the objects around them.
        let (later, others): (Vec<_>, Vec<_>) =
            puts.into_iter().partition(|put| matches!(put, Put::Required(_) | Put::Word(..)));
        others.into_iter().try_for_each(|wanted| self.put(tree, wanted))?;
        for path in made {
            self.loses.set(self.loses.get() || present(tree, path)?.is_some());
        }
        let (required, words): (Vec<_>, Vec<_>) =
            later.into_iter().partition(|put| matches!(put, Put::Required(_)));
        required.into_iter().chain(words).try_for_each(|wanted| self.put(tree, wanted))
    }

    /// A member of the kind, from its metadata.
    fn metadata<'a>(&self, path: &Path) -> Result<Option<Tree<'a>>> {
        let Some(mut value) = self.metadata.clone() else { return Ok(None) };
        if path.len() > 1 {
            let below = Path::new(path.names().skip(1));
            let Some(member) = present(&mut value, &below)? else { return Ok(None) };
            value = member.clone();
        }
        Ok(Some(value.into_owned()))
    }

    fn drop_out(&self, tree: &mut Tree<'_>, path: &Path) -> Result<()> {
        if drop_out(tree, path)? {
            self.loses.set(true);
        }
        Ok(())
    }

    /// Reads what an edit needs, and computes what it writes.
    fn read<'a>(&self, edit: &'e Edit, tree: &mut Tree<'a>, puts: &mut Vec<Put<'e, 'a>>) -> Result<()> {
        match edit {
            Edit::Change { .. } | Edit::Gather { .. } => {}
            Edit::Move { from, to, change } => {
                if let Some(value) = get(tree, from)? {
                    let mut value = value.clone();
                    self.change(change, &mut value).map_err(|fault| fault.below(from.names()))?;
                    puts.push(Put::Set(to, value));
                }
            }
            Edit::Present { from, to } => {
                if present(tree, from)?.is_some() {
                    puts.push(Put::Object(to));
                }
            }
            Edit::Required { to } => puts.push(Put::Required(to)),
            Edit::Word { to, cases, otherwise } => {
                let mut word = otherwise;
                for (path, case) in &**cases {
                    if has_value(tree, path)? {
                        word = case;
                        break;
                    }
                }
                puts.push(Put::Word(to, word));
            }
            Edit::Call { function, from, reads, to } => {
                let mut arguments = Vec::with_capacity(from.len());
                for path in &**from {
                    arguments.push(present(tree, path)?.cloned());
                }
                if arguments.iter().any(Option::is_some) {
                    self.loses.set(true);
                    let reads = reads.iter().map(|path| self.metadata(path)).collect::<Result<_>>()?;
                    let results = call(self.functions, function, self.to_hub, from, arguments, reads)?;
                    let set =
                        to.iter().zip(results).filter_map(|(path, result)| Some(Put::Set(path, result?)));
                    puts.extend(set);
                }
            }
            Edit::Split { from, number, name } => {
                if let Some(value) = present(tree, from)? {
                    self.loses.set(true);
                    let to = if value.kind() == Kind::String { name } else { number };
                    puts.push(Put::Set(to, value.clone()));
                }
            }
            Edit::Join { number, name, to } => {
                let text = present(tree, name)?.cloned();
                let joined = match text {
                    Some(text) if !text.str()?.is_empty() => Some(text),
                    text => present(tree, number)?.cloned().or(text),
                };
                self.loses.set(self.loses.get() || joined.is_some());
                puts.extend(joined.map(|joined| Put::Set(to, joined)));
            }
            Edit::ToElement { list, element } => {
                if let Some(value) = present(tree, &element.field)? {
                    let mut made = Tree::Object(Vec::new());
                    let value = value.clone();
                    for (path, word) in &*element.when {
                        put(&mut made, path, Tree::string(word))?;
                    }
                    put(&mut made, &element.value, value)?;
                    puts.push(Put::Push(list, made));
                }
            }
            Edit::FromElement { list, element } => {
                if let Some(list) = present(tree, list)?
                    && let Some(value) = find(element, list)?
                {
                    puts.push(Put::Set(&element.field, value));
                }
            }
            Edit::Spread { list, first, each } => {
                for first in &**first {
                    if let Some(value) = present(tree, &first.field)? {
                        puts.push(Put::First(list, first, value.clone()));
                    }
                }
                for each in &**each {
                    if let Some(value) = present(tree, &each.field)? {
                        let mut value = value.clone();
                        self.change(&each.change, &mut value)?;
                        puts.push(Put::Each(list, each, value));
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes what all elements of a list share out of them.
    fn gather<'a>(
        &self,
        tree: &mut Tree<'a>,
        list: &Path,
        first: &'e [First],
        each: &'e [Each],
        puts: &mut Vec<Put<'e, 'a>>,
    ) -> Result<()> {
        let Some(found) = present(tree, list)? else { return Ok(()) };
        self.loses.set(true);
        let elements = found.elements().map_err(|error| Fault::from(error).below(list.names()))?;
        for each in each {
            let mut shared: Option<Tree<'a>> = None;
            for (index, element) in elements.iter_mut().enumerate() {
                let value = element.get(&each.element)?.cloned();
                match (index, value) {
                    (0, value) => shared = value,
                    (_, Some(value)) if shared.as_ref().is_some_and(|shared| same(shared, &value)) => {}
                    _ => shared = None,
                }
                if shared.is_none() {
                    break;
                }
            }
            if let Some(mut value) = shared.filter(|value| !value.is_null()) {
                for element in elements.iter_mut() {
                    element.remove(&each.element)?;
                }
                self.change(&each.change, &mut value)?;
                puts.push(Put::Set(&each.field, value));
            }
        }
        for first in first {
            if let Some(element) = elements.first_mut()
                && let Some(value) = element.get(&first.element)?
            {
                puts.push(Put::Set(&first.field, value.clone()));
            }
        }
        Ok(())
    }

    fn put<'a>(&self, tree: &mut Tree<'a>, wanted: Put<'e, 'a>) -> Result<()> {
        match wanted {
            Put::Set(path, value) => put(tree, path, value),
            Put::Object(path) => {
                if present(tree, path)?.is_none() {
                    put(tree, path, Tree::Object(Vec::new()))?;
                }
                Ok(())
            }
            Put::Required(path) => {
                let is_missing = get(tree, path)?.is_none() && is_parent_there(tree, path)?;
                if is_missing { put(tree, path, Tree::Object(Vec::new())) } else { Ok(()) }
            }
            Put::Word(path, word) => {
                if is_parent_there(tree, path)? {
                    put(tree, path, Tree::string(word))
                } else {
                    Ok(())
                }
            }
            Put::Push(path, element) => {
                if present(tree, path)?.is_none() {
                    put(tree, path, Tree::List(Vec::new()))?;
                }
                let Some(list) = get(tree, path)? else { return Ok(()) };
                list.elements().map_err(|error| Fault::from(error).below(path.names()))?.push(element);
                Ok(())
            }
            Put::First(path, first, value) => {
                let is_empty = match present(tree, path)? {
                    Some(list) => list.elements()?.is_empty(),
                    None => true,
                };
                if !is_empty || value.kind() == Kind::String && value.str()?.is_empty() {
                    return Ok(());
                }
                let mut members = vec![(Cow::Owned(first.element.to_string()), value)];
                let yes = |name: &crate::reflect::Text| {
                    (Cow::Owned(name.to_string()), Tree::Text(Cow::Borrowed("true")))
                };
                members.extend(first.set.iter().map(yes));
                put(tree, path, Tree::List(vec![Tree::Object(members)]))
            }
            Put::Each(path, each, value) => {
                let Some(list) = present(tree, path)? else { return Ok(()) };
                for (index, element) in list.elements()?.iter_mut().enumerate() {
                    let here = |error| Fault::from(error).in_element(index).below(path.names());
                    element.set(&each.element, value.clone()).map_err(here)?;
                }
                Ok(())
            }
        }
    }

    /// Changes a value in place.
    fn change(&self, change: &Change, value: &mut Tree<'_>) -> Result<()> {
        if value.is_null() {
            return Ok(());
        }
        match change {
            Change::Same => {}
            Change::Object(name) => self.object(name, value)?,
            Change::List(change) => {
                for (index, element) in value.elements()?.iter_mut().enumerate() {
                    self.change(change, element).map_err(|fault| fault.in_element(index))?;
                }
            }
            Change::Map(change) => {
                for (key, value) in value.members()? {
                    self.change(change, value).map_err(|fault| fault.in_element(&*key))?;
                }
            }
            Change::Wrap(name) => {
                let inner = std::mem::replace(value, Tree::Text(Cow::Borrowed("null")));
                *value = Tree::Object(vec![(Cow::Owned(name.to_string()), inner)]);
            }
            Change::Unwrap(name, empty) => {
                let inner = value.remove(name)?;
                self.loses.set(true);
                *value = inner.unwrap_or_else(|| Tree::Text(Cow::Owned(empty.to_string())));
            }
            Change::Words(words) => {
                let word = value.str()?;
                if let Some((_, to)) = words.iter().find(|(from, _)| **from == *word) {
                    *value = Tree::string(to);
                }
            }
        }
        Ok(())
    }
}

/// The value at a path, unless it is `null`.
fn present<'t, 'a>(tree: &'t mut Tree<'a>, path: &Path) -> Result<Option<&'t mut Tree<'a>>> {
    Ok(get(tree, path)?.filter(|value| !value.is_null()))
}

/// Whether the object around a member is there.
fn is_parent_there(tree: &mut Tree<'_>, path: &Path) -> Result<bool> {
    let parent = Path::new((0..path.len() - 1).map(|index| path.name(index)));
    Ok(parent.is_empty() || present(tree, &parent)?.is_some())
}

/// Whether a member has a value that is not empty.
fn has_value(tree: &mut Tree<'_>, path: &Path) -> Result<bool> {
    Ok(present(tree, path)?.is_some())
}

/// The value of the element that a member represents.
fn find<'a>(element: &Element, list: &mut Tree<'a>) -> Result<Option<Tree<'a>>> {
    let mut found = None;
    for candidate in list.elements()? {
        if candidate.kind() != Kind::Object {
            continue;
        }
        let mut fits = true;
        for (path, word) in &*element.when {
            let is_word = |value: &mut Tree<'_>| {
                value.kind() == Kind::String && value.str().is_ok_and(|text| text == **word)
            };
            fits = fits && get(candidate, path)?.is_some_and(is_word);
        }
        if fits && let Some(value) = present(candidate, &element.value)? {
            found = Some(value.clone());
            if !element.last {
                break;
            }
        }
    }
    Ok(found)
}

/// Whether two values are the same JSON.
fn same(one: &Tree<'_>, other: &Tree<'_>) -> bool {
    let value = |tree: &Tree<'_>| value(&tree.to_json()).ok();
    match (one, other) {
        (Tree::Text(one), Tree::Text(other)) if one == other => true,
        // What contains a number without a float, such as 1e400, is equal to its own text only.
        _ => value(one).is_some_and(|one| Some(one) == value(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_may_be_written_differently() {
        let is_same = |one: &str, other: &str| {
            same(&Tree::new(one.as_bytes()).unwrap(), &Tree::new(other.as_bytes()).unwrap())
        };
        assert!(is_same(r#"{"a":1,"b":[2]}"#, r#"{"b": [2], "a": 1}"#));
        assert!(!is_same("1", "2"));
        assert!(is_same("1e400", "1e400"));
        assert!(!is_same("1e400", "2e400"));
        let deep = |number: &str| format!("{}{number}{}", "[".repeat(400), "]".repeat(400));
        assert!(is_same(&deep("1"), &deep(" 1")));
        assert!(!is_same(&deep("1"), &deep("2")));
    }
}
