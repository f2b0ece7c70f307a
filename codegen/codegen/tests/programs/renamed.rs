//! A program that has hubgen-machinery only under another name, with each sort of type.

mod facade {
    pub(crate) use engine as machinery;
}

use engine::crd::HasCrd;
use engine::{ApiType, Str, StrMap};

#[derive(ApiType)]
#[api(crate = "crate::facade::machinery")]
#[kind(group = "example.com", version = "v1", kind = "Widget", storage)]
#[kind(column("Size" => ".size"))]
struct Widget {
    #[field(default = "3")]
    size: Option<i32>,
    #[field(one_of)]
    color: Color,
    finish: Finish,
    either: Option<Either>,
    parts: StrMap<Part>,
}

#[derive(ApiType)]
#[api(crate = "engine")]
struct Part {
    name: Str,
}

#[derive(ApiType)]
#[api(crate = "engine")]
enum Color {
    Red,
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
#[api(crate = "engine")]
enum Finish {
    Matt,
}

#[derive(ApiType)]
#[api(crate = "engine")]
enum Either {
    Part(Part),
}

fn main() {
    let mut widget: Widget = engine::json::decode(br#"{"color": "Red"}"#).unwrap();
    engine::defaults::set(&mut widget);
    println!("{widget:?} {}", Widget::crd().yaml());
}
