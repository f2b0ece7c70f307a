//! `cargo xtask check clients helm-releases`: releases of old charts survive the upgrade of their cluster.
//!
//! A chart is installed where Kubernetes 1.15 is served, and the same objects are served as the reference release does. Helm
//! cannot upgrade the release there before what it remembers of it is converted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::clients::kubectl::expect;
use crate::clients::serving::Serving;
use crate::clients::session::Session;
use crate::clients::tally::Tally;
use crate::clients::{copy, scratch};

use super::{Programs, programs};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    programs: Programs,
    /// A folder of charts without dependencies; NAME.yaml beside the chart NAME has its values
    #[arg(long, value_name = "DIR")]
    charts: PathBuf,
    /// The program of the plugin helm-mapkubeapis, to compare with
    #[arg(long, value_name = "FILE", requires = "map")]
    mapkubeapis: Option<PathBuf>,
    /// The mapping file of the plugin
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
}

/// The release of Kubernetes in which the charts are installed.
const OLD: &str = "1.15";

/// What helm tells of a release whose objects the cluster does not have.
const LOST: &str = "unable to build kubernetes objects from current release manifest";

/// Takes all steps with each helm and each chart.
///
/// # Errors
/// If there is no helm, no kubectl or no chart, or a server does not start.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let (helms, kubectl) = programs(&args.programs)?;
    let entries =
        fs::read_dir(&args.charts).map_err(|error| format!("{}: {error}", args.charts.display()))?;
    let mut charts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    charts.retain(|path| path.join("Chart.yaml").is_file());
    // Clients run in a folder of their own.
    charts = charts.iter().filter_map(|path| path.canonicalize().ok()).collect();
    charts.sort();
    if charts.is_empty() {
        return Err(format!("{}: expected folders with a Chart.yaml, found none", args.charts.display()));
    }
    let report = scratch(|folder| {
        let mut tally = Tally::default();
        let mut valid = [0; 4];
        for (number, helm) in helms.iter().enumerate() {
            for chart in &charts {
                let name = chart.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let folder = folder.join(format!("{name}-{number}"));
                let case = Case { args, helm, kubectl: &kubectl, chart, name: &name, folder: &folder };
                case.take(&mut tally, &mut valid)?;
                fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
            }
        }
        let [objects, before, ours, theirs] = valid;
        let mut details = vec![("objects", objects), ("valid before", before), ("valid after hubgen", ours)];
        if args.mapkubeapis.is_some() {
            details.push(("valid after mapkubeapis", theirs));
        }
        Ok(tally.report(details))
    });
    Ok(report?.print(args.programs.json))
}

/// One chart and one helm.
struct Case<'a> {
    args: &'a Args,
    helm: &'a Path,
    kubectl: &'a Path,
    chart: &'a Path,
    name: &'a str,
    folder: &'a Path,
}

/// A server of the chart's objects, with its clients.
struct Cluster {
    helm: Session,
    kubectl: Session,
    hubgen: PathBuf,
    serving: Serving,
}

