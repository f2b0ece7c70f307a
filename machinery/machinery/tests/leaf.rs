//! Types of other crates as texts of JSON.

use std::net::IpAddr;
use std::str::FromStr;

use hubgen_laws::objects::Source;
use hubgen_machinery::reflect::{ApiType as _, Reflect, equal};
use hubgen_machinery::{ApiType, Leaf, Str, StrMap, defaults, json, protobuf, structural, yaml};
use proptest::prelude::{any, proptest};
use proptest::{prop_assert, prop_assert_eq};
use serde_json::json;

/// Where something listens.
#[derive(ApiType)]
#[leaf(text, expects = "an IP address", examples("2001:db8::1", "10.0.0.1"), max_length = 45)]
pub struct Address(Leaf<IpAddr>);

/// A type whose `Display` writes another text than it reads, as that of URLs does.
#[derive(Clone, Debug, PartialEq)]
pub struct Percent(u8);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number: f64 = text.trim_end_matches('%').parse().map_err(|error| format!("{error}"))?;
        if (0.0..=100.0).contains(&number) { Ok(Self(number as u8)) } else { Err("out of range".to_owned()) }
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}%", self.0)
    }
}

/// A part of a whole.
#[derive(ApiType)]
#[leaf(text, title = "Share", pattern = "^[0-9.]+%?$", cel("self != '13%'", "bad luck"), expects = "a share")]
#[leaf(examples("50%", "7"), keywords = r#"{"externalDocs": {"url": "https://example.com"}}"#)]
pub struct Share(Leaf<Percent>);

/// An address where older objects have names.
#[derive(ApiType)]
#[leaf(text, other, min_length = 1, format = "hostname", expects = "an IP address", examples("::1"))]
pub struct Host(Leaf<IpAddr>);

