//! The objects of a live cluster, which kubectl reads.

use hubgen_cluster::{By, Cluster, Failure, History, LeftOut, Resource, Why, Written, written};
use hubgen_helm::Carrier;
use hubgen_migrate::{Seen, What};
use hubgen_terminal::{Diagnostic, Source};
use serde_json::Value;

use super::Report;
use super::args::OfCluster;
use super::definitions::Definitions;
use super::finding::{Finding, Place, Rule, names};
use super::texts::Text;
use crate::input::Input;

/// Programs of the cluster itself, which its upgrade replaces.
const OWN: &[&str] = &[
    "cloud-controller-manager",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubelet",
];

/// What the annotation of `kubectl apply` is called as a manager of fields.
const CLIENT_SIDE: &str = "kubectl-client-side-apply";

impl Report<'_> {
    /// Reports on all objects of a cluster, which must exist in it and be readable.
    pub fn cluster(&mut self, of: &OfCluster) {
        let OfCluster { kubectl, kubeconfig, context, namespace, .. } = of;
        let cluster = Cluster {
            kubectl: kubectl.clone(),
            kubeconfig: kubeconfig.clone(),
            context: context.clone(),
            namespace: namespace.clone(),
            ..Cluster::default()
        };
        if let Err(Failure { message, help, .. }) = self.whole(&cluster) {
            self.messages.report(&Diagnostic::message(message, help));
        }
    }

    fn whole(&mut self, cluster: &Cluster) -> Result<(), Failure> {
        let discovery = cluster.discover()?;
        for unavailable in &discovery.unavailable {
            let message = format!("{cluster}: not read: {unavailable}");
            let help = "its objects are missing in this report: see to it that its server answers";
            self.messages.report(&Diagnostic::message(message, help).warning());
        }
        let definitions = Definitions::of(cluster)?;
        let left_out = cluster.all(&discovery.resources, &mut |resource, object| {
            self.live(cluster, &definitions, resource, &object);
        })?;
        for one in left_out.iter().filter(|one| one.why != Why::NotListed) {
            self.left_out(cluster, one);
        }
        Ok(())
    }

    /// Objects that are missing in the report make it fail.
    fn left_out(&mut self, cluster: &Cluster, one: &LeftOut) {
        self.messages.report(&Diagnostic::message(format!("{cluster}: not read: {one}"), one.help()));
    }

    /// Reports on an object of a cluster.
    fn live(&mut self, cluster: &Cluster, definitions: &Definitions, resource: &Resource, object: &Value) {
        if Carrier::of(object).is_some() {
            let name = cluster.to_string();
            let input = Input { source: Source::new(&name, object.to_string()), name, is_json: true };
            let locate = |_| Place::default();
            self.text(&Text { input: &input, locate: &locate, is_patch: false, is_history: false });
        }
        let place = || {
            let (namespace, name) = names(object);
            let slash = if namespace.is_empty() { "" } else { "/" };
            let dot = if resource.group.is_empty() { "" } else { "." };
            let within = format!("{}{dot}{} {namespace}{slash}{name}", resource.plural, resource.group);
            Place { within, ..Place::default() }
        };
        let History { written, faults } = written(object);
        for fault in faults {
            let message = format!("{cluster}: {}: {fault}", place().within);
            self.messages.report(&Diagnostic::message(message, "").warning());
        }
        let judge = self.judge;
        let Some(entry) = judge.known.scheme.named(&resource.api_version(), &resource.kind) else {
            self.unknown += 1;
            self.findings.extend(definitions.findings(resource, object, &current(&written), &place()));
            return;
        };
        self.objects += 1;
        if (&*entry.group, &*entry.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition") {
            self.findings.extend(definitions.stored(object, &place()));
        }
        let verdict = judge.verdict(entry);
        if let Some(verdict) = verdict.filter(|verdict| verdict.rule == Rule::RemovedKind) {
            let mut finding = judge.finding(entry, verdict, place());
            (finding.namespace, finding.name) = names(object);
            self.findings.push(finding);
            return;
        }
        self.references(resource, object, &place());
        for one in current(&written) {
            let Some(entry) = judge.known.scheme.named(&one.api_version, kind(one, resource)) else {
                continue;
            };
            let finding = match applied(one, object) {
                Some(applied) => judge.object(entry, &applied, false, place()),
                None => judge.verdict(entry).map(|verdict| judge.finding(entry, verdict, place())),
            };
            let is_history = is_overtaken(one, &written);
            // Who wrote a version that is only served where it is enabled has enabled it.
            let finding = finding.filter(|finding| finding.rule != Rule::DisabledVersion);
            self.findings.extend(finding.map(|finding| Finding { is_history, ..finding.by(one, object) }));
        }
    }

    /// Reports on the places of an object that name a version, such as `scaleTargetRef` and `ownerReferences`.
    fn references(&mut self, resource: &Resource, object: &Value, place: &Place) {
        // They tell of the past.
        if resource.kind == "Event" {
            return;
        }
        let judge = self.judge;
        judge.known.seek(object, &mut |Seen { path, what }| {
            if let What::Reference(entry) = what {
                let place = Place { path, ..place.clone() };
                self.findings.extend(judge.reference(entry, place));
            }
        });
    }
}

