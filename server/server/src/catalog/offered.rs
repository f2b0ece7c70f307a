//! Which kinds clients can name, and what they can do with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hubgen_machinery::scheme::{KindEntry, Resource, Scheme};

/// The kinds that clients can name, of those that the server knows. Objects of the others stay readable where they are
/// stored, and at the versions of their kind that are offered.
///
/// By default every kind of the Scheme is offered as it is there.
#[derive(Clone, Debug, Default)]
pub struct Offered {
    /// What is offered, by group, version and kind; `None` for everything.
    chosen: Option<Arc<BTreeMap<Key, Resource>>>,
}

type Key = (String, String, String);

impl Offered {
    /// Offers what `choose` returns for each kind that has a resource, and no kind for which it returns nothing.
    ///
    /// ```
    /// use hubgen_machinery::scheme::Scheme;
    /// use hubgen_server::catalog::Offered;
    ///
    /// let mut scheme = Scheme::new();
    /// hubgen_coordination::register(&mut scheme);
    /// // Only what is stable.
    /// let offered = Offered::choose(&scheme, |kind, resource| (&*kind.version == "v1").then(|| resource.clone()));
    /// # drop(offered);
    /// ```
    pub fn choose(
        scheme: &Scheme,
        mut choose: impl FnMut(&KindEntry, &Resource) -> Option<Resource>,
    ) -> Self {
        let chosen = scheme.kinds().filter_map(|entry| {
            let resource = choose(entry, entry.resource.as_ref()?)?;
            Some((key(entry), resource))
        });
        Self { chosen: Some(Arc::new(chosen.collect())) }
    }

    /// How a kind is offered; `None` if it is not. A kind that a stored definition defines is offered as that says.
    pub(crate) fn resource<'a>(&'a self, entry: &'a KindEntry) -> Option<&'a Resource> {
        if let Some(untyped) = &entry.untyped {
            return entry.resource.as_ref().filter(|_| untyped.is_served());
        }
        match &self.chosen {
            Some(chosen) => chosen.get(&key(entry)),
            None => entry.resource.as_ref(),
        }
    }
}

fn key(entry: &KindEntry) -> Key {
    let (group, version, kind) = entry.parts();
    (group.to_owned(), version.to_owned(), kind.to_owned())
}
