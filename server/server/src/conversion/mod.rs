//! Conversion webhooks: programs elsewhere that make other versions of the objects of a definition.
//!
//! The server is their client, as upstream's is: it sends a ConversionReview with the objects that are not at the version yet,
//! [checks](review) the answer, and that objects keep their [identity](metadata). Who asks waits on a thread of its own; there is
//! [room](mod@room) for so many, so that a webhook that hangs holds up requests for its own kind only.

mod answer;
mod client;
mod metadata;
mod metrics;
mod review;
mod room;
mod service;
mod webhook;
mod words;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use hubgen_definitions::{Strategy, Version};
use hubgen_machinery::scheme::KindEntry;
use hubgen_serve::metrics::Registry;
use serde_json::Value;

use self::metrics::Metrics;
pub(crate) use self::room::Room;
use self::room::Rooms;
pub use self::service::{InvalidServiceUrl, ServiceUrl};
use self::webhook::Webhook;
use crate::environment::Environment;

/// What all webhooks of a server have in common.
pub(crate) struct Webhooks {
    services: Vec<ServiceUrl>,
    /// How long an answer may take.
    limit: Duration,
    rooms: Rooms,
    metrics: Metrics,
    environment: Arc<dyn Environment>,
}

impl Webhooks {
    /// `limit` is how long an answer may take, and `patience` how long a request waits until there is room for it.
    pub(crate) fn new(
        services: Vec<ServiceUrl>,
        [limit, patience]: [Duration; 2],
        registry: &Registry,
        environment: Arc<dyn Environment>,
    ) -> Self {
        let (rooms, metrics) = (Rooms::new(patience), Metrics::new(registry));
        Self { services, limit, rooms, metrics, environment }
    }

    /// The strategy of a definition whose objects a webhook converts; `None` if none does.
    pub(crate) fn strategy(&self, definition: &Value) -> Option<Strategy> {
        let conversion = &definition["spec"]["conversion"];
        (conversion["strategy"] == "Webhook")
            .then(|| Strategy::By(Arc::new(Webhook::of(self, definition, &conversion["webhook"]))))
    }
}

/// The room for requests for a kind at a version; `None` if nobody waits for a webhook there.
pub(crate) fn room(entry: &KindEntry) -> Option<&Room> {
    let Strategy::By(converter) = Version::of(entry)?.strategy() else { return None };
    let converter: &dyn Any = &**converter;
    converter.downcast_ref::<Webhook>()?.room(&entry.version)
}
