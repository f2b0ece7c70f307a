//! Emits the CustomResourceDefinitions of a group's kinds, for users' own APIs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hubgen_documents::crd::definition_name;
use hubgen_documents::layout;
use hubgen_model::{Kind, Type};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use super::homes::Homes;
use super::source::preamble;
use crate::naming::ident;
use crate::rust::Written;

/// The definitions of all kinds, by their names.
pub type Crds = BTreeMap<String, Value>;

/// The name of a kind's definition, if it has one.
fn name(crds: &Crds, ty: &Type, kind: &Kind) -> Option<String> {
    let resource = kind.resource.as_ref().filter(|_| kind.definition.is_some())?;
    let name = definition_name(&ty.id.group_version.group, &resource.plural);
    crds.contains_key(&name).then_some(name)
}

/// The constant of a definition: `CERTIFICATES`.
fn constant(name: &str) -> String {
    let plural = name.split('.').next().unwrap_or(name);
    plural.replace('-', "_").to_uppercase()
}

/// Implements the trait of kinds with a definition, or gives the derive's implementation of it the definition.
pub fn implement(
    homes: &Homes<'_>,
    crds: &Crds,
    written: &Written,
    kinds: &[(&Type, &Kind)],
) -> Vec<TokenStream> {
    let named = kinds.iter().filter_map(|(ty, kind)| Some((ty, name(crds, ty, kind)?)));
    let implementations = named.map(|(ty, name)| {
        let (kind, constant) = (ident(&ty.id.name), ident(&constant(&name)));
        let group = homes.inside(&ty.id.group_version.group);
        let is_derived = written.types.get(&ty.id).is_some_and(|place| place.defines);
        let (implemented, function) =
            if is_derived { ("GeneratedCrd", "generated_crd") } else { ("HasCrd", "crd") };
        let (implemented, function) = (ident(implemented), ident(function));
        quote! {
            impl hubgen_machinery::crd::#implemented for #kind {
                fn #function() -> hubgen_machinery::crd::Crd {
                    #group::crds::#constant
                }
            }
        }
    });
    implementations.collect()
}

/// The definitions of the kinds of one group, by their names.
pub fn of_group<'a>(crds: &'a Crds, group: &str) -> BTreeMap<&'a str, &'a Value> {
    let own = crds.iter().filter(|(_, definition)| definition["spec"]["group"] == group);
    own.map(|(name, definition)| (name.as_str(), definition)).collect()
}

/// The file with the definitions of one group, whose schemas are `origin`.
pub fn file(homes: &Homes<'_>, group: &str, crds: &BTreeMap<&str, &Value>, origin: &str) -> String {
    let mut out = preamble(homes.target(), origin);
    let _ = write!(
        out,
        "//! The CustomResourceDefinitions of `{group}`, which `hubgen crds` writes as YAML.\n\n\
         use hubgen_machinery::crd::Crd;\n\n\
         /// The definitions of all kinds.\n\
         pub fn all() -> Vec<Crd> {{\n    vec!["
    );
    let constants: Vec<String> = crds.keys().map(|name| constant(name)).collect();
    let _ = writeln!(out, "{}]\n}}", constants.join(", "));
    for ((name, definition), constant) in crds.iter().zip(constants) {
        let _ = write!(
            out,
            "\n/// The definition `{name}`.\npub const {constant}: Crd = Crd::generated(\"{name}\", {});\n",
            literal(&layout::render(definition)),
        );
    }
    out
}

/// JSON as a literal of Rust that shows it as it is.
fn literal(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.trim_end().chars() {
        match c {
            // The compiler refuses these in literals, because they change the direction of what follows.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    let mut hashes = "#".to_owned();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Descriptions contain what people write.
    #[test]
    fn literals_are_the_json() {
        for text in ["plain", "r#\"raw\"#", "\"#\"##\"", "a\rb\n\u{202e}c\u{2066}", "\\"] {
            let json = json!({ "description": text });
            let literal = literal(&layout::render(&json));
            assert!(!literal.contains(['\r', '\u{202e}', '\u{2066}']), "{literal}");
            let literal: syn::LitStr = syn::parse_str(&literal).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&literal.value()).unwrap(), json);
        }
    }
}
