//! Conversion to the hub and back, and what keeps it lossless.

use thiserror::Error;

use crate::reflect::ApiType;

/// A version of a kind that converts to its hub and back.
pub trait Convert: ApiType {
    /// The type that every version of the kind converts to.
    type Hub: ApiType;

    /// To the hub. Whatever annotations say, this never fails.
    fn to_hub(self) -> Self::Hub;

    /// From the hub; what this version cannot say is kept in annotations.
    ///
    /// # Errors
    /// When that would take annotations over their limit.
    fn from_hub(hub: Self::Hub) -> Result<Self, ConvertError>;
}

/// Why a hub object could not be written at a version.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ConvertError(pub String);
