//! Conversions lose nothing of any object that the definitions allow.

use hubgen_example_cert_manager::api;

#[test]
fn conversions_lose_nothing() {
    let checked = hubgen_laws::check(&api::scheme(), "crds", 50).unwrap();
    println!("{checked}");
}
