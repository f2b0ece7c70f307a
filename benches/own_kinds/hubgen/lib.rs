pub mod api;
use api::{v1, v1alpha1};
use hubgen_machinery::convert::Convert;
use hubgen_machinery::crd::{Crd, HasCrd};
use hubgen_machinery::json;

pub fn widget(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let old: v1alpha1::Widget = json::decode(bytes).unwrap();
    let new = v1::Widget::from_hub(old.try_to_hub().unwrap()).unwrap();
    let text = json::encode(&new).unwrap();
    let old = v1alpha1::Widget::from_hub(new.try_to_hub().unwrap()).unwrap();
    (text, json::encode(&old).unwrap())
}

pub fn widget_definition() -> Crd {
    v1::Widget::crd()
}
