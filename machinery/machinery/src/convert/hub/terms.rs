//! In whose terms stashes are written.

use super::ViaHub;

/// The versions in whose terms the stashes of a kind are read and written.
///
/// A stash has fields of the hub, by the names that they have there. A later release of a program may have another hub
/// version, with other names. A stash therefore says in the terms of which version it is written, and is read by
/// converting the object to that version and back where that is no longer the hub version.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The hub version: `apps/v1`. What is stashed now is in its terms.
    pub hub: &'a str,
    /// The other versions: each may have been the hub version of the program that wrote a stash. A stash in the terms
    /// of a version that is not listed stays in its annotation.
    pub others: &'a [(&'a str, ViaHub)],
}

impl Terms<'_> {
    /// The forms of a hub in which a stash may be read, the most likely first; `None` if the stash is in the terms of a
    /// version that is not known. A stash that names no version is of the first format, in the terms of the hub version
    /// of its time, which most likely has not changed.
    pub(in crate::convert) fn forms(&self, named: Option<&str>) -> Option<Vec<Form<'_>>> {
        let is_named = |form: &Form<'_>| match form {
            Form::Hub => named.is_none_or(|named| named == self.hub),
            Form::Version(name, _) => named == Some(name),
        };
        let others = self.others.iter().map(|(name, version)| Form::Version(name, version));
        let mut forms: Vec<Form<'_>> = others.chain([Form::Hub]).collect();
        let first = forms.iter().position(is_named)?;
        forms[..=first].rotate_right(1);
        Some(forms)
    }
}

/// A form of a hub: the fields that parts of a stash name are looked for in it.
pub(in crate::convert) enum Form<'a> {
    /// The hub itself.
    Hub,
    /// The hub, converted to a version.
    Version(&'a str, &'a ViaHub),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ApiType;
    use crate::convert::identity;

    #[derive(ApiType)]
    struct Lamp {
        watts: i32,
    }

    identity!(Lamp);

    #[test]
    fn the_named_version_is_tried_first_and_an_unknown_one_not_at_all() {
        let others = [("a/v1", ViaHub::of::<Lamp>()), ("a/v2", ViaHub::of::<Lamp>())];
        let terms = Terms { hub: "a/v3", others: &others };
        let names = |named| {
            let name = |form: &Form<'_>| match form {
                Form::Hub => "a/v3".to_owned(),
                Form::Version(name, _) => (*name).to_owned(),
            };
            terms.forms(named).map(|forms| forms.iter().map(name).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names(None).as_deref(), Some("a/v3 a/v1 a/v2"));
        assert_eq!(names(Some("a/v3")).as_deref(), Some("a/v3 a/v1 a/v2"));
        assert_eq!(names(Some("a/v2")).as_deref(), Some("a/v2 a/v1 a/v3"));
        assert_eq!(names(Some("a/v4")), None);
    }
}
