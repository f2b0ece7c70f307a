//! Reads a list page by page.

use std::collections::HashSet;
use std::ops::ControlFlow;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::kubectl::{Mishap, parsed};

/// An object of a list.
pub type Object = Map<String, Value>;

/// A list that is read.
pub struct Pages<'a> {
    path: &'a str,
    limit: u32,
    get: &'a dyn Fn(&str) -> Result<Vec<u8>, Mishap>,
    given: usize,
    /// Namespaces and names of the objects that were given, if there is more than one page.
    seen: HashSet<String>,
}

/// How the reading of a list ends.
enum End {
    Whole,
    /// The server no longer has the state of the first page.
    Expired,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(deserialize_with = "or_null")]
    items: Vec<Object>,
}

#[derive(Default, Deserialize)]
struct ListMeta {
    #[serde(default, rename = "continue")]
    token: String,
}

/// Servers in Go write an empty list as `null`, too.
fn or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Object>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl<'a> Pages<'a> {
    /// The list at a path, in pages of so many objects; 0 for the whole list.
    pub fn new(path: &'a str, limit: u32, get: &'a dyn Fn(&str) -> Result<Vec<u8>, Mishap>) -> Self {
        Self { path, limit, get, given: 0, seen: HashSet::new() }
    }

    /// How many objects were given.
    pub fn given(&self) -> usize {
        self.given
    }

    /// Gives all objects, until the receiver breaks off.
    ///
    /// The pages of a list are of the state at its first page, which servers keep for minutes. If it expires, the list is read
    /// from its beginning, without what was given; and if it expires again, whole, as client-go does at once.
    pub fn read(&mut self, give: &mut dyn FnMut(Object) -> ControlFlow<()>) -> Result<(), Mishap> {
        for limit in [self.limit, self.limit, 0] {
            if let End::Whole = self.read_once(limit, give)? {
                return Ok(());
            }
        }
        let message = "the server forgets the state of the list before all of its pages are read";
        Err(Mishap::NotUnderstood(message.to_owned()))
    }

    fn read_once(
        &mut self,
        limit: u32,
        give: &mut dyn FnMut(Object) -> ControlFlow<()>,
    ) -> Result<End, Mishap> {
        let mut token = String::new();
        loop {
            let list = match (self.get)(&self.page(limit, &token)) {
                Err(Mishap::Server(status))
                    if !token.is_empty() && matches!(&*status.reason, "Expired" | "Gone") =>
                {
                    return Ok(End::Expired);
                }
                answer => parsed::<List>(&answer?, "a list of objects")?,
            };
            let is_last = list.metadata.token.is_empty();
            for object in list.items {
                if !self.is_new(&object, is_last) {
                    continue;
                }
                self.given += 1;
                if give(object).is_break() {
                    return Ok(End::Whole);
                }
            }
            if is_last {
                return Ok(End::Whole);
            }
            if list.metadata.token == token {
                let message = "expected the next page, found the token of the same one";
                return Err(Mishap::NotUnderstood(message.to_owned()));
            }
            token = list.metadata.token;
        }
    }

    /// Whether an object was not given before. It is remembered if there are more pages.
    fn is_new(&mut self, object: &Object, is_last: bool) -> bool {
        let metadata = object.get("metadata").unwrap_or(&Value::Null);
        let Some(name) = metadata["name"].as_str() else { return true };
        let key = format!("{}/{name}", metadata["namespace"].as_str().unwrap_or_default());
        if is_last { !self.seen.contains(&key) } else { self.seen.insert(key) }
    }

    /// The path of a page.
    fn page(&self, limit: u32, token: &str) -> String {
        let limit = (limit > 0).then(|| format!("limit={limit}"));
        let token = utf8_percent_encode(token, NON_ALPHANUMERIC).to_string();
        let token = (!token.is_empty()).then(|| format!("continue={token}"));
        let query: Vec<String> = limit.into_iter().chain(token).collect();
        if query.is_empty() { self.path.to_owned() } else { format!("{}?{}", self.path, query.join("&")) }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::kubectl::Status;

    /// A server with a list that changes.
    struct Server {
        objects: RefCell<BTreeMap<usize, u32>>,
        /// The objects that are there when each token was made.
        states: RefCell<Vec<BTreeMap<usize, u32>>>,
        /// The answers after which all tokens are forgotten, and what becomes of the objects then.
        changes: RefCell<BTreeMap<usize, Vec<(usize, bool)>>>,
        /// The tokens before this state are forgotten.
        forgotten: Cell<usize>,
        answers: Cell<usize>,
    }

    impl Server {
        fn of(
            objects: impl IntoIterator<Item = usize>,
            changes: BTreeMap<usize, Vec<(usize, bool)>>,
        ) -> Self {
            let objects = objects.into_iter().map(|name| (name, 0)).collect();
            Self {
                objects: RefCell::new(objects),
                states: RefCell::default(),
                changes: RefCell::new(changes),
                forgotten: Cell::new(0),
                answers: Cell::new(0),
            }
        }

        /// A token is the number of a state and that of its first object.
        fn get(&self, path: &str) -> Result<Vec<u8>, Mishap> {
            if let Some(changes) = self.changes.borrow_mut().remove(&self.answers.get()) {
                self.forgotten.set(self.states.borrow().len());
                for (name, is_there) in changes {
                    if is_there {
                        self.objects.borrow_mut().insert(name, 1);
                    } else {
                        self.objects.borrow_mut().remove(&name);
                    }
                }
            }
            self.answers.set(self.answers.get() + 1);
            let query: BTreeMap<&str, &str> = path
                .split_once('?')
                .map_or("", |(_, query)| query)
                .split('&')
                .filter_map(|parameter| parameter.split_once('='))
                .collect();
            let limit = query.get("limit").map_or(usize::MAX, |limit| limit.parse().unwrap());
            let mut states = self.states.borrow_mut();
            let (state, first) = match query.get("continue") {
                None => {
                    states.push(self.objects.borrow().clone());
                    (states.len() - 1, 0)
                }
                Some(token) => {
                    let (state, first) = token.split_once("%2E").unwrap();
                    (state.parse().unwrap(), first.parse().unwrap())
                }
            };
            if state < self.forgotten.get() {
                let [reason, message] = ["Expired", "too old"].map(str::to_owned);
                return Err(Mishap::Server(Status { reason, message }));
            }
            let objects = &states[state];
            let item =
                |(name, uid): (&usize, &u32)| json!({"metadata": {"name": name.to_string(), "uid": uid}});
            let items: Vec<_> = objects.iter().skip(first).take(limit).map(item).collect();
            let next = first.saturating_add(limit);
            let token = if next < objects.len() { format!("{state}.{next}") } else { String::new() };
            Ok(json!({"metadata": {"continue": token}, "items": items}).to_string().into_bytes())
        }
    }

    /// The names of the objects that are given.
    fn read(server: &Server, limit: u32) -> Result<Vec<usize>, Mishap> {
        let mut names = Vec::new();
        let get = |path: &str| server.get(path);
        let mut pages = Pages::new("/api/v1/pods", limit, &get);
        pages.read(&mut |object| {
            names.push(object["metadata"]["name"].as_str().unwrap().parse().unwrap());
            ControlFlow::Continue(())
        })?;
        assert_eq!(pages.given(), names.len());
        Ok(names)
    }

    proptest! {
        #[test]
        fn pages_of_any_size_give_the_same(count in 0..40_usize, limit in 0..50_u32) {
            let expected: Vec<usize> = (0..count).collect();
            prop_assert_eq!(read(&Server::of(0..count, BTreeMap::new()), limit), Ok(expected));
        }

        /// Objects come and go while the list is read, and the server forgets what it was.
        #[test]
        fn what_is_there_all_the_time_is_given_once(
            objects in prop::collection::btree_set(0..40_usize, 0..40),
            limit in 1..10_u32,
            changes in prop::collection::btree_map(
                1..12_usize,
                prop::collection::vec((0..60_usize, any::<bool>()), 0..10),
                0..4,
            ),
        ) {
            let changed: HashSet<usize> = changes.values().flatten().map(|(name, _)| *name).collect();
            let server = Server::of(objects.iter().copied(), changes);
            let names = read(&server, limit);
            let names = names.expect("whole lists do not expire");
            let given: HashSet<usize> = names.iter().copied().collect();
            prop_assert_eq!(given.len(), names.len(), "an object is given twice: {:?}", names);
            for name in objects.iter().filter(|name| !changed.contains(name)) {
                prop_assert!(given.contains(name), "{} is not given: {:?}", name, names);
            }
            for name in &given {
                prop_assert!(objects.contains(name) || changed.contains(name));
            }
        }
    }

    #[test]
    fn who_breaks_off_is_given_no_more() {
        let server = Server::of(0..10, BTreeMap::new());
        let get = |path: &str| server.get(path);
        let mut pages = Pages::new("/p", 3, &get);
        let mut count = 0;
        let give = &mut |_| {
            count += 1;
            if count == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        assert_eq!(pages.read(give), Ok(()));
        assert_eq!((count, server.answers.get()), (4, 2));
    }

    /// Objects of ten kilobytes.
    #[test]
    fn memory_does_not_grow_with_the_list() {
        let most = |pages: usize| {
            let page = |path: &str| {
                let at: usize = path.rsplit_once("%3D").map_or(0, |(_, at)| at.parse().unwrap());
                let token = if at + 1 < pages { format!("={}", at + 1) } else { String::new() };
                let text = "x".repeat(10_000);
                let item = |item| json!({"metadata": {"name": format!("{at}-{item}")}, "text": text});
                let items: Vec<_> = (0..10).map(item).collect();
                Ok(json!({"metadata": {"continue": token}, "items": items}).to_string().into_bytes())
            };
            let read = || {
                let mut pages = Pages::new("/p", 10, &page);
                assert_eq!(pages.read(&mut |_| ControlFlow::Continue(())), Ok(()));
                pages.given()
            };
            let mut given = 0;
            let info = allocation_counter::measure(|| given = read());
            assert_eq!(given, pages * 10);
            info.bytes_max
        };
        let [few, many] = [2, 200].map(most);
        // Names are kept, 2000 of a few bytes.
        assert!(many < few + 300_000, "{few} bytes for two pages, {many} for two hundred");
    }
}
