//! Our server in this process, as the options of [`Material`] make it.

use std::sync::Arc;

use hubgen_server::access::{
    Access, Authenticated, AuthenticationConfiguration, Authenticators, ClientCertificates, Jwt,
    ServiceAccountTokens, Tokens,
};
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings, Tls};
use tokio::runtime::Runtime;

use super::material::Material;

/// Starts a server. Returns its URL, and what it runs on.
///
/// # Errors
/// If a file cannot be read, or no port is free.
pub fn start(material: &Material) -> Result<(String, Runtime), String> {
    fn text(error: impl std::fmt::Display) -> String {
        error.to_string()
    }
    let runtime = Runtime::new().map_err(text)?;
    let file = |name: &str| material.path(name);
    let yaml = std::fs::read_to_string(file("authentication.yaml")).map_err(text)?;
    let json = hubgen_yaml::to_json(&yaml).map_err(text)?;
    let document = serde_json::from_slice(&json).map_err(text)?;
    let found = AuthenticationConfiguration::parse(&document).map_err(text)?;
    let authenticators = Authenticators {
        certificates: Some(ClientCertificates::signed_by(file("ca.crt")).map_err(text)?),
        tokens: Some(Tokens::file(file("tokens.csv")).map_err(text)?),
        jwt: found.issuers.into_iter().map(Jwt::new).collect::<Result<_, _>>().map_err(text)?,
        ..Authenticators::default()
    };
    let url = runtime.block_on(async {
        let store = Arc::new(Embedded::in_memory(Options::default()).map_err(text)?);
        let mut settings = Settings::new(Arc::new(hubgen_kubernetes::scheme()), store);
        let tls = Tls::self_signed(["127.0.0.1"]).map_err(text)?;
        settings.tls = Some(tls.ask_clients([file("ca.crt")]).map_err(text)?);
        settings.access =
            Access { authenticate: Box::new(authenticators), authorize: Box::new(Authenticated) };
        let tokens = ServiceAccountTokens::new("https://accounts.example").for_audiences(["api".to_owned()]);
        settings.service_accounts = Arc::new(tokens.with_key_file(file("sa.key")).map_err(text)?);
        let server = Server::bind(0, settings).await.map_err(text)?;
        let url = format!("https://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        Ok::<_, String>(url)
    })?;
    Ok((url, runtime))
}
