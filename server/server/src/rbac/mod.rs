//! Roles and bindings decide who may.
//!
//! [`Rbac`] decides by the Roles, ClusterRoles, RoleBindings and ClusterRoleBindings that are stored, at whatever version
//! they were written. It is one of those whom [`Access`](crate::access::Access) asks, and a [setting](crate::Settings::rbac)
//! of the server, which gives it the store:
//!
//! ```
//! use std::sync::Arc;
//!
//! use hubgen_machinery::scheme::Scheme;
//! use hubgen_server::access::{Access, Modes};
//! use hubgen_server::rbac::Rbac;
//! use hubgen_server::store::{Embedded, Options};
//! use hubgen_server::{Server, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut scheme = Scheme::new();
//! hubgen_rbac::register(&mut scheme);
//!
//! let rbac = Rbac::default();
//! let runtime = tokio::runtime::Runtime::new()?;
//! let server = runtime.block_on(async {
//!     let store = Embedded::in_memory(Options::default())?;
//!     let mut settings = Settings::new(Arc::new(scheme), Arc::new(store));
//!     settings.access =
//!         Access { authorize: Box::new(Modes::default().with("rbac", rbac.clone())), ..Access::default() };
//!     settings.rbac = Some(rbac);
//!     Ok::<_, Box<dyn std::error::Error>>(Server::bind(0, settings).await?)
//! })?;
//! # drop(server);
//! # Ok(())
//! # }
//! ```
//!
//! The server then also checks that nobody grants with a role or a binding what they may not do themselves, keeps the rules
//! of aggregated ClusterRoles, and makes the roles of the [`Bootstrap`], if it has one. A server without it has none of this.
//!
//! The policy is in memory, with an index of bindings by subject, and follows the store; a decision never reads it.

mod aggregate;
mod bootstrap;
mod covers;
mod escalation;
mod follow;
mod matching;
#[cfg(test)]
mod measured;
mod policy;
mod reconcile;
mod start;
mod told;
mod work;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use hubgen_rbac::v1::{PolicyRule, RoleRef};

pub use self::bootstrap::{Bootstrap, InvalidBootstrap};
use self::follow::{Closed, Followed, GROUP};
use self::policy::Found;
pub(crate) use self::start::Starting;
use crate::access::{
    Attributes, Authorize, Decision, Grant, ListedRules, PathRule, Refusal, ResourceRule, Rules, User,
    aggregate,
};
use crate::validation::quoted;

/// Decides by roles and bindings. Clones are the same one.
#[derive(Clone, Default)]
pub struct Rbac(Arc<Inner>);

#[derive(Default)]
struct Inner {
    bootstrap: Option<Bootstrap>,
    /// What the server has stored; empty until it starts.
    policy: OnceLock<Arc<Followed>>,
}

impl Rbac {
    /// Decides by roles and bindings, some of which the server makes when it starts.
    pub fn with_bootstrap(bootstrap: Bootstrap) -> Self {
        Self(Arc::new(Inner { bootstrap: Some(bootstrap), policy: OnceLock::new() }))
    }

    fn policy(&self) -> Result<&Arc<Followed>, Closed> {
        self.0.policy.get().ok_or(Closed)
    }

    /// The rules that a user has in a namespace, each once for each binding, and the roles that bindings name and that do
    /// not exist.
    async fn rules_of(
        &self,
        user: &User,
        namespace: &str,
    ) -> Result<(Vec<PolicyRule>, Vec<RoleRef>), Closed> {
        let policy = self.policy()?.current().await?;
        let (mut rules, mut gone) = (Vec::new(), Vec::new());
        policy.visit(user, namespace, |found| {
            match found {
                Found::Rule(_, rule) => rules.push(rule.clone()),
                Found::Gone(role) => gone.push(role.clone()),
            }
            ControlFlow::Continue(())
        });
        Ok((rules, gone))
    }
}

impl Authorize for Rbac {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        Box::pin(async move {
            let policy = match self.policy() {
                Ok(policy) => policy.current().await,
                Err(closed) => Err(closed),
            };
            let policy = policy.map_err(|Closed| Refusal::failed("the roles and bindings are not known"))?;
            let namespace = request.resource.map_or("", |of| of.namespace);
            let (mut granted, mut gone) = (None, Vec::new());
            policy.visit(request.user, namespace, |found| match found {
                Found::Rule(source, rule) if matching::allows(rule, request) => {
                    granted = Some(Grant::because(format!("RBAC: allowed by {source}")));
                    ControlFlow::Break(())
                }
                Found::Rule(..) => ControlFlow::Continue(()),
                Found::Gone(role) => {
                    gone.push(why_gone(role, &role.kind.to_lowercase()));
                    ControlFlow::Continue(())
                }
            });
            granted.ok_or_else(|| match aggregate(gone) {
                none if none.is_empty() => Refusal::default(),
                gone => Refusal::because(format!("RBAC: {gone}")),
            })
        })
    }

    fn rules<'a>(&'a self, user: &'a User, namespace: &'a str) -> ListedRules<'a> {
        Box::pin(async move {
            let Ok((rules, gone)) = self.rules_of(user, namespace).await else {
                let missing = "the roles and bindings are not known".to_owned();
                return Rules { missing, ..Rules::default() };
            };
            let texts = |words: &[hubgen_machinery::Str]| words.iter().map(ToString::to_string).collect();
            let resources = rules.iter().filter(|rule| !rule.resources.is_empty()).map(|rule| ResourceRule {
                verbs: texts(&rule.verbs),
                groups: texts(&rule.api_groups),
                resources: texts(&rule.resources),
                names: texts(&rule.resource_names),
            });
            let paths = rules
                .iter()
                .filter(|rule| !rule.non_resource_urls.is_empty())
                .map(|rule| PathRule { verbs: texts(&rule.verbs), paths: texts(&rule.non_resource_urls) });
            Rules {
                resources: resources.collect(),
                paths: paths.collect(),
                missing: String::new(),
                error: aggregate(gone.iter().map(|role| why_gone(role, &role.kind.to_lowercase()))),
            }
        })
    }
}

/// Why a role has no rules. `what` is how the message names it: a kind in small letters, or a resource.
fn why_gone(role: &RoleRef, what: &str) -> String {
    match &*role.kind {
        "Role" | "ClusterRole" => format!("{what}.{GROUP} {} not found", quoted(&role.name)),
        kind => format!("unsupported role reference kind: {}", quoted(kind)),
    }
}
