//! Everything that attributes can specify about values.
#![allow(missing_docs, unreachable_pub, reason = "this is the module of a library")]

pub mod generated;

pub mod v1 {
    use hubgen_machinery::json::Raw;
    use hubgen_machinery::scalar::IntOrString;
    use hubgen_machinery::{ApiType, Str, StrMap};
    use hubgen_meta::v1::ObjectMeta;

    /// A worker.
    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Worker", namespaced, storage)]
    #[object(title = "Worker", cel("self.metadata.name != 'none'", "another name", field_path = ".metadata"))]
    pub struct Worker {
        pub metadata: ObjectMeta,
        /// What it does.
        #[field(required, cel("self.low <= self.high", message_expression = "'low: ' + string(self.low)"))]
        pub spec: WorkerSpec,
    }

    /// The work.
    #[derive(ApiType)]
    #[object(max_properties = 20, cel("has(self.name)"))]
    pub struct WorkerSpec {
        /// Its name.
        #[field(pattern = r"^[a-z]+(\.[a-z]+)*$", min_length = 1, max_length = 63, example = "\"a.b\"")]
        pub name: Str,
        #[field(format = "hostname", title = "Host")]
        pub host: Option<Str>,
        #[field(minimum = -1, maximum = 1_000, default = "1")]
        pub low: Option<i64>,
        #[field(exclusive_minimum = 0.5, multiple_of = 0.25)]
        pub high: f64,
        #[field(cel("self == oldSelf", "cannot change", reason = "FieldValueForbidden", optional_old_self = true))]
        #[field(cel("self > 0"))]
        pub fixed: i32,
        #[field(min_items = 1, max_items = 3, items(max_length = 5, pattern = "^a"), list = set)]
        pub words: Vec<Str>,
        #[field(max_properties = 2, values(min_items = 1, items(maximum = 9)))]
        pub numbers: StrMap<Vec<i32>>,
        #[field(maximum = 65535, max_length = 9)]
        pub port: IntOrString,
        #[field(keywords = r#"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "nullable": true}"#)]
        pub one: Option<Either>,
        /// A description of its own.
        pub other: Option<Either>,
        #[field(schema = r#"{"type": "integer", "maximum": 3}"#)]
        pub whole: Option<Raw>,
        #[field(schema = r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true}"#)]
        pub object: Option<Raw>,
        pub anything: Option<Raw>,
        #[field(items(schema = r#"{"type": "string", "maxLength": 3}"#))]
        pub parts: Vec<Str>,
    }

    /// One of both.
    #[derive(ApiType)]
    pub struct Either {
        pub a: Option<i32>,
        pub b: Option<i32>,
    }
}
