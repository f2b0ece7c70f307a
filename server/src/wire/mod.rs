//! The few types of the API machinery that the server itself writes or reads, whatever kinds its
//! Scheme knows.

mod discovery;
mod meta;
mod status;

pub use self::discovery::{
    ApiGroup, ApiGroupList, ApiResource, ApiResourceList, ApiVersions, GroupVersion, ServerAddress,
    VersionInfo,
};
pub use self::meta::{DeleteOptions, ListMeta, Preconditions};
pub use self::status::{Cause, Details, Status};
pub(crate) use self::status::{plural, resource};
