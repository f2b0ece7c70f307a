//! Generates patches for an object: right ones and wrong ones of each format.

use hubgen_kubernetes::machinery::reflect::Described;
use serde_json::{Map, Value, json};

use super::steps::{Place, Step, merging, places, pointer, strategic};
use crate::dice::Dice;

/// A patch and its media type.
pub struct Generated {
    pub media: &'static str,
    pub patch: Value,
}

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// The patch of a seed, for the status or for what else the object has. Every third one is of the same format.
pub fn generate(object: &Value, of: &Described, of_status: bool, seed: u64) -> Generated {
    let all = places(object, of, of_status);
    let mut dice = Dice::new(seed);
    let mut make = Maker { object, all: &all, dice: &mut dice };
    let (media, patch) = match seed % 3 {
        0 => (JSON, make.json()),
        1 => (MERGE, make.merge()),
        _ => (STRATEGIC, make.strategic()),
    };
    Generated { media, patch }
}

struct Maker<'a> {
    object: &'a Value,
    all: &'a [Place],
    dice: &'a mut Dice,
}

impl Maker<'_> {
    /// Any place, or one that a test accepts.
    fn place(&mut self, is_wanted: impl Fn(&Place) -> bool) -> Option<Place> {
        let wanted: Vec<&Place> = self.all.iter().filter(|place| is_wanted(place)).collect();
        self.dice.one(&wanted).map(|place| (*place).clone())
    }

    /// A patch that every object takes, if another one is not possible.
    fn label(&mut self) -> Value {
        json!({"metadata": {"labels": {"patched": format!("l{}", self.dice.below(9))}}})
    }

    fn json(&mut self) -> Value {
        let mut operations = Vec::new();
        for _ in 0..=self.dice.below(2) {
            operations.push(self.operation().unwrap_or_else(
                || json!({"op": "add", "path": "/metadata/labels", "value": {"patched": "yes"}}),
            ));
        }
        if self.dice.below(3) == 0 {
            operations
                .push(json!({"op": "add", "path": "/metadata/annotations", "value": {"patched": "yes"}}));
        }
        Value::Array(operations)
    }

    fn operation(&mut self) -> Option<Value> {
        let choice = self.dice.below(20);
        let any = self.place(|_| true)?;
        let path = pointer(&any.steps);
        Some(match choice {
            0 => json!({"op": "test", "path": path, "value": any.value}),
            1 => json!({"op": "test", "path": path, "value": "another value"}),
            2 => json!({"op": "test", "path": format!("{path}/nothing"), "value": null}),
            3 => json!({"op": "remove", "path": path}),
            4 => json!({"op": "remove", "path": "/spec/nothing"}),
            5 => json!({"op": "remove", "path": format!("{path}/nothing/at/all")}),
            6 => {
                let scalar = self.place(|place| is_scalar(&place.value))?;
                json!({"op": "replace", "path": pointer(&scalar.steps), "value": changed(&scalar.value)})
            }
            7 => json!({"op": "replace", "path": path, "value": wrong(&any.value)}),
            8 => json!({"op": "replace", "path": "/metadata/nothing", "value": "x"}),
            9 => {
                let list = self.place(|place| place.value.is_array())?;
                let item = list.value[0].clone();
                json!({"op": "add", "path": format!("{}/-", pointer(&list.steps)), "value": item})
            }
            10 => {
                let list = self.place(|place| place.value.is_array())?;
                let index = [-1, 0, 1, 7][self.dice.below(4)];
                let op = ["add", "remove", "replace", "test"][self.dice.below(4)];
                let value = list.value[0].clone();
                json!({"op": op, "path": format!("{}/{index}", pointer(&list.steps)), "value": value})
            }
            11 => json!({"op": "copy", "from": path, "path": "/metadata/annotations"}),
            12 => json!({"op": "copy", "from": "/metadata/name", "path": "/metadata/labels/name"}),
            13 => json!({"op": "move", "from": path, "path": path}),
            14 => json!({"op": "move", "from": "/metadata/nothing", "path": path}),
            15 => json!({"op": "merge", "path": path}),
            16 => json!({"op": "add", "value": "x"}),
            17 => json!({"op": "add", "path": "/metadata/labels", "value": {"a": "b"}, "valeu": 1}),
            18 => json!({"op": "replace", "path": "/metadata/name", "value": "other"}),
            _ => {
                json!({"op": "add", "path": "/metadata/finalizers", "value": ["example.com/a", "example.com/b"]})
            }
        })
    }

    fn merge(&mut self) -> Value {
        let choice = self.dice.below(12);
        let made = match choice {
            0 | 1 => {
                let scalar = self.place(|place| is_scalar(&place.value));
                scalar.and_then(|place| merging(&place.steps, changed(&place.value)))
            }
            2 => self.place(|_| true).and_then(|place| merging(&place.steps, Value::Null)),
            3 => {
                let list = self.place(|place| place.value.is_array());
                list.and_then(|place| merging(&place.steps, json!([place.value[0].clone()])))
            }
            4 => self.place(|_| true).and_then(|place| merging(&place.steps, wrong(&place.value))),
            5 => {
                let object = self.place(|place| place.value.is_object());
                object
                    .and_then(|place| merging(&place.steps, json!({"nothing": null, "unknown": {"a": null}})))
            }
            6 => Some(json!({"unknown": 1, "metadata": {"annotations": {"a": "b", "c": null}}})),
            7 => Some(json!([{"op": "add"}])),
            8 => Some(json!({"metadata": {"labels": {"not valid!": "x"}}})),
            9 => Some(json!({"metadata": {"resourceVersion": "1", "labels": {"a": "b"}}})),
            10 => Some(json!({"metadata": {"finalizers": ["example.com/a"], "name": "other"}})),
            _ => self.place(|_| true).and_then(|place| merging(&place.steps, place.value.clone())),
        };
        made.unwrap_or_else(|| self.label())
    }

    fn strategic(&mut self) -> Value {
        let choice = self.dice.below(18);
        let made = match choice {
            0..=2 => {
                let scalar = self.place(|place| is_scalar(&place.value));
                scalar.and_then(|place| self.at(&place.steps, changed(&place.value)))
            }
            3 => self.place(|_| true).and_then(|place| self.at(&place.steps, Value::Null)),
            4 => self.merged_list().and_then(|(list, key)| {
                let item = list.value.get(0)?;
                self.at(&list.steps, json!([{"$patch": "delete", &key: item.get(&key)?}]))
            }),
            5 => self.merged_list().and_then(|(list, _)| {
                let item = list.value.get(0)?.clone();
                self.at(&list.steps, json!([{"$patch": "replace"}, item]))
            }),
            6 => self.merged_list().and_then(|(list, key)| self.ordered(&list, &key, true)),
            7 => self.merged_list().and_then(|(list, key)| self.ordered(&list, &key, false)),
            8 => self.merged_list().and_then(|(list, _)| self.at(&list.steps, json!([{"unknown": 1}]))),
            9 => self.merged_list().and_then(|(list, key)| {
                let mut item = list.value.get(0)?.clone();
                item[&key] = changed(&item[&key]);
                self.at(&list.steps, json!([item]))
            }),
            10 => {
                let object = self.place(|place| place.value.is_object());
                object.and_then(|place| self.at(&place.steps, json!({"$patch": "replace"})))
            }
            11 => {
                let object = self.place(|place| place.value.is_object());
                let directive = ["delete", "merge", "nothing"][self.dice.below(3)];
                object.and_then(|place| self.at(&place.steps, json!({"$patch": directive})))
            }
            12 => {
                let object = self.place(|place| place.value.as_object().is_some_and(|all| !all.is_empty()));
                object.and_then(|place| {
                    let members = place.value.as_object()?;
                    let keeps: Vec<&String> = members.keys().take(1 + members.len() / 2).collect();
                    let first = members.get(keeps[0])?.clone();
                    self.at(&place.steps, json!({"$retainKeys": keeps, keeps[0].as_str(): first}))
                })
            }
            13 => Some(json!({"metadata": {"$retainKeys": ["labels"], "annotations": {"a": "b"}}})),
            14 => Some(json!({"metadata": {
                "finalizers": ["example.com/c", "example.com/a"],
                "$setElementOrder/finalizers": ["example.com/c", "example.com/a"],
            }})),
            15 => Some(
                json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a", "kubernetes"]}}),
            ),
            16 => {
                let list = self.place(|place| place.value.is_array());
                list.and_then(|place| self.at(&place.steps, json!([])))
            }
            _ => {
                let list = self.place(|place| place.value.is_array());
                list.and_then(|place| {
                    let Step::Member(name) = place.steps.last()? else { return None };
                    let parent = &place.steps[..place.steps.len() - 1];
                    let directive = ["$setElementOrder/", "$deleteFromPrimitiveList/"][self.dice.below(2)];
                    self.at(parent, json!({format!("{directive}{name}"): place.value}))
                })
            }
        };
        made.unwrap_or_else(|| self.label())
    }

    fn at(&self, steps: &[Step], value: Value) -> Option<Value> {
        strategic(self.object, self.all, steps, value)
    }

    /// A list of objects with a merge key.
    fn merged_list(&mut self) -> Option<(Place, String)> {
        let place = self.place(|place| place.merges.as_ref().is_some_and(|key| !key.is_empty()))?;
        let key = place.merges.clone()?;
        Some((place, key))
    }

    /// A patch that turns a list around, with an item that is changed.
    fn ordered(&self, list: &Place, key: &str, is_right: bool) -> Option<Value> {
        let Step::Member(name) = list.steps.last()? else { return None };
        let items = list.value.as_array()?;
        let keys: Vec<Value> = items.iter().rev().map(|item| json!({key: item[key]})).collect();
        let new = json!({key: changed(&items.first()?[key])});
        let mut order = keys.clone();
        if is_right {
            order.push(new.clone());
        }
        let mut members = Map::new();
        members.insert(format!("$setElementOrder/{name}"), Value::Array(order));
        members.insert(name.clone(), Value::Array(vec![new]));
        self.at(&list.steps[..list.steps.len() - 1], Value::Object(members))
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Another value of the same type.
fn changed(value: &Value) -> Value {
    match value {
        Value::Bool(value) => json!(!value),
        Value::Number(number) => number.as_i64().map_or_else(|| json!(1.5), |number| json!(number + 1)),
        Value::String(text) => json!(format!("{text}x")),
        _ => json!("x"),
    }
}

/// A value of another type.
fn wrong(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(["x"]),
        Value::Array(_) => json!({"x": 1}),
        Value::Object(_) => json!("x"),
        _ => json!({}),
    }
}
