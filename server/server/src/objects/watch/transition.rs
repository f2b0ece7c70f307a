//! What a change means for a watch that selects some objects.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transition {
    /// The watch never selected the object.
    None,
    /// The object is created, or is selected from now on.
    Comes,
    /// The object is changed.
    Stays,
    /// The object is deleted, or is not selected any more.
    Goes,
}

impl Transition {
    /// The transition of an object that the watch selected before, and selects now.
    pub(super) fn of(was: bool, is: bool) -> Self {
        match (was, is) {
            (false, false) => Self::None,
            (false, true) => Self::Comes,
            (true, true) => Self::Stays,
            (true, false) => Self::Goes,
        }
    }
}
