//! `cargo xtask check differential access`: compares for whom a server takes the senders of good and bad credentials.
//!
//! Certificates, tokens and keys are made in a folder, of which both servers know. Each case sends its credentials to both, and both
//! must tell the same: the code, the name, the uid, the groups and the extra fields of the user.

mod ask;
mod cases;
mod inside;
mod issuer;
mod jwt;
mod material;
mod objects;
mod serving;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::ask::Client;
use self::cases::{Case, cases};
use self::issuer::Issuer;
use self::material::Material;
use self::serving::Serving;
use crate::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The answers, one per line; or the URL of a kube-apiserver that was started with the flags of --prepare
    #[arg(long, value_name = "FILE-OR-URL", required_unless_present = "prepare")]
    against: Option<String>,
    /// The folder of certificates, tokens and keys; without it, a new one for this run
    #[arg(long, value_name = "DIR")]
    material: Option<PathBuf>,
    /// Fill the folder of --material, and print the flags for a kube-apiserver
    #[arg(long, requires = "material")]
    prepare: bool,
    /// Record the answers of the kube-apiserver in this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The program whose `hubgen serve` is compared
    #[arg(long, value_name = "FILE", required_unless_present = "prepare")]
    hubgen: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The longest time until a server knows the keys of an issuer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a server tells of the senders of credentials, by the names of the cases.
pub type Verdicts = BTreeMap<String, Value>;

/// Runs the check.
///
/// # Errors
/// If there is nothing to compare with, or a server does not start or answer.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let made;
    let folder = match &args.material {
        Some(folder) => folder.as_path(),
        None => {
            made = std::env::temp_dir().join(format!("hubgen-access-{}", std::process::id()));
            made.as_path()
        }
    };
    let material = Material::open(folder)?;
    if args.prepare {
        println!("{}", material.flags().join(" "));
        return Ok(ExitCode::SUCCESS);
    }
    let (Some(against), Some(hubgen)) = (&args.against, &args.hubgen) else {
        return Err("expected --against and --hubgen".to_owned());
    };
    let issuer = Issuer::start(&material)?;
    let theirs = match super::ask::is_url(against) {
        true => verdicts(against, &material, &issuer)?.0,
        false => read(Path::new(against))?,
    };
    if let Some(file) = &args.record {
        write(file, &theirs)?;
    }
    let ours = ours(hubgen, &material, &issuer)?.found;
    if args.material.is_none() {
        let _ = fs::remove_dir_all(folder);
    }
    Ok(compare(&theirs, &ours).print(args.json))
}

/// What a comparison with recorded answers has found.
pub struct Recorded {
    /// The result.
    pub report: Report,
    /// All that the program has written.
    pub log: String,
    /// The secrets that it has been given: tokens that were sent, and the keys of its files.
    pub secrets: Vec<String>,
}

/// Compares recorded answers with those of a program, with files in an empty folder.
///
/// # Errors
/// If the file cannot be read, or the program does not start or answer.
pub fn recorded(file: &Path, hubgen: &Path, folder: &Path) -> Result<Recorded, String> {
    let material = Material::open(folder)?;
    let issuer = Issuer::start(&material)?;
    let Ours { found, sent, log } = ours(hubgen, &material, &issuer)?;
    let secrets = material.secrets()?.into_iter().chain(sent).collect();
    Ok(Recorded { report: compare(&read(file)?, &found), log, secrets })
}

/// Sends all credentials to a server in this process, whose traces whoever calls this sees. Returns the secrets that it has been
/// given.
///
/// # Errors
/// If the server does not start or answer.
pub fn traced(folder: &Path) -> Result<Vec<String>, String> {
    let material = Material::open(folder)?;
    let issuer = Issuer::start(&material)?;
    let (url, runtime) = inside::start(&material)?;
    let (_, sent) = verdicts(&url, &material, &issuer)?;
    runtime.shutdown_background();
    Ok(material.secrets()?.into_iter().chain(sent).collect())
}

/// What our server tells, and what it has written.
fn ours(hubgen: &Path, material: &Material, issuer: &Issuer) -> Result<Ours, String> {
    let serving = Serving::start(hubgen, material)?;
    let (found, sent) = verdicts(serving.url(), material, issuer)?;
    Ok(Ours { found, sent, log: serving.log()? })
}

struct Ours {
    found: Verdicts,
    sent: Vec<String>,
    log: String,
}

/// Asks a server about each case. Returns the tokens that it was sent, too.
fn verdicts(url: &str, material: &Material, issuer: &Issuer) -> Result<(Verdicts, Vec<String>), String> {
    let client = Client::new(url);
    issuer.restore();
    let objects = objects::make(&client)?;
    wait(&client, material)?;
    let mut found = Verdicts::new();
    for Case { name, ask } in cases(material, &objects) {
        if ask.exchanges {
            issuer.exchange();
            // Ours asks for keys at most once a second.
            std::thread::sleep(Duration::from_millis(1500));
        }
        let verdict = client.verdict(&ask).map_err(|error| format!("{name}: {error}"))?;
        if found.insert(name.clone(), verdict).is_some() {
            return Err(format!("{name}: expected each case once"));
        }
    }
    found.insert("the keys and where they are".to_owned(), client.discovery()?);
    objects::remove(&client)?;
    Ok((found, client.sent()))
}

/// Waits until a server knows the keys of the issuer, for which it asks now and then.
fn wait(client: &Client, material: &Material) -> Result<(), String> {
    let begin = Instant::now();
    for which in ["names", "emails", "uids"] {
        let good = cases::good(material, which);
        while client.verdict(&good)?["code"] != 201 {
            if begin.elapsed() > PATIENCE {
                return Err(format!("no token of {} was accepted in {PATIENCE:?}", material.issuer(which)));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Verdicts, String> {
    let context = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    parse(&fs::read_to_string(file).map_err(|error| context(&error))?).map_err(|error| context(&error))
}

/// Reads recorded answers.
///
/// # Errors
/// If a line is something else.
pub fn parse(text: &str) -> Result<Verdicts, String> {
    let verdict = |line: &str| {
        let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = line["case"].as_str().ok_or("expected a case")?;
        Ok((name.to_owned(), line["verdict"].clone()))
    };
    text.lines().map(verdict).collect()
}

/// Writes a line for each case.
fn write(file: &Path, verdicts: &Verdicts) -> Result<(), String> {
    let by = "kube-apiserver 1.37.1";
    let line = |(case, verdict): (&String, &Value)| {
        json!({"case": case, "by": by, "verdict": verdict}).to_string() + "\n"
    };
    let text: String = verdicts.iter().map(line).collect();
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// Compares what two servers tell, case by case.
pub fn compare(theirs: &Verdicts, ours: &Verdicts) -> Report {
    let mut failures = Vec::new();
    let names: std::collections::BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    for name in &names {
        let (theirs, ours) = (theirs.get(*name), ours.get(*name));
        if theirs != ours {
            let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            let message = format!("theirs is {}, ours {}", shown(theirs), shown(ours));
            failures.push(Failure { file: (*name).clone(), path: String::new(), message });
        }
    }
    let let_in = theirs.values().filter(|verdict| verdict["code"] == 201).count();
    Report {
        what: "senders of credentials",
        passed: names.len() - failures.len(),
        total: names.len(),
        details: vec![
            ("let in", let_in),
            ("not let in", theirs.len() - let_in),
            ("different", failures.len()),
        ],
        failures,
        notes: Vec::new(),
    }
}
