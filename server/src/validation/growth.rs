//! Objects that would become much larger at their hub than they are in the body.

use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::KindEntry;

use super::{Rule, Violation};

/// The most bytes of JSON that the fields below may become. Upstream could not store such an object:
/// etcd takes requests of 1.5 MiB at most.
const MOST_BYTES: usize = 4 << 20;

/// What CustomResourceDefinitions say once for all their versions at v1beta1, and once for each of
/// them at v1.
const SHARED: [&str; 4] = ["validation", "subresources", "additionalPrinterColumns", "selectableFields"];

/// Why an object must not be brought to its hub: a body of 3 MB can have 60,000 versions and a schema
/// of a megabyte, which each of them would get a copy of.
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
    (count.saturating_mul(each) > MOST_BYTES).then(|| Violation {
        rule: Rule::TooMany,
        field: "spec.versions".to_owned(),
        message: format!(
            "Too many: {count}: the {each} bytes that {} have together apply to each version, and may not be more \
             than {MOST_BYTES} bytes for all of them: specify fewer versions, or a smaller schema",
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
    fn what_applies_to_all_versions_is_not_copied_without_end() {
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
