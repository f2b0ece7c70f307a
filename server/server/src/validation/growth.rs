//! Refuses objects that would be much larger at their hub than in the body.

use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::{Hoisted, KindEntry};
use hubgen_validation::Reason;

use super::Violation;

/// The maximum size of all copies of the shared fields, in bytes of JSON. Upstream could not store
/// a larger object: etcd accepts requests of at most 1.5 MiB.
const MAX_BYTES: usize = 4 << 20;

/// Returns the violation if an object must not be converted to its hub. A body of 3 MB can contain
/// 60,000 versions of a CustomResourceDefinition and a shared schema of a megabyte, which the
/// conversion would copy into each version.
pub(crate) fn growth(entry: &KindEntry, object: &dyn Reflect) -> Option<Violation> {
    entry.hoisted.iter().find_map(|hoisted| violation(hoisted, object))
}

fn violation(Hoisted { list, fields }: &Hoisted, object: &dyn Reflect) -> Option<Violation> {
    let Some(Slot::List(elements)) = at(object, list) else { return None };
    let mut shared = Vec::new();
    for field in fields.iter() {
        match at(object, field) {
            Some(slot) if !slot.is_zero() => json::encode_slot(&slot, &mut shared),
            _ => {}
        }
    }
    let (count, each) = (elements.len(), shared.len());
    let named = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let (list_name, names) = (named(list), fields.iter().map(named).collect::<Vec<_>>());
    (count.saturating_mul(each) > MAX_BYTES).then(|| Violation {
        reason: Reason::TooMany,
        field: list.to_string(),
        message: format!(
            "Too many: {count}: {} have {each} bytes together and apply to each of the {list_name}, which may have at \
             most {MAX_BYTES} bytes of them together: specify fewer {list_name}, or less in these fields",
            names.join(", ")
        ),
    })
}

/// The value at a path that goes through objects only.
fn at<'a>(object: &'a dyn Reflect, path: &str) -> Option<Slot<'a>> {
    let Some((first, rest)) = path.split_once('.') else { return object.field(path) };
    match object.field(first)? {
        Slot::Struct(inner) => at(inner, rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::ApiType;

    use hubgen_machinery::scheme::{HoistedRow, KindRow};

    use super::*;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1beta1", kind = "Definition")]
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
        const HOISTED: &[HoistedRow] = &[HoistedRow { list: "spec.versions", fields: &["spec.validation"] }];
        let entry = KindEntry::from(const { &KindRow { hoisted: HOISTED, ..KindRow::of::<Definition>() } });
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
        let other = KindEntry::from(const { &KindRow::of::<Definition>() });
        assert_eq!(growth(&other, &*other.object()), None);
    }
}
