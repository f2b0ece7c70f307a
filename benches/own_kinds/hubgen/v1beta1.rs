use super::v1;
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Widget", namespaced, status)]
pub struct Widget {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: WidgetSpec,
    pub status: Option<v1::WidgetStatus>,
}

#[derive(ApiType)]
pub struct WidgetSpec {
    #[field(required)]
    pub size: i32,
    pub color: Option<Str>,
    pub secret_name: Option<Str>,
    pub mode: Option<Str>,
    pub items: Option<Vec<WidgetItem>>,
    pub labels: Option<StrMap<Str>>,
    pub template: Option<v1::WidgetTemplate>,
    pub paused: Option<bool>,
}

#[derive(ApiType)]
pub struct WidgetItem {
    #[field(required)]
    pub name: Str,
    pub count: Option<i32>,
}
