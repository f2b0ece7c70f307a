//! Who decides who may, by the flags of a kube-apiserver.

use clap::ValueEnum;
use hubgen_server::Settings;
use hubgen_server::access::{AllowAll, DenyAll, Modes};
use hubgen_server::rbac::{Bootstrap, Rbac};
use hubgen_terminal::Diagnostic;

/// The flags about who may.
#[derive(clap::Args)]
#[command(next_help_heading = "Who may")]
pub struct Options {
    /// Ask these who may do what, in order, until one allows or denies it: AlwaysAllow, AlwaysDeny, RBAC
    ///
    /// Without it, everybody may do everything, or everybody who has a token where there are tokens. RBAC asks the stored
    /// roles and bindings; the server makes those of Kubernetes when it starts. Members of the group system:masters may do
    /// everything in each mode.
    #[arg(long, value_name = "MODES", value_delimiter = ',', ignore_case = false)]
    authorization_mode: Vec<Mode>,
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
}

impl Options {
    /// Lets the server ask those whom the flags name.
    ///
    /// # Errors
    /// If one is named twice.
    pub fn apply(&self, settings: &mut Settings) -> Result<(), Diagnostic> {
        if self.authorization_mode.is_empty() {
            return Ok(());
        }
        let mut modes = Modes::default();
        for (index, mode) in self.authorization_mode.iter().enumerate() {
            if self.authorization_mode[..index].contains(mode) {
                let name =
                    mode.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
                let message = format!("--authorization-mode: {name} is there twice");
                return Err(Diagnostic::message(message, "name each mode once"));
            }
            modes = match mode {
                Mode::AlwaysAllow => modes.with("alwaysallow", AllowAll),
                Mode::AlwaysDeny => modes.with("alwaysdeny", DenyAll),
                Mode::Rbac => {
                    let bootstrap = Bootstrap::parse(hubgen_schemas::bootstrap())
                        .map_err(|error| Diagnostic::message(format!("schemas/access: {error}"), ""))?;
                    let rbac = Rbac::with_bootstrap(bootstrap);
                    settings.rbac = Some(rbac.clone());
                    modes.with("rbac", rbac)
                }
            };
        }
        settings.access.authorize = Box::new(modes);
        Ok(())
    }
}
