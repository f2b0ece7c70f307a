//! What an operator's check.toml lists: differences, and how objects are generated and compared.

use std::collections::BTreeMap;
use std::path::Path as File;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde::Deserialize;
use serde_json::Value;

use super::form;
use super::mismatch::Mismatch;
use super::path::{Path, Pattern};
use super::side::{Case, Place, Side};

/// The content of check.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Listed {
    /// Values that are often generated for fields with these names.
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    /// JSON that generated objects have at some places.
    #[serde(default)]
    examples: Vec<Examples>,
    /// What generated objects do not have.
    #[serde(default)]
    left_out: Vec<LeftOut>,
    /// What is converted as it was generated, although the operator's types write it in another form.
    #[serde(default)]
    as_generated: Vec<Place>,
    /// Where texts are JSON, which is compared as such.
    #[serde(default)]
    json: Vec<Place>,
    /// Lists whose order the operator does not keep.
    #[serde(default)]
    unordered: Vec<Place>,
    /// Values that differ.
    #[serde(default)]
    difference: Vec<Difference>,
    /// Objects that only one side converts.
    #[serde(default)]
    refused: Vec<Refused>,
}

/// JSON that generated objects of some kinds have at some places: one of these values, or none. The definition does not
/// describe them, or tells too little.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    /// The kinds; all if there is none.
    #[serde(default)]
    kinds: Vec<String>,
    /// The versions of the objects, without the group; all if there is none.
    #[serde(default)]
    versions: Vec<String>,
    /// Places that names lead to. Nothing is made where the object around one is absent.
    paths: Vec<Place>,
    json: Vec<Json>,
}

/// JSON, which TOML has as a text.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Json(Value);

impl TryFrom<String> for Json {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        serde_json::from_str(&text).map(Self).map_err(|error| format!("{text:?} is no JSON: {error}"))
    }
}

/// What generated objects of some kinds do not have, because it cannot be compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    /// The kinds; all if there is none.
    #[serde(default)]
    kinds: Vec<String>,
    path: Place,
    /// Why, and where it is tested instead.
    #[expect(dead_code, reason = "it is for people, and required so that they write it")]
    why: String,
}

/// A difference: both sides, and the reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Difference {
    #[serde(flatten)]
    when: When,
    /// Where.
    path: Place,
    /// What the operator writes.
    theirs: Side,
    /// What hubgen writes.
    ours: Side,
}

/// Objects that only one side converts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Refused {
    #[serde(flatten)]
    when: When,
    by: By,
    /// A part of the error.
    error: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum By {
    Operator,
    Hubgen,
}

/// Where a difference applies.
#[derive(Deserialize)]
struct When {
    /// The kinds; all if there is none.
    #[serde(default)]
    kinds: Vec<String>,
    /// The version that was asked, without the group; any if there is none.
    from: Option<String>,
    /// The version of the answer.
    to: Option<String>,
    /// Whether it is about what comes back from the hub, which is compared with the object as it was.
    #[serde(default, rename = "through-hub")]
    through_hub: bool,
    /// What the object that was asked has, besides.
    #[serde(default)]
    asked: Vec<Asked>,
    /// Why both differ, and who loses what.
    why: String,
}

/// What the object that was asked has at a place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    path: Place,
    is: Side,
}

