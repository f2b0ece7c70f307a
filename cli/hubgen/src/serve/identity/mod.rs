//! The options about who asks.

mod certificates;
mod oidc;
mod service_accounts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hubgen_server::Tls;
use hubgen_server::access::{Anonymous, Authenticators, FileError, ServiceAccountTokens, Tokens};
use hubgen_terminal::Diagnostic;

use self::certificates::Certificates;
use self::oidc::Oidc;
use self::service_accounts::ServiceAccounts;

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
    #[command(flatten)]
    oidc: Oidc,
    #[command(flatten)]
    service_accounts: ServiceAccounts,
    /// Whether requests without credentials are let in, as of the user system:anonymous; so it is by default
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    anonymous_auth: Option<bool>,
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

    /// The tokens of service accounts. A key that no option names is kept in this folder.
    pub fn service_accounts(&self, folder: Option<&Path>) -> Result<ServiceAccountTokens, Diagnostic> {
        self.service_accounts.tokens(folder)
    }

    /// Those who find out who asks, and the first token of the file of tokens.
    pub fn authenticators(&self) -> Result<(Authenticators, Option<String>), Diagnostic> {
        let tokens = self.token_auth_file.as_deref().map(tokens).transpose()?;
        let first = tokens.as_ref().and_then(Tokens::first).map(str::to_owned);
        let (jwt, anonymous) = self.oidc.issuers(self.service_accounts.issuers())?;
        let anonymous = match (self.anonymous_auth, anonymous) {
            (Some(_), Some(_)) => {
                let message = "--anonymous-auth and the file of --authentication-config both say who may ask without credentials";
                return Err(Diagnostic::message(message, "leave one of them out"));
            }
            (Some(false), None) => Anonymous::Nowhere,
            (_, anonymous) => anonymous.unwrap_or_default(),
        };
        let authenticators = Authenticators {
            front_proxy: self.certificates.front_proxy()?,
            certificates: self.certificates.clients()?,
            tokens,
            jwt,
            audiences: self.service_accounts.audiences().to_vec(),
            anonymous,
        };
        Ok((authenticators, first))
    }
}

/// Reads a time such as `1h30m`, `90s` or `0`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a time such as 24h or 1h30m, found {text:?}");
    let (mut seconds, mut rest) = (0_u64, text);
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = rest[..end].parse().map_err(|_| wrong())?;
        let unit = match rest.as_bytes()[end] {
            b'h' => 60 * 60,
            b'm' => 60,
            b's' => 1,
            _ => return Err(wrong()),
        };
        seconds = number.checked_mul(unit).and_then(|more| seconds.checked_add(more)).ok_or_else(wrong)?;
        rest = &rest[end + 1..];
    }
    match text.is_empty() {
        true => Err(wrong()),
        false => Ok(Duration::from_secs(seconds)),
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
