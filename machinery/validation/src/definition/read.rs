//! Reads a definition.

use serde_json::{Map, Value, json};

use super::parts::{Parts, present};
use super::{Column, Definition, Extent, Read, Scale, Scope, V1, V1BETA1, Version};
use crate::error::FieldError;
use crate::names;

/// What `kubectl apply` remembers about the document, which is no part of it.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Reads a definition: its names, versions, and where their schemas are. Schemas are not checked.
///
/// Of an `apiVersion` that is not known, only that is a mistake, and nothing is read.
pub fn read(definition: &Value, extent: Extent) -> Read<'_> {
    let mut parts = Parts::new(extent);
    let known = match extent {
        Extent::Schemas => &[V1][..],
        Extent::Whole => &[V1, V1BETA1],
    };
    let found = &definition["apiVersion"];
    if !known.iter().any(|known| found == known) {
        let error = FieldError::not_supported("apiVersion", found, known.iter().copied());
        parts.refuse(error, format!("write {}", known.join(" or ")));
    }
    let is_beta = found == V1BETA1;
    let read = match is_beta || found == V1 {
        true => Reader { parts: &mut parts, is_beta }.definition(definition),
        false => Definition::default(),
    };
    Read { definition: read, mistakes: parts.mistakes, unknown: parts.unknown }
}

/// Where there is nothing to read.
static NOTHING: Value = Value::Null;

struct Reader<'p> {
    parts: &'p mut Parts,
    is_beta: bool,
}

/// The keys of `spec`, and those that `v1beta1` has besides.
const SPEC: [&str; 6] = ["group", "names", "scope", "versions", "conversion", "preserveUnknownFields"];
const SPEC_OF_BETA: [&str; 4] = ["version", "validation", "subresources", "additionalPrinterColumns"];
const NAMES: [&str; 6] = ["plural", "singular", "shortNames", "kind", "listKind", "categories"];
const VERSION: [&str; 9] = [
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "selectableFields",
];
const SCALE: [&str; 3] = ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"];
const COLUMN: [&str; 7] = ["name", "type", "format", "description", "priority", "jsonPath", "JSONPath"];

