//! What is asked about the objects of a definition.

use hubgen_validation::Schema;
use serde_json::{Value, json};

use super::world::{collection, group};
use super::{odd, wrong};
use crate::dice::Dice;

/// How many bytes an object is made of.
const BYTES: usize = 300;

/// The requests about the objects of a definition: `count` objects at each version that is served.
///
/// # Errors
/// If a schema is none.
pub(super) fn of(definition: &Value, count: u64, seed: u64) -> Result<Vec<Value>, String> {
    let versions: Vec<&Value> = definition["spec"]["versions"].as_array().into_iter().flatten().collect();
    let served: Vec<&str> = versions
        .iter()
        .filter(|version| version["served"] == true)
        .filter_map(|version| version["name"].as_str())
        .collect();
    let mut out = Vec::new();
    for version in versions.iter().filter(|version| version["served"] == true) {
        let name = version["name"].as_str().unwrap_or_default();
        let schema = Schema::compile(&version["schema"]["openAPIV3Schema"])
            .map_err(|error| format!("{name}: {error}"))?;
        let place = Place {
            definition,
            version: name,
            served: &served,
            has_status: !version["subresources"]["status"].is_null(),
        };
        let first = place.object(&schema, &format!("odd-{name}"), &mut Dice::new(seed));
        out.extend(odd::of(&collection(definition, name), version, &first));
        for number in 0..count {
            let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
            place.about_one(&schema, number, &mut dice, &mut out);
        }
    }
    Ok(out)
}

/// The requests for what is told of the kind of a definition: discovery and, if wanted, the documents of OpenAPI.
pub(super) fn of_documents(definition: &Value, openapi: bool) -> Vec<Value> {
    let group = group(definition);
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    let served = versions.filter(|version| version["served"] == true);
    let served: Vec<&str> = served.filter_map(|version| version["name"].as_str()).collect();
    let discovery = served.iter().map(|version| format!("/apis/{group}/{version}"));
    let documents = served.iter().map(|version| format!("/openapi/v3/apis/{group}/{version}"));
    let documents = documents.chain(["/openapi/v2".to_owned()]).filter(|_| openapi);
    let ask = |path: String| json!({"method": "GET", "path": path, "group": group});
    discovery.chain(documents).map(ask).collect()
}

/// The requests that store objects that are wrong in some places, while the definition allows that; and those that change them
/// afterwards, when it does not.
///
/// # Errors
/// If a schema is none.
pub(super) fn ratcheting(
    definition: &Value,
    count: u64,
    seed: u64,
) -> Result<(Vec<Value>, Vec<Value>), String> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let versions = definition["spec"]["versions"].as_array().into_iter().flatten();
    for version in versions.filter(|version| version["served"] == true) {
        let name = version["name"].as_str().unwrap_or_default();
        let schema = Schema::compile(&version["schema"]["openAPIV3Schema"])
            .map_err(|error| format!("{name}: {error}"))?;
        let has_status = !version["subresources"]["status"].is_null();
        let place = Place { definition, version: name, served: &[], has_status };
        let here = collection(definition, name);
        for number in 0..count {
            let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number + 7_000_000));
            let own = format!("r-{name}-{number}");
            let mut stored = place.object(&schema, &own, &mut dice);
            for _ in 0..=dice.below(3) {
                wrong::change(&mut stored, &mut dice);
            }
            let one = format!("{here}/{own}");
            before.push(json!({"method": "POST", "path": here, "body": stored}));
            stored["metadata"]["resourceVersion"] = json!("$RV");
            if has_status {
                before.push(json!({"method": "PUT", "path": format!("{one}/status"), "body": stored}));
            }
            after.push(json!({"method": "GET", "path": one}));
            stored["metadata"]["labels"] = json!({"changed": "yes"});
            after.push(json!({"method": "PUT", "path": one, "body": stored}));
            for part in ["", "", "/status"].into_iter().filter(|part| has_status || part.is_empty()) {
                let mut next = stored.clone();
                wrong::change(&mut next, &mut dice);
                after.push(json!({"method": "PUT", "path": format!("{one}{part}"), "body": next}));
            }
            after.push(json!({"method": "DELETE", "path": one}));
        }
    }
    Ok((before, after))
}

