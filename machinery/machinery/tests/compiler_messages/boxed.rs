//! A new object is a copy of a constant, and no constant can contain a box.

use hubgen_machinery::ApiType;

#[derive(ApiType)]
struct Size {
    width: i32,
}

#[derive(ApiType)]
struct Part {
    size: Box<Size>,
}

fn main() {}