#[derive(ApiType)]
struct Hosts {
    hosts: Vec<Host>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Server")]
struct Server {
    #[field(number = 1)]
    plain: Address,
    #[field(number = 2, required)]
    required: Address,
    #[field(number = 3, default = "\"::1\"", max_length = 39)]
    optional: Option<Address>,
    #[field(number = 4)]
    list: Vec<Address>,
    #[field(number = 5)]
    map: StrMap<Share>,
    #[field(number = none)]
    nullable: Option<Option<Share>>,
}

fn encoded(server: &Server) -> String {
    String::from_utf8(json::encode(server).unwrap()).unwrap()
}

fn refused(json: &str) -> String {
    json::decode::<Server>(json.as_bytes()).unwrap_err().to_string()
}

#[test]
fn texts_stay_as_they_came() {
    let json = r#"{"kind":"Server","apiVersion":"example.com/v1","plain":"2001:DB8:0::1","required":"10.0.0.1","optional":"::1","list":["::","0::0"],"map":{"a":"50.5"},"nullable":null}"#;
    let server: Server = json::decode(json.as_bytes()).unwrap();
    assert_eq!(server.plain.get(), Some(&"2001:db8::1".parse().unwrap()));
    assert_eq!(server.map["a"].get(), Some(&Percent(50)));
    assert_eq!(encoded(&server), json);
    assert_eq!(encoded(&server.clone()), json);

    let text = yaml::from_json(json.as_bytes()).unwrap();
    assert_eq!(json::decode::<Server>(&yaml::to_json(&text).unwrap()).unwrap(), server);
    assert_eq!(serde_json::from_str::<Server>(&serde_json::to_string(&server).unwrap()).unwrap(), server);
    let bytes = postcard::to_allocvec(&server).unwrap();
    assert_eq!(postcard::from_bytes::<Server>(&bytes).unwrap(), server);
    assert_eq!(serde_json::from_str::<Address>("\"0::0\"").unwrap().as_str(), "0::0");
    assert_eq!(serde_json::to_string(&server.plain).unwrap(), "\"2001:DB8:0::1\"");

    let without_null = Server { nullable: None, ..server };
    let bytes = protobuf::encode(&without_null);
    assert_eq!(protobuf::decode::<Server>(&bytes).unwrap(), without_null);
}

#[test]
fn protobuf_has_the_text() {
    let server = Server { required: "::1".into(), ..Server::default() };
    assert_eq!(protobuf::encode(&server), b"\x0a\x00\x12\x03::1");
}

#[test]
fn a_new_value_has_its_own_text() {
    let mut server: Server = json::decode(br#"{"required":"0::1","map":{"a":"50.5"}}"#).unwrap();
    server.required = IpAddr::from([127, 0, 0, 1]).into();
    server.map.get_mut("a").unwrap().set(Percent(51));
    assert_eq!(
        encoded(&server),
        r#"{"kind":"Server","apiVersion":"example.com/v1","required":"127.0.0.1","map":{"a":"51%"}}"#
    );
    assert_eq!(format!("{} {:?}", server.required, server.required), "127.0.0.1 \"127.0.0.1\"");
    assert_eq!("::1".parse::<Address>().unwrap(), "::1".into());
    assert_eq!(
        "x".parse::<Address>().unwrap_err(),
        "expected an IP address, found \"x\": invalid IP address syntax"
    );
    assert_eq!(Str::from(server.required), "127.0.0.1");
}

#[test]
fn the_empty_text_has_no_value() {
    let server: Server = json::decode(br#"{"required":"","list":[""]}"#).unwrap();
    assert_eq!((server.required.get(), server.list[0].get()), (None, None));
    assert!(
        server.plain.is_empty() && server == Server { list: vec![Address::default()], ..Server::default() }
    );
    assert_eq!(
        encoded(&server),
        r#"{"kind":"Server","apiVersion":"example.com/v1","required":"","list":[""]}"#
    );
}

#[test]
fn other_texts_are_errors_with_their_path() {
    let syntax = "invalid IP address syntax";
    assert_eq!(
        refused(r#"{"plain":"localhost"}"#),
        format!("line 1, column 10, plain: expected an IP address, found \"localhost\": {syntax}")
    );
    assert_eq!(
        refused(r#"{"list":["::1","a\"b"]}"#),
        format!("line 1, column 16, list[1]: expected an IP address, found \"a\\\"b\": {syntax}")
    );
    assert_eq!(
        refused(r#"{"map":{"a":"101%"}}"#),
        "line 1, column 13, map.a: expected a share, found \"101%\": out of range"
    );
    assert_eq!(refused(r#"{"plain":1}"#), "line 1, column 10, plain: expected an IP address, found a number");
    let long = refused(&format!(r#"{{"optional":"{}"}}"#, "é".repeat(100)));
    assert!(long.contains(&format!("found \"{}\"…: {syntax}", "é".repeat(40))), "{long}");

    let error = protobuf::decode::<Server>(b"\x0a\x01x").unwrap_err().to_string();
    assert!(error.contains("plain: expected an IP address, found \"x\""), "{error}");
    let error = serde_json::from_str::<Server>(r#"{"list":["x"]}"#).unwrap_err().to_string();
    assert!(error.contains("expected an IP address, found \"x\""), "{error}");
    let error = serde_json::from_str::<Address>("\"x\"").unwrap_err().to_string();
    assert!(error.contains("expected an IP address, found \"x\""), "{error}");
}

#[test]
fn other_texts_are_kept_where_the_leaf_allows_them() {
    let json = r#"{"hosts":["localhost","::1"]}"#;
    let hosts: Hosts = json::decode(json.as_bytes()).unwrap();
    let values: Vec<_> = hosts.hosts.iter().map(|host| host.get()).collect();
    assert_eq!(values, [None, Some(&IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]))]);
    assert_eq!(hosts.hosts[0].as_str(), "localhost");
    assert_ne!(hosts.hosts[0], Host::default());
    assert_eq!(String::from_utf8(json::encode(&hosts).unwrap()).unwrap(), json);
    assert_eq!(serde_json::from_str::<Host>("\"localhost\"").unwrap(), hosts.hosts[0]);
    // Made of a text by a program, it must be a value.
    assert!("localhost".parse::<Host>().is_err());
}

#[test]
fn defaults_are_set() {
    let mut server = Server::default();
    defaults::set(&mut server);
    assert_eq!(server.optional, Some("::1".into()));
}

#[test]
fn schemas_have_what_the_leaf_specifies() {
    let schema = structural::schema(Server::describe());
    let address = json!({"type": "string", "maxLength": 45, "example": "2001:db8::1"});
    assert_eq!(schema["properties"]["plain"], address);
    assert_eq!(schema["properties"]["list"]["items"], address);
    let share = json!({
        "type": "string",
        "title": "Share",
        "pattern": "^[0-9.]+%?$",
        "x-kubernetes-validations": [{"rule": "self != '13%'", "message": "bad luck"}],
        "example": "50%",
        "externalDocs": {"url": "https://example.com"},
    });
    assert_eq!(schema["properties"]["map"]["additionalProperties"], share);
    let host = json!({"type": "string", "minLength": 1, "format": "hostname", "example": "::1"});
    assert_eq!(structural::schema(Hosts::describe())["properties"]["hosts"]["items"], host);
    // A field's own limits come after those of the leaf.
    let optional = json!({"type": "string", "maxLength": 39, "example": "2001:db8::1", "default": "::1"});
    assert_eq!(schema["properties"]["optional"], optional);
}

/// A time with fractions of seconds, which `Time` drops.
#[derive(ApiType)]
#[leaf(text, format = "date-time", expects = "a time", examples("2026-01-02T03:04:05.678901234Z"))]
pub struct Instant(Leaf<jiff::Timestamp>);

#[derive(ApiType)]
struct Event {
    at: Instant,
}

#[test]
fn times_keep_fractions_of_seconds() {
    let json = r#"{"at":"2026-01-02T04:04:05.670+01:00"}"#;
    let mut event: Event = json::decode(json.as_bytes()).unwrap();
    assert_eq!(event.at.get().unwrap().subsec_nanosecond(), 670_000_000);
    assert_eq!(json::encode(&event).unwrap(), json.as_bytes());
    event.at = jiff::Timestamp::new(0, 1).unwrap().into();
    assert_eq!(json::encode(&event).unwrap(), br#"{"at":"1970-01-01T00:00:00.000000001Z"}"#);
    assert!(
        json::decode::<Event>(br#"{"at":"yesterday"}"#)
            .unwrap_err()
            .to_string()
            .contains("at: expected a time")
    );
}

#[test]
fn generated_objects_have_the_examples() {
    let mut server = Server::default();
    hubgen_laws::objects::fill(&mut server, &mut Source::new(&[1; 400], &[]));
    assert!(["2001:db8::1", "10.0.0.1"].contains(&server.plain.as_str()));
    assert!(server.plain.get().is_some());
}

proptest! {
    #[test]
    fn generated_objects_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut server = Server::default();
        hubgen_laws::objects::fill(&mut server, &mut Source::new(&bytes, &[]));
        let decoded: Server = json::decode(&json::encode(&server).unwrap()).unwrap();
        prop_assert_eq!(&decoded, &server);
        let object = &server as &dyn Reflect;
        prop_assert!(equal(&*object.boxed_copy(), object));
    }
}
