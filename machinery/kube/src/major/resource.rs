//! kube's `Resource`.

use std::borrow::Cow;

use hubgen_machinery::reflect::{ApiType, Kind as _, has_metadata};
use hubgen_machinery::scheme::{Cluster, HasResource, Namespaced};

use super::k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use super::kube_core::{ObjectMeta, Resource};
use super::object::Kube;

/// A scope of hubgen that kube knows, too: [`Namespaced`] or [`Cluster`].
pub trait KubeScope {
    /// The type that kube has for it.
    type Scope;

    /// Whether its objects have a namespace.
    const IS_NAMESPACED: bool;
}

impl KubeScope for Namespaced {
    type Scope = NamespaceResourceScope;
    const IS_NAMESPACED: bool = true;
}

impl KubeScope for Cluster {
    type Scope = ClusterResourceScope;
    const IS_NAMESPACED: bool = false;
}

impl<T: ApiType<Whole: HasResource<Scope: KubeScope>>> Resource for Kube<T> {
    type DynamicType = ();
    type Scope = <<T::Whole as HasResource>::Scope as KubeScope>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        T::Whole::KIND.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        T::Whole::GROUP.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        T::Whole::VERSION.into()
    }

    fn api_version((): &()) -> Cow<'_, str> {
        T::Whole::API_VERSION.into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        T::Whole::PLURAL.into()
    }

    fn meta(&self) -> &ObjectMeta {
        const { check_metadata::<T>() }
        self.meta()
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        const { check_metadata::<T>() }
        self.meta_mut()
    }
}

/// kube's watcher asks every object for its resource version, and its stores for name and namespace. A view without
/// them would compile and never work.
const fn check_metadata<T: ApiType<Whole: HasResource<Scope: KubeScope>>>() {
    assert!(
        has_metadata::<T>("name") && has_metadata::<T>("resourceVersion"),
        "kube needs `name` and `resource_version` in the `metadata` of a view"
    );
    assert!(
        has_metadata::<T>("namespace") || !<<T::Whole as HasResource>::Scope as KubeScope>::IS_NAMESPACED,
        "kube needs `namespace` in the `metadata` of a view, because objects of this kind are in namespaces"
    );
}