/// The name of the object that a request is about.
pub(super) fn name_of(ask: &Value) -> &str {
    let path = ask["path"].as_str().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let path = path.trim_end_matches("/status").trim_end_matches("/scale");
    match ask["method"].as_str() {
        Some("POST") => ask["body"]["metadata"]["name"].as_str().unwrap_or_default(),
        _ => path.rsplit('/').next().unwrap_or_default(),
    }
}

struct Place<'a> {
    definition: &'a Value,
    version: &'a str,
    /// All versions that are served.
    served: &'a [&'a str],
    has_status: bool,
}

impl Place<'_> {
    /// The requests about one object.
    fn about_one(&self, schema: &Schema, number: u64, dice: &mut Dice, out: &mut Vec<Value>) {
        let name = format!("{}-{number}", self.version);
        let object = |dice: &mut Dice| self.object(schema, &name, dice);
        let (here, one) = (
            collection(self.definition, self.version),
            format!("{}/{name}", collection(self.definition, self.version)),
        );
        let ask =
            |method: &str, path: &str, body: Value| json!({"method": method, "path": path, "body": body});
        let first = object(dice);
        let mut refused = first.clone();
        wrong::change(&mut refused, dice);
        let strict = ["?fieldValidation=Strict", "?fieldValidation=Ignore", ""][dice.below(3)];
        out.push(ask(
            "POST",
            &format!("{here}{strict}&dryRun=All").replacen('&', if strict.is_empty() { "?" } else { "&" }, 1),
            refused.clone(),
        ));
        // Some objects are created although they may be wrong.
        out.push(ask("POST", &here, if dice.below(4) == 0 { refused } else { first.clone() }));
        out.push(ask("POST", &here, first.clone()));
        self.read(&name, out);
        for _ in 0..2 {
            let mut next = if dice.below(2) == 0 { object(dice) } else { first.clone() };
            next["metadata"]["resourceVersion"] = json!("$RV");
            wrong::change(&mut next, dice);
            out.push(ask("PUT", &one, next));
        }
        let mut next = object(dice);
        next["metadata"]["resourceVersion"] = json!("$RV");
        next["metadata"]["labels"] = json!({"changed": "yes"});
        out.push(ask("PUT", &one, next.clone()));
        if self.has_status {
            out.push(ask("PUT", &format!("{one}/status"), next.clone()));
            wrong::change(&mut next, dice);
            out.push(ask("PUT", &format!("{one}/status"), next));
        }
        let mut patch = object(dice);
        patch["metadata"] = json!({"annotations": {"patched": "yes"}});
        wrong::change(&mut patch, dice);
        let mut merge = ask("PATCH", &one, patch);
        merge["type"] = json!("application/merge-patch+json");
        out.push(merge);
        let mut configuration = object(dice);
        if dice.below(3) == 0 {
            wrong::change(&mut configuration, dice);
        }
        let other = ["&force=true", ""][dice.below(2)];
        let mut apply = ask("PATCH", &format!("{one}?fieldManager=applier{other}"), configuration);
        apply["type"] = json!("application/apply-patch+yaml");
        out.push(apply);
        self.read(&name, out);
        out.push(json!({"method": "DELETE", "path": one}));
    }

    /// Reads an object at every version.
    fn read(&self, name: &str, out: &mut Vec<Value>) {
        for version in self.served {
            out.push(
                json!({"method": "GET", "path": format!("{}/{name}", collection(self.definition, version))}),
            );
        }
    }

    /// An object that the schema allows.
    fn object(&self, schema: &Schema, name: &str, dice: &mut Dice) -> Value {
        let size = [0, BYTES / 10, BYTES, 3 * BYTES][dice.below(4)];
        let bytes: Vec<u8> = (0..size).map(|_| u8::try_from(dice.below(256)).unwrap_or_default()).collect();
        let mut object =
            schema.generate(&bytes, &[]).or_else(|| schema.generate(&[], &[])).unwrap_or_else(|| json!({}));
        object["apiVersion"] = format!("{}/{}", group(self.definition), self.version).into();
        object["kind"] = self.definition["spec"]["names"]["kind"].clone();
        object["metadata"] = json!({"name": name});
        object
    }
}
