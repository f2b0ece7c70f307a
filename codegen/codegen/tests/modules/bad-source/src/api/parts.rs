use hubgen_machinery::ApiType;

/// No kind is in this module, or above it.
#[derive(ApiType)]
pub struct Part {
    pub name: String,
}
