//! `cargo xtask check clients reports`: what `hubgen report` finds, beside pluto and kubent.
//!
//! All three are asked about the same objects, for the release of a server. The discovery of that server
//! decides which of them are not served. hubgen has to be right about each; what the others miss, and where
//! they are wrong, is listed.

mod every;
mod live;
mod object;
mod releases;
mod score;
mod tools;
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use self::object::{Object, objects};
use self::releases::Cluster;
use self::score::{Case, Score};
use self::tools::{Source, Told, Tool, Which};
use self::truth::{Served, Truth, release_of};
use super::serving::Serving;
use super::session::Session;
use super::{files, on_the_path, scratch};
use crate::differential::told;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// The program pluto
    #[arg(long, value_name = "FILE")]
    pluto: PathBuf,
    /// The program kubent
    #[arg(long, value_name = "FILE")]
    kubent: PathBuf,
    /// A folder of manifests; may be given several times
    #[arg(long, value_name = "DIR", required = true)]
    manifests: Vec<PathBuf>,
    /// Secrets with releases of Helm: a file, or a folder of files
    #[arg(long, value_name = "PATH", requires = "helm")]
    releases: Option<PathBuf>,
    /// A helm of version 3, which tells what objects the releases have
    #[arg(long, value_name = "FILE")]
    helm: Option<PathBuf>,
    /// A kubectl [default: that of the PATH]
    #[arg(long, value_name = "FILE")]
    kubectl: Option<PathBuf>,
    /// The kubeconfig of a server of the target release, such as a kube-apiserver, which decides what is
    /// served [default: that of a server of hubgen]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The release at which manifests are applied, to ask about what has become of their objects.
const OLD: &str = "1.15";

/// Asks all tools, and compares.
///
/// # Errors
/// If a program is missing, a folder has no manifests, or a server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let kubectl = args.kubectl.clone().or_else(|| on_the_path("kubectl").into_iter().next());
    let kubectl = kubectl.ok_or("no kubectl on the PATH; name one with --kubectl")?;
    scratch(|folder| {
        let comparison = Comparison::start(args, &kubectl, folder)?.all()?;
        Ok(comparison.print())
    })
}

/// What was asked, and what was told.
struct Comparison<'a> {
    args: &'a Args,
    kubectl: &'a Path,
    folder: &'a Path,
    served: Served,
    /// The server that decides, if it is ours.
    _judge: Option<Serving>,
    /// The tools where they need no cluster.
    tools: [Tool; 3],
    parts: Vec<Part>,
    notes: Vec<String>,
}

/// One kind of input.
struct Part {
    name: &'static str,
    cases: usize,
    not_served: usize,
    /// Those of them that no release has ever served.
    never_served: Vec<String>,
    /// Those of the tools, in their order.
    scores: [Score; 3],
}

impl Part {
    fn new(name: &'static str) -> Self {
        Self { name, cases: 0, not_served: 0, never_served: Vec::new(), scores: Default::default() }
    }

    /// Adds what each tool has told of the objects at a place.
    fn add(&mut self, place: &str, cases: &[Case], told: Vec<Told>, served: &Served) {
        self.cases += cases.len();
        let gone: Vec<&Case> = cases.iter().filter(|case| case.truth == Truth::NotServed).collect();
        self.not_served += gone.len();
        let never =
            gone.iter().filter(|Case { object, .. }| !served.was_ever(&object.api_version, &object.kind));
        self.never_served.extend(never.map(|case| format!("{place}: {}", case.object)));
        for (score, told) in self.scores.iter_mut().zip(told) {
            score.add(place, cases, told, served);
        }
    }
}

