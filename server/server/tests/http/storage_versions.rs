//! Parses `--storage-versions`.

use hubgen_server::StorageVersions;

use crate::scheme::scheme;

#[test]
fn items_choose_storage_versions() {
    let scheme = scheme();
    let widget = |text: &str| {
        let versions = StorageVersions::parse(text, &scheme).unwrap();
        versions.for_kind(scheme.named("example.com/v1", "Widget").unwrap(), &scheme).to_string()
    };
    assert_eq!(widget(""), "example.com/v1 Widget");
    assert_eq!(widget("old.example.com/v1beta1"), "old.example.com/v1beta1 Widget");
    assert_eq!(widget(" example.com=old.example.com/v1beta1 ,"), "old.example.com/v1beta1 Widget");
    assert_eq!(widget("old.example.com=example.com/v1"), "example.com/v1 Widget");
    assert_eq!(widget("v1"), "example.com/v1 Widget");
    // The item for the storage group of the kind wins.
    assert_eq!(widget("example.com/v1,old.example.com/v1beta1"), "example.com/v1 Widget");
    // A kind that does not convert is stored at the version of the request.
    let versions = StorageVersions::parse("example.com/v1", &scheme).unwrap();
    let other = scheme.named("example.com/v1alpha1", "Other").unwrap();
    assert_eq!(versions.for_kind(other, &scheme), other);
}

#[test]
fn invalid_items_are_refused() {
    let scheme = scheme();
    for (text, expected) in [
        (
            "nothing/v1",
            "nothing/v1: unknown group `nothing`; known groups are apps, batch, example.com, old.example.com, rbac.authorization.k8s.io",
        ),
        (
            "example.com/v9",
            "example.com/v9: unknown version `v9` of group `example.com`; known versions are v1, v1alpha1",
        ),
        ("v2", "v2: unknown version `v2` of the core group; known versions are v1"),
        (
            "example.com/v1/x",
            "example.com/v1/x: expected `group/version` or `group=othergroup/version`, found `example.com/v1/x`",
        ),
        ("example.com=", "example.com=: expected `group/version` or `group=othergroup/version`, found ``"),
        (
            "nothing=example.com/v1",
            "nothing=example.com/v1: unknown group `nothing`; known groups are apps, batch, example.com, old.example.com, rbac.authorization.k8s.io",
        ),
        (
            "example.com/v1alpha1",
            "example.com/v1alpha1: no kind of group `example.com` can be stored at example.com/v1alpha1: no kind has this version, or the kinds that have it do not convert to their other versions",
        ),
    ] {
        assert_eq!(StorageVersions::parse(text, &scheme).unwrap_err().to_string(), expected);
    }
}
