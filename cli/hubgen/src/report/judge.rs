//! What is wrong with the version of an object, for a release.

use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::{Choice, Converter, Known, Successor, Target, is_of_repository};
use hubgen_model::Release;
use hubgen_releases::is_on_by_default;
use hubgen_terminal::Severity;
use serde_json::Value;

use super::edits::edits;
use super::finding::{Finding, Kind, Place, Rule, names};

/// Judges versions for a target release.
pub struct Judge<'a> {
    pub known: &'a Known,
    pub release: Release,
    target: Target,
}

/// What is wrong with a version, and what to use instead.
pub struct Verdict {
    pub rule: Rule,
    pub to: Option<Arc<KindEntry>>,
    pub instead: String,
}

impl<'a> Judge<'a> {
    /// For a release.
    ///
    /// # Errors
    /// If nothing is known of it.
    pub fn new(known: &'a Known, release: Release) -> Result<Self, String> {
        let target = Target::release(&known.scheme, release).map_err(|error| error.to_string())?;
        Ok(Self { known, release, target })
    }

    /// What is wrong with a kind at its version; `None` if the release serves it.
    pub fn verdict(&self, entry: &Arc<KindEntry>) -> Option<Verdict> {
        let is_later = || {
            let since = entry.since.as_ref().and_then(|since| since.parse::<Release>().ok());
            since.is_some_and(|since| since > self.release)
        };
        match self.target.choose(self.known, entry) {
            Choice::To(to) => {
                let rule = if is_later() { Rule::LaterVersion } else { Rule::RemovedVersion };
                Some(Verdict { rule, to: Some(to), instead: String::new() })
            }
            Choice::Gone(gone) => {
                let rule = if is_later() { Rule::LaterVersion } else { Rule::RemovedKind };
                let instead = gone.help.strip_prefix("use instead: ").unwrap_or(&gone.help).to_owned();
                Some(Verdict { rule, to: None, instead })
            }
            Choice::Stay if is_of_repository(entry) || entry.resource.is_none() => None,
            Choice::Stay if !is_on_by_default(entry, self.release) => {
                Some(self.better(entry, Rule::DisabledVersion))
            }
            Choice::Stay => {
                let (major, minor) = (self.release.major.into(), self.release.minor.into());
                entry.deprecation_warning((major, minor))?;
                Some(self.better(entry, Rule::DeprecatedVersion))
            }
        }
    }

    /// A verdict about a version that is served, with a better one if there is one.
    fn better(&self, entry: &Arc<KindEntry>, rule: Rule) -> Verdict {
        let (major, minor) = (self.release.major.into(), self.release.minor.into());
        let to = self.known.newest(entry, |other| {
            self.known.is_served_in(other, self.release)
                && is_on_by_default(other, self.release)
                && other.deprecation_warning((major, minor)).is_none()
        });
        let to = to.cloned();
        let other = self.known.lifecycle(entry).successor.filter(|_| to.is_none());
        let instead = match other {
            Some(other @ (Successor::Kind(_) | Successor::Else(_))) => other.to_string(),
            Some(Successor::Version(_)) | None => String::new(),
        };
        Verdict { rule, to, instead }
    }

    /// What is wrong with an object of a kind; a patch has only some of its fields.
    pub fn object(
        &self,
        entry: &Arc<KindEntry>,
        object: &Value,
        is_patch: bool,
        place: Place,
    ) -> Option<Finding> {
        let verdict = self.verdict(entry)?;
        let to = verdict.to.clone();
        let mut finding = self.finding(entry, verdict, place);
        (finding.namespace, finding.name) = names(object);
        if let Some(to) = to {
            let target = Target::Versions(vec![(to.group.to_string(), to.version.to_string())]);
            let converter = Converter {
                known: self.known,
                target: &target,
                drops_unknown: false,
                help_for_unknown: "correct its name, or drop such fields with `hubgen convert --drop-unknown`",
            };
            let found = if is_patch { converter.patch(object) } else { converter.document(object) };
            finding.edits = found.value.as_ref().map_or(Vec::new(), |new| edits(object, new));
            let fails = found.value.is_none();
            finding.problems = found.notes;
            finding.problems.retain(|note| fails && (is_patch || note.severity == Severity::Error));
        }
        Some(finding)
    }

    /// What is wrong with an object of a kind that is not known: no release had it at its version, although the group is
    /// Kubernetes' own. `None` for others, such as custom resources.
    pub fn unknown(&self, object: &Value, place: Place) -> Option<Finding> {
        let [api_version, kind] = ["apiVersion", "kind"].map(|name| object[name].as_str());
        let (api_version, kind) = (api_version?, kind?);
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let own = || self.known.scheme.kinds().filter(|entry| !is_of_repository(entry));
        let is_served = |entry: &KindEntry| self.known.is_served_in(entry, self.release);
        let mut same = own().filter(|entry| entry.kind == kind && entry.resource.is_some());
        let to = same.find(|entry| is_served(entry)).and_then(|entry| self.known.newest(entry, is_served));
        let is_known = match to {
            Some(_) => own().any(|entry| entry.group == group),
            // Others have kinds of the core group that no server has, such as the kubeconfig.
            None => !group.is_empty() && own().any(|entry| entry.group == group && entry.version == version),
        };
        let (namespace, name) = names(object);
        let of = Kind { api_version: api_version.to_owned(), kind: kind.to_owned() };
        is_known.then(|| Finding {
            namespace,
            name,
            to: to.map(|to| Kind::from(&**to)),
            to_is_disabled: to.is_some_and(|to| self.is_disabled(to)),
            ..Finding::new(Rule::UnknownVersion, of, place)
        })
    }

    /// What is wrong with a version that a field or a text names.
    pub fn reference(&self, entry: &Arc<KindEntry>, place: Place) -> Option<Finding> {
        let verdict = self.verdict(entry)?;
        let is_old = matches!(verdict.rule, Rule::RemovedVersion | Rule::RemovedKind);
        is_old.then(|| self.finding(entry, Verdict { rule: Rule::OldReference, ..verdict }, place))
    }

    /// A finding without an object.
    pub fn finding(&self, entry: &Arc<KindEntry>, verdict: Verdict, place: Place) -> Finding {
        let Verdict { rule, to, instead } = verdict;
        Finding {
            lifecycle: self.known.lifecycle(entry),
            to: to.as_deref().map(Kind::from),
            to_is_disabled: to.is_some_and(|to| self.is_disabled(&to)),
            instead,
            ..Finding::new(rule, Kind::from(&**entry), place)
        }
    }

    /// Whether the release serves a version only where it is enabled.
    fn is_disabled(&self, entry: &KindEntry) -> bool {
        !is_of_repository(entry) && !is_on_by_default(entry, self.release)
    }
}
