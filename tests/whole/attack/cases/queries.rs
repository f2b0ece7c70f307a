//! Queries: selectors, tokens and numbers.

use super::super::Case;
use super::super::cases::{each, fill};
use super::super::target::CONFIGMAPS;
use super::super::wire::{Tally, connect, first_code, get, write};

/// All cases. A head can have 64 KiB at most.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("label selectors of 60 KB", &[200, 400], |target| {
            let values: String = (0..12_000).map(|n| format!("v{n},")).collect();
            let selectors = [
                fill("a=b,", 60_000),
                fill("a!=b,", 60_000),
                (0..8000).map(|n| format!("k{n}=v,")).collect::<String>(),
                format!("a%20in%20({})", &values[..59_000]),
                format!("a%20notin%20({})", &values[..59_000]),
                fill("(", 60_000),
                fill("!", 60_000),
                fill(",", 60_000),
                fill("a%20in%20(", 60_000),
                fill("x", 60_000),
            ];
            each(
                target.address(),
                selectors.map(|selector| get(&format!("{CONFIGMAPS}?labelSelector={selector}"))),
            )
        }),
        Case::new("field selectors of 60 KB", &[200, 400], |target| {
            let selectors = [
                fill("metadata.name=a,", 60_000),
                fill("metadata.name!=a,", 60_000),
                format!("{}=a", fill("a.", 60_000)),
                fill("=", 60_000),
                fill("\\,", 60_000),
            ];
            each(
                target.address(),
                selectors.map(|selector| get(&format!("{CONFIGMAPS}?fieldSelector={selector}"))),
            )
        }),
        Case::new("forged continue tokens", &[400, 410], |target| {
            // In base64: an object without a version; one with a key of another list, two times; nested arrays; many
            // objects; zeros. Then invalid base64.
            let tokens = [
                "e30".to_owned(),
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4vc2VjcmV0cy8ifQ".to_owned(),
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL3JlZ2lzdHJ5L3NlY3JldHMvIn0".to_owned(),
                fill("W1tb", 60_000),
                fill("e30", 60_000),
                fill("A", 60_000),
                "not-base64!".to_owned(),
                "%00".to_owned(),
            ];
            each(target.address(), tokens.map(|token| get(&format!("{CONFIGMAPS}?limit=1&continue={token}"))))
        }),
        Case::new("a token for a revision of the future", &[504, 400], |target| {
            let token =
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiJkZWZhdWx0L2EifQ";
            each(target.address(), [get(&format!("{CONFIGMAPS}?limit=1&continue={token}"))])
        }),
        Case::new("invalid and huge limits and revisions", &[200, 400, 410, 422, 504], |target| {
            let numbers = [
                "-1",
                "18446744073709551615",
                "18446744073709551616",
                "NaN",
                "1e9",
                "0x1",
                "",
                "%F0%9F%A6%80",
            ];
            each(
                target.address(),
                numbers.iter().flat_map(|number| {
                    ["limit", "resourceVersion", "resourceVersionMatch=Exact&resourceVersion"]
                        .map(|name| get(&format!("{CONFIGMAPS}?{name}={number}")))
                }),
            )
        }),
        Case::new("20,000 parameters, and percent signs", &[200, 400], |target| {
            let queries = [
                fill("a&", 60_000),
                fill("limit=1&", 60_000),
                fill("%", 60_000),
                fill("%41", 60_000),
                fill("pretty=1&", 60_000),
            ];
            each(target.address(), queries.map(|query| get(&format!("{CONFIGMAPS}?{query}"))))
        }),
        Case::new("1,000 watches at once, abandoned", &[200], |target| {
            let watch = get(&format!("{CONFIGMAPS}?watch=1&timeoutSeconds=86400"));
            // All are open at the same time, before the first one is dropped.
            let mut open = Vec::new();
            let mut tally = Tally::default();
            for _ in 0..1_000 {
                let mut stream = connect(target.address())?;
                write(&mut stream, &watch);
                tally.add(first_code(&mut stream));
                open.push(stream);
            }
            Ok(tally)
        }),
    ]
}
