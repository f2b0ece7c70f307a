//! What those are told who do not get in.

use hubgen_meta::v1::StatusDetails;

use super::Failure;
use crate::access::{Asked, Denied, Forbidden};
use crate::validation::quoted;

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Host(why) => Self::malformed(why),
            Denied::Foreign(why) => Self::new(403, "Forbidden", why),
            Denied::Malformed(why) => Self::malformed(why),
            Denied::Unauthenticated => Self::new(401, "Unauthorized", "Unauthorized"),
            Denied::Forbidden(forbidden) => Self::forbidden(*forbidden),
            Denied::Undecided(why) => {
                Self::new(500, "InternalError", format!("Internal Server Error: {}", escaped(&why)))
            }
        }
    }
}

impl Failure {
    fn forbidden(Forbidden { user, what, why }: Forbidden) -> Self {
        let because = if why.is_empty() { String::new() } else { format!(": {why}") };
        match what {
            Asked::Path { verb, path } => {
                let what = format!("User {} cannot {verb} path {}", quoted(&user), quoted(&path));
                let message = format!("forbidden: {}{because}", escaped(&what));
                Self::new(403, "Forbidden", message).with(StatusDetails::default())
            }
            Asked::Resource { verb, group, resource, subresource, namespace, name } => {
                let place = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {}", quoted(namespace)),
                };
                let of = if group.is_empty() { String::new() } else { format!(".{group}") };
                let named = if name.is_empty() { String::new() } else { format!(" {}", quoted(&name)) };
                let below = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
                let what = format!(
                    "User {} cannot {verb} resource {} in API group {} {place}",
                    quoted(&user),
                    quoted(&format!("{resource}{below}")),
                    quoted(&group)
                );
                let message = format!("{resource}{of}{named} is forbidden: {}{because}", escaped(&what));
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

/// A text that no browser takes for HTML. Upstream escapes what users have chosen, too.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
