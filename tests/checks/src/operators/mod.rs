//! `cargo xtask check operators`: compares rules for an operator's kinds with its own conversions in Go.
//!
//! A folder of `tests/operators` has the definitions, the rules, a Go program that converts with the operator's own
//! functions, and `check.toml`, which lists where both differ. Objects are generated that the definitions allow. Both
//! convert each of them, and what hubgen writes is read and written by the Go program again before it is compared: then
//! both have the form of the operator's Go types. What comes back from the hub without hubgen's annotation is compared
//! with the object as it was, too: a version that stores no annotation may only lose what is listed.

mod convert;
mod form;
mod functions;
mod listed;
mod mismatch;
mod mutated;
mod objects;
mod path;
mod program;
mod requests;
mod side;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_codegen::Target;
use hubgen_documents::crd_files;
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_laws::Definitions;
use hubgen_migrate::{Known, is_of_repository};
use serde_json::Value;

use self::listed::Listed;
use self::mismatch::{Mismatch, mismatches};
use self::objects::Objects;
use self::program::{Answer, Program, Request};
use self::side::Case;
use super::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the operator: with hubgen.toml and check.toml
    folder: PathBuf,
    /// The Go program of the operator
    #[arg(long, value_name = "PROGRAM")]
    answers: PathBuf,
    /// How many objects of each kind are converted from each version to each other one
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// The first seed; a failure names the seed that reproduces it
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Check only this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Check the laws of conversions too, with so many objects for each law and version
    #[arg(long, value_name = "N", default_value_t = 0)]
    laws: u64,
    /// Print the objects that would be compared, as requests to the Go program
    #[arg(long, conflicts_with = "mutations")]
    requests: bool,
    /// Mutate each rule, and test that a comparison or a law notices
    #[arg(long)]
    mutations: bool,
    /// Print the request and both answers of each failure
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the check.
///
/// # Errors
/// If the folder cannot be read, the Go program cannot be started or ends, or a law is violated.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let check = Check::new(args)?;
    if args.requests {
        return requests::write(&check).map(|()| ExitCode::SUCCESS);
    }
    if args.mutations {
        return Ok(mutated::run(&check)?.print(args.json));
    }
    let mut tally = Tally::default();
    for family in check.families() {
        for (from, to) in compared(&family) {
            check.pair(from, to, &mut tally)?;
        }
    }
    if args.laws > 0 {
        check.laws(&mut tally)?;
    }
    tally.notes.extend(check.unconverted());
    for unused in check.listed.unused(tally.used.keys().copied(), args.kind.as_deref()) {
        tally.unused += 1;
        tally.failures.push(Failure {
            file: args.folder.join("check.toml").display().to_string(),
            path: String::new(),
            message: format!("no object differs so: {unused}; remove it, or compare more objects"),
        });
    }
    Ok(tally.report().print(args.json))
}

struct Check<'a> {
    args: &'a Args,
    known: Known,
    definitions: Definitions,
    listed: Listed,
}

impl<'a> Check<'a> {
    fn new(args: &'a Args) -> Result<Self, String> {
        let config = args.folder.join("hubgen.toml");
        let all = |errors: Vec<hubgen_terminal::Diagnostic>| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let project = Project::named(&config).map_err(all)?;
        Ok(Self {
            args,
            known: Known::with_functions(&config, &functions::of(&args.folder)).map_err(all)?,
            definitions: definitions(&project).map_err(all)?,
            listed: Listed::read(&args.folder.join("check.toml"))?,
        })
    }

    /// The kinds of the operator with several versions that convert, each with these.
    fn families(&self) -> Vec<Vec<&Arc<KindEntry>>> {
        let scheme: &Scheme = &self.known.scheme;
        let mut out: Vec<Vec<&Arc<KindEntry>>> = Vec::new();
        for entry in scheme.kinds() {
            let is_wanted = self.args.kind.as_ref().is_none_or(|kind| *kind == *entry.kind);
            if !is_wanted || !is_of_repository(entry) || !matches!(entry.conversion, Conversion::Hub(_)) {
                continue;
            }
            match out.iter_mut().find(|family| family[0].is_family_of(entry)) {
                Some(family) => family.push(entry),
                None => out.push(vec![entry]),
            }
        }
        out.retain(|family| family.len() > 1);
        out
    }

    /// The versions of the operator's kinds that do not convert, each with the reason.
    fn unconverted(&self) -> Vec<String> {
        let of_operator = self.known.scheme.kinds().filter(|entry| is_of_repository(entry));
        let reason = |entry: &Arc<KindEntry>| match &entry.conversion {
            Conversion::NotConvertible(reason) => Some(format!("{entry}: not compared: {reason}")),
            _ => None,
        };
        of_operator.filter_map(reason).collect()
    }

