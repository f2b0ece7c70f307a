//! What a CustomResourceDefinition specifies about a version of its kind, in distilled schemas. The keys
//! are those of the definition.

use std::collections::BTreeMap;

use hubgen_model::{Column, Definition, Scale, Shared};
use serde_json::{Map, Value, json};

use super::reader::Reader;
use crate::node::{self, Node};

/// The key of a type.
pub(crate) const KEY: &str = "x-definition";

pub(super) fn write(definition: &Definition) -> Value {
    let mut out = Map::new();
    out.insert("served".into(), definition.served.into());
    out.insert("storage".into(), definition.storage.into());
    if definition.deprecated {
        out.insert("deprecated".into(), true.into());
    }
    if let Some(warning) = &definition.deprecation_warning {
        out.insert("deprecationWarning".into(), warning.clone().into());
    }
    if !definition.columns.is_empty() {
        out.insert("additionalPrinterColumns".into(), definition.columns.iter().map(column).collect());
    }
    if let Some(scale) = &definition.scale {
        let mut paths = Map::new();
        paths.insert("specReplicasPath".into(), scale.spec_replicas.clone().into());
        paths.insert("statusReplicasPath".into(), scale.status_replicas.clone().into());
        if let Some(path) = &scale.label_selector {
            paths.insert("labelSelectorPath".into(), path.clone().into());
        }
        out.insert("scale".into(), paths.into());
    }
    if !definition.selectable_fields.is_empty() {
        out.insert("selectableFields".into(), json!(definition.selectable_fields));
    }
    if !definition.type_meta.is_empty() {
        out.insert("typeMeta".into(), definition.type_meta.clone().into());
    }
    if let Some(shared) = &definition.shared {
        let mut parts = Map::new();
        if let Some(conversion) = &shared.conversion {
            parts.insert("conversion".into(), conversion.clone());
        }
        if let Some(preserve) = shared.preserve_unknown_fields {
            parts.insert("preserveUnknownFields".into(), preserve.into());
        }
        for (key, map) in [("labels", &shared.labels), ("annotations", &shared.annotations)] {
            if !map.is_empty() {
                parts.insert(key.into(), json!(map));
            }
        }
        out.insert("shared".into(), parts.into());
    }
    out.into()
}

fn column(column: &Column) -> Value {
    let mut out = Map::new();
    out.insert("name".into(), column.name.clone().into());
    out.insert("type".into(), column.ty.clone().into());
    for (key, text) in [("format", &column.format), ("description", &column.description)] {
        if let Some(text) = text {
            out.insert(key.into(), text.clone().into());
        }
    }
    if let Some(priority) = column.priority {
        out.insert("priority".into(), priority.into());
    }
    out.insert("jsonPath".into(), column.json_path.clone().into());
    out.into()
}

impl Reader<'_> {
    pub(super) fn definition(&mut self, node: &Node, path: &str) -> Option<Definition> {
        let path = &format!("{path}.{KEY}");
        let keys = [
            "served",
            "storage",
            "deprecated",
            "deprecationWarning",
            "additionalPrinterColumns",
            "scale",
            "selectableFields",
            "typeMeta",
            "shared",
        ];
        self.only(node, path, &keys);
        let columns = node.get("additionalPrinterColumns");
        let columns = columns.and_then(Node::array).unwrap_or_default().iter().enumerate();
        let columns =
            columns.map(|(at, node)| self.column(node, &format!("{path}.additionalPrinterColumns[{at}]")));
        let columns = columns.collect();
        Some(Definition {
            columns,
            served: self.flag(node, path, "served"),
            storage: self.flag(node, path, "storage"),
            deprecated: self.flag(node, path, "deprecated"),
            deprecation_warning: self.text(node, path, "deprecationWarning"),
            scale: node.get("scale").map(|node| self.scale(node, &format!("{path}.scale"))),
            selectable_fields: self.texts(node, path, "selectableFields"),
            type_meta: self.member(node, path, "typeMeta", "an object", object).unwrap_or_default(),
            shared: node.get("shared").map(|node| self.shared(node, &format!("{path}.shared"))),
        })
    }

    fn column(&mut self, node: &Node, path: &str) -> Column {
        self.only(node, path, &["name", "type", "format", "description", "priority", "jsonPath"]);
        Column {
            name: self.needed(node, path, "name"),
            ty: self.needed(node, path, "type"),
            format: self.text(node, path, "format"),
            description: self.text(node, path, "description"),
            priority: self.member(node, path, "priority", "an integer", |node| match &node.value {
                node::Value::Number(number) => number.as_i64()?.try_into().ok(),
                _ => None,
            }),
            json_path: self.needed(node, path, "jsonPath"),
        }
    }

    fn scale(&mut self, node: &Node, path: &str) -> Scale {
        self.only(node, path, &["specReplicasPath", "statusReplicasPath", "labelSelectorPath"]);
        Scale {
            spec_replicas: self.needed(node, path, "specReplicasPath"),
            status_replicas: self.needed(node, path, "statusReplicasPath"),
            label_selector: self.text(node, path, "labelSelectorPath"),
        }
    }

    fn shared(&mut self, node: &Node, path: &str) -> Shared {
        self.only(node, path, &["conversion", "preserveUnknownFields", "labels", "annotations"]);
        let mut map = |key: &str| {
            self.member(node, path, key, "a map of strings", |node| {
                let text = |(key, value): (&String, &Node)| Some((key.clone(), value.str()?.to_owned()));
                node.object()?.iter().map(text).collect::<Option<BTreeMap<_, _>>>()
            })
            .unwrap_or_default()
        };
        Shared {
            labels: map("labels"),
            annotations: map("annotations"),
            conversion: node.get("conversion").map(Node::to_json),
            preserve_unknown_fields: self.member(
                node,
                path,
                "preserveUnknownFields",
                "true or false",
                Node::bool,
            ),
        }
    }

    /// A text that must be there.
    fn needed(&mut self, node: &Node, path: &str, key: &str) -> String {
        if node.get(key).is_none() {
            self.error(node, &format!("{path}.{key}"), "missing", "write a string");
        }
        self.text(node, path, key).unwrap_or_default()
    }
}

fn object(node: &Node) -> Option<Map<String, Value>> {
    match node.to_json() {
        Value::Object(members) => Some(members),
        _ => None,
    }
}
