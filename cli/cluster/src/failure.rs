//! Why a cluster cannot be read.

use std::error::Error;
use std::fmt;

use crate::cluster::Cluster;

/// Why nothing, or nothing more, can be read of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub cause: Cause,
    /// What was asked of which cluster, and what kubectl printed; it can have several lines.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There is no such program, or it cannot be started.
    NotInstalled,
    /// There is no kubeconfig, it cannot be read, or it has no such context.
    NotConfigured,
    /// Nothing answers at the address of the cluster, or nobody with a certificate that is trusted.
    Unreachable,
    /// The server does not know who asks, or a plugin could not log in.
    NotLoggedIn,
    /// The server refuses what everybody needs who reads a cluster.
    Refused,
    /// The answer is not one of an API server.
    NotUnderstood,
    /// There is no namespace of the name that the cluster is restricted to.
    NoNamespace,
    /// Something else that kubectl prints.
    Other,
}

impl Failure {
    /// A failure to read a path, with what kubectl or the server told.
    pub(crate) fn new(cluster: &Cluster, cause: Cause, path: &str, told: &str) -> Self {
        let mut message = format!("{} cannot read {path} of {cluster}: {told}", cluster.kubectl.display());
        if cause == Cause::NotConfigured && told.contains("localhost:8080") {
            message += "\nthat is where kubectl looks when its configuration names no cluster";
        }
        let command = cluster.command(&["get", "--raw", path]);
        let help = match cause {
            Cause::NotConfigured => {
                let contexts = Cluster { context: None, ..cluster.clone() };
                let contexts = contexts.command(&["config", "get-contexts"]);
                format!("choose a context that `{contexts}` lists, or another kubeconfig")
            }
            Cause::Unreachable => format!(
                "check the address of the cluster in the kubeconfig, its certificate authority, and the network, VPN or \
                 proxy, until `{command}` answers"
            ),
            Cause::NotLoggedIn => format!(
                "log in until `{command}` answers; a login that asks something can do so only there, in a terminal"
            ),
            Cause::Refused => format!(
                "a role must allow to `get` {path}, as the ClusterRole `system:discovery` does for everybody who is \
                 logged in"
            ),
            Cause::NotUnderstood => {
                format!(
                    "check that the address in the kubeconfig is one of an API server; `{command}` prints the answer"
                )
            }
            Cause::NoNamespace => format!("`{}` lists them", cluster.command(&["get", "namespaces"])),
            Cause::NotInstalled | Cause::Other => format!("`{command}` asks the same"),
        };
        Self { cause, message, help }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {}
