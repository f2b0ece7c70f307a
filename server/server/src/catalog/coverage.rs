//! The kinds that protobuf covers.

use std::sync::{Arc, OnceLock};

use hubgen_machinery::protobuf;
use hubgen_machinery::scheme::{KindEntry, Scheme, StoragePlace};

use crate::media::Media;

/// Whether protobuf covers a kind, for each kind in the Scheme's order. All types of a kind are looked at for that, when
/// somebody asks for the first time: most kinds are never asked for.
pub(crate) struct Coverage(Vec<(Arc<KindEntry>, OnceLock<bool>)>);

impl Coverage {
    /// The coverage of a Scheme.
    pub(crate) fn new(scheme: &Scheme) -> Self {
        Self(scheme.kinds().map(|entry| (Arc::clone(entry), OnceLock::new())).collect())
    }

    /// The media type in which an object of a kind is stored, if `wanted` is configured.
    pub(crate) fn stored(&self, entry: &KindEntry, wanted: Media) -> Media {
        if entry.behaviour.storage == StoragePlace::Separate {
            Media::Json
        } else {
            self.media(entry, wanted)
        }
    }

    /// The media type in which an object of a kind is encoded, if `wanted` is requested.
    pub(crate) fn media(&self, entry: &KindEntry, wanted: Media) -> Media {
        let found = self.0.binary_search_by(|(known, _)| known.parts().cmp(&entry.parts()));
        let is_covered = found.is_ok_and(|index| {
            let (known, covers) = &self.0[index];
            *covers.get_or_init(|| protobuf::covers(&known.descriptor()))
        });
        if is_covered { wanted } else { Media::Json }
    }
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::ApiType;
    use hubgen_machinery::scheme::{BehaviourRow, KindRow, StorageRow};

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
    fn kinds_of_former_separate_servers_are_stored_in_json() {
        let mut scheme = Scheme::new();
        scheme.register(
            const {
                &[
                    KindRow::of::<Gear>(),
                    KindRow::of::<Note>(),
                    KindRow {
                        behaviour: BehaviourRow { storage: StorageRow::Separate, ..BehaviourRow::USUAL },
                        ..KindRow::at::<Gear>("separate.example.com/v1")
                    },
                ]
            },
        );
        let coverage = Coverage::new(&scheme);
        let found: Vec<_> = scheme
            .kinds()
            .map(|entry| [coverage.media(entry, Media::Protobuf), coverage.stored(entry, Media::Protobuf)])
            .collect();
        let [protobuf, json] = [Media::Protobuf, Media::Json];
        assert_eq!(found, [[protobuf; 2], [json; 2], [protobuf, json]]);
        assert!(scheme.kinds().all(|entry| coverage.stored(entry, json) == json));
    }
}
