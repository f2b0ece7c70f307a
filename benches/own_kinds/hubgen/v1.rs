use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget", namespaced, status, storage)]
pub struct Widget {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: WidgetSpec,
    pub status: Option<WidgetStatus>,
}

#[derive(ApiType)]
pub struct WidgetSpec {
    #[field(required)]
    pub size: i32,
    #[field(renamed(v1alpha1 = "color", v1beta1 = "color"))]
    pub shade: Option<Str>,
    #[field(renamed(v1alpha1 = "keySecret"))]
    pub secret_name: Option<Str>,
    #[field(added)]
    pub mode: Option<Str>,
    pub items: Option<Vec<WidgetItem>>,
    pub labels: Option<StrMap<Str>>,
    pub template: Option<WidgetTemplate>,
    pub paused: Option<bool>,
}

#[derive(ApiType)]
pub struct WidgetItem {
    #[field(required)]
    pub name: Str,
    pub count: Option<i32>,
    #[field(added)]
    pub weight: Option<i32>,
}

#[derive(ApiType)]
pub struct WidgetTemplate {
    #[field(required)]
    pub image: Str,
    pub args: Option<Vec<Str>>,
    pub env: Option<StrMap<Str>>,
}

#[derive(ApiType)]
pub struct WidgetStatus {
    pub ready: Option<bool>,
    pub message: Option<Str>,
}
