//! What CustomResourceDefinitions specify about a version, besides its schema.

/// A column that `kubectl get` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub ty: String,
    /// The format, such as `int32`.
    pub format: Option<String>,
    /// What the column shows.
    pub description: Option<String>,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: Option<i32>,
    /// The path of the value: `.spec.replicas`.
    pub json_path: String,
}

/// The description of a column that nobody describes: as upstream, its path.
pub fn described_by(json_path: &str) -> String {
    format!("Custom resource definition column (in JSONPath format): {json_path}")
}

/// Where the subresource `scale` finds its numbers, as JSON paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// The number of replicas that somebody asked for.
    pub spec_replicas: String,
    /// The number of replicas that exist.
    pub status_replicas: String,
    /// The label selector of the replicas, as text.
    pub label_selector: Option<String>,
}
