//! Functions of a user's own code: the code that the generator prints for rules that name them,
//! compiled from the generator's expected crate, and the interpreter, which calls the functions
//! that it receives.

#![allow(missing_docs)]
// The features of the expected crate are none of this one.
#![allow(unexpected_cfgs)]

// Generated code names the functions by this crate.
extern crate self as fixture_functions;

use std::path::Path;
use std::sync::Arc;

use hubgen_documents::{rules, schema};
use hubgen_interpret::runtime::{Model, Snapshot, SnapshotError, entries};
use hubgen_interpret::{FunctionError, NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{Convert, ConvertError, Functions, STASH};
use hubgen_machinery::reflect::Lent;
use hubgen_machinery::{Str, StrMap};
use hubgen_model::rules::{Function, Rule, Rules};
use hubgen_model::{Api, TypeId};
use hubgen_plan::{FamilyPlan, Plan};

#[path = "../../../codegen/codegen/tests/generate/functions/functions.rs"]
mod functions;
pub use functions::{command, days, limits, port, weight};

/// A copy from the crate's `lib.rs`, which cannot be included because it switches modules on by
/// feature.
#[rustfmt::skip]
mod families {
    use hubgen_machinery::scheme::FamilyRow;

    /// The versions of Job.
    pub static JOB: FamilyRow = FamilyRow {
        members: &[
            ("functions.example.com", "v1alpha1", "Job"),
            ("functions.example.com", "v1", "Job"),
        ],
        storage: ("functions.example.com", "v1", "Job"),
        words: &[],
    };
}
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/functions/expected/functions/src/v1/mod.rs"]
mod v1;
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/functions/expected/functions/src/v1alpha1/mod.rs"]
mod v1alpha1;

/// Texts for which the functions have a use.
const WORDS: &[(&str, &str)] = &[("duration", "24h"), ("duration", "50h"), ("duration", "-1h")];

fn registered() -> Functions {
    Functions::default()
        .with("fixture_functions::days", days::to_hub, days::from_hub)
        .with("fixture_functions::limits", limits::to_hub, limits::from_hub)
        .with("fixture_functions::weight", weight::to_hub, weight::from_hub)
        .with("fixture_functions::port", port::to_hub, port::from_hub)
        .with("fixture_functions::command", command::to_hub, command::from_hub)
}

/// The model, after `change` has altered the rules.
fn planned(change: &dyn Fn(&mut Rules)) -> (Api, Plan) {
    let case =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/generate/functions/schemas");
    let api = schema::read_dir(&case).unwrap();
    let mut rules = rules::read_dir(&case.join("rules")).unwrap().rules;
    rules.iter_mut().for_each(change);
    let plan = hubgen_plan::build(&api, &rules).unwrap();
    (api, plan)
}

fn plan(change: &dyn Fn(&mut Rules)) -> Arc<FamilyPlan> {
    Arc::new(planned(change).1.conversions.remove(0))
}

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Job::default()),
        "v1alpha1" => Box::new(v1alpha1::Job::default()),
        _ => panic!("unexpected type {id}"),
    }
}

fn interpreted(plan: &Arc<FamilyPlan>, functions: &Functions) -> Result<Vec<Version>, FunctionError> {
    let new: Arc<NewObject> = Arc::new(empty);
    (0..plan.members.len()).map(|at| Ok(Version::new(plan, at, &new, functions)?.unwrap())).collect()
}

fn compiled() -> [versions::Version; 2] {
    [versions::Version::of::<v1alpha1::Job>(), versions::Version::of::<v1::Job>()]
}

/// Every generated object of both versions.
fn objects() -> impl Iterator<Item = (usize, AnyObject)> {
    (0..400).map(objects::bytes).flat_map(|bytes| {
        compiled()
            .into_iter()
            .enumerate()
            .map(move |(at, version)| (at, version.generate(&mut Source::new(&bytes, WORDS))))
    })
}

#[test]
fn all_laws_hold() {
    let [old, hub] = compiled();
    versions::check(&[&old, &hub], WORDS, 400).unwrap();
    let versions = interpreted(&plan(&|_| {}), &registered()).unwrap();
    versions::check(&[&versions[0], &versions[1]], WORDS, 400).unwrap();
}

