//! Applies edits to an object.
//!
//! Edits take values from some paths and put them at others, and the paths of different edits overlap: two fields may
//! change places, or one object may move into another that also moves. So they do not run one after the other, where
//! the second would read what the first has written. All values are read first, then all places are emptied, then
//! values are put.
//!
//! Objects around the values follow from these: one that is empty after its members were taken disappears, and one that
//! a put needs is made. Therefore required objects and constants come last, since they are written only into objects
//! that are there. `loses` notes whatever the edits of the other direction cannot bring back: only then is there
//! anything to stash, and most objects pay for no comparison.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use super::edits::{Change, Each, Edit, Edits, Element, First};
use super::empty::{fills_nothing, is_empty, is_hollow, is_nothing};
use super::fault::{Fault, Result};
use super::function::{call, look_up, scalar};
use super::node::value;
use super::path::{drop_out, get, move_out, put};
use super::{Path, Tree};
use crate::convert::number::{self, Number as _};
use crate::convert::{Bits, Functions};
use crate::json::lexer::Kind;
use crate::reflect::Text;

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
#[derive(Clone)]
enum Put<'e, 'a> {
    Set(&'e Path, Tree<'a>),
    /// An object, unless it is there.
    Object(&'e Path),
    /// Unless it is there, if the object around it is.
    Required(&'e Path, &'e str),
    /// Only if the object around it is there.
    Inside(&'e Path, Tree<'a>),
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
        self.note_hollow(edits, tree)?;
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
            let object = match edit {
                Edit::Present { from, to } if from == to => from,
                Edit::Filled { path } => path,
                _ => continue,
            };
            if present(tree, object)?.is_none() {
                made.push(object);
            }
        }
        // A `null` that is lost does not keep an object that is empty without what moves out of it.
        for path in &*edits.drops {
            if get(tree, path)?.is_some_and(|value| value.is_null()) {
                self.drop_out(tree, path)?;
            }
        }
        for edit in &*edits.edits {
            for path in edit.takes() {
                // Only a move brings a `null` along.
                if !matches!(edit, Edit::Move { .. }) && get(tree, path)?.is_some_and(|value| value.is_null())
                {
                    self.loses.set(true);
                }
                move_out(tree, path)?;
            }
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
                    *value = Tree::Object(Vec::new());
                }
            }
        }
        // Required objects, and values that nothing was read for, need the objects around them.
        let (later, others): (Vec<_>, Vec<_>) =
            puts.into_iter().partition(|put| matches!(put, Put::Required(..) | Put::Inside(..)));
        let (mut hollow, mut weak) = (Vec::new(), Vec::new());
        for mut wanted in others {
            let makes = makes(edits, &mut wanted)?;
            if makes == Makes::Nothing || !self.to_hub && is_null_of_nobody(edits, &wanted) {
                weak.push(wanted);
            } else if makes == Makes::Hollow {
                hollow.push(wanted);
            } else {
                self.put_filled(edits, tree, wanted)?;
            }
        }
        self.leave_out(edits, tree)?;
        let (required, inside): (Vec<_>, Vec<_>) =
            later.into_iter().partition(|put| matches!(put, Put::Required(..)));
        self.put_all(tree, &required)?;
        self.put_all(tree, &inside)?;
        // These make objects after the words, which are in none of them.
        if !hollow.is_empty() {
            for wanted in hollow {
                self.put_filled(edits, tree, wanted)?;
            }
            self.leave_out(edits, tree)?;
            self.put_all(tree, &required)?;
        }
        // And these make none.
        for wanted in weak {
            if let Put::Set(path, _) = wanted
                && is_parent_there(tree, path)?
            {
                self.put_filled(edits, tree, wanted)?;
            } else {
                self.loses.set(true);
            }
        }
        for path in made {
            self.loses.set(self.loses.get() || present(tree, path)?.is_some());
        }
        Ok(())
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
            Edit::Change { .. }
            | Edit::Gather { .. }
            | Edit::Empty { .. }
            | Edit::Hollow { .. }
            | Edit::Null { .. } => {}
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
            Edit::Required { to, empty } => puts.push(Put::Required(to, empty)),
            Edit::Made { to, value, without } => {
                if present(tree, without)?.is_none() {
                    puts.push(Put::Required(to, value));
                }
            }
            Edit::Word { to, cases, otherwise } => {
                let mut word = otherwise;
                for case in &**cases {
                    if value_at(tree, &case.path, case.empty.as_ref())?.is_some() {
                        word = &case.word;
                        break;
                    }
                }
                puts.push(Put::Inside(to, Tree::string(word)));
            }
            Edit::Determined { path } => {
                if present(tree, path)?.is_none() && is_parent_there(tree, path)? {
                    self.loses.set(true);
                }
            }
            Edit::Filled { path } => {
                if let Some(object) = get(tree, path)?
                    && (object.is_null() || object.members()?.is_empty())
                {
                    self.loses.set(true);
                }
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
            Edit::Table { table, from, to } => {
                let mut values = Vec::with_capacity(from.len());
                for path in &**from {
                    values.push(present(tree, path)?.cloned());
                }
                let is_there = values.iter().any(Option::is_some);
                if is_there || table.fills_nothing() {
                    self.loses.set(true);
                    let results = look_up(table, self.to_hub, from, values)?;
                    let put =
                        |path, value| if is_there { Put::Set(path, value) } else { Put::Inside(path, value) };
                    puts.extend(to.iter().zip(results).filter_map(|(path, result)| Some(put(path, result?))));
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
                if let Some(value) = value_at(tree, &element.field, element.field_empty.as_ref())? {
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
                    if let Some(value) = value_at(tree, &each.field, each.empty.as_ref())? {
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

    /// An object of the hub that is empty does not come back, even if other members enter it meanwhile.
    fn note_hollow(&self, edits: &Edits, tree: &mut Tree<'_>) -> Result<()> {
        for edit in &*edits.edits {
            if let Edit::Empty { to, .. } = edit
                && !self.to_hub
                && let Some(value) = get(tree, to)?
                && is_hollow(value)?
            {
                self.loses.set(true);
            }
        }
        Ok(())
    }

    /// Writes a member, unless it is empty and this is the same as no member: then nothing is created around it,
    /// either.
    fn put_filled<'a>(&self, edits: &Edits, tree: &mut Tree<'a>, mut wanted: Put<'e, 'a>) -> Result<()> {
        if let Put::Set(path, value) = &mut wanted {
            for edit in &*edits.edits {
                if let Edit::Empty { to, zeros, nulls } = edit
                    && to == *path
                    && is_empty(value, zeros, nulls)?
                {
                    self.loses.set(true);
                    return Ok(());
                }
            }
        }
        self.put(tree, wanted)
    }

    /// Removes members that are empty, where this is the same as no member.
    fn leave_out(&self, edits: &Edits, tree: &mut Tree<'_>) -> Result<()> {
        for edit in &*edits.edits {
            if let Edit::Empty { to, zeros, nulls } = edit
                && let Some(value) = get(tree, to)?
                && is_empty(value, zeros, nulls)?
            {
                self.drop_out(tree, to)?;
            }
        }
        Ok(())
    }

    fn put_all<'a>(&self, tree: &mut Tree<'a>, wanted: &[Put<'e, 'a>]) -> Result<()> {
        wanted.iter().try_for_each(|wanted| self.put(tree, wanted.clone()))
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
            Put::Required(path, empty) => {
                // A `null` is what a member that may be `null` has, and no object.
                let is_missing = match empty {
                    "null" => get(tree, path)?.is_none(),
                    _ => present(tree, path)?.is_none(),
                };
                if !is_missing || !is_parent_there(tree, path)? {
                    return Ok(());
                }
                self.loses.set(true);
                put(tree, path, Tree::Text(Cow::Owned(empty.to_owned())))
            }
            Put::Inside(path, value) => {
                if is_parent_there(tree, path)? {
                    put(tree, path, value)
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
                let yes = |name: &Text| (Cow::Owned(name.to_string()), Tree::Text(Cow::Borrowed("true")));
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

    /// Changes the value of a map that becomes an item of a list. `null` becomes an item without other members.
    fn to_item(&self, change: &Change, value: &mut Tree<'_>) -> Result<()> {
        if value.is_null() {
            *value = Tree::Object(Vec::new());
            return Ok(());
        }
        self.change(change, value)
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
                *value = inner
                    .filter(|inner| !inner.is_null())
                    .unwrap_or_else(|| Tree::Text(Cow::Owned(empty.to_string())));
            }
            Change::ToItems { key, writes_empty, value: change } => {
                let mut members = std::mem::take(value.members()?);
                // A typed map is in the order of its keys.
                members.sort_by(|(name, _), (other, _)| name.cmp(other));
                let mut items = Vec::with_capacity(members.len());
                for (name, mut item) in members {
                    self.to_item(change, &mut item).map_err(|fault| fault.in_element(&*name))?;
                    if *writes_empty || !name.is_empty() {
                        item.set(key, Tree::string(&name))?;
                    }
                    items.push(item);
                }
                *value = Tree::List(items);
            }
            Change::ToEntries(key, change) => {
                let items = std::mem::take(value.elements()?);
                // The order and other items with the same key do not come back.
                self.loses.set(true);
                let (mut seen, mut members) = (HashSet::new(), Vec::with_capacity(items.len()));
                for (index, mut item) in items.into_iter().enumerate() {
                    let name = key_of(&mut item, key).map_err(|fault| fault.in_element(index))?;
                    if seen.insert(name.clone()) {
                        self.change(change, &mut item).map_err(|fault| fault.in_element(index))?;
                        members.push((Cow::Owned(name), item));
                    }
                }
                *value = Tree::Object(members);
            }
            Change::ToText(form) => {
                let number = scalar(value, |lexer| lexer.i64())?;
                *value = Tree::string(&number::write(number, *form));
            }
            Change::ToNumber(form, bits) => {
                let is_number = value.kind() == Kind::Number;
                let text = match &*value {
                    Tree::Text(number) if is_number => number.clone(),
                    text => text.str()?,
                };
                let number = match bits {
                    Bits::Short => i32::nearest(number::read(&text, *form)).into(),
                    Bits::Long => number::read(&text, *form),
                };
                // What the conversion back writes is another text, or none.
                self.loses.set(self.loses.get() || is_number || number::write(number, *form) != *text);
                *value = Tree::Text(Cow::Owned(number.to_string()));
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

/// Whether a member of the version gets a `null` that neither it nor the hub tells from none.
fn is_null_of_nobody(edits: &Edits, wanted: &Put<'_, '_>) -> bool {
    let Put::Set(path, value) = wanted else { return false };
    let is_told = |edit: &Edit| matches!(edit, Edit::Null { to } if to == *path);
    path.len() > 1 && value.is_null() && !edits.edits.iter().any(is_told)
}

/// The objects that a value makes around the member that gets it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// Those that are not there.
    Objects,
    /// Those that are not there, but without words.
    Hollow,
    /// None: it is left out where the object is not there.
    Nothing,
}

/// The objects that a member makes, which depends on whether a typed object tells its value from none.
fn makes(edits: &Edits, wanted: &mut Put<'_, '_>) -> Result<Makes> {
    let Put::Set(path, value) = wanted else { return Ok(Makes::Objects) };
    for edit in &*edits.edits {
        if let Edit::Hollow { to, nothing, makes } = edit
            && to == *path
            && is_nothing(value, nothing)?
        {
            return Ok(if *makes { Makes::Hollow } else { Makes::Nothing });
        }
        // An object that is left out where it is empty is not made for what does not fill it.
        if let Edit::Empty { to, zeros, nulls } = edit
            && let Some(names) = path.below(to)
            && fills_nothing(value, &names, zeros, nulls)?
        {
            return Ok(Makes::Nothing);
        }
    }
    Ok(Makes::Objects)
}

/// Removes the key of an item from it; empty if there is none.
fn key_of(item: &mut Tree<'_>, key: &str) -> Result<String> {
    if item.is_null() {
        *item = Tree::Object(Vec::new());
    }
    match item.remove(key)? {
        Some(name) if !name.is_null() => Ok(name.str()?.into_owned()),
        _ => Ok(String::new()),
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

/// The value at a path, unless it is `null` or the JSON that is no value.
fn value_at<'t, 'a>(
    tree: &'t mut Tree<'a>,
    path: &Path,
    empty: Option<&Text>,
) -> Result<Option<&'t mut Tree<'a>>> {
    let empty = empty.map(|empty| Tree::Text(Cow::Borrowed(&**empty)));
    Ok(present(tree, path)?.filter(|value| !empty.is_some_and(|empty| same(value, &empty))))
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
        let is_there = is_parent_there(candidate, &element.value)?;
        let empty = || element.empty.as_ref().filter(|_| is_there);
        let value = match present(candidate, &element.value)? {
            Some(value) => Some(value.clone()),
            None => empty().map(|empty| Tree::Text(Cow::Owned(empty.to_string()))),
        };
        if fits && value.is_some() {
            found = value;
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
