//! What those are told who do not get in.

use hubgen_meta::v1::StatusDetails;

use super::Failure;
use crate::access::{Asked, Denied, Forbidden};

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Host(why) => Self::malformed(why),
            Denied::Foreign(why) => Self::new(403, "Forbidden", why),
            Denied::Malformed(why) => Self::malformed(why),
            Denied::Unauthenticated => Self::new(401, "Unauthorized", "Unauthorized"),
            Denied::Forbidden(forbidden) => Self::forbidden(*forbidden),
        }
    }
}

impl Failure {
    fn forbidden(Forbidden { user, what, why }: Forbidden) -> Self {
        let because = if why.is_empty() { String::new() } else { format!(": {why}") };
        match what {
            Asked::Path { verb, path } => {
                let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}{because}");
                Self::new(403, "Forbidden", message).with(StatusDetails::default())
            }
            Asked::Resource { verb, group, resource, subresource, namespace, name } => {
                let place = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                let of = if group.is_empty() { String::new() } else { format!(".{group}") };
                let named = if name.is_empty() { String::new() } else { format!(" {name:?}") };
                let below = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
                let message = format!(
                    "{resource}{of}{named} is forbidden: User {user:?} cannot {verb} resource \"{resource}{below}\" in \
                     API group {group:?} {place}{because}"
                );
                Self::new(403, "Forbidden", message).with(StatusDetails {
                    name: name.into(),
                    group: group.into(),
                    kind: resource.into(),
                    ..StatusDetails::default()
                })
            }
        }
    }
}
