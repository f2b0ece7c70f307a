//! The user that a service account is.

use std::collections::BTreeMap;

use crate::access::{AUTHENTICATED, User};

/// The name of the user.
pub(super) fn user_name(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

/// The user, of whom nothing else is known.
pub(super) fn user(namespace: &str, name: &str, uid: &str) -> User {
    User {
        name: user_name(namespace, name),
        uid: uid.to_owned(),
        groups: vec![
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{namespace}"),
            AUTHENTICATED.to_owned(),
        ],
        extra: BTreeMap::new(),
    }
}
