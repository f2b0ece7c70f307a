//! Imports small documents of every form into distilled schemas.

use std::path::{Path, PathBuf};

use hubgen_documents::upstream::{self, Document};
use hubgen_documents::{Diagnostic, archive, schema};
use hubgen_model::Api;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet, MessageOptions,
};

fn fixture(path: &str) -> Document {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import").join(path);
    upstream::read(Path::new(path), std::fs::read(full).unwrap()).unwrap()
}

fn field(name: &str, number: i32, ty: Type, type_name: &str, label: Label) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        r#type: Some(ty.into()),
        type_name: Some(type_name.to_owned()).filter(|name| !name.is_empty()),
        label: Some(label.into()),
        ..FieldDescriptorProto::default()
    }
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field, ..DescriptorProto::default() }
}

/// Facts that only descriptors of the zoo contain: that tags are a message of their own, and the
/// type of a field that no OpenAPI document shows.
fn descriptors() -> Document {
    let one = Label::Optional;
    let mut owner = message(
        "Owner",
        vec![field("tags", 1, Type::Message, ".com.example.zoo.v1.Owner.TagsEntry", Label::Repeated)],
    );
    let mut entry = message(
        "TagsEntry",
        vec![
            field("key", 1, Type::String, "", one),
            field("value", 2, Type::Message, ".com.example.zoo.v1.Tags", one),
        ],
    );
    entry.options = Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() });
    owner.nested_type.push(entry);
    let duration = ".k8s.io.apimachinery.pkg.apis.meta.v1.Duration";
    let quantity = ".k8s.io.apimachinery.pkg.api.resource.Quantity";
    let messages = vec![
        message(
            "CageSpec",
            vec![
                field("doors", 1, Type::Int32, "", one),
                field("size", 4, Type::Message, quantity, one),
                field("alarm", 8, Type::Message, duration, one),
            ],
        ),
        message(
            "Animal",
            vec![
                field("name", 1, Type::String, "", one),
                field("hut", 2, Type::Message, ".com.example.zoo.v1.Hut", one),
            ],
        ),
        message(
            "Hut",
            vec![field("hutPaint", 1, Type::String, "", one), field("hutHeight", 3, Type::Double, "", one)],
        ),
        message("Tags", vec![field("items", 1, Type::String, "", Label::Repeated)]),
        owner,
    ];
    let file = FileDescriptorProto {
        package: Some("com.example.zoo.v1".to_owned()),
        message_type: messages,
        ..FileDescriptorProto::default()
    };
    let bytes = FileDescriptorSet { file: vec![file] }.encode_to_vec();
    upstream::read(Path::new("v1.21.binpb"), bytes).unwrap()
}

fn zoo() -> Api {
    let documents = vec![
        fixture("v1.20/swagger.json"),
        fixture("v1.21/apis/zoo/v1.json"),
        fixture("v1.21/fields.json"),
        descriptors(),
    ];
    let reversed = {
        let documents = vec![
            descriptors(),
            fixture("v1.21/fields.json"),
            fixture("v1.21/apis/zoo/v1.json"),
            fixture("v1.20/swagger.json"),
        ];
        archive::build(documents, &Api::default()).unwrap().api
    };
    let api = archive::build(documents, &Api::default()).unwrap().api;
    assert_eq!(api, reversed, "the order of documents must not matter");
    api
}

#[test]
fn documents_of_every_form_become_one_schema() {
    let files = schema::files(&zoo(), None);
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        [Path::new("meta.k8s.io/v1.json"), Path::new("zoo.example.com/v1.json")]
    );
    insta::assert_snapshot!(files[Path::new("zoo.example.com/v1.json")]);
}

#[test]
fn written_schemas_read_back_the_same() {
    let api = zoo();
    let files = schema::files(&api, None);
    assert_eq!(schema::read_files(files.clone()).unwrap(), api);
    assert_eq!(schema::files(&schema::read_files(files.clone()).unwrap(), None), files);
}

/// A cluster's document contains fewer facts than the known schemas, and something new.
#[test]
fn a_single_document_updates_the_known_schemas() {
    let known = zoo();
    let text = r##"{
      "openapi": "3.0.0", "info": {"title": "Zoo", "version": "unversioned"}, "paths": {},
      "components": {"schemas": {
        "com.example.zoo.v1.Cage": {
          "type": "object",
          "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"},
            "metadata": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},
            "spec": {"$ref": "#/components/schemas/com.example.zoo.v1.CageSpec"}},
          "x-kubernetes-group-version-kind": [{"group": "zoo.example.com", "version": "v1", "kind": "Cage"}]},
        "com.example.zoo.v1.CageSpec": {
          "type": "object",
          "properties": {
            "roof": {"type": "object", "properties": {"slope": {"type": "integer"}}},
            "doors": {"type": "integer", "format": "int64"},
            "alarm": {"type": "string"},
            "visitors": {"type": "integer", "format": "int32"}}},
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}}}
      }}}"##;
    let document = upstream::read(Path::new("<stdin>"), text.as_bytes().to_vec()).unwrap();
    let api = archive::build(vec![document], &known).unwrap().api;
    let changes = archive::diff(&known, &api).join("\n");
    let files = schema::files(&api, None);
    assert!(schema::read_files(files.clone()).unwrap() == api, "reads back differently");
    insta::assert_snapshot!(format!("{changes}\n{}", files[Path::new("zoo.example.com/v1.json")]));
}

