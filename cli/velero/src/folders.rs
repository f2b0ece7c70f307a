//! From which folder each entry came, and where it went.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::place::Folder;

/// Where an entry came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It is a folder.
    Folder,
    /// It is no object.
    Other,
    /// It is an object.
    Object(Box<Moved>),
}

/// Where an object was, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// The folder it came from.
    pub from: Folder,
    /// The folder it went to; the same where it stays.
    pub to: Folder,
    /// Whether something is wrong with it.
    pub state: State,
}

/// Whether something is wrong with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Something is.
    Failed,
    /// Nothing is.
    Fine,
}

/// The origin of each entry. An entry takes four bytes: there are few different origins.
#[derive(Default)]
pub struct Folders {
    entries: Vec<u32>,
    origins: Vec<Origin>,
    numbers: HashMap<Origin, u32>,
}

impl Origin {
    /// An object.
    pub fn object(from: &Folder, to: &Folder, state: State) -> Self {
        Self::Object(Box::new(Moved { from: from.clone(), to: to.clone(), state }))
    }
}

impl Moved {
    /// What is the same for all objects that may meet.
    pub fn meets(&self) -> Folder {
        self.to.without_preference()
    }

    /// Which of objects that meet is kept: the greatest.
    pub fn rank(&self) -> impl Ord {
        (self.state, self.from.is_preferred(), self.from.resource == self.to.resource)
    }
}

impl Folders {
    /// The next entry.
    pub fn add(&mut self, origin: Origin) {
        let next = self.origins.len() as u32;
        let number = *self.numbers.entry(origin).or_insert_with_key(|origin| {
            self.origins.push(origin.clone());
            next
        });
        self.entries.push(number);
    }

    /// The origin of an entry.
    pub fn origin(&self, entry: usize) -> &Origin {
        &self.origins[self.number(entry)]
    }

    /// The number of the origin of an entry.
    pub fn number(&self, entry: usize) -> usize {
        self.entries[entry] as usize
    }

    /// For each origin a number, if its objects may meet those of others; the same for those that may meet.
    pub fn meetings(&self) -> Vec<Option<u32>> {
        let mut meetings: BTreeMap<Folder, Meeting> = BTreeMap::new();
        for moved in self.moved() {
            let number = meetings.len() as u32;
            let new = || Meeting { number, from: BTreeSet::new(), has_moved: false };
            let meeting = meetings.entry(moved.meets()).or_insert_with(new);
            meeting.from.insert(&moved.from);
            meeting.has_moved |= moved.from != moved.to;
        }
        let number = |origin: &Origin| {
            let Origin::Object(moved) = origin else { return None };
            let meeting = &meetings[&moved.meets()];
            (meeting.from.len() > 1 && meeting.has_moved).then_some(meeting.number)
        };
        self.origins.iter().map(number).collect()
    }

    /// The folders which objects left, if there are entries for folders: those would tell a restore of versions that the
    /// backup does not have any more.
    pub fn deserted(&self) -> BTreeSet<Folder> {
        if !self.numbers.contains_key(&Origin::Folder) {
            return BTreeSet::new();
        }
        self.moved().filter(|moved| moved.from != moved.to).map(|moved| moved.from.clone()).collect()
    }

    fn moved(&self) -> impl Iterator<Item = &Moved> {
        self.origins.iter().filter_map(|origin| match origin {
            Origin::Object(moved) => Some(&**moved),
            _ => None,
        })
    }
}

/// Objects that go to one folder.
struct Meeting<'a> {
    number: u32,
    /// Where they come from.
    from: BTreeSet<&'a Folder>,
    /// Whether one of them was elsewhere.
    has_moved: bool,
}
