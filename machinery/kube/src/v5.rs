//! For kube 5.

use k8s_openapi_0_29 as k8s_openapi;
#[cfg(feature = "kube-5-client")]
use kube_client_5 as kube_client;
use kube_core_5 as kube_core;

// The same files for each major release, whose crates they find here.
#[cfg(feature = "kube-5-client")]
#[path = "major/conversion.rs"]
mod conversion;
#[path = "major/custom_resource.rs"]
mod custom_resource;
#[path = "major/metadata.rs"]
mod metadata;
#[path = "major/object.rs"]
mod object;
#[path = "major/resource.rs"]
mod resource;
#[cfg(feature = "kube-5-client")]
#[path = "major/stored_versions.rs"]
mod stored_versions;

#[cfg(feature = "kube-5-client")]
pub use self::conversion::{CONVERSION_MANAGER, patch_ca_bundle};
pub use self::object::Kube;
pub use self::resource::KubeScope;
#[cfg(feature = "kube-5-client")]
pub use self::stored_versions::{Migrated, MigrationError, migrate_stored_versions};