/// The kind that somebody wrote.
fn kind<'a>(written: &'a Written, resource: &'a Resource) -> &'a str {
    match &written.by {
        By::Manager { .. } => &resource.kind,
        By::LastApplied { kind } => kind,
    }
}

/// The configuration that kubectl applied last, if that is what was written.
fn applied(written: &Written, object: &Value) -> Option<Value> {
    let By::LastApplied { .. } = written.by else { return None };
    let annotations = &object["metadata"]["annotations"];
    let text = annotations["kubectl.kubernetes.io/last-applied-configuration"].as_str()?;
    serde_json::from_str(text).ok()
}

/// What was written by those that will write again: not what the upgrade replaces, not what the same manager has written anew
/// at another version since, and what kubectl applied only once.
fn current(all: &[Written]) -> Vec<&Written> {
    let is_current = |written: &&Written| match &written.by {
        By::Manager { name, operation, subresource, time } => {
            let is_anew = |other: &Written| match &other.by {
                By::Manager { name: n, operation: o, subresource: s, time: t } => {
                    (n, o, s) == (name, operation, subresource) && t > time
                }
                By::LastApplied { .. } => false,
            };
            // The annotation has all of what kubectl applied.
            let is_annotated =
                name == CLIENT_SIDE && all.iter().any(|other| matches!(other.by, By::LastApplied { .. }));
            !OWN.contains(&&**name) && !is_annotated && !all.iter().any(is_anew)
        }
        By::LastApplied { .. } => {
            let mut managers = all.iter().filter(|other| matches!(other.by, By::Manager { .. })).peekable();
            // Old servers have no managers.
            managers.peek().is_none() || managers.any(|other| other.api_version == written.api_version)
        }
    };
    all.iter().filter(is_current).collect()
}

/// Whether another manager has written the object at another version since.
fn is_overtaken(written: &Written, all: &[Written]) -> bool {
    // The annotation has no time; the manager that wrote it has.
    let time_of = |written: &Written| match &written.by {
        By::Manager { time, .. } => time.clone(),
        By::LastApplied { .. } => None,
    };
    let same = all.iter().filter(|other| other.api_version == written.api_version);
    let Some(time) = same.filter_map(time_of).max() else { return false };
    all.iter().any(|other| match &other.by {
        By::Manager { name, subresource, time: t, .. } => {
            other.api_version != written.api_version
                && subresource.is_empty()
                && !OWN.contains(&&**name)
                && t.as_ref() > Some(&time)
        }
        By::LastApplied { .. } => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manager(name: &str, api_version: &str, time: &str) -> Written {
        let [name, time] = [name, time].map(str::to_owned);
        let by = By::Manager {
            name,
            operation: "Update".to_owned(),
            subresource: String::new(),
            time: Some(time),
        };
        Written { api_version: api_version.to_owned(), by }
    }

    #[test]
    fn what_was_written_anew_or_by_the_cluster_does_not_count() {
        let applied = Written {
            api_version: "networking.k8s.io/v1".to_owned(),
            by: By::LastApplied { kind: "Ingress".to_owned() },
        };
        let all = [
            manager("helm", "extensions/v1beta1", "2021-01-01T00:00:00Z"),
            manager("helm", "networking.k8s.io/v1", "2022-01-01T00:00:00Z"),
            manager("kube-controller-manager", "extensions/v1beta1", "2021-01-01T00:00:00Z"),
            manager("kubectl-client-side-apply", "extensions/v1beta1", "2021-01-01T00:00:00Z"),
            manager("other", "extensions/v1beta1", "2021-01-01T00:00:00Z"),
            applied,
        ];
        assert_eq!(current(&all), [&all[1], &all[4], &all[5]]);
        assert_eq!(current(&all[3..4]), [&all[3]]);
        // Nobody owns a field at the version of the annotation.
        assert_eq!(current(&all[4..]), [&all[4]]);
        assert_eq!(current(&all[5..]), [&all[5]]);
    }

    #[test]
    fn what_others_have_written_since_is_overtaken() {
        let applied =
            Written { api_version: "a/v1".to_owned(), by: By::LastApplied { kind: "A".to_owned() } };
        let all = [
            manager("kubectl-client-side-apply", "a/v1", "2021-01-01T00:00:00Z"),
            applied,
            manager("gitops", "a/v2", "2022-01-01T00:00:00Z"),
            manager("kubelet", "a/v2", "2023-01-01T00:00:00Z"),
        ];
        assert_eq!([0, 1, 2].map(|at| is_overtaken(&all[at], &all)), [true, true, false]);
        assert!(!is_overtaken(&all[1], &all[..2]) && !is_overtaken(&all[1], &all[1..2]));
    }
}
