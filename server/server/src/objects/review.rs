//! Answers reviews: objects that are a question, and are never stored.

use hubgen_machinery::reflect::SlotMut;
use hubgen_machinery::scheme::Object;

use super::error::Error;
use super::hub::Hub;
use super::receive::Received;
use super::target::{Target, Write};
use super::{Collection, Objects, check_namespace};
use crate::admission::Operation;
use crate::part::Part;
use crate::reviews::{self, Unanswered};

impl Objects {
    /// Answers a review in its status.
    ///
    /// The status of a review that this server cannot answer stays empty, which grants nothing, and contains the reason
    /// if it has a field for it.
    pub(crate) async fn review(
        &self,
        collection: &Collection,
        received: Received,
        write: &Write,
    ) -> Result<Object, Error> {
        let entry = &collection.entry;
        let Received { mut hub, checked, .. } = received;
        check_namespace(collection, &mut *hub.value)?;
        let Some(status) = hub.value.field_mut("status") else {
            return Err(Error::NoAction(entry.clone()));
        };
        status.clear();
        let target = Target { collection, name: "", part: Part::Main };
        self.note_owners(target, write, &checked.body, None, (None, &mut hub));
        self.admit(
            &checked,
            &mut hub,
            target.subject(Operation::Create, write),
            Part::Main,
            None,
            &write.warnings,
        )
        .await?;
        let hub = self.answered(collection, hub, write).await?;
        hub.at(entry, &self.catalog.scheme).map_err(Error::conversion(entry, ""))
    }

    /// The review with its status.
    async fn answered(&self, collection: &Collection, mut hub: Hub, write: &Write) -> Result<Hub, Error> {
        let entry = &collection.entry;
        let scheme = &self.catalog.scheme;
        if let Some(at) = scheme.kind(&entry.group, reviews::VERSION, &entry.kind) {
            let mut review = hub.clone().at(at, scheme).map_err(Error::conversion(entry, ""))?;
            let now = self.backing.environment.now();
            match reviews::answer(&self.backing.access, &write.user, now, &mut *review.value).await {
                Ok(()) => return Hub::from_object(review).map_err(Error::conversion(entry, "")),
                Err(Unanswered::Malformed(why)) => return Err(Error::Malformed(why.to_owned())),
                Err(Unanswered::Invalid(violations)) => return Err(Error::invalid(entry, "", violations)),
                Err(Unanswered::Unknown) => {}
            }
        }
        if let Some(SlotMut::Struct(status)) = hub.value.field_mut("status").map(SlotMut::present) {
            for field in ["evaluationError", "error"] {
                if let Some(SlotMut::String(text)) = status.field_mut(field).map(SlotMut::present) {
                    text.set(&format!("not evaluated: this server knows no answer to a {}", entry.kind));
                }
            }
        }
        Ok(hub)
    }
}
