//! The options about tokens of service accounts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hubgen_server::access::{KeyFileError, ServiceAccountTokens};
use hubgen_terminal::Diagnostic;

use super::duration;

/// The file of the key, in the folder of keys. Its name is usual for a kube-apiserver.
const KEY: &str = "sa.key";

#[derive(clap::Args)]
pub struct ServiceAccounts {
    /// Sign the tokens of service accounts with this key (PEM): of RSA, or on the curve P-256 or P-384
    ///
    /// Without it, the server makes a key and keeps it as sa.key beside its certificate: in --cert-dir, or in the folder
    /// `certs` of its data.
    #[arg(long, value_name = "FILE")]
    service_account_signing_key_file: Option<PathBuf>,
    /// Recognize tokens of service accounts that the keys in this file (PEM) have signed; can be given several times
    ///
    /// Public or private keys, or certificates. Then the key that signs should be in one of the files, too.
    #[arg(long, value_name = "FILE")]
    service_account_key_file: Vec<PathBuf>,
    /// The issuer of the tokens of service accounts; of several, the first one issues, and those of all are recognized
    #[arg(long, value_name = "URL", default_value = ServiceAccountTokens::ISSUER)]
    service_account_issuer: Vec<String>,
    /// Whom tokens must be meant for; by default the issuers of the tokens of service accounts
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    api_audiences: Vec<String>,
    /// The longest time for which a token of a service account is valid, such as 24h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    service_account_max_token_expiration: Option<Duration>,
    /// Whether tokens of pods that are asked for as kubelets do are valid for a year
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    service_account_extend_token_expiration: bool,
    /// The https URL at which others find the keys of tokens, if it is not this server's own
    #[arg(long, value_name = "URL")]
    service_account_jwks_uri: Option<String>,
}

/// The shortest and the longest time that the longest time may be: an hour, and 2^32 seconds, as upstream has them.
const LONGEST: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(60 * 60)..=Duration::from_secs(1 << 32);

impl ServiceAccounts {
    /// The issuers of tokens.
    pub fn issuers(&self) -> &[String] {
        &self.service_account_issuer
    }

    /// The audiences of this server.
    pub fn audiences(&self) -> &[String] {
        if self.api_audiences.is_empty() { &self.service_account_issuer } else { &self.api_audiences }
    }

    /// The tokens, whose key is kept in this folder unless options name one.
    pub fn tokens(&self, folder: Option<&Path>) -> Result<ServiceAccountTokens, Diagnostic> {
        self.check()?;
        let (issuer, others) = self.service_account_issuer.split_first().expect("there is a default");
        let mut tokens = ServiceAccountTokens::new(issuer)
            .recognizing(others.iter().cloned())
            .for_audiences(self.api_audiences.iter().cloned())
            .extended(self.service_account_extend_token_expiration);
        if let Some(longest) = self.service_account_max_token_expiration {
            tokens = tokens.for_at_most(longest);
        }
        if let Some(url) = &self.service_account_jwks_uri {
            tokens = tokens.with_keys_at(url);
        }
        for file in &self.service_account_key_file {
            tokens = tokens.recognizing_keys_of(file).map_err(wrong_key)?;
        }
        let tokens = match (&self.service_account_signing_key_file, folder) {
            (Some(file), _) => tokens.with_key_file(file),
            (None, Some(folder)) => tokens.with_kept_key(folder.join(KEY)),
            (None, None) => Ok(tokens),
        };
        tokens.map_err(wrong_key)
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let issuers = &self.service_account_issuer;
        let wrong = |message: String| Err(Diagnostic::message(message, ""));
        if issuers.iter().any(String::is_empty) {
            return wrong(
                "--service-account-issuer: expected a URL or a name, found an empty text".to_owned(),
            );
        }
        if let Some(twice) =
            issuers.iter().enumerate().find(|(index, issuer)| issuers[..*index].contains(issuer))
        {
            return wrong(format!(
                "--service-account-issuer: expected each issuer once, found {:?} again",
                twice.1
            ));
        }
        if self.service_account_max_token_expiration.is_some_and(|longest| !LONGEST.contains(&longest)) {
            let message =
                "--service-account-max-token-expiration: expected a time from an hour to 2^32 seconds";
            return wrong(message.to_owned());
        }
        if self.service_account_jwks_uri.as_ref().is_some_and(|url| !url.starts_with("https://")) {
            return wrong("--service-account-jwks-uri: expected a URL that begins with https://".to_owned());
        }
        Ok(())
    }
}

fn wrong_key(error: KeyFileError) -> Diagnostic {
    let help = "make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256";
    Diagnostic::message(error.to_string(), help)
}
