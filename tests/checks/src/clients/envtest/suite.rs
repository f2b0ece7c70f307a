//! One suite of tests in Go, as a program.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::clients::judge::Spec;

/// The tests of one package.
pub struct Suite {
    program: PathBuf,
    /// The folder of the package.
    package: PathBuf,
    scratch: PathBuf,
}

/// What has become of the tests on one side.
pub struct Run {
    pub specs: Vec<Spec>,
    /// How long each took.
    seconds: HashMap<String, f64>,
    /// How long it took before and after all of them, such as to start the control plane.
    around: f64,
}

impl Run {
    /// The seconds of its specs, and of what is before and after them.
    pub fn seconds(&self) -> f64 {
        self.around + self.specs.iter().filter_map(|spec| self.seconds.get(&spec.name)).sum::<f64>()
    }
}

impl Suite {
    /// Builds the tests of a package, such as `pkg/client`, of the module in a folder.
    ///
    /// # Errors
    /// If Go cannot.
    pub fn build(module: &Path, package: &str, scratch: &Path) -> Result<Self, String> {
        let program = scratch.join(format!("{}.test", package.replace('/', "-")));
        let output = Command::new("go")
            .current_dir(module)
            .args(["test", "-c", "-o"])
            .arg(&program)
            .arg(format!("./{package}"))
            .output()
            .map_err(|error| format!("go: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Self { program, package: module.join(package), scratch: scratch.to_owned() })
    }

    /// Runs the tests on the programs of a folder.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn run(&self, assets: &Path) -> Result<Run, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let report = self.scratch.join("report.json");
        let _ = fs::remove_file(&report);
        let output = Command::new(&self.program)
            .current_dir(&self.package)
            .env("KUBEBUILDER_ASSETS", assets)
            .arg(format!("--ginkgo.json-report={}", report.display()))
            .args(["--ginkgo.no-color", "--test.timeout=30m"])
            .output()
            .map_err(failed)?;
        let text = fs::read(&report).map_err(|_| String::from_utf8_lossy(&output.stdout).into_owned())?;
        let report: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        run(&report)
    }
}

/// The tests in a report of Ginkgo, without those that are not meant to run.
///
/// # Errors
/// If what comes before all tests has failed, so that none ran.
fn run(report: &Value) -> Result<Run, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report.as_array().into_iter().flatten().flat_map(|suite| suite["SpecReports"].as_array());
    let mut found = Run { specs: Vec::new(), seconds: HashMap::new(), around: 0.0 };
    for spec in all.flatten() {
        let seconds = spec["RunTime"].as_f64().unwrap_or_default() / 1e9;
        let failure = match &*text(&spec["State"]) {
            "passed" => None,
            "pending" | "skipped" if spec["Failure"].is_null() => continue,
            state => Some(format!("{state}: {}", text(&spec["Failure"]["Message"]))),
        };
        if spec["LeafNodeType"] != "It" {
            match failure {
                Some(why) => return Err(format!("{}: {why}", text(&spec["LeafNodeType"]))),
                None => found.around += seconds,
            }
            continue;
        }
        let outer = spec["ContainerHierarchyTexts"].as_array().into_iter().flatten();
        let mut names: Vec<String> = outer.map(text).collect();
        names.push(text(&spec["LeafNodeText"]));
        let name = names.join(" ");
        found.seconds.insert(name.clone(), seconds);
        found.specs.push(Spec { name, failure });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tests_that_ran_are_counted() {
        let spec = |name: &str, state: &str, failure: Value| {
            let mut spec = json!({
                "ContainerHierarchyTexts": ["Client"], "LeafNodeType": "It", "LeafNodeText": name, "State": state,
                "RunTime": 500_000_000,
            });
            if !failure.is_null() {
                spec["Failure"] = failure;
            }
            spec
        };
        let before = json!({"LeafNodeType": "BeforeSuite", "State": "passed", "RunTime": 2_000_000_000_u64});
        let report = json!([{"SpecReports": [
            before, spec("a", "passed", Value::Null), spec("b", "pending", Value::Null),
            spec("c", "failed", json!({"Message": "no"})),
        ]}]);
        let mut found = run(&report).unwrap();
        let names: Vec<(&str, Option<&str>)> =
            found.specs.iter().map(|spec| (&*spec.name, spec.failure.as_deref())).collect();
        assert_eq!(names, [("Client a", None), ("Client c", Some("failed: no"))]);
        assert!((found.seconds() - 3.0).abs() < 1e-9);
        // What does not count takes no time.
        found.specs.pop();
        assert!((found.seconds() - 2.5).abs() < 1e-9);
        let report = json!([{"SpecReports": [
            {"LeafNodeType": "BeforeSuite", "State": "failed", "Failure": {"Message": "no programs"}},
        ]}]);
        assert_eq!(run(&report).err().unwrap(), "BeforeSuite: failed: no programs");
    }
}
