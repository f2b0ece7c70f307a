//! For kube 4.

use k8s_openapi_0_28 as k8s_openapi;
use kube_core_4 as kube_core;

// The same files for each major release, whose crates they find here.
#[path = "major/custom_resource.rs"]
mod custom_resource;
#[path = "major/metadata.rs"]
mod metadata;
#[path = "major/object.rs"]
mod object;
#[path = "major/resource.rs"]
mod resource;

pub use self::object::Kube;
pub use self::resource::KubeScope;
