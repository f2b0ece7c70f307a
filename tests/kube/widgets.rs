//! A kind of a user, with everything that a definition can have for clients.

#![allow(dead_code, reason = "each test uses a part")]

use hubgen_kube::v5::Kube;
use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

#[derive(ApiType)]
#[kind(group = "kube.example.com", version = "v1", kind = "Widget", namespaced, storage)]
#[kind(status, short("wi"), scale(spec = ".spec.replicas", status = ".status.replicas"))]
pub struct Widget {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: WidgetSpec,
    pub status: Option<WidgetStatus>,
}

#[derive(ApiType)]
pub struct WidgetSpec {
    #[field(required)]
    pub color: Str,
    #[field(default = "1")]
    pub replicas: Option<i32>,
    pub size: Option<i32>,
}

#[derive(ApiType)]
pub struct WidgetStatus {
    pub replicas: Option<i32>,
    pub painted: Option<Str>,
}

pub fn widget(name: &str, color: &str) -> Kube<Widget> {
    let mut widget = Widget::default();
    widget.metadata.name = name.into();
    widget.spec.color = color.into();
    widget.into()
}
