//! Who decides who may, by the flags of a kube-apiserver.

mod config;
mod duration;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use hubgen_server::Settings;
use hubgen_server::access::{AllowAll, DenyAll, Modes, Webhook, WebhookOptions, WebhookVersion};
use hubgen_server::rbac::{Bootstrap, Rbac};
use hubgen_terminal::Diagnostic;

pub(super) use self::duration::duration;

/// The flags about who may.
#[derive(clap::Args)]
pub struct Options {
    /// Ask these who may do what, in order, until one allows or denies it: AlwaysAllow, AlwaysDeny, RBAC, Webhook
    ///
    /// Without it, everybody may do everything, or everybody who has a token where there are tokens. RBAC asks the stored
    /// roles and bindings; the server makes those of Kubernetes when it starts. Members of the group system:masters may do
    /// everything in each mode.
    #[arg(long, value_name = "MODES", value_delimiter = ',')]
    authorization_mode: Vec<Mode>,
    /// Ask the webhook that this kubeconfig names, in the mode Webhook
    #[arg(long, value_name = "FILE")]
    authorization_webhook_config_file: Option<PathBuf>,
    /// The version of the reviews that the webhook gets
    #[arg(long, value_name = "VERSION", default_value = "v1beta1", value_parser = version)]
    authorization_webhook_version: WebhookVersion,
    /// How long an answer of the webhook counts that allows something
    #[arg(long, value_name = "DURATION", default_value = "5m0s", value_parser = duration)]
    authorization_webhook_cache_authorized_ttl: Duration,
    /// How long an answer of the webhook counts that does not allow something
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    authorization_webhook_cache_unauthorized_ttl: Duration,
    /// Read who is asked, and how, from this AuthorizationConfiguration (YAML) instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["authorization_mode", "authorization_webhook_config_file"])]
    authorization_config: Option<PathBuf>,
}

/// Somebody who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    #[value(name = "AlwaysAllow")]
    AlwaysAllow,
    #[value(name = "AlwaysDeny")]
    AlwaysDeny,
    #[value(name = "RBAC")]
    Rbac,
    #[value(name = "Webhook")]
    Webhook,
}

/// Somebody who is asked, with the name by which refusals tell of them.
struct Asked {
    name: String,
    who: Who,
}

enum Who {
    Everybody,
    Nobody,
    Rbac,
    Webhook(PathBuf, WebhookOptions),
}

fn version(text: &str) -> Result<WebhookVersion, String> {
    match text {
        "v1" => Ok(WebhookVersion::V1),
        "v1beta1" => Ok(WebhookVersion::V1Beta1),
        _ => Err("expected v1 or v1beta1".to_owned()),
    }
}

impl Options {
    /// Whether the flags name somebody who decides.
    pub fn is_given(&self) -> bool {
        self.authorization_config.is_some() || !self.authorization_mode.is_empty()
    }

    /// Lets the server ask those whom the flags name.
    ///
    /// # Errors
    /// If a mode is named twice or lacks its file, or if a file has something else.
    pub fn apply(&self, settings: &mut Settings) -> Result<(), Diagnostic> {
        let all = match &self.authorization_config {
            Some(file) => config::read(file).map_err(|error| {
                Diagnostic::file(file, error, "write an AuthorizationConfiguration, as for a kube-apiserver")
            })?,
            None => self.by_flags()?,
        };
        if all.is_empty() {
            return Ok(());
        }
        let mut modes = Modes::default();
        // What a role grants is checked whoever decides, unless that is everybody.
        let mut rbac = all.iter().any(|asked| !matches!(asked.who, Who::Everybody)).then(Rbac::default);
        for Asked { name, who } in all {
            modes = match who {
                Who::Everybody => modes.with(name, AllowAll),
                Who::Nobody => modes.with(name, DenyAll),
                Who::Rbac => {
                    let bootstrap = Bootstrap::parse(hubgen_schemas::bootstrap())
                        .map_err(|error| Diagnostic::message(format!("schemas/access: {error}"), ""))?;
                    modes.with(name, rbac.insert(Rbac::with_bootstrap(bootstrap)).clone())
                }
                Who::Webhook(file, options) => modes.with(name, webhook(&file, options)?),
            };
        }
        settings.rbac = rbac;
        settings.access.authorize = Box::new(modes);
        Ok(())
    }

    fn by_flags(&self) -> Result<Vec<Asked>, Diagnostic> {
        let file = self.authorization_webhook_config_file.as_ref();
        if file.is_some() && !self.authorization_mode.contains(&Mode::Webhook) {
            let message = "--authorization-webhook-config-file: no mode asks a webhook";
            return Err(Diagnostic::message(message, "add Webhook to --authorization-mode"));
        }
        let asked = |(index, mode): (usize, &Mode)| {
            let value = mode.to_possible_value();
            let name = value.as_ref().map_or("", |value| value.get_name());
            if self.authorization_mode[..index].contains(mode) {
                let message = format!("--authorization-mode: {name} is there twice");
                return Err(Diagnostic::message(message, "name each mode once"));
            }
            let who = match mode {
                Mode::AlwaysAllow => Who::Everybody,
                Mode::AlwaysDeny => Who::Nobody,
                Mode::Rbac => Who::Rbac,
                Mode::Webhook => match file {
                    Some(file) => Who::Webhook(file.clone(), self.webhook()),
                    None => {
                        let message = "--authorization-mode: Webhook needs to know which one";
                        let help = "name its kubeconfig with --authorization-webhook-config-file";
                        return Err(Diagnostic::message(message, help));
                    }
                },
            };
            Ok(Asked { name: name.to_lowercase(), who })
        };
        self.authorization_mode.iter().enumerate().map(asked).collect()
    }

    fn webhook(&self) -> WebhookOptions {
        WebhookOptions {
            version: self.authorization_webhook_version,
            authorized_ttl: self.authorization_webhook_cache_authorized_ttl,
            unauthorized_ttl: self.authorization_webhook_cache_unauthorized_ttl,
            ..WebhookOptions::default()
        }
    }
}

fn webhook(file: &Path, options: WebhookOptions) -> Result<Webhook, Diagnostic> {
    Webhook::from_kubeconfig(file, options).map_err(|error| {
        let help = "name the webhook as a cluster of a kubeconfig, and what it asks for as a user";
        Diagnostic::message(error.to_string(), help)
    })
}
