//! Tokens of ServiceAccounts in Secrets of the type `kubernetes.io/service-account-token`.
//!
//! As upstream's controller, it writes into such a Secret the token of the account that an annotation names, and what a client
//! needs besides: the namespace and the certificates of the server. A Secret goes with its account, or if there is none.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hubgen_machinery::Str;
use hubgen_meta::v1::{DeleteOptions, Preconditions};
use serde_json::{Value, json};
use tracing::warn;

use super::Settings;
use super::queue::Queue;
use super::record::{Change, Record};
use crate::access::HeldClaims;
use crate::objects::{Collection, Error, ListQuery, Objects, Write, json_of};
use crate::own::Own;
use crate::part::Part;

/// Under which name objects are written. It is that of upstream's controller, which clients know.
const MANAGER: &str = "kube-controller-manager";
/// The type of Secrets that get a token.
const TYPE: &str = "kubernetes.io/service-account-token";
/// The annotations that name the account of a Secret, and its uid.
const ACCOUNT: &str = "kubernetes.io/service-account.name";
const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";

/// Keeps the tokens in Secrets.
pub(super) struct Tokens {
    own: Own,
    /// The prefixes of the keys of Secrets and of ServiceAccounts.
    secrets: String,
    accounts: String,
    certificates: Arc<str>,
    queue: Queue<Step>,
    failed: Vec<Step>,
}

/// What is to be looked at, each with its namespace.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Step {
    /// A Secret that names an account.
    Secret(String, String),
    /// The Secrets of an account that is gone.
    Account(String, String),
    /// An account with its uid, of which a Secret is gone.
    Former { namespace: String, account: String, uid: String, secret: String },
}

impl Tokens {
    /// `None` if there are no such kinds.
    pub(super) fn new(own: &Own, settings: &Settings) -> Option<Self> {
        let scheme = &own.served.current().scheme;
        let prefix = |plural| Some(scheme.storage_prefix(scheme.resource("", "v1", plural)?));
        Some(Self {
            own: own.clone(),
            secrets: prefix("secrets")?,
            accounts: prefix("serviceaccounts")?,
            certificates: settings.root_certificates.as_deref().unwrap_or_default().into(),
            queue: Queue::default(),
            failed: Vec::new(),
        })
    }

    pub(super) fn forget(&mut self) {
        self.queue.clear();
        self.failed.clear();
    }

    /// Notes a change: of a Secret that names an account, or of an account.
    pub(super) fn note(&mut self, Change { key, old, new }: &Change) {
        let of = |record: &Record| {
            let metadata = &record.metadata;
            (metadata.namespace.to_string(), metadata.name.to_string())
        };
        if key.starts_with(self.secrets.as_bytes()) {
            match (new, old) {
                (Some(new), _) if new.annotation(ACCOUNT).is_some() => {
                    let (namespace, name) = of(new);
                    self.queue.push(Step::Secret(namespace, name));
                }
                (None, Some(old)) => {
                    let [account, uid] = [ACCOUNT, ACCOUNT_UID].map(|name| old.annotation(name));
                    let (Some(account), Some(uid)) = (account, uid) else { return };
                    let (namespace, secret) = of(old);
                    let (account, uid) = (account.to_owned(), uid.to_owned());
                    self.queue.push(Step::Former { namespace, account, uid, secret });
                }
                _ => {}
            }
        } else if key.starts_with(self.accounts.as_bytes())
            && let (None, Some(old)) = (new, old)
        {
            let (namespace, name) = of(old);
            self.queue.push(Step::Account(namespace, name));
        }
    }

    /// Does all there is to do. Returns whether all of it succeeded.
    pub(super) async fn work(&mut self) -> bool {
        while let Some(step) = self.queue.pop() {
            let (one, certificates) = (step.clone(), Arc::clone(&self.certificates));
            let work = move |objects: Objects, write: Write| async move {
                match &one {
                    Step::Secret(namespace, name) => {
                        fill(&objects, namespace, name, &certificates, &write).await
                    }
                    Step::Account(namespace, name) => {
                        for secret in secrets_of(&objects, namespace, name).await? {
                            fill(&objects, namespace, &secret, &certificates, &write).await?;
                        }
                        Ok(())
                    }
                    Step::Former { namespace, account, uid, secret } => {
                        let Some(accounts) = collection(&objects, "serviceaccounts", namespace) else {
                            return Ok(());
                        };
                        let mut release = |account: &mut Value| {
                            account["metadata"]["uid"] == **uid && forget(account, secret)
                        };
                        let done = objects.edit(&accounts, account, Part::Main, &mut release, &write);
                        done.await.map(drop)
                    }
                }
            };
            if let Err(why) = self.own.work(MANAGER, work).await {
                warn!("{}: {why}", step.what());
                self.failed.push(step);
            }
        }
        self.failed.is_empty()
    }

