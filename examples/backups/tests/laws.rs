//! Conversions lose nothing of any object that the definition in `crds` allows.

#[test]
fn conversions_lose_nothing() {
    hubgen_laws::check(&hubgen_example_backups::api::scheme(), "crds", 200).unwrap();
}