    /// Checks that conversions by the rules lose nothing, kind by kind.
    fn laws(&self, tally: &mut Tally) -> Result<(), String> {
        for family in self.families() {
            let kind = &*family[0].kind;
            let checked =
                hubgen_laws::check_kinds_with(&self.known.scheme, &self.definitions, &[kind], self.args.laws);
            let checked = checked.map_err(|error| error.to_string())?;
            tally.notes.push(format!("{kind}, laws: {checked}"));
        }
        Ok(())
    }

    /// Converts objects from one version to another, by both, and compares.
    fn pair(&self, from: &Arc<KindEntry>, to: &Arc<KindEntry>, tally: &mut Tally) -> Result<(), String> {
        let mut program = Program::start(&self.args.answers)?;
        let mut objects = Objects::new(&self.definitions, from, &self.listed, self.args.seed);
        let title = match convert::is_same(from, to) {
            true => format!("{} {} → hub → the same", from.kind, from.api_version()),
            false => format!("{} {} → {}", from.kind, from.api_version(), to.api_version()),
        };
        let counts = tally.pairs.entry(title).or_default();
        let kind = &*from.kind;
        let asked = |object: &Value, from: &KindEntry, to: &KindEntry| Request::new(kind, from, to, object);
        while counts.compared() < self.args.count {
            let more = self.args.count - counts.compared();
            let cases = self.readable(from, &mut objects, more, &mut program)?;
            let objects: Vec<&Value> = cases.iter().map(|case| &case.object).collect();
            let theirs = convert::theirs(&mut program, from, to, &objects)?;
            let ours = objects.iter().map(|object| convert::ours(&self.known.scheme, from, to, object));
            let ours: Vec<Answer> = ours.collect();
            let back = program.ask(ours.iter().flatten().map(|object| asked(object, to, to)).collect())?;
            let mut back = back.into_iter();
            let ours = ours.into_iter().map(|ours| {
                ours.and_then(|_| {
                    let read = back.next().expect("an answer for each");
                    read.map_err(|error| format!("{UNREADABLE}: {error}"))
                })
            });
            let returned = self.returned(&mut program, from, to, &objects)?;
            for (((found, theirs), ours), returned) in cases.iter().zip(theirs).zip(ours).zip(&returned) {
                let case = Case { kind, from, to, asked: &found.object, returned: returned.as_ref() };
                counts.add(self.compare(&case, theirs, ours), found.seed, &mut tally.used);
            }
        }
        let differ = counts.different.iter().take(if self.args.verbose { usize::MAX } else { 3 });
        tally.failures.extend(differ.map(|(seed, message)| Failure {
            file: format!("{} seed {seed}", self.args.folder.display()),
            path: format!("{from} → {}", to.api_version()),
            message: message.clone(),
        }));
        Ok(())
    }

    /// What comes back from the operator's own functions, if both versions are one.
    fn returned(
        &self,
        program: &mut Program,
        from: &KindEntry,
        to: &KindEntry,
        objects: &[&Value],
    ) -> Result<Vec<Option<Value>>, String> {
        let (group, version, kind) = from.storage();
        match self.known.scheme.kind(group, version, kind).filter(|_| convert::is_same(from, to)) {
            Some(stored) => convert::returned(program, from, stored, objects),
            None => Ok(vec![None; objects.len()]),
        }
    }

    /// Up to so many objects that the operator's types read.
    fn readable(
        &self,
        from: &KindEntry,
        objects: &mut Objects<'_>,
        count: usize,
        program: &mut Program,
    ) -> Result<Vec<Readable>, String> {
        let Some(generated) = objects.take(count) else {
            return Err(format!(
                "{from}: the operator's types refuse most generated objects; list words for fields in check.toml: {}",
                objects.refusal()
            ));
        };
        let asked = generated.iter().map(|(_, object)| Request::new(&from.kind, from, from, object));
        let normal = program.ask(asked.collect())?;
        let mut cases = Vec::new();
        for ((seed, generated), normal) in generated.into_iter().zip(normal) {
            match normal {
                Ok(mut object) => {
                    self.listed.keep_generated(&generated, &mut object);
                    cases.push(Readable { seed, generated, object });
                }
                Err(error) => objects.refuse(error),
            }
        }
        Ok(cases)
    }

