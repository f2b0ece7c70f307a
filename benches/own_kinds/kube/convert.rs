use crate::{v1, v1alpha1, v1beta1};

impl From<v1alpha1::Widget> for v1beta1::Widget {
    fn from(object: v1alpha1::Widget) -> Self {
        Self { metadata: object.metadata, spec: object.spec.into(), status: object.status }
    }
}

impl From<v1alpha1::WidgetSpec> for v1beta1::WidgetSpec {
    fn from(spec: v1alpha1::WidgetSpec) -> Self {
        Self {
            size: spec.size,
            color: spec.color,
            secret_name: spec.key_secret,
            mode: None,
            items: spec.items.map(|items| items.into_iter().map(Into::into).collect()),
            labels: spec.labels,
            template: spec.template,
            paused: spec.paused,
        }
    }
}

impl From<v1alpha1::WidgetItem> for v1beta1::WidgetItem {
    fn from(item: v1alpha1::WidgetItem) -> Self {
        Self { name: item.name, count: item.count }
    }
}

impl From<v1beta1::Widget> for v1alpha1::Widget {
    fn from(object: v1beta1::Widget) -> Self {
        Self { metadata: object.metadata, spec: object.spec.into(), status: object.status }
    }
}

impl From<v1beta1::WidgetSpec> for v1alpha1::WidgetSpec {
    fn from(spec: v1beta1::WidgetSpec) -> Self {
        Self {
            size: spec.size,
            color: spec.color,
            key_secret: spec.secret_name,
            items: spec.items.map(|items| items.into_iter().map(Into::into).collect()),
            labels: spec.labels,
            template: spec.template,
            paused: spec.paused,
        }
    }
}

impl From<v1beta1::WidgetItem> for v1alpha1::WidgetItem {
    fn from(item: v1beta1::WidgetItem) -> Self {
        Self { name: item.name, count: item.count }
    }
}

impl From<v1beta1::Widget> for v1::Widget {
    fn from(object: v1beta1::Widget) -> Self {
        Self { metadata: object.metadata, spec: object.spec.into(), status: object.status }
    }
}

impl From<v1beta1::WidgetSpec> for v1::WidgetSpec {
    fn from(spec: v1beta1::WidgetSpec) -> Self {
        Self {
            size: spec.size,
            shade: spec.color,
            secret_name: spec.secret_name,
            mode: spec.mode,
            items: spec.items.map(|items| items.into_iter().map(Into::into).collect()),
            labels: spec.labels,
            template: spec.template,
            paused: spec.paused,
        }
    }
}

impl From<v1beta1::WidgetItem> for v1::WidgetItem {
    fn from(item: v1beta1::WidgetItem) -> Self {
        Self { name: item.name, count: item.count, weight: None }
    }
}

impl From<v1::Widget> for v1beta1::Widget {
    fn from(object: v1::Widget) -> Self {
        Self { metadata: object.metadata, spec: object.spec.into(), status: object.status }
    }
}

impl From<v1::WidgetSpec> for v1beta1::WidgetSpec {
    fn from(spec: v1::WidgetSpec) -> Self {
        Self {
            size: spec.size,
            color: spec.shade,
            secret_name: spec.secret_name,
            mode: spec.mode,
            items: spec.items.map(|items| items.into_iter().map(Into::into).collect()),
            labels: spec.labels,
            template: spec.template,
            paused: spec.paused,
        }
    }
}

impl From<v1::WidgetItem> for v1beta1::WidgetItem {
    fn from(item: v1::WidgetItem) -> Self {
        Self { name: item.name, count: item.count }
    }
}
