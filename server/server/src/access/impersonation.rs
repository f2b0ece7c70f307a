//! Requests that one user sends as another one: headers such as `Impersonate-User`, each with a permission of its own.
//!
//! As in upstream since 1.36, a permission can be constrained to what is asked for as the other user
//! (`impersonate-on:user-info:list`), and the older one (`impersonate`) is for everything.

use std::fmt::Write as _;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use hubgen_validation::names;

use super::headers::{extra_key, text};
use super::{AUTHENTICATED, Access, Attributes, Denied, ResourceAttributes, UNAUTHENTICATED, User};

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA: &str = "impersonate-extra-";
/// From this many groups or extra values on, a permission for all is asked for first.
const MANY: usize = 4;
/// The group of administrators, as which nobody acts by a constrained permission.
const MASTERS: &str = "system:masters";
/// The extra field of a service account that tells on which node its pod runs.
const NODE: &str = "authentication.kubernetes.io/node-name";

/// A kind of permission to act as another user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// As the node on which the pod of the service account runs.
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    /// As somebody who is neither a node nor a service account.
    UserInfo,
    /// As anybody, for everything.
    Unconstrained,
}

impl Mode {
    const ALL: [Self; 5] = [
        Self::AssociatedNode,
        Self::ArbitraryNode,
        Self::ServiceAccount,
        Self::UserInfo,
        Self::Unconstrained,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::AssociatedNode => "associated-node",
            Self::ArbitraryNode => "arbitrary-node",
            Self::ServiceAccount => "serviceaccount",
            Self::UserInfo => "user-info",
            Self::Unconstrained => "",
        }
    }

    fn verb(self) -> String {
        match self {
            Self::Unconstrained => "impersonate".to_owned(),
            constrained => format!("impersonate:{}", constrained.name()),
        }
    }

    /// Whether such a permission lets somebody act as another user.
    fn is_for(self, by: &User, wanted: &User) -> bool {
        let is_name = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        let node = node(&wanted.name);
        match self {
            Self::AssociatedNode => {
                let own = by.extra.get(NODE).filter(|names| names.len() == 1);
                is_name && node.is_some() && account(&by.name).is_some() && own.map(|own| &*own[0]) == node
            }
            Self::ArbitraryNode => is_name && node.is_some(),
            Self::ServiceAccount => is_name && account(&wanted.name).is_some(),
            Self::UserInfo => node.is_none() && account(&wanted.name).is_none(),
            Self::Unconstrained => true,
        }
    }
}

impl Access {
    /// The user as whom a request acts, if that is another one than who sends it.
    ///
    /// # Errors
    /// [`Denied::Malformed`] if headers name no user, and [`Denied::Forbidden`].
    pub(crate) async fn acting(
        &self,
        head: &Parts,
        request: &Attributes<'_>,
    ) -> Result<Option<User>, Denied> {
        let Some(wanted) = wanted(&head.headers)? else { return Ok(None) };
        let mut first = None;
        for mode in Mode::ALL {
            if !mode.is_for(request.user, &wanted) {
                continue;
            }
            match self.acting_by(mode, &wanted, request).await {
                Ok(user) => return Ok(Some(user)),
                Err(denied) => first = first.or(Some(denied)),
            }
        }
        Err(first.unwrap_or(Denied::Unauthenticated))
    }

    /// As [`acting`](Self::acting), by one kind of permission.
    async fn acting_by(&self, mode: Mode, wanted: &User, request: &Attributes<'_>) -> Result<User, Denied> {
        if mode != Mode::Unconstrained {
            let verb = format!("impersonate-on:{}:{}", mode.name(), request.verb);
            self.check(&Attributes { verb: &verb, ..*request }).await?;
        }
        let asks = Asks { access: self, by: request.user, mode, verb: mode.verb() };
        let mut user = wanted.clone();
        asks.name(&mut user).await?;
        if !wanted.uid.is_empty() {
            asks.may(AUTHENTICATION, "uids", "", "", &wanted.uid).await?;
        }
        asks.groups(&wanted.groups).await?;
        asks.extra(wanted).await?;
        let group = match &*user.name {
            User::ANONYMOUS => UNAUTHENTICATED,
            _ if user.groups.iter().any(|group| group == UNAUTHENTICATED) => return Ok(user),
            _ => AUTHENTICATED,
        };
        if !user.groups.iter().any(|known| known == group) {
            user.groups.push(group.to_owned());
        }
        Ok(user)
    }
}

/// The group of what is asked for, unless it is the core group.
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Asks for the permissions of one kind.
struct Asks<'a> {
    access: &'a Access,
    by: &'a User,
    mode: Mode,
    verb: String,
}