#[test]
fn a_type_that_changed_needs_a_named_rule() {
    let document = |release: &str, ty: &str| {
        let text = format!(
            r#"{{"swagger": "2.0", "definitions": {{"com.example.v1.Foo": {{"properties": {{"bar": {{"type": "{ty}"}}}}}}}}}}"#
        );
        upstream::read(&PathBuf::from(release).join("swagger.json"), text.into_bytes()).unwrap()
    };
    let documents = vec![document("v1.20", "string"), document("v1.21", "boolean")];
    let Err(errors) = archive::build(documents, &Api::default()) else { panic!("accepted") };
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].starts_with("example.com/v1 Foo.bar was string (1.20 to 1.20) and is bool: "),
        "{errors:?}"
    );
}

#[test]
fn errors_in_documents_have_position_and_help() {
    let errors = |text: &str| -> Vec<String> {
        let errors = upstream::read(Path::new("a.json"), text.as_bytes().to_vec()).unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    };
    insta::assert_snapshot!(errors("{\"swagger\": \"2.0\",\n  \"definitions\": {,}}").join("\n"), @r"
    a.json:2:19: a key in double quotes is expected here
      help: the document must be valid JSON
    ");
    insta::assert_snapshot!(errors("{\"what\": {\"is\": {\"this\": 1}}}").join("\n"));
    insta::assert_snapshot!(
        errors(
            r##"{"openapi": "3.0.0", "components": {"schemas": {
      "Nameless": {"type": "object"},
      "com.example.v1.Foo": {"type": "object", "properties": {
        "gone": {"$ref": "#/components/schemas/com.example.v1.Gone"},
        "list": {"type": "array"},
        "odd": {"type": "odd"}}}}}}"##
        )
        .join("\n")
    );
    insta::assert_snapshot!(
        errors(r#"{"com.example.v1.Foo": {"bar": {"shape": "round", "type": "string"}}}"#).join("\n")
    );
    let binary = upstream::read(Path::new("a.binpb"), vec![0xff; 9]).unwrap_err();
    assert!(binary[0].to_string().starts_with("a.binpb: is not a descriptor set"), "{binary:?}");
}

/// If the whole archive is imported, a rule that does not apply is an error. All of them are
/// reported.
#[test]
fn rules_that_no_longer_apply_fail_the_import() {
    let document =
        |path: &str, text: &str| upstream::read(Path::new(path), text.as_bytes().to_vec()).unwrap();
    let swagger = r#"{"swagger": "2.0"}"#;
    let fields = r#"{"com.example.v1.Foo": {"bar": {"shape": "value", "type": "string"}}}"#;
    let documents = vec![
        document("v1.7/swagger.json", swagger),
        document("v1.35/swagger.json", swagger),
        document("v1.35.json", fields),
        upstream::read(Path::new("v1.35.binpb"), Vec::new()).unwrap(),
    ];
    let Err(errors) = archive::build(documents, &Api::default()) else { panic!("accepted") };
    for name in [
        "widening `collision-count-32-bit`",
        "correction `machinery-left-core`",
        "addition `batch-v1-job-template`",
    ] {
        assert!(errors.iter().any(|error| error.starts_with(name)), "{name}: {errors:#?}");
    }
}

/// A document with one kind in a group. Its paths mention the kind; its types do so from `names`
/// on.
fn services(release: u32, names: bool, status: bool) -> Document {
    let gvk = r#"{"group": "apiregistration.k8s.io", "version": "v1beta1", "kind": "APIService"}"#;
    let named = |list: &str| {
        let named = format!(r#", "x-kubernetes-group-version-kind": [{}]"#, gvk.replace("APIService", list));
        if names { named } else { String::new() }
    };
    let operation = |action: &str| {
        format!(r#"{{"x-kubernetes-action": "{action}", "x-kubernetes-group-version-kind": {gvk}}}"#)
    };
    let path = "/apis/apiregistration.k8s.io/v1beta1/apiservices";
    let part = format!(r#", "{path}/{{name}}/status": {{"put": {}}}"#, operation("put"));
    let package = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1";
    let meta = r#""kind": {"type": "string"}, "apiVersion": {"type": "string"}"#;
    let text = format!(
        r##"{{"swagger": "2.0", "definitions": {{
            "{package}.APIService": {{"properties": {{{meta}, "spec": {{"type": "string"}}}}{}}},
            "{package}.APIServiceList": {{
                "properties": {{{meta}, "items": {{"type": "array", "items": {{"$ref": "#/definitions/{package}.APIService"}}}}}}{}
            }}
        }}, "paths": {{"{path}": {{"get": {}}}{}}}}}"##,
        named("APIService"),
        named("APIServiceList"),
        operation("list"),
        if status { &part } else { "" },
    );
    upstream::read(Path::new(&format!("v1.{release}/swagger.json")), text.into_bytes()).unwrap()
}