impl Listed {
    /// Reads check.toml.
    ///
    /// # Errors
    /// If it cannot be read, or has something else in it.
    pub fn read(file: &File) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        toml::from_str(&text).map_err(|error| failed(&error))
    }

    /// Each field with a value that is often generated.
    pub fn words(&self) -> Vec<(&str, &str)> {
        let all = self.words.iter();
        all.flat_map(|(name, words)| words.iter().map(move |word| (&**name, &**word))).collect()
    }

    /// Writes examples into a generated object, and removes what objects of its kind do not have.
    pub fn prepare(&self, entry: &KindEntry, seed: u64, object: &mut Value) {
        let is_in = |names: &[String], name: &str| names.is_empty() || names.iter().any(|of| of == name);
        let applies =
            |one: &&Examples| is_in(&one.kinds, &entry.kind) && is_in(&one.versions, &entry.version);
        let places = self.examples.iter().filter(applies);
        let places = places.flat_map(|one| one.paths.iter().map(|place| (place, &one.json)));
        for (at, (place, json)) in places.enumerate() {
            let choice = scrambled(seed ^ (at as u64) << 48) as usize % (json.len() + 1);
            form::set(object, &place.0, json.get(choice).map(|json| &json.0));
        }
        let places = self.left_out.iter().filter(|one| is_in(&one.kinds, &entry.kind));
        let places: Vec<&Pattern> = places.map(|one| &one.path.0).collect();
        form::remove(object, &places);
    }

    /// Writes what was generated at some places into an object that the operator's types have read and written.
    pub fn keep_generated(&self, generated: &Value, object: &mut Value) {
        for Place(place) in &self.as_generated {
            if let Some(value) = form::get(generated, place).filter(|_| form::get(object, place).is_some()) {
                form::set(object, place, Some(value));
            }
        }
    }

    /// The listed difference that a mismatch is: its index. Each one is tried with other values on either side, too:
    /// one that allows these would hide what is wrong.
    pub fn find(&self, case: &Case<'_>, mismatch: &Mismatch<'_>) -> Option<usize> {
        let index = self.difference.iter().position(|difference| difference.is(case, mismatch))?;
        let altered = altered(mismatch.theirs);
        let changed = [
            Mismatch { path: mismatch.path.clone(), theirs: Some(&altered), ours: mismatch.ours },
            Mismatch { path: mismatch.path.clone(), theirs: mismatch.theirs, ours: Some(&altered) },
        ];
        let hides = changed.iter().any(|changed| self.difference[index].is(case, changed));
        (!hides).then_some(index)
    }

    /// The listed refusal of an object that only one side converts: its index, after those of the differences.
    pub fn refusal(&self, case: &Case<'_>, theirs: Option<&String>, ours: Option<&String>) -> Option<usize> {
        let is_it = |refused: &Refused| {
            let (error, other) = match refused.by {
                By::Operator => (theirs, ours),
                By::Hubgen => (ours, theirs),
            };
            let is_error = error.is_some_and(|error| error.contains(&refused.error));
            is_error && other.is_none() && refused.when.is(case, &Path::default())
        };
        self.refused.iter().position(is_it).map(|index| self.difference.len() + index)
    }

    /// The reasons of differences that no object of a kind had.
    pub fn unused(&self, used: impl Iterator<Item = usize>, kind: Option<&str>) -> Vec<String> {
        let used: Vec<usize> = used.collect();
        let all = self.difference.iter().map(|one| &one.when).chain(self.refused.iter().map(|one| &one.when));
        let unused = all.enumerate().filter(|(index, when)| {
            !used.contains(index) && kind.is_none_or(|kind| when.kinds.iter().any(|named| named == kind))
        });
        unused.map(|(_, when)| when.why.clone()).collect()
    }

    /// An answer in the form in which answers are compared.
    pub fn in_comparable_form(&self, answer: Value) -> Value {
        let [json, unordered] = [&self.json, &self.unordered]
            .map(|places| places.iter().map(|place| &place.0).collect::<Vec<&Pattern>>());
        form::comparable(answer, &json, &unordered)
    }
}

impl Difference {
    fn is(&self, case: &Case<'_>, mismatch: &Mismatch<'_>) -> bool {
        let path = &mismatch.path;
        self.path.0.matches(path)
            && self.when.is(case, path)
            && self.theirs.has(mismatch.theirs, case, path)
            && self.ours.has(mismatch.ours, case, path)
    }
}