impl Asks<'_> {
    fn attributes<'b>(
        &'b self,
        group: &'b str,
        resource: &'b str,
        subresource: &'b str,
        namespace: &'b str,
        name: &'b str,
    ) -> Attributes<'b> {
        let version = "v1";
        let resource = ResourceAttributes { group, version, resource, subresource, namespace, name };
        Attributes { user: self.by, verb: &self.verb, path: "", resource: Some(resource) }
    }

    async fn may(
        &self,
        group: &str,
        resource: &str,
        subresource: &str,
        namespace: &str,
        name: &str,
    ) -> Result<(), Denied> {
        self.access.check(&self.attributes(group, resource, subresource, namespace, name)).await
    }

    fn is_constrained(&self) -> bool {
        self.mode != Mode::Unconstrained
    }

    /// The group of users and groups.
    fn group(&self) -> &'static str {
        if self.is_constrained() { AUTHENTICATION } else { "" }
    }

    /// Asks for the name of a user, and adds the groups that follow from it.
    async fn name(&self, user: &mut User) -> Result<(), Denied> {
        let group = self.group();
        let name = user.name.clone();
        if let Some(node) = node(&name).filter(|_| self.is_constrained()) {
            let node_name = if self.mode == Mode::AssociatedNode { "*" } else { node };
            user.groups = vec!["system:nodes".to_owned()];
            return self.may(group, "nodes", "", "", node_name).await;
        }
        let Some((namespace, account)) = account(&name) else {
            return self.may(group, "users", "", "", &name).await;
        };
        if user.groups.is_empty() {
            user.groups =
                vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        }
        self.may(group, "serviceaccounts", "", namespace, account).await
    }

    async fn groups(&self, groups: &[String]) -> Result<(), Denied> {
        let group = self.group();
        if self.is_constrained() {
            let refused = |name, why: &str| self.attributes(group, "groups", "", "", name).refused(why);
            if groups.iter().any(String::is_empty) {
                return Err(refused("", "impersonating the empty string group is not allowed"));
            }
            if groups.iter().any(|group| group == MASTERS) {
                return Err(refused(MASTERS, "impersonating the system:masters group is not allowed"));
            }
            if groups.len() >= MANY && self.may(group, "groups", "", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for name in groups {
            self.may(group, "groups", "", "", name).await?;
        }
        Ok(())
    }

    async fn extra(&self, User { extra, .. }: &User) -> Result<(), Denied> {
        if self.is_constrained() {
            for (key, values) in extra {
                if let Some(why) = wrong_extra(key, values) {
                    return Err(self.attributes(AUTHENTICATION, "userextras", "", "", "").refused(&why));
                }
            }
            let many = extra.len() >= MANY || extra.values().map(Vec::len).sum::<usize>() >= MANY;
            if many && self.may(AUTHENTICATION, "userextras", "*", "", "*").await.is_ok() {
                return Ok(());
            }
        }
        for (key, values) in extra {
            for value in values {
                self.may(AUTHENTICATION, "userextras", key, "", value).await?;
            }
        }
        Ok(())
    }
}

/// What is wrong with an extra field, for a constrained permission.
fn wrong_extra(key: &str, values: &[String]) -> Option<String> {
    let why = if key.is_empty() {
        "impersonating the empty string key in extra is not allowed".to_owned()
    } else if key.split_once('/').is_none_or(|(domain, path)| path.is_empty() || !is_subdomain(domain)) {
        format!(
            "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: {key:?}: must be a domain-prefixed \
             path (such as \"acme.io/foo\")"
        )
    } else if key.chars().any(char::is_uppercase) {
        format!("impersonating a non-lowercase key in extra is not allowed: {key:?}")
    } else if values.iter().any(String::is_empty) {
        "impersonating the empty string value in extra is not allowed".to_owned()
    } else {
        return None;
    };
    Some(why)
}

/// The user whom headers name, without the groups that follow from the name.
fn wanted(headers: &HeaderMap) -> Result<Option<User>, Denied> {
    let first = |name| headers.get(name).map(|value| text(value.as_bytes())).unwrap_or_default();
    let mut user = User { name: first(USER), uid: first(UID), ..User::default() };
    user.groups = headers.get_all(GROUP).iter().map(|group| text(group.as_bytes())).collect();
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix(EXTRA) {
            user.extra.entry(extra_key(key)).or_default().push(text(value.as_bytes()));
        }
    }
    match (user.name.is_empty(), user == User::default()) {
        (false, _) => Ok(Some(user)),
        (true, true) => Ok(None),
        (true, false) => {
            Err(Denied::Malformed(format!("requested {} without impersonating a user name", in_go(&user))))
        }
    }
}

/// A user as upstream's message has it, which is how Go prints a value.
fn in_go(User { name, uid, groups, extra }: &User) -> String {
    let list = |values: &[String]| match values {
        [] => "[]string(nil)".to_owned(),
        values => {
            let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            format!("[]string{{{}}}", values.join(", "))
        }
    };
    let mut out = format!(
        "&user.DefaultInfo{{Name:{name:?}, UID:{uid:?}, Groups:{}, Extra:map[string][]string",
        list(groups)
    );
    match extra.is_empty() {
        true => out += "(nil)",
        false => {
            let fields: Vec<String> =
                extra.iter().map(|(key, values)| format!("{key:?}:{}", list(values))).collect();
            let _ = write!(out, "{{{}}}", fields.join(", "));
        }
    }
    out + "}"
}

/// The node of the user of a node.
fn node(user: &str) -> Option<&str> {
    user.strip_prefix("system:node:").filter(|name| is_subdomain(name))
}

/// The namespace and the name of the service account of a user.
fn account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (names::dns_label_mistakes(namespace).is_empty() && is_subdomain(name)).then_some((namespace, name))
}

fn is_subdomain(name: &str) -> bool {
    names::subdomain_mistakes(name).is_empty()
}
