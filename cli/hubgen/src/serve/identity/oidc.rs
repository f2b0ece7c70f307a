//! The options about tokens of other issuers (OpenID Connect).

use std::fs;
use std::path::{Path, PathBuf};

use hubgen_server::access::{
    Anonymous, AuthenticationConfiguration, ClaimMappings, ConfigurationError, Jwt, JwtIssuer,
};
use hubgen_terminal::Diagnostic;

#[derive(clap::Args)]
pub struct Oidc {
    /// Know users by tokens of the issuers in this file, an AuthenticationConfiguration (YAML)
    ///
    /// It also names who may ask without credentials. Expressions in CEL are not supported yet.
    #[arg(long, value_name = "FILE")]
    authentication_config: Option<PathBuf>,
    /// Know users by tokens that this issuer (OpenID Connect) has issued
    #[arg(long, value_name = "URL", requires = "oidc_client_id", conflicts_with = "authentication_config")]
    oidc_issuer_url: Option<String>,
    /// Whom tokens of the issuer must be meant for
    #[arg(long, value_name = "NAME", requires = "oidc_issuer_url")]
    oidc_client_id: Option<String>,
    /// The certificates (PEM) that sign that of the issuer; without them, the machine's own
    #[arg(long, value_name = "FILE", requires = "oidc_issuer_url")]
    oidc_ca_file: Option<PathBuf>,
    /// The claim with the name of a user
    #[arg(long, value_name = "CLAIM", default_value = "sub")]
    oidc_username_claim: String,
    /// What is put before names; - for nothing
    ///
    /// Without it, names of other claims than email get the URL of the issuer and #.
    #[arg(long, value_name = "PREFIX", requires = "oidc_issuer_url")]
    oidc_username_prefix: Option<String>,
    /// The claim with the groups of a user
    #[arg(long, value_name = "CLAIM", requires = "oidc_issuer_url")]
    oidc_groups_claim: Option<String>,
    /// What is put before groups
    #[arg(long, value_name = "PREFIX", requires = "oidc_issuer_url")]
    oidc_groups_prefix: Option<String>,
    /// How tokens may be signed
    #[arg(long, value_name = "ALGORITHMS", value_delimiter = ',', default_value = "RS256")]
    oidc_signing_algs: Vec<String>,
    /// A claim that a token must have, with its value; can be given several times
    #[arg(long, value_name = "CLAIM=VALUE", requires = "oidc_issuer_url")]
    oidc_required_claim: Vec<String>,
}

impl Oidc {
    /// Users by tokens of issuers, and who may ask without credentials, if that is in the file. Issuers of tokens of service accounts
    /// cannot be among them.
    pub fn issuers(&self, own: &[String]) -> Result<(Vec<Jwt>, Option<Anonymous>), Diagnostic> {
        let (issuers, anonymous) = match &self.authentication_config {
            Some(file) => {
                let found = read(file)?;
                (found.issuers, found.anonymous)
            }
            None => (self.issuer()?.into_iter().collect(), None),
        };
        if let Some(twice) = issuers.iter().find(|issuer| own.contains(&issuer.url)) {
            let message = format!(
                "{} issues the tokens of service accounts, and cannot be another issuer, too",
                twice.url
            );
            return Err(Diagnostic::message(message, "choose another issuer with --service-account-issuer"));
        }
        let jwt = issuers.into_iter().map(Jwt::new).collect::<Result<_, ConfigurationError>>();
        Ok((jwt.map_err(|error| Diagnostic::message(error.to_string(), ""))?, anonymous))
    }

    /// The issuer of the older options.
    fn issuer(&self) -> Result<Option<JwtIssuer>, Diagnostic> {
        let (Some(url), Some(client)) = (&self.oidc_issuer_url, &self.oidc_client_id) else {
            return Ok(None);
        };
        let certificate_authority = self.oidc_ca_file.as_deref().map(text).transpose()?;
        let username_prefix = match self.oidc_username_prefix.as_deref().unwrap_or_default() {
            "-" => String::new(),
            "" if self.oidc_username_claim != "email" => format!("{url}#"),
            prefix => prefix.to_owned(),
        };
        let mut required = Vec::new();
        for pair in &self.oidc_required_claim {
            let Some((claim, value)) = pair.split_once('=') else {
                let message = format!("--oidc-required-claim: expected CLAIM=VALUE, found {pair:?}");
                return Err(Diagnostic::message(message, ""));
            };
            required.push((claim.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(Some(JwtIssuer {
            url: url.clone(),
            discovery_url: None,
            certificate_authority,
            audiences: vec![client.clone()],
            algorithms: self.oidc_signing_algs.clone(),
            mappings: ClaimMappings {
                username: self.oidc_username_claim.clone(),
                username_prefix,
                groups: self.oidc_groups_claim.clone(),
                groups_prefix: self.oidc_groups_prefix.clone().unwrap_or_default(),
                uid: None,
            },
            required,
        }))
    }
}

fn read(file: &Path) -> Result<AuthenticationConfiguration, Diagnostic> {
    let wrong = |message: String| Diagnostic::file(file, message, "");
    let json = hubgen_yaml::to_json(&text(file)?).map_err(|error| wrong(error.to_string()))?;
    let document = serde_json::from_slice(&json).map_err(|error| wrong(error.to_string()))?;
    AuthenticationConfiguration::parse(&document).map_err(|error| wrong(error.to_string()))
}

fn text(file: &Path) -> Result<String, Diagnostic> {
    fs::read_to_string(file).map_err(|error| Diagnostic::file(file, format!("cannot be read: {error}"), ""))
}