    fn compare(&self, case: &Case<'_>, theirs: Answer, ours: Answer) -> Compared {
        let (theirs, ours) = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => (theirs, ours),
            (Err(_), Err(ours)) if !ours.starts_with(UNREADABLE) => return Compared::RefusedByBoth,
            (theirs, ours) => {
                return match self.listed.refusal(case, theirs.as_ref().err(), ours.as_ref().err()) {
                    Some(index) => Compared::Listed(vec![index]),
                    None => Compared::Different(format!(
                        "the operator {}, hubgen {}; asked: {}",
                        outcome(&theirs),
                        outcome(&ours),
                        case.asked
                    )),
                };
            }
        };
        let mut found = Vec::new();
        let mut different = Vec::new();
        let [theirs, ours] = [theirs, ours].map(|object| self.listed.in_comparable_form(object));
        // The laws know where a version takes what is empty for absent.
        let is_nothing = |value: Option<&Value>| value.is_none_or(form::is_empty);
        let is_told = |mismatch: &Mismatch<'_>| {
            !case.is_through_hub() || !is_nothing(mismatch.theirs) || !is_nothing(mismatch.ours)
        };
        for mismatch in mismatches(&theirs, &ours).into_iter().filter(is_told) {
            match self.listed.find(case, &mismatch) {
                Some(index) => found.push(index),
                None => different.push(mismatch.to_string()),
            }
        }
        if !different.is_empty() {
            let mut message = different.join("; ");
            if self.args.verbose {
                message += &format!("\n  asked: {}\n  theirs: {theirs}\n  ours: {ours}", case.asked);
            }
            return Compared::Different(message);
        }
        if found.is_empty() { Compared::Equal } else { Compared::Listed(found) }
    }
}

/// A generated object that the operator's types read.
struct Readable {
    seed: u64,
    generated: Value,
    /// As the operator's types write it.
    object: Value,
}

fn outcome(answer: &Answer) -> String {
    match answer {
        Ok(_) => "converts it".to_owned(),
        Err(error) => format!("refuses it ({error})"),
    }
}

/// The definitions, as `hubgen crds` writes them.
fn definitions(project: &Project) -> Result<Definitions, Vec<hubgen_terminal::Diagnostic>> {
    let kubernetes = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let schemas = project.root.join(&project.schemas);
    let found = hubgen_codegen::definitions(&schemas, &kubernetes, &Target::project(project))?;
    let mut out = Definitions::default();
    for (path, text) in crd_files::files(&found.api, project, &Generator::of_tool("hubgen crds"))? {
        let wrong = |error: hubgen_laws::InvalidDefinitions| {
            vec![hubgen_terminal::Diagnostic::file(&path, error.to_string(), "")]
        };
        out.add_yaml(&text).map_err(wrong)?;
    }
    Ok(out)
}

/// The error of an object that hubgen writes, and the operator's types do not accept.
const UNREADABLE: &str = "the operator cannot read what hubgen writes";

/// Each version with each one: with itself, through the hub.
fn compared<'e>(family: &[&'e Arc<KindEntry>]) -> Vec<(&'e Arc<KindEntry>, &'e Arc<KindEntry>)> {
    let same = family.iter().map(|entry| (*entry, *entry));
    pairs(family).into_iter().chain(same).collect()
}

/// Each version with each other one.
fn pairs<'e>(family: &[&'e Arc<KindEntry>]) -> Vec<(&'e Arc<KindEntry>, &'e Arc<KindEntry>)> {
    let others = |from: &'e Arc<KindEntry>| {
        family.iter().copied().filter(move |to| !Arc::ptr_eq(from, to)).map(move |to| (from, to))
    };
    family.iter().copied().flat_map(others).collect()
}

/// The result for one object.
enum Compared {
    Equal,
    /// Neither converts it.
    RefusedByBoth,
    /// It differs as listed: the indices of the differences in check.toml.
    Listed(Vec<usize>),
    Different(String),
}

/// The results for a kind, from one version to another.
#[derive(Default)]
struct Counts {
    equal: usize,
    refused_by_both: usize,
    listed: usize,
    different: Vec<(u64, String)>,
}

impl Counts {
    fn compared(&self) -> usize {
        self.equal + self.refused_by_both + self.listed + self.different.len()
    }

    fn add(&mut self, compared: Compared, seed: u64, used: &mut BTreeMap<usize, usize>) {
        match compared {
            Compared::Equal => self.equal += 1,
            Compared::RefusedByBoth => self.refused_by_both += 1,
            Compared::Listed(mut found) => {
                self.listed += 1;
                found.sort_unstable();
                found.dedup();
                found.into_iter().for_each(|index| *used.entry(index).or_default() += 1);
            }
            Compared::Different(message) => self.different.push((seed, message)),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equal, refused_by_both, listed, different } = self;
        write!(
            f,
            "{} compared, {equal} equal, {refused_by_both} refused by both, {listed} as listed, {} different",
            self.compared(),
            different.len()
        )
    }
}

