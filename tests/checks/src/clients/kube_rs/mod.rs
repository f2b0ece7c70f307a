//! `cargo xtask check clients kube-rs`: kube's own integration tests, of its published source, on a TestServer.

mod source;
mod suite;

use std::path::Path;
use std::process::ExitCode;

use hubgen_server::Settings;
use hubgen_server::rbac::{Bootstrap, Rbac};
use hubgen_test_server::TestServer;

use super::judge::{Listed, count, judge};
use super::scratch;
use super::tally::Tally;
use crate::Report;

/// The crates with tests that need a cluster.
const CRATES: [&str; 3] = ["kube", "kube-client", "kube-runtime"];

/// The tests that fail.
const LISTED: &[Listed] = &[
    Listed {
        suite: "kube-client",
        spec: "test::pod_can_exec_and_write_to_stdin",
        contains: "pods/exec is not implemented",
        why: "runs commands in a container, which needs a kubelet",
    },
    Listed {
        suite: "kube-client",
        spec: "test::can_get_pod_logs_and_evict",
        contains: "pods/log is not implemented",
        why: "reads the log of a container, which needs a kubelet",
    },
    Listed {
        suite: "kube-client",
        spec: "test::pod_can_exec_and_write_to_stdin_from_node_proxy",
        contains: "127.0.0.1:10250",
        why: "asks a kubelet at its own port",
    },
];

/// What a test reads that a cluster tells of its other programs.
const SCHEDULER: &str = "{apiVersion: v1, kind: ComponentStatus, metadata: {name: scheduler}}";

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The release of kube, as Cargo reads versions
    #[arg(long, value_name = "VERSION", default_value = "5")]
    release: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the tests.
///
/// # Errors
/// If the server does not start, or the sources cannot be had or built.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    Ok(scratch(|folder| all(args, folder))?.print(args.json))
}

fn all(args: &Args, folder: &Path) -> Result<Report, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let bootstrap = Bootstrap::parse(hubgen_schemas::bootstrap()).map_err(|error| error.to_string())?;
    let of_a_cluster = move |settings: &mut Settings| {
        // Tests wait for pods that run, and read the roles that every cluster has.
        settings.loops.stand_ins = hubgen_stand_ins::all();
        settings.rbac = Some(Rbac::with_bootstrap(bootstrap.clone()));
    };
    let started = TestServer::builder().settings(of_a_cluster).state(SCHEDULER).start();
    let server = runtime.block_on(started).map_err(|error| error.to_string())?;
    let kubeconfig = folder.join("kubeconfig");
    server.write_kubeconfig(&kubeconfig).map_err(|error| error.to_string())?;
    let (workspace, version) = source::unpack(&args.release, folder)?;
    let mut tally = Tally::default();
    tally.notes.push(format!("the tests are those of kube {version}"));
    let mut listed = 0;
    for package in CRATES {
        let ours = suite::run(&workspace, package, &kubeconfig)?;
        listed += count(package, judge(LISTED, package, &ours, None), &mut tally);
    }
    Ok(Report { what: "tests", ..tally.report(vec![("crates", CRATES.len()), ("listed", listed)]) })
}
