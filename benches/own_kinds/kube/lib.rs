pub mod convert;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use kube::core::crd::merge_crds;

pub fn widget(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let old: v1alpha1::Widget = serde_json::from_slice(bytes).unwrap();
    let new: v1::Widget = v1beta1::Widget::from(old).into();
    let text = serde_json::to_vec(&new).unwrap();
    let old: v1alpha1::Widget = v1beta1::Widget::from(new).into();
    (text, serde_json::to_vec(&old).unwrap())
}

pub fn widget_definition() -> CustomResourceDefinition {
    merge_crds(vec![v1alpha1::Widget::crd(), v1beta1::Widget::crd(), v1::Widget::crd()], "v1").unwrap()
}
