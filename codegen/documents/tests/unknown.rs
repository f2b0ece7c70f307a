//! Fields that the schema of a definition does not list.

#[allow(dead_code, reason = "the module is for several tests")]
#[path = "support/definitions.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_documents::{Source, crd, schema};
use hubgen_model::{Api, Field, RawForm, RustName, TypeExpr, TypeId};
use hubgen_yaml as yaml;
use serde_json::Value;
use support::kubernetes;

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: holders.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Holder, listKind: HolderList, plural: holders, singular: holder}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        properties:
          spec:
            type: object
            required: [name]
            x-kubernetes-preserve-unknown-fields: true
            properties:
              name: {type: string}
              rest: {type: string}
              plain: {type: object, properties: {a: {type: string}}}
              items:
                type: array
                items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}}
              values:
                type: object
                additionalProperties:
                  type: object
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {b: {type: string}}
              same: {type: object, properties: {b: {type: string}}}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true}
              map:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                additionalProperties: {type: string}
              star:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {"*": {type: string}}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                properties:
                  apiVersion: {type: string}
                  kind: {type: string}
                  metadata: {type: object}
                  spec: {type: object, properties: {c: {type: string}}}
              selector:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties:
                  matchLabels: {type: object, additionalProperties: {type: string}}
                  matchExpressions:
                    type: array
                    items:
                      type: object
                      required: [key, operator]
                      properties:
                        key: {type: string}
                        operator: {type: string}
                        values: {type: array, items: {type: string}}
          status:
            type: object
            properties:
              phase: {type: string}
"#;

fn read(unknowns: crd::Unknowns) -> Result<crd::Imported, Vec<String>> {
    let options = crd::Options { unknowns, ..crd::Options::default() };
    let sources = [Source::new("holder.yaml", DEFINITION)];
    let text = |errors: Vec<hubgen_documents::Diagnostic>| errors.iter().map(ToString::to_string).collect();
    crd::read(&sources, &options, &kubernetes()).map_err(text)
}

fn declared(all: Option<crd::Unknown>, types: &[(&str, crd::Unknown)]) -> crd::Unknowns {
    crd::Unknowns { all, types: types.iter().map(|(name, unknown)| ((*name).to_owned(), *unknown)).collect() }
}

/// What the type with that name does with unknown fields.
fn unknown(api: &Api, name: &str) -> crd::Unknown {
    let ty = api.find(&TypeId::new("example.com", "v1", name)).unwrap();
    assert!(ty.fields().iter().rev().skip(1).all(|field| !field.is_rest()), "the rest is the last field");
    match (ty.has_rest(), ty.refuses_unknown) {
        (true, false) => crd::Unknown::Keep,
        (false, true) => crd::Unknown::Refuse,
        (false, false) => crd::Unknown::Drop,
        (true, true) => panic!("{name} keeps and refuses"),
    }
}

/// Checks that schemas and definitions contain all of it: the definition is written as it was read, whatever types do
/// with unknown fields.
fn comes_back(api: &Api) {
    let own = schema::files(api, None);
    let mut all: BTreeMap<PathBuf, String> = schema::files(&kubernetes(), None);
    all.extend(own.clone());
    let mut again = schema::read_files(all).unwrap();
    let written = crd::definitions(&again).unwrap();
    again.versions.retain(|group_version, _| group_version.group == "example.com");
    assert_eq!(&again, api);
    let text = String::from_utf8(yaml::to_json(DEFINITION).unwrap()).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["holders.example.com"], expected);
}

#[test]
fn the_schema_decides_if_nothing_is_declared() {
    use crd::Unknown::{Drop, Keep};
    let imported = read(crd::Unknowns::default()).unwrap();
    let api = &imported.api;
    for (name, expected) in [
        ("Holder", Keep),
        ("HolderSpec", Keep),
        ("HolderPlain", Drop),
        ("HolderItem", Keep),
        // The same properties, of which one object keeps others.
        ("HolderSame", Drop),
        ("HolderTemplate", Keep),
        // The type of Kubernetes would drop what it does not know.
        ("HolderSelector", Keep),
        ("HolderStatus", Drop),
        ("HolderList", Drop),
    ] {
        assert_eq!(unknown(api, name), expected, "{name}");
    }
    let spec = api.find(&TypeId::new("example.com", "v1", "HolderSpec")).unwrap();
    let ty = |name: &str| &spec.field(name).unwrap().ty;
    assert_eq!(*ty("map"), TypeExpr::Map(Box::new(TypeExpr::String)));
    assert_eq!(ty("values").named(), ty("items").named(), "equal objects share a type");
    // There is a property `rest`.
    assert_eq!(spec.field(Field::REST).unwrap().rust_name, RustName::Numbered(2));
    let template = api.find(ty("template").named().unwrap()).unwrap();
    assert_eq!(template.field("metadata").unwrap().ty, TypeExpr::Raw(RawForm::Extension));
    let untyped: Vec<&str> = imported.untyped.iter().map(|untyped| &*untyped.path).collect();
    let raw = ["open", "star", "template.metadata"].map(|path| format!("example.com/v1 Holder.spec.{path}"));
    assert_eq!(untyped, raw);
    comes_back(api);
}

#[test]
fn users_declare_what_becomes_of_unknown_fields() {
    use crd::Unknown::{Drop, Keep, Refuse};
    let imported = read(declared(Some(Refuse), &[("HolderSpec", Drop), ("HolderStatus", Keep)])).unwrap();
    for (name, expected) in
        [("Holder", Refuse), ("HolderSpec", Drop), ("HolderItem", Refuse), ("HolderStatus", Keep)]
    {
        assert_eq!(unknown(&imported.api, name), expected, "{name}");
    }
    comes_back(&imported.api);
    let errors = read(declared(None, &[("Spec", Keep)])).unwrap_err();
    assert_eq!(
        errors,
        [
            "`Spec` has a line in `unknown`, but no definition has a type of this name\n  help: write the name of a type in \
          the generated code, such as `CertificateSpec`"
        ]
    );
}
