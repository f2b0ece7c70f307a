//! What a webhook has answered.

/// The answer to a request, whatever its code.
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}