/// In old documents only paths show which types are kinds. What a later release no longer offers is
/// kept.
#[test]
fn paths_determine_releases_of_kinds_and_subresources() {
    let documents = vec![
        services(7, false, false),
        services(8, false, true),
        services(9, true, true),
        services(10, true, false),
    ];
    let api = archive::build(documents, &Api::default()).unwrap().api;
    let id = |name: &str| hubgen_model::TypeId::new("apiregistration.k8s.io", "v1beta1", name);
    let release = |minor| Some(hubgen_model::Release::new(1, minor));
    for name in ["APIService", "APIServiceList"] {
        let kind = api.find(&id(name)).unwrap().kind.as_ref().unwrap();
        assert_eq!((kind.since, kind.until), (release(7), None), "{name}");
    }
    let resource = api.find(&id("APIService")).unwrap().kind.as_ref().unwrap().resource.as_ref().unwrap();
    let status = &resource.subresources["status"];
    assert_eq!((status.since, status.until), (release(8), release(9)));
    assert_eq!(status.verbs, [hubgen_model::Verb::Update]);
    let files = schema::files(&api, None);
    assert_eq!(schema::read_files(files).unwrap(), api);
}

/// A server's answer to discovery.
fn answer(release: u32, text: &str) -> Result<Document, Vec<Diagnostic>> {
    upstream::read(Path::new(&format!("v1.{release}/answer.json")), text.as_bytes().to_vec())
}

/// OpenAPI has no short names, categories and preferred versions. Discovery does.
#[test]
fn discovery_tells_names_and_preferred_versions() {
    let resources = |names: &str| {
        let text = r#"{"kind": "APIResourceList", "groupVersion": "apiregistration.k8s.io/v1beta1", "resources": [
            {"name": "apiservices", "shortNames": ["NAMES"], "categories": ["api-extensions"]},
            {"name": "apiservices/status"}]}"#;
        text.replace("NAMES", names)
    };
    let groups = |version: &str| {
        let text = r#"{"kind": "APIGroupList", "groups": [{"name": "apiregistration.k8s.io",
            "preferredVersion": {"groupVersion": "apiregistration.k8s.io/VERSION", "version": "VERSION"}}]}"#;
        text.replace("VERSION", version)
    };
    let documents = vec![
        services(8, true, true),
        services(9, true, true),
        services(10, true, true),
        answer(8, &resources("old")).unwrap(),
        answer(9, &resources("new")).unwrap(),
        answer(9, &groups("v1beta1")).unwrap(),
        answer(10, &resources("new")).unwrap(),
        answer(10, &groups("v1")).unwrap(),
    ];
    let archive = archive::build(documents, &Api::default()).unwrap();
    let id = hubgen_model::TypeId::new("apiregistration.k8s.io", "v1beta1", "APIService");
    let resource = |api: &Api| api.find(&id).unwrap().kind.as_ref().unwrap().resource.clone().unwrap();
    let newest = resource(&archive.api);
    assert_eq!(
        (newest.short_names, newest.categories),
        (vec!["new".to_owned()], vec!["api-extensions".to_owned()])
    );
    let release = |minor| hubgen_model::Release::new(1, minor);
    assert_eq!(resource(&archive.at(release(8))).short_names, ["old"]);
    let preferred = &archive.report.preferred["apiregistration.k8s.io"];
    assert_eq!(
        preferred.iter().map(|(since, version)| (*since, &**version)).collect::<Vec<_>>(),
        [(release(9), "v1beta1"), (release(10), "v1"),]
    );
    let record = archive.report.record();
    assert_eq!(archive::Report::of_record(&record).unwrap().preferred, archive.report.preferred);
    assert!(
        archive.history.text().contains(r#"short-names = { "1.8" = ["old"] }"#),
        "{}",
        archive.history.text()
    );

    for (text, path) in [
        (r#"{"kind": "APIResourceList", "groupVersion": "a/b/c"}"#, "groupVersion"),
        (r#"{"kind": "APIResourceList", "groupVersion": "v1", "resources": [{}]}"#, "resources[0].name"),
        (
            r#"{"kind": "APIGroupList", "groups": [{"name": "apps"}]}"#,
            "groups[0].preferredVersion.groupVersion",
        ),
    ] {
        let errors = answer(9, text).unwrap_err();
        assert_eq!(errors.iter().map(|error| &*error.path).collect::<Vec<_>>(), [path]);
        assert!(errors[0].help.contains("kubectl get --raw"), "{}", errors[0].help);
    }
}
