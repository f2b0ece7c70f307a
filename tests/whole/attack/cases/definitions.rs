//! CustomResourceDefinitions that are costly to read, to check and to serve, and objects of theirs.

use std::net::SocketAddr;

use super::super::Case;
use super::super::cases::{LARGE, at_once, each, fill};
use super::super::wire::{self, Tally, post, request};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const OBJECTS: &str = "/apis/attack.example.com/v1/things";
const MERGE: &str = "Content-Type: application/merge-patch+json\r\n";

/// All cases. What is stored is deleted again.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("a definition with 10,000 properties, and its objects", &[200, 201, 202], |target| {
            let numbers = 0..10_000;
            let properties: Vec<_> =
                numbers.clone().map(|n| format!(r#""p{n}":{{"type":"integer","default":{n}}}"#)).collect();
            let properties = format!(r#""properties":{{{}}}"#, properties.join(","));
            let members: Vec<_> = numbers.map(|n| format!(r#""p{n}":{n}"#)).collect();
            with(target.address(), &definition(&properties), |address| {
                let known = object(&members.join(","));
                let unknown = known.replace("\"p", "\"q").replace("\"a\"", "\"b\"");
                each(address, [known, unknown].map(|body| post(OBJECTS, &body)))
            })
        }),
        refused("rules of a million parentheses, and of 100,000 terms", || {
            vec![
                rule(&format!("{}true{}", fill("(", 1_000_000), fill(")", 1_000_000))),
                rule(&format!("{}true", fill("!", 1_000_000))),
                rule(&format!("{}1 > 0", fill("1 + ", 400_000))),
                rule(&format!("[{}1].size() > 0", fill("1, ", 300_000))),
                rule(&format!("self{}", fill(".a", LARGE))),
                rule(&fill("\\u0000", LARGE)),
            ]
        }),
        refused("rules that would run for minutes", || {
            let nested = |levels| {
                let (open, close) = (fill("self.l.all(x, ", levels * 14), fill(")", levels));
                rule(&format!("{open}true{close}"))
            };
            vec![nested(2), nested(5), nested(100)]
        }),
        refused("patterns that blow up", || {
            let patterns = ["a{1000}{1000}", "((a{100}){100}){100}", "(((((", "\\\\p{Nope}", "(?=a)"];
            let field = |pattern: &str| {
                definition(&format!(r#""properties":{{"t":{{"type":"string","pattern":"{pattern}"}}}}"#))
            };
            patterns.map(field).into_iter().chain([field(&fill("(", LARGE))]).collect()
        }),
        refused("schemas that refer to themselves", || {
            let reference = r##"{"$ref":"#/properties/a"}"##;
            vec![
                definition(&format!(r#""properties":{{"a":{reference}}}"#)),
                definition(&format!(r#""properties":{{"a":{{"type":"array","items":{reference}}}}}"#)),
            ]
        }),
        Case::new("texts that cost much to match, in objects", &[200, 201, 202, 422], |target| {
            let schema = r#""properties":{"t":{"type":"string","pattern":"^(a+)+$"},
                "u":{"type":"string","pattern":"^(a|aa|aaa|[a-z]*)*$"}}"#;
            with(target.address(), &definition(schema), |address| {
                let text = format!("{}!", fill("a", LARGE));
                each(
                    address,
                    ["t", "u"].map(|field| post(OBJECTS, &object(&format!(r#""{field}":"{text}""#)))),
                )
            })
        }),
        Case::new("a version that is renamed while objects are stored", &[200, 201, 202, 422], |target| {
            with(target.address(), &definition(""), |address| {
                let renamed = r#"{"spec":{"versions":[{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#;
                let patch = |body: &str| request("PATCH", &one(), MERGE, body.as_bytes());
                let mut tally = each(address, [post(OBJECTS, &object(r#""a":1"#))])?;
                let code = wire::send(address, &patch(renamed))?;
                if code != 422 {
                    return Err(format!("a version with objects was renamed: {}", wire::shown(code)));
                }
                tally.add(code);
                let read = wire::send(address, &request("GET", &format!("{OBJECTS}/a"), "", b""))?;
                tally.add(read);
                if read != 200 {
                    return Err(format!("an object is lost: {}", wire::shown(read)));
                }
                Ok(tally)
            })
        }),
        Case::new("200 definitions that come and go, eight at once", &[200, 201, 202], |target| {
            let address = target.address();
            at_once(8, |thread| {
                let mut tally = Tally::default();
                for number in 0..25 {
                    let name = format!("things{thread}x{number}");
                    let body = definition("")
                        .replace("things", &name)
                        .replace("Thing", &format!("T{thread}x{number}"));
                    let path = format!("{DEFINITIONS}/{name}.attack.example.com");
                    tally.add(wire::send(address, &post(DEFINITIONS, &body))?);
                    tally.add(wire::send(address, &request("GET", &path, "", b""))?);
                    tally.add(wire::send(address, &request("DELETE", &path, "", b""))?);
                }
                Ok(tally)
            })
        }),
    ]
}

/// Definitions that must all be refused.
fn refused(name: &'static str, bodies: fn() -> Vec<String>) -> Case {
    Case::new(name, &[400, 422], move |target| {
        each(target.address(), bodies().iter().map(|body| post(DEFINITIONS, body)))
    })
}

/// Serves a definition while `attack` runs.
fn with(
    address: SocketAddr,
    definition: &str,
    attack: impl FnOnce(SocketAddr) -> Result<Tally, String>,
) -> Result<Tally, String> {
    let mut tally = each(address, [post(DEFINITIONS, definition)])?;
    wait(address, OBJECTS, 200)?;
    let attacked = attack(address);
    tally.add(wire::send(address, &request("DELETE", &one(), "", b""))?);
    wait(address, &one(), 404)?;
    tally.extend(&attacked?);
    Ok(tally)
}

/// Waits until a path answers with a code.
fn wait(address: SocketAddr, path: &str, code: u16) -> Result<(), String> {
    for _ in 0..1000 {
        if wire::send(address, &request("GET", path, "", b""))? == code {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Err(format!("{path} does not answer {code}"))
}

/// The path of the definition.
fn one() -> String {
    format!("{DEFINITIONS}/things.attack.example.com")
}

/// A definition with these members of its schema.
fn definition(schema: &str) -> String {
    let comma = if schema.is_empty() { "" } else { "," };
    format!(
        r#"{{"metadata":{{"name":"things.attack.example.com"}},"spec":{{"group":"attack.example.com","scope":"Cluster",
        "names":{{"plural":"things","kind":"Thing"}},"versions":[{{"name":"v1","served":true,"storage":true,
        "schema":{{"openAPIV3Schema":{{"type":"object"{comma}{schema}}}}}}}]}}}}"#
    )
}

/// An object with these members.
fn object(members: &str) -> String {
    format!(r#"{{"apiVersion":"attack.example.com/v1","kind":"Thing","metadata":{{"name":"a"}},{members}}}"#)
}

/// A definition with a rule.
fn rule(text: &str) -> String {
    definition(&format!(
        r#""properties":{{"l":{{"type":"array","items":{{"type":"string"}}}},"t":{{"type":"string"}}}},
        "x-kubernetes-validations":[{{"rule":"{text}"}}]"#
    ))
}
