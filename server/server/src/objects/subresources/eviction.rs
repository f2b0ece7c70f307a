//! `eviction`: deletes a pod unless its disruption budget forbids that.

use std::sync::Arc;

use hubgen_machinery::json;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::{DeleteOptions, Preconditions};
use serde_json::{Value, json};

use super::super::target::{Target, Write};
use super::super::transform::Transform;
use super::{document_of, label_selector, number, set_condition, text};
use crate::objects::receive::Received;
use crate::objects::{Collection, Error, ListQuery, Objects, Unevictable};
use crate::part::Part;
use crate::selector::Selector;

/// The kind of budgets, which has no other link to what it guards than its selector.
const BUDGETS: (&str, &str, &str) = ("policy", "v1", "poddisruptionbudgets");
/// The most pods that may be on their way out, as upstream has it.
const MAX_DISRUPTED: usize = 2000;

impl Objects {
    /// Deletes an object, if its disruption budget allows it.
    pub(crate) async fn evict(
        &self,
        collection: &Collection,
        kind: &Arc<KindEntry>,
        name: &str,
        received: Received,
        write: &Write,
    ) -> Result<(), Error> {
        let eviction = self.document(kind, received)?;
        if text(&eviction, "/metadata/name") != name {
            return Err(Error::Malformed("name in URL does not match name in Eviction object".to_owned()));
        }
        super::check_namespace(collection, &eviction)?;
        let mut options = DeleteOptions::default();
        if let Some(wanted) = eviction.get("deleteOptions").filter(|wanted| wanted.is_object()) {
            json::decode_into(wanted.to_string().as_bytes(), &mut options)
                .map_err(|error| Error::Malformed(format!("deleteOptions: {error}")))?;
        }
        let write = write.or_as_options_say(&options);
        let pod = document_of(&self.get(collection, name, None, &write.turn).await?)?;
        let is_over = matches!(text(&pod, "/status/phase"), "Succeeded" | "Failed" | "Pending")
            || !pod["metadata"]["deletionTimestamp"].is_null();
        if !is_over && self.spend_budget(collection, &pod, &write).await? == Spent::Nothing {
            // It was not ready, and must not have become so.
            let preconditions = options.preconditions.get_or_insert_with(Preconditions::default);
            let seen = text(&pod, "/metadata/resourceVersion");
            preconditions.resource_version.get_or_insert_with(|| seen.into());
        }
        if !write.dry_run {
            self.mark_disrupted(collection, name, &mut options, &write).await?;
        }
        self.delete(collection, name, &options, &write).await?;
        Ok(())
    }

    /// Says in the status of a pod that it is evicted, for those who watch it.
    async fn mark_disrupted(
        &self,
        collection: &Collection,
        name: &str,
        options: &mut DeleteOptions,
        write: &Write,
    ) -> Result<(), Error> {
        let now = self.backing.environment.now().to_string();
        let wanted = options.preconditions.clone().unwrap_or_default();
        let mut edit = |object: &Object| {
            let mut pod = document_of(object)?;
            let found = text(&pod, "/metadata/resourceVersion");
            if wanted.resource_version.as_ref().is_some_and(|wanted| **wanted != *found) {
                return Err(Error::modified(&collection.entry, name));
            }
            let found = text(&pod, "/metadata/uid");
            if let Some(wanted) = wanted.uid.as_ref().filter(|wanted| ***wanted != *found) {
                return Err(Error::other_uid(&collection.entry, name, wanted, found));
            }
            let condition = json!({
                "type": "DisruptionTarget",
                "status": "True",
                "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting",
            });
            set_condition(&mut pod, &now, condition);
            Ok(pod.into())
        };
        let target = Target { collection, name, part: Part::Eviction };
        let written = self.write(target, write, Transform::Edit(&mut edit)).await?;
        let marked = document_of(&self.shown(written, collection, name)?)?;
        if let Some(revision) = options.preconditions.as_mut().and_then(|all| all.resource_version.as_mut()) {
            // The server itself has changed the pod since.
            *revision = text(&marked, "/metadata/resourceVersion").into();
        }
        Ok(())
    }

