//! Emits what a server does with the objects of kinds, beyond storing them.

use std::fmt::Write as _;

use hubgen_facts::CLIENT_METADATA;
use hubgen_model::Release;
use hubgen_model::behaviour::{
    Behaviour, Deprecation, Generation, NameForm, Priority, SelectableField, StoragePlace,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::naming::ident;

/// The fields of a row whose values are words, each with the type of the words.
pub const WORDS: [(&str, &str); 3] =
    [("names", "NameForm"), ("generation", "Generation"), ("storage", "StorageRow")];

/// Emits what is not usual about a kind; `None` if everything is.
pub fn row(behaviour: &Behaviour) -> Option<TokenStream> {
    let Behaviour {
        names,
        generation,
        generation_metadata,
        status_metadata,
        keeps_status_on_creation,
        selectable_fields,
        time_to_live,
        is_never_owner,
        orphans_dependents,
        storage,
        deprecation,
    } = behaviour;
    let mut facts = Vec::new();
    if *names != NameForm::default() {
        let form = ident(match names {
            NameForm::Subdomain => "Subdomain",
            NameForm::Label => "Label",
            NameForm::Label1035 => "Label1035",
            NameForm::PathSegment => "PathSegment",
        });
        facts.push(quote!(names: NameForm::#form));
    }
    if *generation != Generation::default() {
        let generation = ident(match generation {
            Generation::OfSpec => "OfSpec",
            Generation::Counted => "Counted",
            Generation::Fixed => "Fixed",
            Generation::None => "None",
        });
        facts.push(quote!(generation: Generation::#generation));
    }
    if !generation_metadata.is_empty() {
        facts.push(quote!(generation_metadata: &[#(#generation_metadata),*]));
    }
    if status_metadata == CLIENT_METADATA {
        facts.push(quote!(status_metadata: BehaviourRow::METADATA));
    } else if !status_metadata.is_empty() {
        facts.push(quote!(status_metadata: &[#(#status_metadata),*]));
    }
    if *keeps_status_on_creation {
        facts.push(quote!(keeps_status_on_creation: true));
    }
    if let Some(fields) = selectable_fields {
        let fields = fields.iter().map(|SelectableField { name, paths }| match paths {
            Some(paths) => quote!(SelectableRow::Named(#name, &[#(#paths),*])),
            None => quote!(SelectableRow::Path(#name)),
        });
        facts.push(quote!(selectable_fields: Some(&[#(#fields),*])));
    }
    if let Some(time) = time_to_live {
        let seconds = Literal::u64_unsuffixed(time.as_secs());
        facts.push(quote!(time_to_live: Some(std::time::Duration::from_secs(#seconds))));
    }
    if *is_never_owner {
        facts.push(quote!(is_never_owner: true));
    }
    if *orphans_dependents {
        facts.push(quote!(orphans_dependents: true));
    }
    match storage {
        StoragePlace::Plural => {}
        StoragePlace::Named(name) => facts.push(quote!(storage: StorageRow::Named(#name))),
        StoragePlace::Separate => facts.push(quote!(storage: StorageRow::Separate)),
    }
    if let Some(deprecation) = deprecation {
        let deprecation = deprecation_row(deprecation);
        facts.push(quote!(deprecation: Some(#deprecation)));
    }
    (!facts.is_empty()).then(|| quote!(BehaviourRow { #(#facts,)* ..BehaviourRow::USUAL }))
}

fn deprecation_row(Deprecation { since, unavailable, replacement, warning }: &Deprecation) -> TokenStream {
    let optional =
        |value: Option<TokenStream>| value.map_or_else(|| quote!(None), |value| quote!(Some(#value)));
    let release = |release: &Option<Release>| {
        optional(release.map(|Release { major, minor }| {
            let (major, minor) = (Literal::u16_unsuffixed(major), Literal::u16_unsuffixed(minor));
            quote!((#major, #minor))
        }))
    };
    let (since, unavailable) = (release(since), release(unavailable));
    let replacement = optional(replacement.as_ref().map(|name| {
        let (group, version, kind) = (&name.group_version.group, &name.group_version.version, &name.kind);
        quote!((#group, #version, #kind))
    }));
    let warning = optional(warning.as_ref().map(|warning| quote!(#warning)));
    quote! {
        DeprecationRow {
            since: #since,
            unavailable: #unavailable,
            replacement: #replacement,
            warning: #warning,
        }
    }
}

/// Emits the priority of a group, as rustfmt formats it.
pub fn priority(group: &str, priority: &Priority) -> String {
    const DOCS: &str = "/// The order of the group and its versions in discovery.\n";
    const BEGIN: &str = "static PRIORITY: PriorityRow =";
    let number = match priority.group {
        Some(Priority::FIRST) => "Some(u32::MAX)".to_owned(),
        Some(number) => format!("Some({number})"),
        None => "None".to_owned(),
    };
    let versions: Vec<String> =
        priority.versions.iter().map(|(version, number)| format!("({version:?}, {number})")).collect();
    let short = format!("versions: &[{}]", versions.join(", "));
    let row = format!("PriorityRow {{ group: {group:?}, priority: {number}, {short} }};\n");
    for break_ in [" ", "\n    "] {
        let written = format!("{BEGIN}{break_}{row}");
        if written.lines().all(|line| line.len() < LINE) {
            return format!("{DOCS}{written}\n");
        }
    }
    let mut out = format!("{DOCS}{BEGIN} PriorityRow {{\n    group: {group:?},\n    priority: {number},\n");
    let line = format!("    {short},\n");
    if line.len() <= LINE {
        out.push_str(&line);
    } else {
        let _ = writeln!(out, "    versions: &[\n        {},\n    ],", versions.join(",\n        "));
    }
    out + "};\n\n"
}

/// The length of a line in files that rustfmt formats, with its end.
const LINE: usize = 111;
