//! Objects whose fields are those of another object in JSON.

use hubgen_machinery::reflect::{ApiType as _, DeepCopy};
use hubgen_machinery::{ApiType, Str, json};

#[derive(ApiType)]
#[flattened]
struct Limits {
    #[field(default = "3")]
    retries: Option<i32>,
    #[field(required)]
    timeout: Str,
    #[field(flatten)]
    size: Size,
}

#[derive(ApiType)]
#[flattened]
struct Size {
    width: Option<i64>,
}

#[derive(ApiType)]
struct Job {
    name: Str,
    #[field(flatten)]
    limits: Limits,
    tags: Vec<Str>,
}

#[test]
fn fields_are_those_of_the_object_around_it() {
    let text = r#"{"name":"a","retries":1,"timeout":"1s","width":5,"tags":["x"]}"#;
    let job: Job = json::decode(text.as_bytes()).unwrap();
    let limits = Limits { retries: Some(1), timeout: "1s".into(), size: Size { width: Some(5) } };
    assert_eq!(job, Job { name: "a".into(), limits, tags: vec!["x".into()] });
    assert_eq!(String::from_utf8(json::encode(&job).unwrap()).unwrap(), text);
    assert_eq!(job.deep_copy(), job);
    let names: Vec<&str> = Job::describe().fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["name", "retries", "timeout", "width", "tags"]);
    assert_eq!(String::from_utf8(json::encode(&Job::default()).unwrap()).unwrap(), r#"{"timeout":""}"#);
}

#[test]
fn errors_name_the_path_in_json() {
    let error = json::decode::<Job>(br#"{"retries": "1"}"#).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 13, retries: expected a 32-bit integer, found a string");
}

#[test]
fn defaults_are_set() {
    let mut job = Job::default();
    hubgen_machinery::defaults::set(&mut job);
    assert_eq!(job.limits.retries, Some(3));
}