impl Case<'_> {
    fn cluster(&self, data: &str, options: &[&str]) -> Result<Cluster, String> {
        let (hubgen, data) = (&self.args.programs.hubgen, self.folder.join(data));
        let options: Vec<&str> = options.iter().copied().chain(["--stand-ins", "*"]).collect();
        let serving = Serving::of(hubgen, self.folder, Some(&data), &options)?;
        Ok(Cluster {
            helm: Session::new("helm", self.helm, self.folder, &serving)?,
            kubectl: Session::new("kubectl", self.kubectl, self.folder, &serving)?,
            hubgen: hubgen.clone(),
            serving,
        })
    }

    /// Takes all steps, and adds to the counts of objects: all, and those that are valid before, with hubgen, and with the
    /// plugin.
    fn take(&self, tally: &mut Tally, valid: &mut [usize; 4]) -> Result<(), String> {
        let old = self.cluster("ours", &["--emulated-version", OLD])?;
        let helm = old.helm.ok("version --template {{.Version}}")?;
        let title = format!("{}, helm {helm}", self.name);
        let installed = self.install(&old);
        drop(old);
        let is_installed = installed.is_ok();
        tally.take(&format!("{title}, install at {OLD}"), installed);
        if !is_installed {
            return Ok(());
        }
        copy(&self.folder.join("ours"), &self.folder.join("theirs")).map_err(|error| error.to_string())?;

        let ours = self.cluster("ours", &[])?;
        let before = ours.objects()?;
        let small = self.fixed("")?;
        tally.take(&format!("{title}, upgrade before"), ours.helm.fails(&self.upgrade(&small), LOST));
        tally.take(&format!("{title}, convert"), ours.convert());
        let after = ours.objects()?;
        let fixed = self.fixed(&ours.helm.ok("get manifest r -n shop")?)?;
        tally.take(&format!("{title}, all objects are valid"), after.all());
        tally.take(&format!("{title}, upgrade"), self.upgraded(&ours, &fixed));
        tally.take(&format!("{title}, rollback"), rolled_back(&ours));
        tally.take(&format!("{title}, uninstall"), uninstalled(&ours));
        drop(ours);
        let mut note = format!("{title}: valid {before} before, {after} after hubgen");
        *valid = [valid[0] + before.total, valid[1] + before.valid, valid[2] + after.valid, valid[3]];

        if let (Some(program), Some(map)) = (&self.args.mapkubeapis, &self.args.map) {
            let theirs = self.cluster("theirs", &[])?;
            let plugin = Session::new("mapkubeapis", program, self.folder, &theirs.serving)?;
            let map = map.canonicalize().map_err(|error| format!("{}: {error}", map.display()))?;
            plugin.ok(&format!("r --namespace shop --mapfile '{}'", map.display()))?;
            let after = theirs.objects()?;
            let told = |done: Result<(), String>| {
                done.map_or_else(|error| first_line(&error), |()| "works".to_owned())
            };
            let upgraded = told(self.upgraded(&theirs, &fixed));
            let rolled_back = told(rolled_back(&theirs));
            note +=
                &format!("; {after} after mapkubeapis, where upgrade: {upgraded}; rollback: {rolled_back}");
            valid[3] += after.valid;
        }
        tally.notes.push(note);
        Ok(())
    }

    fn upgrade(&self, chart: &Path) -> String {
        format!("upgrade r '{}' -n shop", chart.display())
    }

    /// Two revisions, so that there is one to roll back to.
    fn install(&self, cluster: &Cluster) -> Result<(), String> {
        let values = self.chart.with_extension("yaml");
        let values = if values.is_file() { format!(" -f '{}'", values.display()) } else { String::new() };
        let chart = self.chart.display();
        cluster.helm.ok(&format!("install r '{chart}' -n shop --create-namespace{values}"))?;
        expect(&cluster.helm.ok(&(self.upgrade(self.chart) + &values))?, "REVISION: 2")
    }

    /// A newer chart, which has the same objects at versions that are served, and one more.
    fn fixed(&self, manifest: &str) -> Result<PathBuf, String> {
        let chart = self.folder.join("fixed");
        let write =
            |name: &str, text: &str| fs::write(chart.join(name), text).map_err(|error| error.to_string());
        fs::create_dir_all(chart.join("templates")).map_err(|error| error.to_string())?;
        write("Chart.yaml", &format!("apiVersion: v1\nname: {}\nversion: 99.0.0\n", self.name))?;
        write("templates/all.yaml", &manifest.replace("{{", "{{ \"{{\" }}"))?;
        write("templates/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n")?;
        Ok(chart)
    }

    fn upgraded(&self, cluster: &Cluster, fixed: &Path) -> Result<(), String> {
        expect(&cluster.helm.ok(&self.upgrade(fixed))?, "STATUS: deployed")?;
        cluster.kubectl.ok("get configmap more -n shop").map(drop)
    }
}

/// How many objects a server accepts.
struct Valid {
    valid: usize,
    total: usize,
    /// The first refusal.
    refused: Option<String>,
}

impl std::fmt::Display for Valid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.valid, self.total)
    }
}

impl Valid {
    fn all(&self) -> Result<(), String> {
        self.refused.clone().map_or(Ok(()), Err)
    }
}

impl Cluster {
    /// Asks the server about each object of the release.
    fn objects(&self) -> Result<Valid, String> {
        let manifest = self.helm.ok("get manifest r -n shop")?;
        let mut found = Valid { valid: 0, total: 0, refused: None };
        for object in format!("\n{manifest}").split("\n---").filter(|object| object.contains("\nkind:")) {
            found.total += 1;
            let output = self.kubectl.run_with("apply --dry-run=server -n shop -f -", object, &[])?;
            match output.success() {
                Ok(_) => found.valid += 1,
                Err(error) => drop(found.refused.get_or_insert(error)),
            }
        }
        Ok(found)
    }

    /// Converts what helm remembers of all releases.
    fn convert(&self) -> Result<(), String> {
        let releases = self.kubectl.ok("get secret -n shop -l owner=helm -o yaml")?;
        let file = self.helm.file("releases.yaml");
        fs::write(&file, releases).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.hubgen);
        let output =
            command.args(["--quiet", "convert", "--helm-release", "--drop-gone"]).arg(&file).output();
        let output = output.map_err(|error| format!("{}: {error}", self.hubgen.display()))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        self.kubectl.ok_with("replace -f -", &String::from_utf8_lossy(&output.stdout))?;
        self.helm.prints("history r -n shop", &["hubgen converted", "superseded", "deployed"])
    }
}

fn rolled_back(cluster: &Cluster) -> Result<(), String> {
    expect(&cluster.helm.ok("rollback r 1 -n shop")?, "Rollback was a success")?;
    cluster.kubectl.fails("get configmap more -n shop", "NotFound")
}

fn uninstalled(cluster: &Cluster) -> Result<(), String> {
    expect(&cluster.helm.ok("uninstall r -n shop")?, "release \"r\" uninstalled")?;
    let left = cluster.kubectl.ok("get deploy,sts,cj,ing,pdb,svc,secret -n shop -o name")?;
    if left.is_empty() { Ok(()) } else { Err(format!("expected nothing, found\n{left}")) }
}

/// The first line of a message that tells what is wrong.
fn first_line(message: &str) -> String {
    let line = message.lines().find(|line| line.contains("Error:")).or(message.lines().next());
    line.unwrap_or_default().to_owned()
}
