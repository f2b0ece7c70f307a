//! Objects with lists and maps of the maximum size.

use std::collections::BTreeMap;
use std::fmt::Write;

use hubgen_model::Api;

use super::super::Case;
use super::super::cases::{LARGE, at_once, each};
use super::super::fields::{Container, containers};
use super::super::wire::post;

/// Returns a case for the lists and one for the maps of each group, and the number of fields that they cover.
pub fn cases(api: &Api) -> (Vec<Case>, usize) {
    let containers = containers(api);
    let fields = containers.len();
    let mut groups: BTreeMap<(String, bool), Vec<Container>> = BTreeMap::new();
    for container in containers {
        groups.entry((container.group.clone(), container.is_list)).or_default().push(container);
    }
    let cases = groups.into_iter().map(|((group, is_list), containers)| {
        let group = if group.is_empty() { "core".to_owned() } else { group };
        let what = if is_list { "lists" } else { "maps" };
        let name = format!("3 MB in each of {} {what} of {group}", containers.len());
        // 201: an access review, which is not stored, or an object with a valid name. 409: the next object with that
        // name. 501: an object that requests an action.
        Case::new(name, &[201, 400, 409, 422, 501], move |target| {
            // As many as the server processes at a time.
            at_once(2, |thread| {
                let containers = containers.iter().skip(thread).step_by(2);
                each(
                    target.address(),
                    containers.flat_map(|container| {
                        bodies(container).into_iter().map(|body| post(&container.path, &body))
                    }),
                )
            })
        })
    });
    (cases.collect(), fields)
}

/// Returns a body with as many equal elements as fit, and one with distinct elements if possible.
fn bodies(container: &Container) -> Vec<String> {
    let Container { is_list, before, after, shortest, distinct, .. } = container;
    let room = LARGE - before.len() - after.len();
    let body = |elements: &str| {
        let (open, close) = if *is_list { ('[', ']') } else { ('{', '}') };
        format!("{before}{open}{}{close}{after}", elements.trim_end_matches(','))
    };
    let (same, different) = if *is_list {
        (format!("{shortest},"), format!("{distinct},"))
    } else {
        (format!("\"k\":{shortest},"), format!("\"k#\":{shortest},"))
    };
    let mut out = vec![body(&same.repeat(room / same.len()))];
    if different.contains('#') {
        let mut text = String::with_capacity(room);
        let mut number = 0_u32;
        while text.len() + different.len() + 32 < room {
            for (index, piece) in different.split('#').enumerate() {
                if index > 0 {
                    let _ = write!(text, "{number}");
                }
                text.push_str(piece);
            }
            number += 1;
        }
        out.push(body(&text));
    }
    out
}
