//! `hubgen envtest`, and what the command does under the names that a test environment starts: it stands in for the
//! kube-apiserver and the etcd of controller-runtime's envtest.

mod apiserver;
mod etcd;
mod flags;
mod install;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hubgen_terminal::{FAILURE, Messages, eprintln, println};

/// Stand in for the kube-apiserver and etcd of Go's test environments (envtest).
///
/// Tests that start a control plane with controller-runtime's envtest find it by KUBEBUILDER_ASSETS, and need no change.
/// Objects are kept in memory, for as long as the kube-apiserver runs.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Install the programs, and run the tests of a Go module with them:
    export KUBEBUILDER_ASSETS=$(hubgen envtest install ~/.local/share/hubgen/envtest)
    go test ./...

Exit codes:
  0  success
  1  the folder cannot be written, or has such programs of others
  2  wrong arguments")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Write the programs kube-apiserver and etcd into a folder, link kubectl, and print the folder
    ///
    /// The programs are copies of hubgen, so that they work wherever hubgen goes. They stay as they are when hubgen is
    /// updated, until they are installed again.
    #[command(after_long_help = "\
Examples:
  Install the programs into a folder of this repository:
    hubgen envtest install bin/envtest

Exit codes:
  0  success
  1  the folder cannot be written, or has such programs of others
  2  wrong arguments")]
    Install {
        /// The folder; created if it is missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Runs `hubgen envtest`.
pub fn run(args: &Args, quiet: bool) -> ExitCode {
    let Command::Install { folder } = &args.command;
    match install::install(folder) {
        Ok(installed) => {
            println!("{}", installed.folder.display());
            if !quiet {
                match installed.kubectl {
                    Some(kubectl) => eprintln!("kubectl is {}", kubectl.display()),
                    None => eprintln!(
                        "there is no kubectl on the PATH; tests that call it need one in this folder"
                    ),
                }
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            Messages::print(quiet).report(&error);
            ExitCode::from(FAILURE)
        }
    }
}

/// A name under which the command is another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    ApiServer,
    Etcd,
}

impl Name {
    /// All names.
    const ALL: [Self; 2] = [Self::ApiServer, Self::Etcd];

    /// The name of the file.
    const fn text(self) -> &'static str {
        match self {
            Self::ApiServer => "kube-apiserver",
            Self::Etcd => "etcd",
        }
    }

    /// The program that a path names, if it is not hubgen itself.
    pub fn of(program: &Path) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(name);
        Self::ALL.into_iter().find(|known| known.text() == name)
    }

    /// Runs the program with its arguments.
    pub fn run(self, arguments: &[OsString]) -> ExitCode {
        match self {
            Self::ApiServer => apiserver::run(arguments),
            Self::Etcd => etcd::run(arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_the_file() {
        assert_eq!(Name::of(Path::new("/a/kube-apiserver")), Some(Name::ApiServer));
        assert_eq!(Name::of(Path::new("etcd")), Some(Name::Etcd));
        for other in ["hubgen", "/etcd/hubgen", "etcdctl", "kube-apiserver-2", ""] {
            assert_eq!(Name::of(Path::new(other)), None, "{other}");
        }
    }
}
