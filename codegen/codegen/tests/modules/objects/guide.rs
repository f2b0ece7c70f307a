//! The guide of `v1alpha1` is one of the contacts of `v1`.

use hubgen_machinery::StrMap;

use crate::api::tours::{v1, v1alpha1};

/// Converts to the hub.
pub(crate) fn to_hub(guide: Option<v1alpha1::Person>) -> StrMap<v1::Contact> {
    let contact = |guide: v1alpha1::Person| v1::Contact { name: guide.name, phone: guide.phone };
    guide.map(|guide| ("guide", contact(guide))).into_iter().collect()
}

/// Converts from the hub. The machinery stores the other contacts.
pub(crate) fn from_hub(mut contacts: StrMap<v1::Contact>) -> Option<v1alpha1::Person> {
    let guide = contacts.remove("guide")?;
    Some(v1alpha1::Person { name: guide.name, phone: guide.phone })
}
