//! The functions that rules and defaults name: users' own by their module, ours by their name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_model::functions::RuleFunction;

use hubgen_plan::program::ops::{Callee, Op};
use hubgen_plan::{FamilyPlan, How};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use crate::naming::{ident, is_ident};

/// The first segment of a path in the user's own crate.
const OWN_CRATE: &str = "crate";

/// The path of a module. A leading `::` keeps the name of a crate apart from imported modules.
pub fn path(module: &str) -> TokenStream {
    let names: Vec<&str> = module.split("::").collect();
    let leading = (names[0] != OWN_CRATE).then(|| quote!(::));
    let segments = names.into_iter().map(segment);
    quote!(#leading #(#segments)::*)
}

/// The crate with the functions for Kubernetes' own kinds.
pub const OF_KUBERNETES: &str = "hubgen-kubernetes-functions";

/// One of our functions for a direction, in the module that is imported where it is called.
pub fn named(name: &str, direction: &str) -> TokenStream {
    let function = ident(&format!("{name}_{direction}"));
    if is_of_kubernetes(name) { quote!(conversions::#function) } else { quote!(functions::#function) }
}

/// Whether one of our functions is for Kubernetes' own kinds.
pub fn is_of_kubernetes(name: &str) -> bool {
    RuleFunction::find(name).is_some_and(|function| function.is_of_kubernetes)
}

/// Whether code in a folder calls functions for Kubernetes' own kinds.
pub fn calls_kubernetes(files: &BTreeMap<PathBuf, String>, folder: &Path) -> bool {
    files
        .iter()
        .any(|(path, code)| path.starts_with(folder) && code.contains("use hubgen_kubernetes_functions::"))
}

/// A segment of a path. A keyword other than `crate` is a raw identifier.
fn segment(name: &str) -> Ident {
    if name == OWN_CRATE || is_ident(name) { ident(name) } else { Ident::new_raw(name, Span::call_site()) }
}

/// The crates whose functions the conversions of a group call.
pub fn crates(plans: &[FamilyPlan], group: &str) -> BTreeSet<String> {
    let members = plans.iter().flat_map(|plan| &plan.members);
    let of_group = members.filter(|member| member.root.group_version.group == group);
    let pairs = of_group.flat_map(|member| match &member.how {
        How::Convert(mapping) => mapping.pairs.values().collect(),
        How::NotConvertible(_) => Vec::new(),
    });
    let called = pairs.flat_map(|pair| &pair.to_hub.ops).filter_map(|op| match op {
        Op::Call { function: Callee::Own { module, .. }, .. } => module.split("::").next(),
        _ => None,
    });
    called.filter(|name| *name != OWN_CRATE).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_in_the_rules() {
        for (module, expected) in [
            ("crate::duration", "crate::duration"),
            ("crate::type::days", "crate::r#type::days"),
            ("functions::days", "::functions::days"),
        ] {
            assert_eq!(path(module).to_string().replace(' ', ""), expected);
        }
    }
}
