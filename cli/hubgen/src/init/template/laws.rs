//! Conversions lose nothing of any object that the definition in `crds` allows.

use $CRATE::api;

#[test]
fn conversions_lose_nothing() {
    hubgen_laws::check(&api::scheme(), "crds", 200).unwrap();
}