#[test]
fn interpreted_functions_convert_as_compiled_ones() {
    let versions = interpreted(&plan(&|_| {}), &registered()).unwrap();
    let (mut accepted, mut refused) = (0, 0);
    let mut agree =
        |one: Result<AnyObject, ConvertError>, other: Result<AnyObject, ConvertError>| match (one, other) {
            (Ok(one), Ok(other)) => {
                accepted += 1;
                versions::same(&*one, &*other).unwrap();
                Some(one)
            }
            (Err(one), Err(other)) => {
                refused += 1;
                assert_eq!(one, other);
                None
            }
            (one, other) => panic!("{:?}, but {:?}", one.err(), other.err()),
        };
    for (at, object) in objects() {
        let hub = agree(compiled()[at].try_to_hub(&*object), versions[at].try_to_hub(&*object));
        let Some(hub) = hub else { continue };
        for (compiled, interpreted) in compiled().iter().zip(&versions) {
            agree(compiled.try_from_hub(&*hub), interpreted.try_from_hub(&*hub));
        }
    }
    assert!(accepted > 1000 && refused > 50, "{accepted} are accepted, {refused} are refused");
}

/// The error names the fields with their indices, and has the function's words.
#[test]
fn a_refusal_says_where_and_why() {
    let versions = interpreted(&plan(&|_| {}), &registered()).unwrap();
    let mut old = v1alpha1::Job::default();
    old.spec.days = -3;
    let error = old.clone().try_to_hub().unwrap_err();
    assert_eq!(error.to_string(), "spec.days: fixture_functions::days: -3 days are no duration");
    assert_eq!(versions[0].try_to_hub(Lent::new(&old)).err().unwrap(), error);

    let mut hub = v1::Job::default();
    let step = |program: &str| v1::Step {
        program: program.into(),
        arguments: vec!["-v".into()],
        ..Default::default()
    };
    hub.spec.steps = vec![step("ls"), step("")];
    let error = v1alpha1::Job::from_hub(hub.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.steps[1].program, spec.steps[1].arguments: fixture_functions::command: arguments need a program"
    );
    assert_eq!(versions[0].try_from_hub(Lent::new(&hub)).err().unwrap(), error);
    // What the version would show again is refused as well.
    hub.spec.steps.clear();
    hub.spec.duration = "-72h".into();
    let error = v1alpha1::Job::from_hub(hub).unwrap_err();
    assert_eq!(error.to_string(), "spec.days: fixture_functions::days: -3 days are no duration");
}

#[test]
#[should_panic(expected = "spec.days: fixture_functions::days: -3 days are no duration")]
fn to_hub_has_no_other_hub_for_what_is_refused() {
    let mut old = v1alpha1::Job::default();
    old.spec.days = -3;
    let _ = old.to_hub();
}

