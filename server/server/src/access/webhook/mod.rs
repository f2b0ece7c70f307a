//! Somebody elsewhere decides: a SubjectAccessReview is sent to a server, which answers in its status.

mod cache;
mod client;
mod kubeconfig;
mod review;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tracing::warn;

use self::cache::Cache;
use self::client::{Client, Failed};
pub use self::kubeconfig::KubeconfigError;
use self::review::Status;
pub use self::review::Version;
use super::{Attributes, Authorize, Decision, Grant, ListedRules, Refusal, Rules, User};
use crate::environment::random_fraction;

/// How many questions are under way at a time. The others wait, so that a server that hangs takes no more threads than
/// this.
const AT_A_TIME: usize = 64;
/// How often a question is sent at most.
const ATTEMPTS: u32 = 5;
/// How long to wait before the second attempt, and how much longer before each further one.
const BACKOFF: (Duration, f64) = (Duration::from_millis(500), 1.5);

/// How a webhook is asked, and what its answers are worth.
#[derive(Clone, Copy, Debug)]
pub struct WebhookOptions {
    /// The version of the reviews that are sent.
    pub version: Version,
    /// How long an answer that allows something counts. Zero: it is asked each time.
    pub authorized_ttl: Duration,
    /// How long an answer that does not allow something counts. Zero: it is asked each time.
    pub unauthorized_ttl: Duration,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// Whether a failure is a refusal for good, and not no opinion.
    pub failure_denies: bool,
}

/// Those of a kube-apiserver with flags.
impl Default for WebhookOptions {
    fn default() -> Self {
        Self {
            version: Version::V1Beta1,
            authorized_ttl: Duration::from_secs(5 * 60),
            unauthorized_ttl: Duration::from_secs(30),
            timeout: Duration::from_secs(30),
            failure_denies: false,
        }
    }
}

/// Asks a webhook who may. It is asked over TLS, and over plain HTTP on this machine only.
///
/// An answer that allows and denies at once is a denial. A webhook that cannot be reached, does not answer in time, or
/// answers with something else than a review has [no opinion](WebhookOptions::failure_denies).
pub struct Webhook {
    client: Arc<Client>,
    options: WebhookOptions,
    cache: Cache,
    room: Semaphore,
}

impl Webhook {
    /// The webhook that a kubeconfig names.
    ///
    /// # Errors
    /// If the file cannot be read, or has something that is not supported.
    pub fn from_kubeconfig(path: impl AsRef<Path>, options: WebhookOptions) -> Result<Self, KubeconfigError> {
        let client = Client::new(kubeconfig::read(path.as_ref())?, options.timeout);
        Ok(Self {
            client: Arc::new(client),
            options,
            cache: Cache::default(),
            room: Semaphore::new(AT_A_TIME),
        })
    }

    /// The answer of the webhook.
    async fn ask(&self, request: &Attributes<'_>) -> Result<Status, String> {
        let review = review::request(self.options.version, request);
        let key = review["spec"].to_string();
        if let Some(status) = self.cache.get(&key) {
            return Ok(status);
        }
        let status = self.answer(review.to_string()).await?;
        if review::is_small(request) {
            let ttl =
                if status.allowed { self.options.authorized_ttl } else { self.options.unauthorized_ttl };
            self.cache.put(key, &status, ttl);
        }
        Ok(status)
    }

    /// The answer to a question, which is sent again after failures that may pass.
    async fn answer(&self, question: String) -> Result<Status, String> {
        let _room = self.room.acquire().await.map_err(|error| error.to_string())?;
        let question = Arc::new(question);
        let mut wait = BACKOFF.0;
        for attempt in 1.. {
            let (client, question) = (Arc::clone(&self.client), Arc::clone(&question));
            let answered = tokio::task::spawn_blocking(move || client.post(&question)).await;
            match answered.map_err(|error| error.to_string())? {
                Ok(answer) => return review::status(&answer),
                Err(Failed { why, may_pass: true }) if attempt < ATTEMPTS => {
                    warn!("the webhook that decides who may is asked again: {why}");
                    tokio::time::sleep(wait.mul_f64(1.0 + 0.2 * random_fraction())).await;
                    wait = wait.mul_f64(BACKOFF.1);
                }
                Err(Failed { why, .. }) => return Err(why),
            }
        }
        unreachable!("the last attempt has a result")
    }
}

impl Authorize for Webhook {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async move {
            match self.ask(request).await {
                Ok(Status { allowed: true, denied: true, reason }) => Err(Refusal {
                    reason,
                    error: "webhook subject access review returned both allow and deny response".to_owned(),
                    is_final: true,
                }),
                Ok(Status { allowed: true, reason, .. }) => Ok(Grant { reason }),
                Ok(Status { denied, reason, .. }) => {
                    Err(Refusal { is_final: denied, ..Refusal::because(reason) })
                }
                Err(why) => {
                    warn!("the webhook that decides who may: {why}");
                    Err(Refusal { is_final: self.options.failure_denies, ..Refusal::failed(why) })
                }
            }
        })
    }

    fn rules<'a>(&'a self, _: &'a User, _: &'a str) -> ListedRules<'a> {
        // The words are upstream's.
        let missing = "webhook authorizer does not support user rule resolution".to_owned();
        Box::pin(async { Rules { missing, ..Rules::default() } })
    }
}
