//! The options about who asks.

mod certificates;

use std::path::{Path, PathBuf};

use hubgen_server::Tls;
use hubgen_server::access::{Anonymous, Authenticators, FileError, Tokens};
use hubgen_terminal::Diagnostic;

use self::certificates::Certificates;

/// Options about who asks. Their names and meanings are those of a kube-apiserver.
#[derive(clap::Args)]
#[command(next_help_heading = "Who asks")]
pub struct Identity {
    #[command(flatten)]
    certificates: Certificates,
    /// Know users by the tokens of this file
    ///
    /// A line for each token: `TOKEN,USER,UID,\"GROUP,GROUP\"`. Clients send it as `Authorization: Bearer TOKEN`.
    #[arg(long, value_name = "FILE")]
    token_auth_file: Option<PathBuf>,
    /// Whether requests without credentials are let in, as of the user system:anonymous
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    anonymous_auth: bool,
}

impl Identity {
    /// Whether clients can show certificates, so that the server must serve over TLS.
    pub fn asks_for_certificates(&self) -> bool {
        self.certificates.bundles().next().is_some()
    }

    /// Lets clients show certificates, if options say so.
    pub fn ask_clients(&self, tls: Tls) -> Result<Tls, Diagnostic> {
        match self.asks_for_certificates() {
            true => tls.ask_clients(self.certificates.bundles()).map_err(|error| failed(&error)),
            false => Ok(tls),
        }
    }

    /// Those who find out who asks, and the first token of the file of tokens.
    pub fn authenticators(&self) -> Result<(Authenticators, Option<String>), Diagnostic> {
        let tokens = self.token_auth_file.as_deref().map(tokens).transpose()?;
        let first = tokens.as_ref().and_then(Tokens::first).map(str::to_owned);
        let authenticators = Authenticators {
            front_proxy: self.certificates.front_proxy()?,
            certificates: self.certificates.clients()?,
            tokens,
            anonymous: if self.anonymous_auth { Anonymous::Everywhere } else { Anonymous::Nowhere },
        };
        Ok((authenticators, first))
    }
}

fn failed(error: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::message(error.to_string(), "")
}

fn unreadable(error: FileError) -> Diagnostic {
    Diagnostic::file(&error.path, error.message, "")
}

/// The tokens of users.
fn tokens(file: &Path) -> Result<Tokens, Diagnostic> {
    Tokens::file(file).map_err(|error| {
        let help = "write a line for each token: TOKEN,USER,UID,\"GROUP,GROUP\"";
        Diagnostic::message(error.to_string(), help)
    })
}
