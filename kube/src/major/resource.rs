//! kube's `Resource`.

use std::borrow::Cow;

use hubgen_machinery::scheme::{Cluster, HasResource, Namespaced};

use super::k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use super::kube_core::{ObjectMeta, Resource};
use super::object::Kube;

/// A scope of hubgen that kube knows, too: [`Namespaced`] or [`Cluster`].
pub trait KubeScope {
    /// The type that kube has for it.
    type Scope;
}

impl KubeScope for Namespaced {
    type Scope = NamespaceResourceScope;
}

impl KubeScope for Cluster {
    type Scope = ClusterResourceScope;
}

impl<T: HasResource<Scope: KubeScope>> Resource for Kube<T> {
    type DynamicType = ();
    type Scope = <T::Scope as KubeScope>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        T::KIND.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        T::GROUP.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        T::VERSION.into()
    }

    fn api_version((): &()) -> Cow<'_, str> {
        T::API_VERSION.into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        T::PLURAL.into()
    }

    fn meta(&self) -> &ObjectMeta {
        self.meta()
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.meta_mut()
    }
}
