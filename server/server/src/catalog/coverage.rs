//! The kinds that protobuf covers.

use std::sync::Arc;

use hubgen_machinery::protobuf;
use hubgen_machinery::scheme::{KindEntry, SEPARATE_SERVER_GROUPS, Scheme};

use crate::media::Media;

/// The kinds that protobuf covers, in the Scheme's order.
pub(crate) struct Coverage(Vec<Arc<KindEntry>>);

impl Coverage {
    /// The covered kinds of a Scheme.
    pub(crate) fn new(scheme: &Scheme) -> Self {
        let covered = scheme.kinds().filter(|entry| protobuf::covers(&entry.descriptor()));
        Self(covered.cloned().collect())
    }

    /// The media type in which an object of a kind is stored, if `wanted` is configured.
    pub(crate) fn stored(&self, entry: &KindEntry, wanted: Media) -> Media {
        if SEPARATE_SERVER_GROUPS.contains(&entry.storage().0) {
            Media::Json
        } else {
            self.media(entry, wanted)
        }
    }

    /// The media type in which an object of a kind is encoded, if `wanted` is requested.
    pub(crate) fn media(&self, entry: &KindEntry, wanted: Media) -> Media {
        let found = self.0.binary_search_by(|covered| covered.parts().cmp(&entry.parts()));
        if found.is_ok() { wanted } else { Media::Json }
    }
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::ApiType;
    use hubgen_machinery::scheme::KindRow;

    use super::*;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Gear")]
    struct Gear {
        #[field(number = 1)]
        size: i32,
    }

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Note")]
    struct Note {
        text: String,
    }

    /// As recorded from the store of a kube-apiserver.
    #[test]
    fn groups_of_former_separate_servers_are_stored_in_json() {
        let mut scheme = Scheme::new();
        scheme.register(
            const {
                &[
                    KindRow::of::<Gear>(),
                    KindRow::of::<Note>(),
                    KindRow::at::<Gear>("apiregistration.k8s.io/v1"),
                    KindRow::at::<Gear>("apiextensions.k8s.io/v1"),
                ]
            },
        );
        let coverage = Coverage::new(&scheme);
        let found: Vec<_> = scheme
            .kinds()
            .map(|entry| [coverage.media(entry, Media::Protobuf), coverage.stored(entry, Media::Protobuf)])
            .collect();
        let [protobuf, json] = [Media::Protobuf, Media::Json];
        assert_eq!(found, [[protobuf, json], [protobuf, json], [protobuf; 2], [json; 2]]);
        assert!(scheme.kinds().all(|entry| coverage.stored(entry, json) == json));
    }
}