impl When {
    fn is(&self, case: &Case<'_>, path: &Path) -> bool {
        let is_version = |named: &Option<String>, entry: &KindEntry| {
            named.as_ref().is_none_or(|named| *named == *entry.version || *named == entry.api_version())
        };
        self.through_hub == case.is_through_hub()
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == case.kind))
            && is_version(&self.from, case.from)
            && is_version(&self.to, case.to)
            && self.asked.iter().all(|asked| asked.is.has(asked.path.in_asked(case, path), case, path))
    }
}

/// A number that depends on every bit of another one.
fn scrambled(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// A value that is certainly another one.
fn altered(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => format!("altered {text}").into(),
        _ => "altered".into(),
    }
}

#[cfg(test)]
mod tests {
    use hubgen_kubernetes::scheme;
    use serde_json::json;

    use super::*;
    use crate::operators::path::Step;

    /// Whether check.toml with these lines accepts a difference of `spec.a` in an object.
    fn accepts(lines: &str, asked: &Value, theirs: Option<&Value>, ours: Option<&Value>) -> bool {
        let text = format!("[[difference]]\npath = \"spec.a\"\nwhy = \"it is so\"\n{lines}");
        let listed: Listed = toml::from_str(&text).unwrap();
        let scheme = scheme();
        let [from, to] =
            ["apps/v1beta1", "apps/v1"].map(|version| scheme.named(version, "Deployment").unwrap());
        let case = Case { kind: "Deployment", from, to, asked, returned: None };
        let path = Path(["spec", "a"].map(|name| Step::Member(name.to_owned())).into());
        listed.find(&case, &Mismatch { path, theirs, ours }).is_some()
    }

    #[test]
    fn both_sides_must_be_as_listed() {
        let asked = json!({"spec": {"b": "x"}});
        let lines = "theirs = \"absent\"\nours = { asked = \"spec.b\" }";
        assert!(accepts(lines, &asked, None, Some(&json!("x"))));
        for (theirs, ours) in [(None, Some(json!("y"))), (Some(json!("x")), Some(json!("x"))), (None, None)] {
            assert!(!accepts(lines, &asked, theirs.as_ref(), ours.as_ref()), "{theirs:?}, {ours:?}");
        }
        for more in [
            "kinds = [\"Pod\"]",
            "from = \"v1\"",
            "to = \"v1beta1\"",
            "asked = [{ path = \"spec.c\", is = \"filled\" }]",
        ] {
            assert!(!accepts(&format!("{more}\n{lines}"), &asked, None, Some(&json!("x"))), "{more}");
        }
        assert!(accepts(
            &format!("kinds = [\"Deployment\"]\nfrom = \"apps/v1beta1\"\n{lines}"),
            &asked,
            None,
            Some(&json!("x"))
        ));
    }

    #[test]
    fn what_comes_back_from_the_hub_is_listed_by_itself() {
        let listed = "theirs = { asked = \"spec.a\" }\nours = \"returned\"";
        let scheme = scheme();
        let [beta, v1] =
            ["apps/v1beta1", "apps/v1"].map(|version| scheme.named(version, "Deployment").unwrap());
        let (asked, returned) = (json!({"spec": {"a": "x"}}), json!({"spec": {"a": "y"}}));
        let accepts = |lines: &str, to, ours: &Value| {
            let text = format!("[[difference]]\npath = \"spec.a\"\nwhy = \"it is so\"\n{lines}");
            let case = Case { kind: "Deployment", from: beta, to, asked: &asked, returned: Some(&returned) };
            let path = Path(["spec", "a"].map(|name| Step::Member(name.to_owned())).into());
            let mismatch = Mismatch { path, theirs: Some(&asked["spec"]["a"]), ours: Some(ours) };
            toml::from_str::<Listed>(&text).unwrap().find(&case, &mismatch).is_some()
        };
        let through_hub = format!("through-hub = true\n{listed}");
        assert!(accepts(&through_hub, beta, &json!("y")));
        assert!(!accepts(&through_hub, beta, &json!("z")), "the operator returns another value");
        assert!(!accepts(&through_hub, v1, &json!("y")), "it is about two versions");
        assert!(!accepts(listed, beta, &json!("y")), "it is about one version");
    }