impl Reader<'_> {
    fn definition<'j>(&mut self, json: &'j Value) -> Definition<'j> {
        let (metadata, spec) = (&json["metadata"], &json["spec"]);
        let of_beta: &[&str] = if self.is_beta { &SPEC_OF_BETA } else { &[] };
        self.parts.only(spec, "spec", &[&SPEC[..], of_beta].concat());
        let group = self.parts.needed(spec, "spec", "group");
        let mut out = Definition {
            name: metadata["name"].as_str().unwrap_or_default(),
            labels: self.parts.map(metadata, "metadata", "labels"),
            annotations: self.parts.map(metadata, "metadata", "annotations"),
            group,
            ..self.names(&spec["names"])
        };
        out.annotations.remove(LAST_APPLIED);
        self.name(&out);
        out.scope = self.scope(spec);
        out.preserve_unknown_fields =
            self.parts.flag(spec, "spec", "preserveUnknownFields").or(self.is_beta.then_some(true));
        out.conversion = present(spec, "conversion").cloned().map(|conversion| match self.is_beta {
            true => conversion_of_v1(conversion),
            false => conversion,
        });
        out.versions = self.versions(spec);
        self.stored(&out.versions);
        out
    }

    fn names<'j>(&mut self, json: &Value) -> Definition<'j> {
        let path = "spec.names";
        self.parts.only(json, path, &NAMES);
        let kind = self.parts.needed(json, path, "kind");
        let plural = self.parts.needed_whole(json, path, "plural");
        let mut optional = |key: &str| self.parts.text(json, path, key).filter(|text| !text.is_empty());
        Definition {
            // What the API server sets if it is missing.
            singular: optional("singular").unwrap_or_else(|| kind.to_lowercase()),
            list_kind: optional("listKind").unwrap_or_else(|| format!("{kind}List")),
            short_names: self.parts.texts(json, path, "shortNames"),
            categories: self.parts.texts(json, path, "categories"),
            kind,
            plural,
            ..Definition::default()
        }
    }

    /// Checks that the name is the plural and the group.
    fn name(&mut self, definition: &Definition<'_>) {
        let Definition { name, plural, group, .. } = definition;
        let needed = format!("{plural}.{group}");
        if !plural.is_empty() && !group.is_empty() && *name != needed {
            let error =
                FieldError::invalid_text("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
            self.parts.refuse_whole(error, format!("write `{needed}`"));
        }
    }

    fn scope(&mut self, spec: &Value) -> Option<Scope> {
        let path = "spec.scope";
        let error = match present(spec, "scope") {
            None => FieldError::required(path, ""),
            Some(scope) => match scope.as_str() {
                Some("Namespaced") => return Some(Scope::Namespaced),
                Some("Cluster") => return Some(Scope::Cluster),
                _ => FieldError::not_supported(path, scope, ["Cluster", "Namespaced"]),
            },
        };
        self.parts.refuse_whole(error, "write `Namespaced` or `Cluster`");
        None
    }

    fn versions<'j>(&mut self, spec: &'j Value) -> Vec<Version<'j>> {
        let list = present(spec, "versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let single = present(spec, "version").filter(|_| self.is_beta).and_then(Value::as_str);
        let mut versions: Vec<Version<'_>> = Vec::new();
        for (at, json) in list.iter().enumerate() {
            let path = format!("spec.versions[{at}]");
            self.parts.only(json, &path, &VERSION);
            let name = self.parts.needed(json, &path, "name");
            if !name.is_empty() && versions.iter().any(|other| other.name == name) {
                let error = FieldError::duplicate(format!("{path}.name"), &json["name"]);
                self.parts.refuse_whole(error, "give each version a name of its own");
            }
            let version = Version {
                name,
                served: self.parts.needed_flag(json, &path, "served"),
                storage: self.parts.needed_flag(json, &path, "storage"),
                deprecated: self.parts.flag(json, &path, "deprecated").unwrap_or(false),
                deprecation_warning: self.parts.text(json, &path, "deprecationWarning"),
                selectable_fields: self.selectable_fields(json, &path),
                ..Version::default()
            };
            // `v1` has nothing for all versions together.
            let of_all = if self.is_beta { spec } else { &NOTHING };
            versions.push(self.version(version, json, &path, of_all));
        }
        match (single, versions.first()) {
            // The storage version may be stated in the older way.
            (Some(name), Some(first)) if first.name != name => {
                let why = "must match the first version in spec.versions";
                let error = FieldError::invalid_text("spec.version", name, why);
                self.parts.refuse_whole(error, "remove `version`, or write the first of `versions`");
            }
            (Some(name), None) => {
                let name = name.to_owned();
                let version = Version { name, served: true, storage: true, ..Version::default() };
                versions.push(self.version(version, &NOTHING, "spec", spec));
            }
            (None, None) => {
                let error = FieldError::required("spec.versions", "must have at least one version");
                self.parts.refuse(error, "list at least one version");
            }
            _ => {}
        }
        versions
    }

    /// Reads what `v1beta1` has once for all versions, in `of_all`, or in each version.
    fn version<'j>(
        &mut self,
        mut out: Version<'j>,
        json: &'j Value,
        path: &str,
        of_all: &'j Value,
    ) -> Version<'j> {
        let mistakes = names::dns_1035_label_mistakes(&out.name);
        if !out.name.is_empty() && !mistakes.is_empty() {
            let error = FieldError::invalid_text(format!("{path}.name"), &out.name, &mistakes.join(","));
            let help = "use lower case letters, digits and `-`, and begin with a letter: `v1beta1`";
            self.parts.refuse_whole(error, help);
        }
        let own = |key: &str| match present(json, key) {
            Some(member) => Some((member, format!("{path}.{key}"))),
            None => present(of_all, key).map(|member| (member, format!("spec.{key}"))),
        };
        if let Some((columns, path)) = own("additionalPrinterColumns") {
            out.columns = self.columns(columns, &path);
        }
        if let Some((subresources, path)) = own("subresources") {
            self.parts.only(subresources, &path, &["status", "scale"]);
            out.has_status = present(subresources, "status").is_some();
            let scale = present(subresources, "scale");
            out.scale = scale.map(|scale| self.scale(scale, &format!("{path}.scale")));
        }
        let of_version = present(json, "schema").map(|member| (member, format!("{path}.schema")));
        let schema =
            of_version.or_else(|| Some((present(of_all, "validation")?, "spec.validation".to_owned())));
        match schema.and_then(|(json, path)| Some((present(json, "openAPIV3Schema")?, path))) {
            Some((schema, path)) => {
                out.schema = Some(schema);
                out.schema_path = format!("{path}.openAPIV3Schema");
            }
            None => {
                let error =
                    FieldError::required(format!("{path}.schema.openAPIV3Schema"), "schemas are required");
                self.parts.refuse(error, "describe its objects: without a schema they have no types");
            }
        }
        out
    }

    fn columns(&mut self, json: &Value, path: &str) -> Vec<Column> {
        let Some(columns) = json.as_array() else {
            self.parts.refuse_type(path, json, "a list of columns");
            return Vec::new();
        };
        let columns = columns.iter().enumerate().map(|(at, json)| {
            let path = format!("{path}[{at}]");
            self.parts.only(json, &path, &COLUMN);
            let path_key = if present(json, "JSONPath").is_some() { "JSONPath" } else { "jsonPath" };
            Column {
                name: self.parts.needed_whole(json, &path, "name"),
                ty: self.parts.needed_whole(json, &path, "type"),
                json_path: self.parts.needed_whole(json, &path, path_key),
                format: self.parts.text(json, &path, "format"),
                description: self.parts.text(json, &path, "description"),
                priority: self
                    .parts
                    .member(json, &path, "priority", "an integer", |value| value.as_i64()?.try_into().ok()),
            }
        });
        columns.collect()
    }

    fn scale(&mut self, json: &Value, path: &str) -> Scale {
        self.parts.only(json, path, &SCALE);
        Scale {
            spec_replicas: self.parts.needed_whole(json, path, "specReplicasPath"),
            status_replicas: self.parts.needed_whole(json, path, "statusReplicasPath"),
            label_selector: self.parts.text(json, path, "labelSelectorPath"),
        }
    }

    fn selectable_fields(&mut self, json: &Value, path: &str) -> Vec<String> {
        let expected = "a list of objects with `jsonPath`";
        self.parts
            .member(json, path, "selectableFields", expected, |value| {
                let path = |field: &Value| Some(field["jsonPath"].as_str()?.to_owned());
                value.as_array()?.iter().map(path).collect()
            })
            .unwrap_or_default()
    }

    /// Checks that exactly one version is stored.
    fn stored(&mut self, versions: &[Version<'_>]) {
        let stored: Vec<&str> =
            versions.iter().filter(|version| version.storage).map(|version| &*version.name).collect();
        if !versions.is_empty() && stored.len() != 1 {
            let why = "must have exactly one version marked as storage version";
            let error = FieldError::invalid("spec.versions", &stored.into(), why);
            self.parts.refuse_whole(error, "give `storage: true` to exactly one version");
        }
    }
}

