//! The types of the API machinery that the server itself reads or writes, independently of the
//! kinds in its Scheme.

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
