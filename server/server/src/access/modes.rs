//! Several who decide, one after the other.

use super::decision::aggregate;
use super::{Attributes, Authorize, Decision, Grant, ListedRules, Refusal, Rules, User};

/// The group of those who may do everything, whoever decides. The name is upstream's.
pub(crate) const PRIVILEGED: &str = "system:masters";

/// Whether a user may do everything.
pub(crate) fn is_privileged(user: &User) -> bool {
    user.groups.iter().any(|group| group == PRIVILEGED)
}

/// Asks several, in order, until one allows the request or refuses it [for good](Refusal::is_final). Members of the group
/// `system:masters` may do everything.
///
/// ```
/// use hubgen_server::access::{AllowAll, DenyAll, Modes};
///
/// let modes = Modes::default().with("alwaysdeny", DenyAll).with("alwaysallow", AllowAll);
/// # drop(modes);
/// ```
#[derive(Default)]
pub struct Modes(Vec<(String, Box<dyn Authorize>)>);

impl Modes {
    /// Asks somebody else after the others. Reasons of refusals begin with the name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, mode: impl Authorize + 'static) -> Self {
        self.0.push((name.into(), Box::new(mode)));
        self
    }
}

impl Authorize for Modes {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async move {
            if is_privileged(request.user) {
                return Ok(Grant::default());
            }
            let (mut reasons, mut errors) = (Vec::new(), Vec::new());
            for (name, mode) in &self.0 {
                match mode.authorize(request).await {
                    Err(Refusal { reason, error, is_final: false }) => {
                        reasons.extend((!reason.is_empty()).then(|| format!("{name}: {reason}")));
                        errors.extend((!error.is_empty()).then_some(error));
                    }
                    decided => return decided,
                }
            }
            Err(Refusal { reason: reasons.join("\n"), error: aggregate(errors), is_final: false })
        })
    }

    fn rules<'a>(&'a self, user: &'a User, namespace: &'a str) -> ListedRules<'a> {
        Box::pin(async move {
            let mut all = Rules::default();
            let (mut missing, mut errors) = (Vec::new(), Vec::new());
            for (_, mode) in &self.0 {
                let rules = mode.rules(user, namespace).await;
                all.resources.extend(rules.resources);
                all.paths.extend(rules.paths);
                missing.extend((!rules.missing.is_empty()).then_some(rules.missing));
                errors.extend((!rules.error.is_empty()).then_some(rules.error));
            }
            Rules { missing: aggregate(missing), error: aggregate(errors), ..all }
        })
    }
}

/// Nobody may do anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

impl Authorize for DenyAll {
    fn authorize<'a>(&'a self, _: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async { Err(Refusal::because("Everything is forbidden.")) })
    }

    fn rules<'a>(&'a self, _: &'a User, _: &'a str) -> ListedRules<'a> {
        Box::pin(async { Rules::default() })
    }
}