/// The conversion stanza of `v1` from that of `v1beta1`.
fn conversion_of_v1(mut conversion: Value) -> Value {
    let Some(members) = conversion.as_object_mut() else { return conversion };
    let client = members.shift_remove("webhookClientConfig");
    let versions = members.shift_remove("conversionReviewVersions");
    if members.get("strategy").and_then(Value::as_str) == Some("Webhook") {
        let mut webhook = Map::new();
        // The default of `v1beta1`; `v1` has none.
        let versions = versions.filter(|versions| !versions.is_null());
        webhook.insert("conversionReviewVersions".to_owned(), versions.unwrap_or_else(|| json!(["v1beta1"])));
        webhook.extend(client.map(|client| ("clientConfig".to_owned(), client)));
        members.insert("webhook".to_owned(), webhook.into());
    }
    conversion
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(read: &Read<'_>) -> Vec<String> {
        read.mistakes.iter().map(|mistake| format!("{}; {}", mistake.error, mistake.help)).collect()
    }

    #[test]
    fn all_mistakes_are_found_in_one_run() {
        let json = json!({
            "apiVersion": V1,
            "metadata": {"name": "widgets"},
            "spec": {"group": "example.com", "scope": 1, "names": {"kind": "Widget", "plural": "widgets"}, "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {}}},
                {"name": "v1", "served": "yes", "storage": true, "additionalPrinterColumns": {}},
                {"name": "V2", "served": true, "subresources": {"scale": {"specReplicasPath": ".a"}}},
            ]},
        });
        let whole = read(&json, Extent::Whole);
        assert_eq!(
            mistakes(&whole),
            [
                "metadata.name: Invalid value: \"widgets\": must be spec.names.plural+\".\"+spec.group; write \
             `widgets.example.com`",
                "spec.scope: Unsupported value: 1: supported values: \"Cluster\", \"Namespaced\"; write `Namespaced` or \
             `Cluster`",
                "spec.versions[1].name: Duplicate value: \"v1\"; give each version a name of its own",
                "spec.versions[1].served: Invalid value: \"string\": must be true or false; write true or false",
                "spec.versions[1].additionalPrinterColumns: Invalid value: \"object\": must be a list of columns; write a \
             list of columns",
                "spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required; describe its objects: \
             without a schema they have no types",
                "spec.versions[2].storage: Required value; write true or false",
                "spec.versions[2].name: Invalid value: \"V2\": a DNS-1035 label must consist of lower case alphanumeric \
             characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. \
             'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'); use lower case \
             letters, digits and `-`, and begin with a letter: `v1beta1`",
                "spec.versions[2].subresources.scale.statusReplicasPath: Required value; the API server requires it",
                "spec.versions[2].schema.openAPIV3Schema: Required value: schemas are required; describe its objects: \
             without a schema they have no types",
                "spec.versions: Invalid value: [\"v1\",\"v1\"]: must have exactly one version marked as storage version; \
             give `storage: true` to exactly one version",
            ]
        );
        // Who only wants the schemas is told of them alone.
        let schemas = read(&json, Extent::Schemas);
        assert_eq!(schemas.definition, whole.definition);
        assert_eq!(
            schemas.mistakes.iter().map(|mistake| &*mistake.error.field).collect::<Vec<_>>(),
            ["spec.versions[1].schema.openAPIV3Schema", "spec.versions[2].schema.openAPIV3Schema",]
        );
    }

    /// In `v1beta1`, much is stated once for all versions.
    #[test]
    fn definitions_of_v1beta1() {
        let mut json = json!({
            "apiVersion": V1BETA1,
            "metadata": {"name": "widgets.example.com", "annotations": {LAST_APPLIED: "{}", "a": "b"}},
            "spec": {
                "group": "example.com",
                "scope": "Cluster",
                "names": {"kind": "Widget", "plural": "widgets"},
                "version": "v1",
                "validation": {"openAPIV3Schema": {"type": "object"}},
                "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "JSONPath": ".spec.size"}],
                "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://a"}},
                "schema": 1,
            },
        });
        let found = read(&json, Extent::Whole);
        assert_eq!(mistakes(&found), [""; 0]);
        assert_eq!(found.unknown.iter().map(|key| &*key.field).collect::<Vec<_>>(), ["spec.schema"]);
        let definition = found.definition;
        assert_eq!(definition.preserve_unknown_fields, Some(true));
        assert_eq!(
            definition.annotations.into_iter().collect::<Vec<_>>(),
            [("a".to_owned(), "b".to_owned())]
        );
        let webhook = json!({"conversionReviewVersions": ["v1beta1"], "clientConfig": {"url": "https://a"}});
        assert_eq!(definition.conversion, Some(json!({"strategy": "Webhook", "webhook": webhook})));
        let [version] = &definition.versions[..] else { panic!("one version") };
        assert_eq!(version.schema, Some(&json!({"type": "object"})));
        assert_eq!(version.schema_path, "spec.validation.openAPIV3Schema");
        assert!(version.served && version.storage && version.has_status);
        assert_eq!(version.columns[0].json_path, ".spec.size");

        json["spec"]["versions"] = json!([{"name": "v2", "served": true, "storage": true}]);
        assert_eq!(
            mistakes(&read(&json, Extent::Whole)),
            [
                "spec.version: Invalid value: \"v1\": must match the first version in spec.versions; remove `version`, or \
             write the first of `versions`"
            ]
        );
        // The API server keeps fields that such a schema does not mention.
        assert_eq!(
            mistakes(&read(&json, Extent::Schemas))[..1],
            ["apiVersion: Unsupported value: \"apiextensions.k8s.io/v1beta1\": supported values: \
             \"apiextensions.k8s.io/v1\"; write apiextensions.k8s.io/v1"]
        );
        json["apiVersion"] = "apiextensions.k8s.io/v2".into();
        assert_eq!(mistakes(&read(&json, Extent::Whole)).len(), 1);
    }
}
