//! Defaults of namespaces.

use super::access::strings_mut;
use hubgen_machinery::defaults::Context;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

/// The label by which selectors find a namespace by name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Copies the name of a namespace into a label. Unlike other defaults, this one replaces a value
/// that is set: the label always equals the name.
pub fn name_label(object: &mut dyn Reflect, _: &Context) {
    let name = meta::text(object, "name").to_owned();
    if !name.is_empty()
        && let Some(labels) = strings_mut(object, "metadata.labels")
    {
        labels.insert(NAME_LABEL, name.into());
    }
}
