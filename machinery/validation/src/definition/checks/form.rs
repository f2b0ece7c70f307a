//! A definition in the form in which the API server checks it: what all versions have in common is stated once.
//!
//! Errors have the paths of that form: `spec.validation.openAPIV3Schema` is the schema of all versions, if they have the
//! same, and so of the only one.

use serde_json::Value;

use super::props::Props;

/// What a version has, or all versions together.
#[derive(Clone, Copy, Default)]
pub(super) struct Shared<'a> {
    /// What contains the schema.
    pub(super) schema: Option<&'a Value>,
    pub(super) subresources: Option<&'a Value>,
    pub(super) columns: &'a [Value],
    pub(super) selectable: &'a [Value],
}

impl<'a> Shared<'a> {
    pub(super) fn open_api(&self) -> Option<Props<'a>> {
        Props(self.schema?).get("openAPIV3Schema").map(Props)
    }

    pub(super) fn has_status(&self) -> bool {
        self.subresources.is_some_and(|subresources| Props(subresources).has("status"))
    }
}

/// One version, with what only this one has.
pub(super) struct Version<'a> {
    pub(super) json: &'a Value,
    pub(super) shared: Shared<'a>,
}

impl<'a> Version<'a> {
    pub(super) fn name(&self) -> &'a str {
        Props(self.json).text("name")
    }

    pub(super) fn is(&self, flag: &str) -> bool {
        Props(self.json).is(flag)
    }
}

/// A definition of `v1`.
pub(super) struct Form<'a> {
    pub(super) metadata: Props<'a>,
    pub(super) spec: Props<'a>,
    pub(super) status: Props<'a>,
    /// What all versions have.
    pub(super) of_all: Shared<'a>,
    pub(super) versions: Vec<Version<'a>>,
}

impl<'a> Form<'a> {
    pub(super) fn of(definition: &'a Value) -> Self {
        let member = |key: &str| Props(definition.get(key).unwrap_or(&Value::Null));
        let spec = member("spec");
        let list = spec.list("versions");
        let read = |json: &'a Value| {
            let json = Props(json);
            Shared {
                schema: json.get("schema"),
                subresources: json.get("subresources"),
                columns: json.list("additionalPrinterColumns"),
                selectable: json.list("selectableFields"),
            }
        };
        let mut all: Vec<Version<'_>> =
            list.iter().map(|json| Version { json, shared: read(json) }).collect();
        let mut of_all = Shared::default();
        if let Some(Shared { schema, subresources, columns, selectable }) =
            all.first().map(|first| first.shared)
        {
            let is_same =
                |same: &dyn Fn(&Shared<'_>) -> bool| all.iter().all(|version| same(&version.shared));
            if is_same(&|shared| shared.schema == schema) {
                of_all.schema = schema;
            }
            if is_same(&|shared| shared.subresources == subresources) {
                of_all.subresources = subresources;
            }
            if is_same(&|shared| shared.columns == columns) {
                of_all.columns = columns;
            }
            if is_same(&|shared| shared.selectable == selectable) {
                of_all.selectable = selectable;
            }
        }
        for Version { shared, .. } in &mut all {
            // What is stated for all is not stated again. Where nothing is stated for all, the versions differ.
            shared.schema = shared.schema.filter(|_| of_all.schema.is_none());
            shared.subresources = shared.subresources.filter(|_| of_all.subresources.is_none());
            shared.columns = if of_all.columns.is_empty() { shared.columns } else { &[] };
            shared.selectable = if of_all.selectable.is_empty() { shared.selectable } else { &[] };
        }
        Self { metadata: member("metadata"), spec, status: member("status"), of_all, versions: all }
    }

    /// A member of the names.
    pub(super) fn names(&self) -> Props<'a> {
        Props(self.spec.get("names").unwrap_or(&Value::Null))
    }

    pub(super) fn keeps_unknown_fields(&self) -> bool {
        self.spec.is("preserveUnknownFields")
    }

    /// All schemas.
    pub(super) fn schemas(&self) -> impl Iterator<Item = Props<'a>> {
        let of_versions = self.versions.iter().filter_map(|version| version.shared.open_api());
        self.of_all.open_api().into_iter().chain(of_versions)
    }

    /// Whether a schema anywhere fulfils a condition.
    pub(super) fn any(&self, is_so: impl Fn(Props<'a>) -> bool) -> bool {
        self.schemas().any(|schema| schema.any(&is_so))
    }

    /// Whether every version has a schema.
    pub(super) fn has_schemas(&self) -> bool {
        self.of_all.open_api().is_some()
            || self.versions.iter().all(|version| version.shared.open_api().is_some())
    }

    /// Whether a condition has the status `True`.
    pub(super) fn is(&self, condition: &str) -> bool {
        let found = self.status.schemas("conditions").find(|(_, found)| found.text("type") == condition);
        found.is_some_and(|(_, found)| found.text("status") == "True")
    }
}
