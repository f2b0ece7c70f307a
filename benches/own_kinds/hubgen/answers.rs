//! Prints what the crate makes of an object and of a kind, to be compared with the other side.
fn main() {
    let object = std::env::args().nth(1).unwrap();
    let (new, old) = own_kinds_hubgen::widget(object.as_bytes());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    println!("[{}, {}, {}]", text(new), text(old), own_kinds_hubgen::widget_definition().json());
}
