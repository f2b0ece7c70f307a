//! What the path of a kind's objects needs, as facts about its type.

use crate::reflect::Kind;

/// A kind whose objects a server stores: what the paths of its objects need, at compile time.
///
/// Clients that are generic over a type of objects use it, as that of `hubgen-kube` does. The Scheme has the same facts
/// for kinds that are known at run time only: [`Resource`](super::Resource).
///
/// ```
/// use hubgen_machinery::ApiType;
/// use hubgen_machinery::scheme::{HasResource, Namespaced};
///
/// #[derive(ApiType)]
/// #[kind(group = "example.com", version = "v1", kind = "Widget", namespaced, storage)]
/// struct Widget {
///     size: i32,
/// }
///
/// fn collection<T: HasResource<Scope = Namespaced>>(namespace: &str) -> String {
///     format!("/apis/{}/namespaces/{namespace}/{}", T::API_VERSION, T::PLURAL)
/// }
///
/// assert_eq!(collection::<Widget>("default"), "/apis/example.com/v1/namespaces/default/widgets");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no resource: under which path a server has its objects is not known",
    note = "add `storage` to the `#[kind(…)]` of a kind with one version; run `hubgen generate` for one with several"
)]
pub trait HasResource: Kind {
    /// Whether its objects are in namespaces: [`Namespaced`] or [`Cluster`].
    type Scope;
    /// The last part of the path of its objects: `deployments`.
    const PLURAL: &'static str;
}

/// The scope of kinds whose objects are in namespaces.
#[derive(Debug)]
pub enum Namespaced {}

/// The scope of kinds whose objects are in no namespace.
#[derive(Debug)]
pub enum Cluster {}
