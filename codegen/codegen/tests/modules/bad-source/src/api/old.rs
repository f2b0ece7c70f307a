use hubgen_machinery::ApiType;

#[derive(ApiType)]
pub struct Old {
    pub name: String,
}