    /// Takes one disruption from the budget of a pod.
    async fn spend_budget(&self, pods: &Collection, pod: &Value, write: &Write) -> Result<Spent, Error> {
        let Some((budgets, budget)) = self.budget_of(pods, pod).await? else { return Ok(Spent::One) };
        let (healthy, desired) =
            (number(&budget, "/status/currentHealthy"), number(&budget, "/status/desiredHealthy"));
        let always = text(&budget, "/spec/unhealthyPodEvictionPolicy") == "AlwaysAllow";
        if !is_ready(pod) && (always || (healthy >= desired && desired > 0)) {
            return Ok(Spent::Nothing);
        }
        let now = self.backing.environment.now().to_string();
        let name = text(&budget, "/metadata/name");
        let mut edit = |object: &Object| {
            let mut budget = document_of(object)?;
            allows(&budget).map_err(Error::Unevictable)?;
            let left = number(&budget, "/status/disruptionsAllowed") - 1;
            budget["status"]["disruptionsAllowed"] = left.into();
            budget["status"]["disruptedPods"][text(pod, "/metadata/name")] = now.clone().into();
            if left == 0 {
                let generation = budget["status"]["observedGeneration"].clone();
                let condition = json!({
                    "type": "DisruptionAllowed",
                    "status": "False",
                    "observedGeneration": generation,
                    "reason": "InsufficientPods",
                    "message": "",
                });
                set_condition(&mut budget, &now, condition);
            }
            Ok(budget.into())
        };
        let target = Target { collection: &budgets, name, part: Part::Status };
        // The server itself counts, under upstream's name.
        let write = &Write { manager: "kube-apiserver".to_owned(), ..write.clone() };
        self.write(target, write, Transform::Edit(&mut edit)).await?;
        Ok(Spent::One)
    }

    /// The budget that is about a pod, if there is one.
    async fn budget_of(&self, pods: &Collection, pod: &Value) -> Result<Option<(Collection, Value)>, Error> {
        let (group, version, plural) = BUDGETS;
        let Some(entry) = self.catalog.scheme.resource(group, version, plural) else { return Ok(None) };
        let budgets = Collection { entry: Arc::clone(entry), namespace: pods.namespace.clone() };
        let found = self.list(&budgets, &ListQuery::default(), |object| document_of(&object)).await?;
        let labels = &pod["metadata"]["labels"];
        let is_about = |budget: &Value| {
            let selector = label_selector::text(&budget["spec"]["selector"]);
            let selector = selector.and_then(|text| Selector::parse(&text, "", entry).ok());
            selector.is_some_and(|selector| selector.selects(|key: &str| labels.get(key)?.as_str()))
        };
        let mut found = found.items.into_iter().filter(is_about);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(Error::Unevictable(Unevictable::Several)),
            (budget, _) => Ok(budget.map(|budget| (budgets, budget))),
        }
    }
}

/// What an eviction takes from a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spent {
    /// A disruption, or there is no budget.
    One,
    /// Nothing: a pod that is not ready does not count.
    Nothing,
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// Whether a budget allows a disruption. Texts are upstream's.
fn allows(budget: &Value) -> Result<(), Unevictable> {
    let name = text(budget, "/metadata/name");
    let status = |field: &str| number(budget, &format!("/status/{field}"));
    if status("observedGeneration") < number(budget, "/metadata/generation") {
        return Err(Unevictable::Unknown { budget: name.to_owned() });
    }
    let broken = |why, cause| Err(Unevictable::Broken { budget: name.to_owned(), why, cause });
    let allowed = status("disruptionsAllowed");
    if allowed < 0 {
        let why = "pdb disruptions allowed is negative";
        return broken(why, why);
    }
    if budget["status"]["disruptedPods"].as_object().is_some_and(|pods| pods.len() > MAX_DISRUPTED) {
        return broken(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
            "too many pending evictions not confirmed by PDB controller",
        );
    }
    if allowed > 0 {
        return Ok(());
    }
    let conditions = budget["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    let told = conditions.iter().find(|condition| {
        condition["type"] == "DisruptionAllowed"
            && condition["status"] == "False"
            && !text(condition, "/message").is_empty()
    });
    let (reason, message) = told.map_or(("", ""), |told| (text(told, "/reason"), text(told, "/message")));
    let (healthy, desired) = (status("currentHealthy"), status("desiredHealthy"));
    let cannot = format!("The disruption budget {name} does not allow evicting pods currently");
    let cause = match reason {
        "SyncFailed" => format!("{cannot} because it failed sync: {message}"),
        _ if healthy <= desired => {
            format!("The disruption budget {name} needs {desired} healthy pods and has {healthy} currently")
        }
        "" => cannot,
        reason => format!("{cannot} ({reason}): {message}"),
    };
    Err(Unevictable::Exhausted { cause })
}
