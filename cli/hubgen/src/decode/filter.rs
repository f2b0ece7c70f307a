//! Which values are printed.

use std::collections::BTreeSet;

use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_stored::{Decoded, Decoder, Stored};

use crate::find;

/// Which values are printed; all of them without one of these.
#[derive(clap::Args)]
pub struct Filter {
    /// Only values whose key begins with this, such as /registry/deployments/
    #[arg(long, value_name = "KEY")]
    pub prefix: Option<String>,
    /// Only objects of this kind, at any version: Deployment, deploy, deployments.apps; a custom resource by
    /// its kind
    #[arg(long)]
    pub kind: Option<String>,
    /// Only objects in this namespace
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
}

/// A filter whose kind is found.
pub struct Chosen<'a> {
    filter: &'a Filter,
    /// Decodes objects at their own versions.
    decoder: Decoder<'a>,
    kind: Option<Kind>,
}

/// The kind of a filter.
struct Kind {
    /// Its name, as it was given.
    name: String,
    /// Its versions and names; none if it is that of a custom resource.
    known: BTreeSet<(String, String)>,
    /// What the keys of its objects begin with.
    prefixes: BTreeSet<String>,
}

impl Kind {
    /// Finds a kind. One that is not known is that of custom resources.
    fn named(name: &str, scheme: &Scheme) -> Self {
        let found: Vec<_> = find::kinds(scheme, name).unwrap_or_default().into_iter().flatten().collect();
        Self {
            name: name.to_owned(),
            known: found.iter().map(|entry| (entry.api_version(), entry.kind.to_string())).collect(),
            prefixes: found.iter().map(|entry| scheme.storage_prefix(entry)).collect(),
        }
    }

    fn has(&self, api_version: &str, kind: &str) -> bool {
        if self.known.is_empty() {
            return self.name.eq_ignore_ascii_case(kind);
        }
        self.known.iter().any(|(version, known)| version == api_version && known == kind)
    }

    /// Whether an object with that key may be one.
    fn may_have_key(&self, key: &str) -> bool {
        if self.known.is_empty() {
            return key.starts_with("/registry/");
        }
        self.prefixes.iter().any(|prefix| key.starts_with(prefix))
    }
}

impl Filter {
    /// Finds the kind.
    pub fn chosen<'a>(&'a self, decoder: &Decoder<'a>) -> Chosen<'a> {
        let kind = self.kind.as_deref().map(|name| Kind::named(name, &decoder.known.scheme));
        Chosen { filter: self, decoder: Decoder { target: None, ..decoder.clone() }, kind }
    }
}

impl Chosen<'_> {
    /// Whether a value is wanted. Of one that cannot be decoded, its envelope or its key tells what it is.
    pub fn has(&self, stored: &Stored) -> bool {
        let Filter { prefix, namespace, .. } = self.filter;
        let key = stored.key.as_deref();
        if prefix.as_deref().is_some_and(|prefix| !key.is_some_and(|key| key.starts_with(prefix))) {
            return false;
        }
        if self.kind.is_none() && namespace.is_none() {
            return true;
        }
        if let Ok(Decoded::Object(object, _)) = self.decoder.decode(&stored.bytes) {
            let text = |name: &str| object[name].as_str().unwrap_or_default();
            let found = object["metadata"]["namespace"].as_str().unwrap_or_default();
            return self.kind.as_ref().is_none_or(|kind| kind.has(text("apiVersion"), text("kind")))
                && namespace.as_deref().is_none_or(|namespace| namespace == found);
        }
        let Some(key) = key else { return true };
        let envelope = Envelope::decode(&stored.bytes).ok().filter(|envelope| !envelope.kind.is_empty());
        let has_kind = |kind: &Kind| match envelope {
            Some(envelope) => kind.has(envelope.api_version, envelope.kind),
            None => kind.may_have_key(key),
        };
        self.kind.as_ref().is_none_or(has_kind)
            && namespace.as_deref().is_none_or(|namespace| key.split('/').any(|part| part == namespace))
    }
}
