use hubgen_machinery::{ApiType, Str};

/// The same name as in the module above.
#[derive(ApiType)]
pub struct WorkerSpec {
    pub name: Str,
}
