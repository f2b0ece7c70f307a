//! Users who are known by tokens that somebody else has issued (OpenID Connect).

mod claims;
mod configuration;
mod fetch;
mod issuer;

pub use self::claims::ClaimMappings;
pub use self::configuration::{AuthenticationConfiguration, ConfigurationError};
use self::fetch::Client;
use self::issuer::Issuer;
use super::super::jose::{Algorithm, Token};
use super::Found;

/// An issuer of tokens, and what its tokens tell of users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JwtIssuer {
    /// The URL of the issuer, as its tokens name it.
    pub url: String,
    /// Where its configuration is, if it is not below [`url`](Self::url).
    pub discovery_url: Option<String>,
    /// The certificates that sign that of the issuer, in PEM. Without any, the machine's own.
    pub certificate_authority: Option<String>,
    /// Whom tokens must be meant for: one of these.
    pub audiences: Vec<String>,
    /// How tokens may be signed, such as `RS256`; by all algorithms that are known if there are none.
    pub algorithms: Vec<String>,
    /// What claims tell of a user.
    pub mappings: ClaimMappings,
    /// Claims that a token must have, and their values.
    pub required: Vec<(String, String)>,
}

/// Users by tokens of one issuer. Its configuration and its keys are asked for when the first token comes, and again when a token
/// is signed with a key that is not known, but not more often than each second.
pub struct Jwt {
    config: JwtIssuer,
    algorithms: Vec<Algorithm>,
    issuer: Issuer,
}

impl Jwt {
    /// Users by tokens of an issuer.
    ///
    /// # Errors
    /// If a URL is not of the form `https://HOST/PATH`, an algorithm is not known, or a certificate cannot be read.
    pub fn new(config: JwtIssuer) -> Result<Self, ConfigurationError> {
        configuration::check(&config)?;
        let wrong = |field: &str, message: String| ConfigurationError::at(field, message);
        let known = |name: &String| {
            let unknown =
                || wrong("signing algorithms", format!("expected one such as RS256, found {name:?}"));
            Algorithm::named(name).ok_or_else(unknown)
        };
        let algorithms = config.algorithms.iter().map(known).collect::<Result<_, _>>()?;
        let client = Client::new(config.certificate_authority.as_deref())
            .map_err(|message| wrong("certificateAuthority", message))?;
        let issuer = Issuer::new(&config.url, config.discovery_url.as_deref(), client);
        Ok(Self { config, algorithms, issuer })
    }

    /// Who has a token; [`Found::Nobody`] if another issuer has issued it.
    pub(super) async fn find(&self, token: &str, now: i64) -> Found {
        let Some(token) = Token::parse(token) else { return Found::Nobody };
        if token.unverified()["iss"] != *self.config.url {
            return Found::Nobody;
        }
        match self.user(&token, now).await {
            Ok(user) => Found::User(user),
            Err(why) => Found::Wrong(format!("a token of {}: {why}", self.config.url)),
        }
    }

    async fn user(&self, token: &Token<'_>, now: i64) -> Result<crate::access::User, String> {
        let algorithm = token.algorithm().ok_or("it is not signed in a way that is known")?;
        if !self.algorithms.is_empty() && !self.algorithms.contains(&algorithm) {
            return Err("it is signed with an algorithm that is not permitted".to_owned());
        }
        let claims = self.issuer.verify(token).await?;
        claims::check(&claims, &self.config, now)?;
        self.config.mappings.user(&claims)
    }
}
