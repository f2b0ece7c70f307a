//! Which value of the old object a value of an update replaces, and whether it is another.
//!
//! As upstream's `CorrelatedObject`: members of objects by their names, items of lists of type `map` by their keys.
//! Items of other lists replace no single item: lists without a type are atomic.

use std::collections::HashMap;

use serde_json::Value;

use crate::equal::same;
use crate::lists;
use crate::node::{ListType, Node};

/// The items of an old list.
pub(crate) enum Items<'n, 'o> {
    Unknown,
    ByKeys(&'n [String], HashMap<String, &'o Value>),
}

impl<'n, 'o> Items<'n, 'o> {
    /// The items of the old value of a list.
    pub(crate) fn of(node: &'n Node, old: Option<&'o Value>) -> Self {
        let Some(old) = old.and_then(Value::as_array) else { return Self::Unknown };
        match &node.list {
            ListType::None | ListType::Atomic | ListType::Set => Self::Unknown,
            ListType::Map(keys) => {
                let mut items = HashMap::new();
                for item in old {
                    if let Some(key) = lists::key_of_item(item, keys) {
                        items.entry(key).or_insert(item);
                    }
                }
                Self::ByKeys(keys, items)
            }
        }
    }

    /// The item that a new item replaces.
    pub(crate) fn get(&self, item: &Value) -> Option<&'o Value> {
        match self {
            Self::Unknown => None,
            Self::ByKeys(keys, items) => items.get(&lists::key_of_item(item, keys)?).copied(),
        }
    }
}

/// Whether a value equals the one that it replaces. The order of a list of type `map` does not count.
pub(crate) fn is_unchanged(node: &Node, new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::Array(new), Value::Array(items)) if matches!(node.list, ListType::Map(_)) => {
            let Some(item_node) = &node.items else { return new == items };
            let before = Items::of(node, Some(old));
            new.len() == items.len()
                && new
                    .iter()
                    .all(|item| before.get(item).is_some_and(|old| is_unchanged(item_node, item, old)))
        }
        (Value::Object(new), Value::Object(old)) => {
            new.len() == old.len()
                && new.iter().all(|(name, value)| match (node.member(name).node(), old.get(name)) {
                    (Some(node), Some(old)) => is_unchanged(node, value, old),
                    // Upstream correlates no members that the schema does not know.
                    _ => false,
                })
        }
        _ => same(new, old),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Limits, Schema};

    /// The fields of the errors of an update of `list`, whose items have the names `key` and `size`.
    fn errors(list: Value, old: &Value, new: &Value) -> Vec<String> {
        let item = json!({"type": "object", "required": ["key"], "properties": {
            "key": {"type": "string"}, "size": {"type": "integer", "maximum": 5}
        }});
        let mut schema = json!({"type": "array", "items": item, "maxItems": 2});
        schema.as_object_mut().unwrap().extend(list.as_object().unwrap().clone());
        let schema = Schema::compile(&json!({"type": "object", "properties": {"list": schema}})).unwrap();
        let (old, new) = (json!({"list": old}), json!({"list": new}));
        let errors = schema.validate_update(&new, &old, Limits::NONE).err().into_iter().flatten();
        errors.map(|error| error.field).collect()
    }

    #[test]
    fn items_replace_items() {
        let (a, b) = (json!({"key": "a", "size": 9}), json!({"key": "b", "size": 1}));
        let (old, moved) = (json!([a, b]), json!([b, a]));
        let changed = json!([a, {"key": "b", "size": 2}]);
        let map = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]});
        assert_eq!(errors(map.clone(), &old, &changed), [""; 0]);
        assert_eq!(errors(map.clone(), &old, &moved), [""; 0]);
        assert_eq!(errors(map, &json!([b]), &moved), ["list[1].size"]);
        // As a kube-apiserver answers: a list without a type is atomic.
        assert_eq!(errors(json!({}), &old, &old), [""; 0]);
        assert_eq!(errors(json!({}), &old, &changed), ["list[0].size"]);
        assert_eq!(errors(json!({}), &old, &moved), ["list[1].size"]);
        let atomic = json!({"x-kubernetes-list-type": "atomic"});
        assert_eq!(errors(atomic.clone(), &old, &old), [""; 0]);
        assert_eq!(errors(atomic, &old, &changed), ["list[0].size"]);
    }

    #[test]
    fn errors_of_sizes_and_names_belong_to_the_whole() {
        let map = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]});
        let old = json!([{"key": "a"}, {"key": "b"}, {"key": "c"}]);
        assert_eq!(errors(map.clone(), &old, &json!([{"key": "c"}, {"key": "b"}, {"key": "a"}])), [""; 0]);
        assert_eq!(errors(map, &old, &json!([{"key": "c"}, {"key": "b"}, {"key": "d"}])), ["list"]);
        let old = json!([{"size": 1}, {"key": "a"}]);
        assert_eq!(errors(json!({}), &old, &json!([{"size": 1}, {"key": "b"}])), ["list[0].key"]);
        assert_eq!(errors(json!({}), &old, &json!([{"size": 2}, {"key": "a"}])), ["list[0].key"]);
    }

    #[test]
    fn items_without_keys_replace_no_items() {
        let map = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]});
        for item in [json!("text"), json!(null), json!({"size": 1}), json!({"key": null})] {
            let list = json!([item, {"key": "a"}]);
            assert_ne!(errors(map.clone(), &list, &list), [""; 0], "{item}");
        }
    }

    #[test]
    fn repeated_items_may_stay_if_there_were_any() {
        let map = json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]});
        let (one, two) = (json!([{"key": "a"}]), json!([{"key": "a"}, {"key": "a"}]));
        assert_eq!(errors(map.clone(), &two, &two), [""; 0]);
        assert_eq!(errors(map, &one, &two), ["list[1]"]);
    }
}