/// A stash that a function refuses is forged. It changes nothing, like any other bad annotation.
#[test]
fn a_stash_that_is_refused_is_dropped() {
    let mut hub = v1::Job::default();
    hub.spec.duration = "50h".into();
    hub.spec.steps = vec![v1::Step { program: "ls".into(), ..Default::default() }];
    let old = v1alpha1::Job::from_hub(hub).unwrap();
    let stash = &old.metadata.annotations[STASH];
    let forged = stash.replace(r#""50h""#, r#""-72h""#);
    assert_ne!(*stash, *forged);
    let mut edited = old.clone();
    edited.metadata.annotations.insert(STASH, forged.into());
    let mut plain = old.clone();
    plain.metadata.annotations.clear();
    for version in
        [&compiled()[0] as &dyn Convertible, &interpreted(&plan(&|_| {}), &registered()).unwrap()[0]]
    {
        let to_hub = |object: &v1alpha1::Job| version.try_to_hub(Lent::new(object)).unwrap();
        versions::same(&*to_hub(&edited), &*to_hub(&plain)).unwrap();
    }
}

/// A program without the functions converts what does not need them.
#[test]
fn without_functions_what_needs_none_converts() {
    let versions = interpreted(&plan(&|_| {}), &Functions::none().without_others()).unwrap();
    let mut old = v1alpha1::Job::default();
    old.metadata.name = "a".into();
    old.spec.steps = vec![v1alpha1::Step { name: "b".into(), ..Default::default() }];
    let hub = versions[0].try_to_hub(Lent::new(&old)).unwrap();
    versions::same(&*versions[0].try_from_hub(&*hub).unwrap(), Lent::new(&old)).unwrap();

    old.spec.steps[0].command = vec!["ls".into()];
    let error = versions[0].try_to_hub(Lent::new(&old)).err().unwrap();
    let function = "fixture_functions::command".to_owned();
    assert_eq!(error, ConvertError::NoFunction { paths: vec!["spec.steps[0].command".to_owned()], function });

    // Whether a stash fits, nobody can tell without the function: for no days, it returned `0h`.
    let mut hub = v1::Job::default();
    hub.spec.duration = "1h".into();
    let mut old = v1alpha1::Job::from_hub(hub).unwrap();
    assert!(old.metadata.annotations.contains_key(STASH) && old.spec.days == 0);
    old.spec.paused = false;
    let error = versions[0].try_to_hub(Lent::new(&old)).err().unwrap();
    assert!(
        matches!(&error, ConvertError::NoFunction { paths, .. } if paths == &["metadata.annotations"]),
        "{error}"
    );
}

/// What no function returns comes back from the stash, and an edit wins over it.
#[test]
fn the_stash_stores_what_a_function_does_not_return() {
    let mut hub = v1::Job::default();
    hub.spec.duration = "50h".into();
    hub.spec.limits = StrMap::from_iter([("disk", "1Gi".parse().unwrap()), ("cpu", "2".parse().unwrap())]);
    let mut old = v1alpha1::Job::from_hub(hub.clone()).unwrap();
    assert_eq!(old.spec.days, 2);
    assert_eq!(old.clone().to_hub(), hub);
    old.spec.days = 3;
    let edited = old.to_hub();
    assert_eq!(edited.spec.duration, "72h");
    assert_eq!(edited.spec.limits, hub.spec.limits);
}

#[test]
fn a_function_that_is_not_registered_is_refused_by_its_rule() {
    let expected = "functions.example.com.Job.toml, rule `function` of functions.example.com/v1alpha1 for \
                    `days`: the interpreter cannot call `fixture_functions::days`, which is compiled code; \
                    register its functions with `Functions::with(\"fixture_functions::days\", …)`, or use the \
                    generated conversions";
    let error = interpreted(&plan(&|_| {}), &Functions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), expected);

    let (api, plan) = planned(&|_| {});
    let (defaults, canonical, behaviours) = Default::default();
    let model = |functions| Model {
        api: &api,
        plan: &plan,
        defaults: &defaults,
        canonical: &canonical,
        behaviours: &behaviours,
        functions,
        over_json: true,
    };
    let family = plan.families.iter().find(|family| family.kind == "Job").unwrap();
    let (none, all) = (Functions::default(), registered());
    let error = entries(model(&none), family).map(|_| ()).unwrap_err();
    assert!(matches!(&error, SnapshotError::Functions(_)) && error.to_string() == expected, "{error}");
    assert_eq!(entries(model(&all), family).unwrap().len(), 2);
    Snapshot::new(plan.types(&api), &plan.sharing, &defaults, [&plan.conversions[0].hub]).unwrap();
}

#[test]
fn a_registered_function_with_other_types_is_refused() {
    let message =
        |functions: Functions| interpreted(&plan(&|_| {}), &functions).map(|_| ()).unwrap_err().message;
    let wide = registered().with(
        "fixture_functions::days",
        |days: i64| Str::from(days.to_string()),
        |duration: Str| duration.len() as i64,
    );
    assert_eq!(
        message(wide),
        "the registered `to_hub` of `fixture_functions::days` takes i64 for `days`, which is i32"
    );
    let more = registered().with("fixture_functions::weight", |a: Option<f64>| a, |a: Option<f64>| a);
    assert_eq!(
        message(more),
        "the registered `to_hub` of `fixture_functions::weight` has 1 parameter(s), but the rule names 2 field(s)"
    );
    let reversed = registered().with("fixture_functions::port", port::from_hub, port::to_hub);
    assert!(message(reversed).contains("takes StrMap<IntOrString> for `port`"));
}

/// A rule with two fields in another order, or with another function, converts some object
/// differently.
#[test]
fn every_wrong_rule_is_detected() {
    fn functions(rules: &mut Rules) -> Vec<&mut Rule> {
        let versions = rules.versions.values_mut();
        versions.flat_map(|version| &mut version.rules).map(|rule| &mut rule.value).collect()
    }
    let exchanged = |rules: &mut Rules| {
        let Rule::Function { version, .. } = functions(rules).swap_remove(1) else {
            panic!("not a function")
        };
        version.swap(0, 1);
    };
    let another = |rules: &mut Rules| {
        let Rule::Function { function: Function::Own { module, .. }, .. } = functions(rules).swap_remove(0)
        else {
            panic!("not a function")
        };
        *module = "other::days".to_owned();
    };
    let other = registered().with("other::days", |_: i32| Str::new(), days::from_hub);
    for change in [&exchanged as &dyn Fn(&mut Rules), &another] {
        let versions = interpreted(&plan(change), &other).unwrap();
        let differs = |(at, object): (usize, AnyObject)| {
            let Ok(hub) = compiled()[at].try_to_hub(&*object) else { return false };
            versions::same(&*versions[at].try_to_hub(&*object).unwrap(), &*hub).is_err()
        };
        assert!(objects().any(differs));
    }
}
