//! The rules of cert-manager, which are an example for users: they lose nothing, convert as the functions of
//! cert-manager itself do, and no mistake in them stays unnoticed. Nothing is compiled; the interpreter runs the rules.
//!
//! `recorded/cert-manager.jsonl` contains the answers. Each was derived by hand from the functions of
//! cert-manager 1.5.0 that it names, below `pkg/internal/apis`: an object, what it is in `v1`, and what that is at the
//! object's version again (`back`, if it differs). Two things are left out. Go's types do not distinguish a zero from an
//! absent field, and write a status that is empty; the types of these schemas distinguish them. And cert-manager's
//! functions pass on words that no version allows, where rules refuse them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use hubgen_checks::laws::mutations::{Mutation, mutations};
use hubgen_codegen::{Form, Target, generate};
use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::Snapshot;
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::Violations;
use hubgen_laws::versions::{self, AnyObject, Convertible};
use hubgen_machinery::convert::Functions;

use hubgen_machinery::json;
use hubgen_model::Api;
use hubgen_model::defaults::Defaults;
use hubgen_model::rules::Rules;
use hubgen_plan::{FamilyPlan, How, Plan};
use serde_json::Value;

/// The number of generated objects for each law and version.
const OBJECTS: u64 = 100;

const SCHEMAS: &str = "../../examples/cert-manager/schemas";

struct Example {
    api: Api,
    rules: RuleSet,
    plan: Plan,
    answers: Vec<Value>,
}

static EXAMPLE: LazyLock<Example> = LazyLock::new(|| {
    let api = carried().read_dir(Path::new(SCHEMAS)).unwrap();
    let rules = rules::read_dir(&Path::new(SCHEMAS).join("rules")).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
    let answers = include_str!("../../recorded/cert-manager.jsonl").lines();
    let answers = answers.map(|line| serde_json::from_str(line).unwrap()).collect();
    Example { api, rules, plan, answers }
});

fn carried() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

/// A version of a kind, with its name.
struct Interpreted {
    api_version: String,
    version: Version,
}

/// The versions of a family, as a plan converts them.
fn interpreted(plan: &Plan, family: &FamilyPlan) -> Vec<Interpreted> {
    let roots = family.members.iter().map(|member| &member.root).chain([&family.hub]);
    let snapshot =
        Snapshot::new(plan.types(&EXAMPLE.api), &plan.sharing, &Defaults::default(), roots).unwrap();
    let new: Arc<NewObject> = Arc::new(move |id| snapshot.object(id).unwrap());
    let family = Arc::new(family.clone());
    let version = |at: usize| Version::new(&family, at, &new, &Functions::default()).unwrap().unwrap();
    let members = family.members.iter().enumerate();
    members
        .map(|(at, member)| Interpreted {
            api_version: member.group_version.api_version(),
            version: version(at),
        })
        .collect()
}

fn decoded(version: &Version, json: &Value) -> AnyObject {
    let mut object = version.empty();
    json::decode_into(json.to_string().as_bytes(), &mut *object).unwrap();
    object
}

fn encoded(object: &AnyObject) -> Value {
    serde_json::from_slice(&json::encode(&**object).unwrap()).unwrap()
}

/// Whether the versions convert the object of an answer to `v1` and back as it specifies.
fn agree(versions: &[Interpreted], answer: &Value) -> Result<(), String> {
    let version = |object: &Value| {
        let name = object["apiVersion"].as_str().unwrap();
        &versions.iter().find(|version| version.api_version == name).unwrap().version
    };
    let (object, hub) = (&answer["object"], &answer["hub"]);
    let (own, newest) = (version(object), version(hub));
    let same = |found: AnyObject, expected: &Value| {
        let found = encoded(&found);
        if found == *expected { Ok(()) } else { Err(format!("expected: {expected}\n   found: {found}")) }
    };
    let converted = own.try_to_hub(&*decoded(own, object)).map_err(|error| error.to_string())?;
    same(newest.try_from_hub(&*converted).map_err(|error| error.to_string())?, hub)?;
    let hub = newest.try_to_hub(&*decoded(newest, hub)).map_err(|error| error.to_string())?;
    let back = answer.get("back").unwrap_or(object);
    same(own.try_from_hub(&*hub).map_err(|error| error.to_string())?, back)
}

fn answers(kind: &str) -> impl Iterator<Item = &'static Value> {
    EXAMPLE.answers.iter().filter(move |answer| answer["object"]["kind"] == *kind)
}

fn check(versions: &[Interpreted], family: &FamilyPlan, count: u64) -> Result<(), Violations> {
    let versions: Vec<&dyn Convertible> = versions.iter().map(|version| &version.version as _).collect();
    versions::check(&versions, &family.words().into_iter().collect::<Vec<_>>(), count)
}