    #[test]
    fn what_would_hide_another_value_is_refused() {
        let lines = "theirs = \"absent\"\nours = \"filled\"";
        assert!(!accepts(lines, &json!({}), None, Some(&json!("x"))));
    }

    #[test]
    fn sides_describe_texts_and_objects() {
        let asked = json!({"spec": {"scheme": "https://", "names": ["a", ""]}});
        let ours = "ours = \"absent\"";
        let joined = format!("theirs = {{ joined = [{{ asked = \"spec.scheme\" }}, \"b\"] }}\n{ours}");
        assert!(accepts(&joined, &asked, Some(&json!("https://b")), None));
        assert!(!accepts(&joined, &asked, Some(&json!("http://b")), None));
        let only = format!(
            "theirs = {{ only = {{ n = {{ objects = {{ member = \"name\", of = \"spec.names\" }} }} }} }}\n{ours}"
        );
        assert!(accepts(&only, &asked, Some(&json!({"n": [{"name": "a"}, {}]})), None));
        assert!(!accepts(&only, &asked, Some(&json!({"n": [{"name": "a"}, {}], "m": 1})), None));
    }

    #[test]
    fn a_side_may_be_a_list_with_some_item() {
        let asked = json!({"spec": {"names": ["a", ""]}});
        let lines = |item: &str| {
            let names = format!("{{ path = \"spec.names\", is = {{ contains = {{ is = {item:?} }} }} }}");
            format!("theirs = \"absent\"\nours = {{ is = 1 }}\nasked = [{names}]")
        };
        assert!(accepts(&lines(""), &asked, None, Some(&json!(1))));
        assert!(!accepts(&lines("b"), &asked, None, Some(&json!(1))));
    }

    #[test]
    fn examples_are_one_of_several_or_nothing() {
        let text = "as-generated = [\"spec.a\"]\n[[examples]]\nkinds = [\"Deployment\"]\nversions = [\"v1\"]\n\
                    paths = [\"spec.a\", \"status.a\"]\njson = ['null', '[\"x\"]']";
        let listed: Listed = toml::from_str(text).unwrap();
        let scheme = scheme();
        let prepared = |version: &str, seed: u64| {
            let mut object = json!({"spec": {"a": 1}});
            listed.prepare(scheme.named(version, "Deployment").unwrap(), seed, &mut object);
            object
        };
        let found: std::collections::BTreeSet<String> =
            (0..50).map(|seed| prepared("apps/v1", seed).to_string()).collect();
        let expected = [json!({"spec": {"a": ["x"]}}), json!({"spec": {"a": null}}), json!({"spec": {}})];
        assert_eq!(found, expected.map(|object| object.to_string()).into());
        assert_eq!(prepared("apps/v1beta1", 0), json!({"spec": {"a": 1}}));

        for (written, kept) in [(json!({"spec": {"a": ["x"]}}), true), (json!({"spec": {}}), false)] {
            let mut object = written.clone();
            listed.keep_generated(&json!({"spec": {"a": "x"}}), &mut object);
            assert_eq!(object == json!({"spec": {"a": "x"}}), kept);
            assert_eq!(object == written, !kept);
        }
    }

    #[test]
    fn unknown_keys_are_refused() {
        for wrong in [
            "differences = []",
            "[[examples]]\npaths = [\"a\"]\njson = ['x']",
            "[[difference]]\npath = \"a\"\nwhy = \"\"\ntheirs = \"absent\"\nours = \"absent\"\nunless = 1",
            "[[difference]]\npath = \"a..b\"\nwhy = \"\"\ntheirs = \"absent\"\nours = \"absent\"",
            "[[difference]]\npath = \"a\"\ntheirs = \"absent\"\nours = \"absent\"",
        ] {
            assert!(toml::from_str::<Listed>(wrong).is_err(), "{wrong}");
        }
    }
}