    /// Tries again what has failed.
    pub(super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|step| self.queue.push(step));
    }
}

impl Step {
    /// What is not done yet.
    fn what(&self) -> String {
        match self {
            Self::Secret(namespace, name) => format!("the Secret {namespace}/{name} lacks a token"),
            Self::Account(namespace, name) => {
                format!("Secrets with tokens of the ServiceAccount {namespace}/{name} are still there")
            }
            Self::Former { namespace, account, secret, .. } => {
                format!("the ServiceAccount {namespace}/{account} still names the Secret {secret}")
            }
        }
    }
}

fn collection(objects: &Objects, plural: &str, namespace: &str) -> Option<Collection> {
    let entry = objects.catalog.scheme.resource("", "v1", plural)?;
    Some(Collection { entry: Arc::clone(entry), namespace: namespace.to_owned() })
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The account that a Secret names, if it is to have a token.
fn account_of(secret: &Value) -> Option<&str> {
    let account = secret["metadata"]["annotations"][ACCOUNT].as_str();
    account.filter(|account| secret["type"] == TYPE && !account.is_empty())
}

/// The names of the Secrets that have, or are to have, tokens of an account.
async fn secrets_of(objects: &Objects, namespace: &str, account: &str) -> Result<Vec<String>, Error> {
    let Some(secrets) = collection(objects, "secrets", namespace) else { return Ok(Vec::new()) };
    let all = objects.list(&secrets, &ListQuery::default(), |object| json_of(&object)).await?;
    let named = all.items.iter().filter(|secret| account_of(secret) == Some(account));
    Ok(named.map(|secret| text(secret, "/metadata/name").to_owned()).collect())
}

async fn get(objects: &Objects, of: &Collection, name: &str, write: &Write) -> Result<Option<Value>, Error> {
    match objects.get(of, name, None, &write.turn).await {
        Ok(object) => json_of(&object).map(Some),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes into a Secret what it lacks, or deletes it if its account is not there.
async fn fill(
    objects: &Objects,
    namespace: &str,
    name: &str,
    certificates: &str,
    write: &Write,
) -> Result<(), Error> {
    let kinds = ["secrets", "serviceaccounts"].map(|plural| collection(objects, plural, namespace));
    let [Some(secrets), Some(accounts)] = kinds else { return Ok(()) };
    let Some(secret) = get(objects, &secrets, name, write).await? else { return Ok(()) };
    let Some(account) = account_of(&secret) else { return Ok(()) };
    let wanted = secret["metadata"]["annotations"][ACCOUNT_UID].as_str().unwrap_or_default();
    let uid = get(objects, &accounts, account, write).await?;
    let uid = uid.map(|account| text(&account, "/metadata/uid").to_owned());
    let Some(uid) = uid.filter(|uid| ["", uid].contains(&wanted)) else {
        let uid = Some(Str::from(text(&secret, "/metadata/uid")));
        let preconditions = Some(Preconditions { uid, ..Preconditions::default() });
        let options = DeleteOptions { preconditions, ..DeleteOptions::default() };
        return match objects.delete(&secrets, name, &options, write).await {
            // It is gone, or is another one.
            Ok(_) | Err(Error::NotFound(_) | Error::Precondition { .. } | Error::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        };
    };
    let claims = HeldClaims { namespace, account: [account, &uid], secret: name };
    let mut token = String::new();
    if text(&secret, "/data/token").is_empty() {
        let signed = objects.backing.service_accounts.sign_held(&claims);
        token = BASE64_STANDARD.encode(signed.map_err(|error| Error::Internal(error.to_string()))?);
    }
    let (namespace, certificates) = (BASE64_STANDARD.encode(namespace), BASE64_STANDARD.encode(certificates));
    let mut complete = |object: &mut Value| {
        let has = |member: &str| object["data"][member].as_str().is_some_and(|value| !value.is_empty());
        let mut lacks = Vec::new();
        if !certificates.is_empty() && object["data"]["ca.crt"] != *certificates {
            lacks.push(("ca.crt", &certificates));
        }
        if !has("namespace") {
            lacks.push(("namespace", &namespace));
        }
        if !has("token") && !token.is_empty() {
            lacks.push(("token", &token));
        }
        if lacks.is_empty() || account_of(object) != Some(account) {
            return false;
        }
        for (member, value) in lacks {
            object["data"][member] = json!(value);
        }
        object["metadata"]["annotations"][ACCOUNT_UID] = json!(uid);
        true
    };
    objects.edit(&secrets, name, Part::Main, &mut complete, write).await.map(drop)
}

/// Lets an account name a Secret no longer. Returns whether it did.
fn forget(account: &mut Value, secret: &str) -> bool {
    let Some(secrets) = account["secrets"].as_array_mut() else { return false };
    let before = secrets.len();
    secrets.retain(|reference| reference["name"] != *secret);
    secrets.len() < before
}