#[test]
fn the_rules_lose_and_stash_nothing() {
    let target = Target { form: Form::Modules { path: vec!["api".to_owned()] }, ..Target::kubernetes() };
    let generated = generate(Path::new(SCHEMAS), &carried(), &target).unwrap();
    let report = &generated.files[Path::new("CONVERSIONS.md")];
    for line in ["families: 6", "versions: 24", "pairs: 18", "kept: 0", "not convertible: 0", "lossy: 0"] {
        assert!(report.contains(&format!("\n{line}\n")), "{line}: {report}");
    }
    assert!(EXAMPLE.plan.conversions.iter().all(|family| !family.keeps()));
}

#[test]
fn all_laws_hold() {
    for family in &EXAMPLE.plan.conversions {
        let versions = interpreted(&EXAMPLE.plan, family);
        assert_eq!(versions.len(), 4);
        check(&versions, family, OBJECTS).unwrap_or_else(|error| panic!("{}: {error}", family.family.kind));
    }
}

#[test]
fn json_comes_back_as_it_was() {
    for family in &EXAMPLE.plan.conversions {
        let words: Vec<_> = family.words().into_iter().collect();
        let versions = interpreted(&EXAMPLE.plan, family);
        let versions: Vec<&dyn Convertible> = versions.iter().map(|version| &version.version as _).collect();
        versions::check_json(&versions, &words, OBJECTS)
            .unwrap_or_else(|error| panic!("{}: {error}", family.family.kind));
    }
}

#[test]
fn objects_convert_as_in_cert_manager() {
    let mut seen = BTreeSet::new();
    for family in &EXAMPLE.plan.conversions {
        let versions = interpreted(&EXAMPLE.plan, family);
        for answer in answers(&family.family.kind) {
            agree(&versions, answer).unwrap_or_else(|error| panic!("{answer}\n{error}"));
            seen.insert(answer["object"].to_string());
        }
    }
    assert_eq!(seen.len(), EXAMPLE.answers.len(), "two answers are equal, or of an unknown kind");
    let is_old = |answer: &&Value| answer["object"]["apiVersion"] == "cert-manager.io/v1alpha2";
    assert_eq!(answers("Certificate").filter(is_old).count(), 20);
}

#[test]
fn an_unknown_word_is_refused() {
    let family = EXAMPLE.plan.conversions.iter().find(|family| family.family.kind == "Certificate").unwrap();
    let versions = interpreted(&EXAMPLE.plan, family);
    let old = &versions.iter().find(|version| version.api_version.ends_with("v1alpha2")).unwrap().version;
    let object =
        serde_json::json!({"spec": {"keyAlgorithm": "dsa", "secretName": "a", "issuerRef": {"name": "b"}}});
    let error = old.try_to_hub(&*decoded(old, &object)).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.keyAlgorithm: the value `dsa` has no counterpart in the other version; expected one of `rsa`, `ecdsa`, \
         `Ed25519`"
    );
}

/// The plan of the family of some rules, with these instead of the rules that it has.
fn planned(changed: &Rules) -> Option<Plan> {
    let is_it = |rules: &&Rules| rules.kind == changed.kind && rules.hub == changed.hub;
    let rules: Vec<Rules> = EXAMPLE
        .rules
        .rules
        .iter()
        .map(|rules| if is_it(&rules) { changed } else { rules })
        .cloned()
        .collect();
    hubgen_plan::build(&EXAMPLE.api, &rules).ok()
}

fn of_kind<'a>(plan: &'a Plan, kind: &str) -> &'a FamilyPlan {
    plan.conversions.iter().find(|family| family.family.kind == kind).unwrap()
}

/// Whether two plans convert a kind alike.
fn is_same(one: &FamilyPlan, two: &FamilyPlan) -> bool {
    let mappings = |family: &FamilyPlan| {
        let how = family.members.iter().map(|member| match &member.how {
            How::Convert(mapping) => Some(mapping.clone()),
            How::NotConvertible(_) => None,
        });
        how.collect::<Vec<_>>()
    };
    one.hub == two.hub && mappings(one) == mappings(two)
}

#[test]
fn every_mutated_rule_is_noticed() {
    let (mut refused, mut noticed, mut missed) = (0, 0, Vec::new());
    for rules in &EXAMPLE.rules.rules {
        for Mutation { what, rules: changed, .. } in mutations(rules) {
            let kind = &rules.kind.value;
            let Some(plan) = planned(&changed) else {
                refused += 1;
                continue;
            };
            let family = of_kind(&plan, kind);
            if is_same(family, of_kind(&EXAMPLE.plan, kind)) {
                missed.push(format!("{kind}: {what}: has no effect"));
                continue;
            }
            let versions = interpreted(&plan, family);
            if answers(kind).all(|answer| agree(&versions, answer).is_ok())
                && check(&versions, family, 3).is_ok()
            {
                missed.push(format!("{kind}: {what}"));
            }
            noticed += 1;
        }
    }
    assert!(missed.is_empty(), "not noticed: {missed:#?}");
    println!("{refused} mutations are refused, and {noticed} change what is converted");
    assert!(refused > 100 && noticed > 10, "{refused} are refused, {noticed} change what is converted");
}
