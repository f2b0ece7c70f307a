//! `token`: a token of a service account.

use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::meta;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_validation::Reason;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::target::Write;
use super::{check_namespace, document_of, number, text};
use crate::access::{Bound, Claims};
use crate::objects::receive::Received;
use crate::objects::{Collection, Error, Objects};
use crate::validation::Violation;

/// The shortest and the longest time for which a token is valid, in seconds, as upstream has them.
const LIFETIMES: std::ops::RangeInclusive<i64> = 600..=1 << 32;
/// The kinds of objects to which a token can be bound: their resources, and the claims that name them.
const BOUND: [(&str, &str, &str, bool); 3] =
    [("Pod", "pods", "pod", true), ("Secret", "secrets", "secret", true), ("Node", "nodes", "node", false)];

impl Objects {
    /// Signs a token for a service account. Returns the request with its token, and adds to the warnings.
    pub(crate) async fn request_token(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        received: Received,
        write: &Write,
        warnings: &mut Vec<String>,
    ) -> Result<Object, Error> {
        let mut request = self.document(kind, received)?;
        check_namespace(collection, &request)?;
        if !["", name].contains(&text(&request, "/metadata/name")) {
            let why = "must match the service account name if specified";
            let found = text(&request, "/metadata/name");
            return Err(Error::invalid(kind, name, vec![Violation::invalid("metadata.name", found, why)]));
        }
        let account = document_of(&self.get(collection, name, None, &write.turn).await?)?;
        let uid = text(&account, "/metadata/uid");
        let wanted = text(&request, "/metadata/uid");
        if !["", uid].contains(&wanted) {
            return Err(Error::other_uid(&collection.entry, name, wanted, uid));
        }
        let seconds = number(&request, "/spec/expirationSeconds");
        if let Some(violation) = wrong_lifetime(seconds) {
            return Err(Error::invalid(kind, "", vec![violation]));
        }
        let tokens = &self.backing.service_accounts;
        let asked = request["spec"]["audiences"].as_array().map_or(&[][..], Vec::as_slice);
        let mut audiences: Vec<String> = asked.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if audiences.is_empty() {
            audiences.extend(tokens.audiences().iter().cloned());
        }
        let asked = Duration::from_secs(seconds.unsigned_abs());
        let lifetime = tokens.granted(asked);
        if lifetime < asked {
            let (asked, lifetime) = (asked.as_secs(), lifetime.as_secs());
            warnings.push(format!("requested expiration of {asked} seconds shortened to {lifetime} seconds"));
            request["spec"]["expirationSeconds"] = lifetime.into();
        }
        let bound = self.bound_object(collection, name, &request, write).await?;
        let now = self.backing.environment.now();
        let claims = Claims {
            namespace: &collection.namespace,
            name,
            uid,
            audiences: &audiences,
            bound: &bound,
            id: &self.backing.environment.uid(),
            now,
            lifetime,
        };
        let token = tokens.sign(&claims).map_err(|error| Error::Internal(error.to_string()))?;
        let end = now.0.as_second().saturating_add_unsigned(lifetime.as_secs());
        let end = Timestamp::from_second(end).map(Time).map_err(internal)?;
        request["metadata"]["name"] = name.into();
        request["metadata"]["namespace"] = collection.namespace.as_str().into();
        request["metadata"]["uid"] = uid.into();
        request["metadata"]["creationTimestamp"] = now.to_string().into();
        request["spec"]["audiences"] = audiences.into();
        request["status"] = json!({"token": token, "expirationTimestamp": end.to_string()});
        let (answer, _) = Object::decode(kind, request.to_string().as_bytes()).map_err(internal)?;
        Ok(answer)
    }

    /// The object to which a token is bound, and the node of a pod.
    async fn bound_object(
        &self,
        accounts: &Collection,
        account: &str,
        request: &Value,
        write: &Write,
    ) -> Result<Vec<Bound>, Error> {
        let reference = &request["spec"]["boundObjectRef"];
        if reference.is_null() {
            return Ok(Vec::new());
        }
        let (version, kind) = (text(reference, "/apiVersion"), text(reference, "/kind"));
        let known = BOUND.iter().find(|(known, ..)| *known == kind && version == "v1");
        let known = known.and_then(|(_, plural, claim, namespaced)| {
            let entry = self.catalog.scheme.resource("", "v1", plural)?;
            Some((entry, claim, *namespaced))
        });
        let Some((entry, claim, is_namespaced)) = known else {
            let (group, version) = version.split_once('/').unwrap_or(("", version));
            let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(Error::Malformed(why));
        };
        let namespace = if is_namespaced { accounts.namespace.clone() } else { String::new() };
        let collection = Collection { entry: Arc::clone(entry), namespace };
        let name = text(reference, "/name");
        let object = document_of(&self.get(&collection, name, None, &write.turn).await?)?;
        if kind == "Pod" && text(&object, "/spec/serviceAccountName") != account {
            return Err(Error::Malformed(format!(
                "cannot bind token for serviceaccount {account:?} to pod running with different serviceaccount name."
            )));
        }
        let (wanted, found) = (text(reference, "/uid"), text(&object, "/metadata/uid"));
        if !["", found].contains(&wanted) {
            return Err(Error::other_uid(entry, name, wanted, found));
        }
        let mut bound = vec![Bound { claim, name: name.to_owned(), uid: found.to_owned() }];
        let node = text(&object, "/spec/nodeName");
        if kind == "Pod" && !node.is_empty() {
            bound.push(Bound {
                claim: "node",
                name: node.to_owned(),
                uid: self.uid_of_node(node, write).await?,
            });
        }
        Ok(bound)
    }

    /// The uid of a node; empty if there is no such one.
    async fn uid_of_node(&self, name: &str, write: &Write) -> Result<String, Error> {
        let Some(entry) = self.catalog.scheme.resource("", "v1", "nodes") else { return Ok(String::new()) };
        let nodes = Collection { entry: Arc::clone(entry), namespace: String::new() };
        match self.get(&nodes, name, None, &write.turn).await {
            Ok(node) => Ok(meta::text(&*node.value, "uid").to_owned()),
            Err(Error::NotFound(_)) => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

fn wrong_lifetime(seconds: i64) -> Option<Violation> {
    let why = match seconds {
        seconds if LIFETIMES.contains(&seconds) => return None,
        seconds if seconds < *LIFETIMES.start() => "may not specify a duration less than 10 minutes",
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let message = format!("Invalid value: {seconds}: {why}");
    Some(Violation { reason: Reason::Invalid, field: "spec.expirationSeconds".to_owned(), message })
}
