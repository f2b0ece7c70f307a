//! Functions by their names, for those who read rules at run time.

use std::collections::BTreeMap;

use super::functions as f;
use crate::reflect::Reflect;

/// What a function takes or gives.
pub enum Plain {
    /// Text, which may be empty.
    Text(String),
    /// Text that may be absent.
    OptionalText(Option<String>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A map of texts.
    TextMap(BTreeMap<String, String>),
    /// An object that may be absent.
    Object(Option<Box<dyn Reflect>>),
}

/// Calls the function of that name, in the direction to the hub or from it.
///
/// `None` where there is none that takes these arguments.
#[must_use]
pub fn call(name: &str, to_hub: bool, arguments: Vec<Plain>) -> Option<Vec<Plain>> {
    use Plain::{Object, OptionalText, Text, TextMap, Texts};
    let mut arguments = arguments.into_iter();
    let arguments = (arguments.next()?, arguments.next(), arguments.next());
    Some(match (name, to_hub, arguments) {
        ("topology", true, (TextMap(topology), Some(OptionalText(node)), None)) => {
            let (topology, zone, node) = f::topology_to_hub(topology, node);
            vec![TextMap(topology), OptionalText(zone), OptionalText(node)]
        }
        ("topology", false, (TextMap(topology), Some(OptionalText(zone)), Some(OptionalText(node)))) => {
            let (topology, node) = f::topology_from_hub(topology, zone, node);
            vec![TextMap(topology), OptionalText(node)]
        }
        ("subject", is_up, (Text(kind), Some(Text(group)), Some(Text(name)))) => {
            let function = if is_up { f::subject_to_hub } else { f::subject_from_hub };
            let (kind, group, name) = function(kind, group, name);
            vec![Text(kind), Text(group), Text(name)]
        }
        ("first", true, (Texts(list), None, None)) => {
            let (first, others) = f::first_to_hub(list);
            vec![Text(first), Texts(others)]
        }
        ("first", false, (Text(first), Some(Texts(others)), None)) => {
            vec![Texts(f::first_from_hub(first, others))]
        }
        ("scale_selector", true, (TextMap(labels), Some(Text(selector)), None)) => {
            vec![Text(f::scale_selector_to_hub(labels, selector))]
        }
        ("scale_selector", false, (Text(selector), None, None)) => {
            let (labels, selector) = f::scale_selector_from_hub(selector);
            vec![TextMap(labels), Text(selector)]
        }
        ("empty_selector", is_up, (Object(mut selector), None, None)) => {
            if let Some(selector) = &mut selector {
                let convert = if is_up { f::selector_to_hub } else { f::selector_from_hub };
                convert(&mut **selector);
            }
            vec![Object(selector)]
        }
        _ => return None,
    })
}