impl<'a> Comparison<'a> {
    fn start(args: &'a Args, kubectl: &'a Path, folder: &'a Path) -> Result<Self, String> {
        let own = folder.join("judge");
        let (judge, kubeconfig) = match &args.kubeconfig {
            Some(file) => (None, absolute(file)?),
            None => {
                let serving = Serving::start(&args.hubgen, &own, &[])?;
                let kubeconfig = serving.kubeconfig();
                (Some(serving), kubeconfig)
            }
        };
        let session = Session::at("kubectl", kubectl, &own, kubeconfig.clone())?;
        let get = |path: &str| -> Result<Value, String> {
            let text = session.ok(&format!("get --raw {path}"))?;
            serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
        };
        let target = release_of(&get("/version")?)?;
        let served = Served::of(&told::collect(&mut |path, _| get(path))?, target);
        let of = |which: Which| -> Result<Tool, String> {
            let folder = folder.join("tools");
            let session = Session::at(which.name(), &program(args, which)?, &folder, kubeconfig.clone())?;
            Ok(Tool::new(which, session, target))
        };
        let [hubgen, pluto, kubent] = Which::ALL.map(of);
        let tools = [hubgen?, pluto?, kubent?];
        let mut notes = vec![format!(
            "the server of Kubernetes {target} serves {} versions of kinds by default",
            served.len()
        )];
        for tool in &tools {
            notes.push(format!("{} {}", tool.which.name(), tool.version()?));
        }
        Ok(Self { args, kubectl, folder, served, _judge: judge, tools, parts: Vec::new(), notes })
    }

    fn all(mut self) -> Result<Self, String> {
        let mut manifests = Vec::new();
        for folder in &self.args.manifests {
            let folder = absolute(folder)?;
            let found = files(&folder, &["yaml", "yml", "json"])?;
            if found.is_empty() {
                return Err(format!("{}: expected manifests, found none", folder.display()));
            }
            manifests.extend(found.into_iter().map(|file| (place(&folder, &file), file)));
        }
        self.ask_about("manifests", &manifests)?;

        let mut known = Vec::new();
        for tool in &self.tools {
            known.extend(tool.known()?);
        }
        let folder = self.folder.join("every");
        let every = every::write(&folder, &known)?;
        let every: Vec<_> = every.into_iter().map(|file| (place(&folder, &file), file)).collect();
        self.ask_about("every version", &every)?;

        if let (Some(releases), Some(helm)) = (&self.args.releases, &self.args.helm) {
            self.ask_about_releases(&absolute(releases)?, &absolute(helm)?)?;
        }
        self.ask_about_live(&manifests.into_iter().map(|(_, file)| file).collect::<Vec<_>>())?;
        Ok(self)
    }

    /// Asks all tools about each of some files.
    fn ask_about(&mut self, name: &'static str, files: &[(String, PathBuf)]) -> Result<(), String> {
        let mut part = Part::new(name);
        for (place, file) in files {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{place}: {error}"))?;
            let cases = self.cases(objects(&text));
            let told = self.tools.iter().map(|tool| tool.ask(Source::File(file))).collect();
            part.add(place, &cases, told, &self.served);
        }
        self.parts.push(part);
        Ok(())
    }

    fn cases(&self, objects: Vec<Object>) -> Vec<Case> {
        let case =
            |object: Object| Case { truth: self.served.truth(&object.api_version, &object.kind), object };
        objects.into_iter().map(case).collect()
    }

    /// A server with a folder of its own, and clients of it.
    fn tools_of(&self, folder: &Path, serving: &Serving) -> Result<Vec<Tool>, String> {
        let of = |tool: &Tool| {
            let session = Session::new(tool.which.name(), &program(self.args, tool.which)?, folder, serving)?;
            Ok(Tool::new(tool.which, session, self.served.release()))
        };
        self.tools.iter().map(of).collect()
    }

    fn ask_about_releases(&mut self, path: &Path, helm: &Path) -> Result<(), String> {
        let folder = self.folder.join("releases");
        let serving = Serving::start(&self.args.hubgen, &folder, &[])?;
        let tools = self.tools_of(&folder, &serving)?;
        let cluster = Cluster {
            kubectl: Session::new("kubectl", self.kubectl, &folder, &serving)?,
            helm: Session::new("helm", helm, &folder, &serving)?,
        };
        let mut part = Part::new("releases");
        for file in releases::files(path)? {
            cluster.with(&file, |objects| {
                let told = tools.iter().map(|tool| tool.ask(Source::Releases(&file))).collect();
                part.add(&place(path, &file), &self.cases(objects), told, &self.served);
                Ok(())
            })?;
        }
        self.parts.push(part);
        Ok(())
    }

