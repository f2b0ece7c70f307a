use super::Element;

/// A set of paths.
///
/// It is a tree: a path is in the set if its last element is a member of the node that the others lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// The last elements of paths, sorted.
    pub(super) members: Vec<Element>,
    /// What is behind an element, sorted. No set in here is empty.
    pub(super) children: Vec<(Element, Set)>,
}

impl Set {
    /// The empty set.
    pub const EMPTY: Self = Self { members: Vec::new(), children: Vec::new() };

    /// Adds a path. The empty path is that of the whole object, which is never in a set.
    pub fn insert(&mut self, path: &[Element]) {
        match path {
            [] => {}
            [last] => {
                if let Err(at) = self.members.binary_search(last) {
                    self.members.insert(at, last.clone());
                }
            }
            [first, rest @ ..] => {
                let at = match self.child(first) {
                    Ok(at) => at,
                    Err(at) => {
                        self.children.insert(at, (first.clone(), Self::EMPTY));
                        at
                    }
                };
                self.children[at].1.insert(rest);
            }
        }
    }

    /// Whether the path is in the set.
    pub fn has(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [last] => self.has_member(last),
            [first, rest @ ..] => self.behind(first).is_some_and(|child| child.has(rest)),
        }
    }

    /// Whether the path of this one element is in the set.
    pub fn has_member(&self, element: &Element) -> bool {
        self.members.binary_search(element).is_ok()
    }

    /// The paths that begin with an element, without it; `None` if there are none.
    pub fn behind(&self, element: &Element) -> Option<&Self> {
        self.child(element).ok().map(|at| &self.children[at].1)
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.iter().all(|(_, child)| child.is_empty())
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.members.len() + self.children.iter().map(|(_, child)| child.len()).sum::<usize>()
    }

    /// The paths of one element.
    pub fn members(&self) -> &[Element] {
        &self.members
    }

    /// The longer paths, by their first element.
    pub fn children(&self) -> &[(Element, Self)] {
        &self.children
    }

    /// All paths in their order: those of one element first, then those of each child.
    pub fn paths(&self) -> Paths<'_> {
        Paths { prefix: Vec::new(), open: vec![(self, 0)] }
    }

    /// A set of the members and the children, which may be in any order and occur more than once. Of two children with the
    /// same element, the later one counts.
    pub(crate) fn of(mut members: Vec<Element>, mut children: Vec<(Element, Self)>) -> Self {
        if !members.is_sorted() {
            members.sort();
        }
        members.dedup();
        if !children.is_sorted_by(|(left, _), (right, _)| left < right) {
            children.reverse();
            children.sort_by(|(left, _), (right, _)| left.cmp(right));
            children.dedup_by(|(later, _), (earlier, _)| later == earlier);
        }
        children.retain(|(_, child)| !child.is_empty());
        Self { members, children }
    }

    fn child(&self, element: &Element) -> Result<usize, usize> {
        self.children.binary_search_by(|(first, _)| first.cmp(element))
    }
}

impl<'p> FromIterator<&'p [Element]> for Set {
    fn from_iter<I: IntoIterator<Item = &'p [Element]>>(paths: I) -> Self {
        let mut set = Self::EMPTY;
        paths.into_iter().for_each(|path| set.insert(path));
        set
    }
}

/// The paths of a set.
pub struct Paths<'a> {
    /// The elements before the innermost open set.
    prefix: Vec<&'a Element>,
    /// The sets on the way, each with the number of its members and children that are done.
    open: Vec<(&'a Set, usize)>,
}

impl<'a> Iterator for Paths<'a> {
    type Item = Vec<&'a Element>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (set, done) = self.open.last_mut()?;
            let at = *done;
            *done += 1;
            if let Some(member) = set.members.get(at) {
                return Some(self.prefix.iter().copied().chain([member]).collect());
            }
            match set.children.get(at - set.members.len()) {
                Some((element, child)) => {
                    self.prefix.push(element);
                    self.open.push((child, 0));
                }
                None => {
                    self.open.pop();
                    self.prefix.pop();
                }
            }
        }
    }
}
