//! Configurations that are expensive to apply: deep, wide, with long names, and against many owners.

use super::super::Case;
use super::super::cases::{LARGE, each, fill};
use super::super::target::{CONFIGMAPS, Target};
use super::super::wire::{Tally, post, request};

const APPLY: &str = "Content-Type: application/apply-patch+yaml\r\n";
/// What begins a configuration.
const NAMED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\n";

/// All cases. What is stored, is deleted again.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("apply: aliases of aliases", &[400, 413, 422], |target| {
            let mut laughs = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n".to_owned();
            for level in 1..30 {
                let aliases = vec![format!("*a{}", level - 1); 9].join(",");
                laughs.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
            }
            let large = format!("x: &a {}\ndata: [{}]\n", fill("x", 100_000), vec!["*a"; 100_000].join(","));
            sent(target, &[laughs, large, "a: &a [*a]\n".to_owned()])
        }),
        Case::new("apply: deep and wide, broken", &[400, 415, 422, 500], |target| {
            let steps: String = (0..2000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
            let bodies = [
                fill("[", LARGE),
                fill("{\"a\":", LARGE),
                format!("{NAMED}data: {}", fill("[", LARGE)),
                format!("{NAMED}data: {}1{}", fill("{a: ", 40_000), fill("}", 10_000)),
                steps,
                fill("---\n", LARGE),
                fill("a: b\n", LARGE),
                String::new(),
                "\u{0}".to_owned(),
            ];
            sent(target, &bodies)
        }),
        Case::new("apply: paths of a megabyte, with many members", &[422, 500], |target| {
            let name = fill("x", 1 << 20);
            let members: String = (0..100_000).map(|number| format!("\"{number}\":1,")).collect();
            let items = fill("1,", 1 << 20);
            let bodies = [
                format!("{{\"{name}\":1,{KIND}}}"),
                format!("{{{KIND},\"data\":{{\"{name}\":{{{}}}}}}}", members.trim_end_matches(',')),
                format!("{{{KIND},\"data\":{{{}}}}}", members.trim_end_matches(',')),
                format!(
                    "{{{KIND},\"metadata\":{{\"name\":\"applied\",\"finalizers\":[{}]}}}}",
                    items.trim_end_matches(',')
                ),
                format!(
                    "{{{KIND},\"metadata\":{{\"name\":\"applied\",\"ownerReferences\":[{}{{}}]}}}}",
                    fill("{\"uid\":\"a\"},", 1 << 20)
                ),
            ];
            sent(target, &bodies)
        }),
        Case::new("apply: a set of 100,000 items, and again", &[200, 201, 409, 422], |target| {
            let data: String = (0..100_000).map(|number| format!("\"k{number}\":\"\",")).collect();
            let body = format!(
                "{{{KIND},\"metadata\":{{\"name\":\"applied\"}},\"data\":{{{}}}}}",
                data.trim_end_matches(',')
            );
            let other = body.replace("\"\"", "\"x\"");
            let mut tally = applied(target, "a", &body)?;
            for (manager, body) in [
                ("a", &body),
                ("b", &other),
                ("a", &format!("{{{KIND},\"metadata\":{{\"name\":\"applied\"}}}}")),
            ] {
                tally.extend(&applied(target, manager, body)?);
            }
            tally.extend(&removed(target)?);
            Ok(tally)
        }),
        Case::new("apply: an object of 10,000 managers, of 10,000 versions", &[200, 201, 409], |target| {
            let mut tally = Tally::default();
            for version in ["v1", "one of its own"] {
                let entry = |number: u32| {
                    let version =
                        if version == "v1" { "v1".to_owned() } else { format!("example.com/v{number}") };
                    format!(
                        "{{\"manager\":\"m{number}\",\"operation\":\"Apply\",\"apiVersion\":\"{version}\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{{\"f:data\":{{\"f:x\":{{}}}}}}}}"
                    )
                };
                let owners: Vec<String> = (0..10_000).map(entry).collect();
                let created =
                    format!("{{{KIND},\"metadata\":{{\"name\":\"applied\"}},\"data\":{{\"x\":\"y\"}}}}");
                let owned = format!("{{\"metadata\":{{\"managedFields\":[{}]}}}}", owners.join(","));
                let merge = "Content-Type: application/merge-patch+json\r\n";
                let owned = request("PATCH", &path("a"), merge, owned.as_bytes());
                tally.extend(&each(target.address(), [post(CONFIGMAPS, &created), owned])?);
                tally.extend(&applied(
                    target,
                    "a",
                    &format!("{{{KIND},\"metadata\":{{\"name\":\"applied\"}},\"data\":{{\"x\":\"z\"}}}}"),
                )?);
                tally.extend(&removed(target)?);
            }
            Ok(tally)
        }),
    ]
}

/// The kind of a configuration in JSON.
const KIND: &str = "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"";

fn path(manager: &str) -> String {
    format!("{CONFIGMAPS}/applied?fieldManager={manager}")
}

fn applied(target: &Target, manager: &str, body: &str) -> Result<Tally, String> {
    each(target.address(), [request("PATCH", &path(manager), APPLY, body.as_bytes())])
}

fn removed(target: &Target) -> Result<Tally, String> {
    each(target.address(), [request("DELETE", &format!("{CONFIGMAPS}/applied"), "", b"")])
}

/// Applies configurations, none of which can be.
fn sent(target: &Target, bodies: &[String]) -> Result<Tally, String> {
    each(target.address(), bodies.iter().map(|body| request("PATCH", &path("a"), APPLY, body.as_bytes())))
}