    fn ask_about_live(&mut self, manifests: &[PathBuf]) -> Result<(), String> {
        let folder = self.folder.join("live");
        let data = folder.join("data");
        let old = Serving::of(&self.args.hubgen, &folder, Some(&data), &["--emulated-version", OLD])?;
        let kubectl = Session::new("kubectl", self.kubectl, &folder, &old)?;
        live::apply(&kubectl, manifests)?;
        drop(old);

        let target = self.served.release().to_string();
        let new = Serving::of(&self.args.hubgen, &folder, Some(&data), &["--emulated-version", &target])?;
        let kubectl = Session::new("kubectl", self.kubectl, &folder, &new)?;
        let tools = self.tools_of(&folder, &new)?;
        let ask = || tools.iter().map(|tool| tool.ask(Source::Live)).collect();

        let objects = live::read(&kubectl)?;
        let mut applied = Part::new("live objects");
        let cases = self.cases(objects.iter().map(|live| live.applied.clone()).collect());
        applied.add("live", &cases, ask(), &self.served);

        // Somebody else applies them at versions that are served. Only what kubectl once applied has the old
        // one.
        let old = objects.iter().zip(&cases).filter(|(_, case)| case.truth == Truth::NotServed);
        live::take_over(&kubectl, old.map(|(live, _)| live))?;
        let objects = live::read(&kubectl)?;
        let mut stale = Part::new("live objects with a stale annotation");
        let mut cases = self.cases(objects.into_iter().map(|live| live.applied).collect());
        for case in cases.iter_mut().filter(|case| case.truth == Truth::NotServed) {
            case.truth = Truth::Stale;
        }
        stale.add("live", &cases, ask(), &self.served);
        self.parts.extend([applied, stale]);
        Ok(())
    }

    /// Prints the result, in which only what hubgen is wrong about is a failure.
    fn print(mut self) -> ExitCode {
        let mut failures = Vec::new();
        let (mut total, mut parts) = (0, Vec::new());
        for part in &self.parts {
            total += part.cases;
            let Part { name, cases, not_served, never_served, scores } = part;
            let mut json = json!({"name": name, "objects": cases, "not_served": not_served, "never_served": never_served});
            self.notes
                .extend(never_served.iter().map(|line| format!("{name}: no release has served it: {line}")));
            for (tool, score) in self.tools.iter().zip(scores) {
                let tool = tool.which;
                for (what, list) in score.lists() {
                    self.notes
                        .extend(list.iter().map(|line| format!("{name}: {}: {what}: {line}", tool.name())));
                }
                if tool == Which::Hubgen {
                    failures.extend(score.mistakes().map(|(what, line)| Failure {
                        file: (*name).to_owned(),
                        path: String::new(),
                        message: format!("{what}: {line}"),
                    }));
                }
                json[tool.name()] = score.json();
            }
            self.notes.push(format!("{name}: {cases} objects, of which {not_served} are not served"));
            let summaries = self.tools.iter().zip(scores);
            self.notes.extend(
                summaries.map(|(tool, score)| format!("  {}: {}", tool.which.name(), score.summary())),
            );
            parts.push(json);
        }
        let not_served = self.parts.iter().map(|part| part.not_served).sum();
        let report = Report {
            what: "objects",
            passed: total - failures.len().min(total),
            total,
            details: vec![("not served", not_served)],
            failures,
            notes: self.notes,
        };
        match self.args.json {
            true => report.print_with("parts", Value::Array(parts)),
            false => report.print(false),
        }
    }
}

/// The program of a tool, which runs in another folder.
fn program(args: &Args, which: Which) -> Result<PathBuf, String> {
    absolute(match which {
        Which::Hubgen => &args.hubgen,
        Which::Pluto => &args.pluto,
        Which::Kubent => &args.kubent,
    })
}

/// A path for programs that run in another folder.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

/// How a file is called in lists.
fn place(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).ok().filter(|inside| !inside.as_os_str().is_empty());
    inside.unwrap_or(file).display().to_string()
}
