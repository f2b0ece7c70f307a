use hubgen_machinery::ApiType;

#[derive(ApiType)]
pub struct WorkerSpec {
    pub size: i32,
}
