//! Refuses objects that would be much larger at their hub than in the body.

use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::Reason;

use super::Violation;

/// The maximum size of all copies of the shared fields, in bytes of JSON. Upstream could not store
/// a larger object: etcd accepts requests of at most 1.5 MiB.
const MAX_BYTES: usize = 4 << 20;

/// The fields of CustomResourceDefinitions that v1beta1 specifies once for all versions, and v1 for
/// each version.
const SHARED: [&str; 4] = ["validation", "subresources", "additionalPrinterColumns", "selectableFields"];

/// Returns the violation if an object must not be converted to its hub. A body of 3 MB can contain
/// 60,000 versions and a shared schema of a megabyte, which the conversion would copy into each
/// version.
pub(crate) fn growth(entry: &KindEntry, object: &dyn Reflect) -> Option<Violation> {
    if entry.parts() != ("apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition") {
        return None;
    }
    let Some(Slot::Struct(spec)) = object.field("spec") else { return None };
    let Some(Slot::List(versions)) = spec.field("versions") else { return None };
    let mut shared = Vec::new();
    for field in SHARED {
        match spec.field(field) {
            Some(slot) if !slot.is_zero() => json::encode_slot(&slot, &mut shared),
            _ => {}
        }
    }
    let (count, each) = (versions.len(), shared.len());
    (count.saturating_mul(each) > MAX_BYTES).then(|| Violation {
        reason: Reason::TooMany,
        field: "spec.versions".to_owned(),
        message: format!(
            "Too many: {count}: {} have {each} bytes together and apply to each version, but all versions may have at \
             most {MAX_BYTES} bytes of them: specify fewer versions, or a smaller schema",
            SHARED.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::ApiType;

    use hubgen_machinery::scheme::KindRow;

    use super::*;

    #[derive(ApiType)]
    #[kind(group = "apiextensions.k8s.io", version = "v1beta1", kind = "CustomResourceDefinition")]
    struct Definition {
        spec: Spec,
    }

    #[derive(ApiType)]
    struct Spec {
        versions: Vec<Version>,
        validation: Option<Schema>,
    }

    #[derive(ApiType)]
    struct Version {
        name: String,
    }

    #[derive(ApiType)]
    struct Schema {
        description: String,
    }

    #[test]
    fn copies_of_shared_fields_are_bounded() {
        let entry = KindEntry::from(const { &KindRow::of::<Definition>() });
        let found = |versions: usize, description: usize| {
            let mut object = entry.object();
            let versions = vec!["{}"; versions].join(",");
            let description = "x".repeat(description);
            let text = format!(
                r#"{{"spec":{{"versions":[{versions}],"validation":{{"description":"{description}"}}}}}}"#
            );
            json::decode_into(text.as_bytes(), &mut *object).unwrap();
            growth(&entry, &*object)
        };
        assert_eq!(found(60_000, 40), None);
        assert_eq!(found(3, 1_300_000), None);
        for (versions, description) in [(60_000, 1_000_000), (4, 1_300_000)] {
            let violation = found(versions, description).unwrap();
            assert!(violation.to_string().starts_with(&format!("spec.versions: Too many: {versions}: ")));
        }
        let other = KindEntry::from(const { &KindRow::at::<Definition>("apiextensions.k8s.io/v1") });
        assert_eq!(growth(&other, &*other.object()), None);
    }
}
