//! kube's `CustomResourceExt`.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hubgen_machinery::crd::HasCrd;
use hubgen_machinery::scheme::HasResource;

use super::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use super::kube_core::crd::CustomResourceExt;
use super::kube_core::discovery::ApiResource;
use super::object::Kube;
use super::resource::KubeScope;

impl<T: HasCrd> Kube<T> {
    /// The definition with the version of `T` only, which is stored: what kube's derive returns, and `merge_crds`
    /// takes.
    ///
    /// [`CustomResourceExt::crd`] returns the definition with all versions.
    ///
    /// # Panics
    /// As [`HasCrd::crd`].
    pub fn crd_of_one_version() -> CustomResourceDefinition {
        let mut definition = definition::<T>();
        definition.spec.versions.retain(|version| version.name == T::VERSION);
        definition.spec.versions.iter_mut().for_each(|version| version.storage = true);
        // There is nothing to convert.
        definition.spec.conversion = None;
        definition
    }
}

/// # Panics
/// As [`HasCrd::crd`].
impl<T: HasCrd + HasResource<Scope: KubeScope>> CustomResourceExt for Kube<T> {
    /// The definition with all versions of the kind, whichever of them `T` is.
    fn crd() -> CustomResourceDefinition {
        definition::<T>()
    }

    fn crd_name() -> &'static str {
        names::<T>().definition
    }

    fn api_resource() -> ApiResource {
        ApiResource::erase::<Self>(&())
    }

    fn shortnames() -> &'static [&'static str] {
        names::<T>().short
    }
}

fn definition<T: HasCrd>() -> CustomResourceDefinition {
    let definition = T::crd().to();
    definition.unwrap_or_else(|error| panic!("the definition of {} {}: {error}", T::API_VERSION, T::KIND))
}

#[derive(Clone, Copy)]
struct Names {
    definition: &'static str,
    short: &'static [&'static str],
}

/// The names in a definition. kube asks for them for the whole run of the program, and a definition is made when it is
/// asked for, so they are kept: once for each type.
fn names<T: HasCrd>() -> Names {
    static NAMES: Mutex<BTreeMap<TypeId, Names>> = Mutex::new(BTreeMap::new());
    let mut known = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(TypeId::of::<T>()).or_insert_with(|| {
        let definition = definition::<T>();
        let text = |text: String| &*text.leak();
        let short = definition.spec.names.short_names.unwrap_or_default();
        Names {
            definition: text(definition.metadata.name.unwrap_or_default()),
            short: short.into_iter().map(text).collect::<Vec<_>>().leak(),
        }
    })
}