/// The results of all.
#[derive(Default)]
struct Tally {
    pairs: BTreeMap<String, Counts>,
    /// In how many objects each listed difference was found.
    used: BTreeMap<usize, usize>,
    /// How many listed differences were found in none.
    unused: usize,
    failures: Vec<Failure>,
    notes: Vec<String>,
}

impl Tally {
    fn report(self) -> Report {
        let sum = |count: fn(&Counts) -> usize| self.pairs.values().map(count).sum::<usize>();
        let [total, equal, listed] =
            [sum(Counts::compared), sum(|counts| counts.equal), sum(|counts| counts.listed)];
        let refused = sum(|counts| counts.refused_by_both);
        let different = sum(|counts| counts.different.len());
        let mut notes: Vec<String> =
            self.pairs.iter().map(|(title, counts)| format!("{title}: {counts}")).collect();
        notes.extend(self.notes);
        Report {
            what: "conversions as the operator's own",
            // The check fails if the list has what nothing needs, even if all objects are as they should be.
            passed: (total - different).saturating_sub(self.unused),
            total,
            details: vec![
                ("equal", equal),
                ("refused by both", refused),
                ("as listed", listed),
                ("different", different),
            ],
            failures: self.failures,
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The folders of all operators.
    fn operators() -> Vec<PathBuf> {
        let folders = fs::read_dir(crate::root().join("tests/operators")).unwrap();
        let mut out: Vec<PathBuf> = folders.map(|folder| folder.unwrap().path()).collect();
        out.retain(|folder| folder.join("hubgen.toml").exists());
        out.sort();
        out
    }

    fn args(folder: &Path) -> Args {
        Args {
            folder: folder.to_owned(),
            answers: PathBuf::new(),
            count: 0,
            seed: 0,
            kind: None,
            laws: 0,
            requests: false,
            mutations: false,
            verbose: false,
            json: false,
        }
    }

    /// Without the Go programs: the generator accepts the rules of all operators, and objects convert by them. What is
    /// converted back, and once more, is the same again.
    #[test]
    fn rules_of_operators_are_accepted_and_convert() {
        for folder in operators() {
            let args = args(&folder);
            let check = Check::new(&args).unwrap();
            let families = check.families();
            assert!(!families.is_empty(), "{}", folder.display());
            for (from, to) in families.iter().flat_map(|family| pairs(family)) {
                let mut objects = Objects::new(&check.definitions, from, &check.listed, 0);
                let generated = objects.take(20).expect("objects that the definition allows");
                let to_json = |json: &[u8], to| check.known.scheme.convert_json(json, to).ok();
                let mut converted = 0;
                for (seed, object) in generated {
                    let Some(once) = to_json(object.to_string().as_bytes(), to) else { continue };
                    converted += 1;
                    // A function may refuse what an older version cannot have.
                    let Some(again) = to_json(&once, from).and_then(|back| to_json(&back, to)) else {
                        continue;
                    };
                    let [once, again]: [Value; 2] =
                        [once, again].map(|json| serde_json::from_slice(&json).unwrap());
                    assert_eq!(again, once, "{from} → {}, seed {seed}: {object}", to.api_version());
                }
                assert!(converted > 10, "{from} → {}: {converted} of 20 objects convert", to.api_version());
            }
        }
    }

    /// `20 steps: 17 rules, 1 function, …, 2 not expressed`: the numbers, of which the last three make the first.
    fn steps(readme: &str) -> Vec<usize> {
        let line = readme.lines().find(|line| line.contains(" steps: ")).expect("a line with the steps");
        let first = line.split(". ").next().unwrap_or(line);
        let words = first.split(|letter: char| !letter.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    }

    #[test]
    fn the_table_of_operators_has_the_steps_of_each() {
        let table = fs::read_to_string(crate::root().join("tests/operators/README.md")).unwrap();
        let cells = |row: &str| -> Vec<usize> {
            let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
            cells[2..].iter().map(|cell| cell.trim().parse().unwrap()).collect()
        };
        let mut sum = vec![0; 4];
        for folder in operators() {
            let name = folder.file_name().unwrap().to_str().unwrap();
            let found = steps(&fs::read_to_string(folder.join("README.md")).unwrap());
            let row = table.lines().find(|line| line.starts_with(&format!("| [{name}]("))).unwrap();
            assert_eq!(cells(row), found, "{name}");
            assert_eq!(found[0], found[1..].iter().sum::<usize>(), "{name}");
            sum.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        }
        let all = table.lines().find(|line| line.starts_with("| all |")).unwrap();
        assert_eq!(cells(all), sum);
    }
}
