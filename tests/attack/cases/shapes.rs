//! Objects whose lists and maps are as long as a body may be.

use std::collections::BTreeMap;
use std::fmt::Write;

use hubgen_model::Api;

use super::super::Case;
use super::super::cases::{LARGE, at_once, each};
use super::super::fields::{Container, places};
use super::super::wire::post;

/// A case for the lists of each group, and one for its maps; with how many fields they cover.
pub fn cases(api: &Api) -> (Vec<Case>, usize) {
    let places = places(api);
    let fields = places.len();
    let mut groups: BTreeMap<(String, bool), Vec<Container>> = BTreeMap::new();
    for place in places {
        groups.entry((place.group.clone(), place.is_list)).or_default().push(place);
    }
    let cases = groups.into_iter().map(|((group, is_list), places)| {
        let group = if group.is_empty() { "core".to_owned() } else { group };
        let what = if is_list { "lists" } else { "maps" };
        let name = format!("3 MB in each of {} {what} of {group}", places.len());
        // 201: a review of access, which is answered and not stored, or an object with a valid name;
        // 409: the next one with that name. 501: what asks for an action.
        Case::new(name, &[201, 400, 409, 422, 501], move |target| {
            // As many at a time as the server works on.
            at_once(2, |thread| {
                let places = places.iter().skip(thread).step_by(2);
                each(
                    target.address(),
                    places.flat_map(|place| bodies(place).into_iter().map(|body| post(&place.path, &body))),
                )
            })
        })
    });
    (cases.collect(), fields)
}

/// The same element as often as it fits, and elements that all differ where they can.
fn bodies(place: &Container) -> Vec<String> {
    let Container { is_list, before, after, shortest, distinct, .. } = place;
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
