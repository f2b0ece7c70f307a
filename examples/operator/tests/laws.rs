//! Conversions lose nothing of any object that the definition in `crds` allows.

#[test]
fn conversions_lose_nothing() {
    hubgen_laws::check(&cache_operator::api::scheme(), "crds", 200).unwrap();
}
