//! The options about certificates of clients and of proxies.

use std::path::{Path, PathBuf};

use hubgen_server::access::{ClientCertificates, FrontProxy, FrontProxyHeaders};
use hubgen_terminal::Diagnostic;

use super::unreadable;

#[derive(clap::Args)]
pub struct Certificates {
    /// Know users by certificates that those in this file (PEM) have signed, over TLS
    ///
    /// The common name of a certificate is the name of the user, and its organizations are the groups. The file is read again when
    /// it changes.
    #[arg(long, value_name = "FILE")]
    client_ca_file: Option<PathBuf>,
    /// Believe headers about users from proxies whose certificates those in this file (PEM) have signed
    #[arg(long, value_name = "FILE")]
    requestheader_client_ca_file: Option<PathBuf>,
    /// The common names that certificates of proxies may have; any if there are none
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    requestheader_allowed_names: Vec<String>,
    /// The headers in which a proxy tells the name of a user, usually X-Remote-User
    #[arg(long, value_name = "HEADERS", value_delimiter = ',')]
    requestheader_username_headers: Vec<String>,
    /// The headers in which a proxy tells the uid of a user, usually X-Remote-Uid
    #[arg(long, value_name = "HEADERS", value_delimiter = ',')]
    requestheader_uid_headers: Vec<String>,
    /// The headers in which a proxy tells the groups of a user, usually X-Remote-Group
    #[arg(long, value_name = "HEADERS", value_delimiter = ',')]
    requestheader_group_headers: Vec<String>,
    /// What headers begin with in which a proxy tells more of a user, usually X-Remote-Extra-
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',')]
    requestheader_extra_headers_prefix: Vec<String>,
}

impl Certificates {
    /// The files with the certificates that sign those of clients.
    pub fn bundles(&self) -> impl Iterator<Item = &Path> {
        [&self.client_ca_file, &self.requestheader_client_ca_file].into_iter().filter_map(Option::as_deref)
    }

    /// Users by their certificates.
    pub fn clients(&self) -> Result<Option<ClientCertificates>, Diagnostic> {
        self.client_ca_file.as_ref().map(ClientCertificates::signed_by).transpose().map_err(unreadable)
    }

    /// Users of whom a proxy tells.
    pub fn front_proxy(&self) -> Result<Option<FrontProxy>, Diagnostic> {
        let Some(bundle) = &self.requestheader_client_ca_file else { return Ok(None) };
        let headers = FrontProxyHeaders {
            user: trimmed("username-headers", &self.requestheader_username_headers)?,
            uid: trimmed("uid-headers", &self.requestheader_uid_headers)?,
            groups: trimmed("group-headers", &self.requestheader_group_headers)?,
            extra: trimmed("extra-headers-prefix", &self.requestheader_extra_headers_prefix)?,
        };
        let names = trimmed("allowed-names", &self.requestheader_allowed_names)?;
        if let (true, Some(clients)) = (names.is_empty(), &self.client_ca_file)
            && FrontProxy::shares_certificates(clients, bundle).map_err(unreadable)?
        {
            let message = "--requestheader-client-ca-file and --client-ca-file have a certificate in common, so that every \
                           client could tell who it is";
            let help = "name the proxies with --requestheader-allowed-names";
            return Err(Diagnostic::message(message, help));
        }
        FrontProxy::signed_by(bundle, names, headers).map(Some).map_err(unreadable)
    }
}

/// The texts of an option, none of which may be empty.
fn trimmed(option: &str, texts: &[String]) -> Result<Vec<String>, Diagnostic> {
    let texts: Vec<_> = texts.iter().map(|text| text.trim().to_owned()).collect();
    match texts.iter().any(String::is_empty) {
        true => {
            let message =
                format!("--requestheader-{option}: expected texts between commas, found an empty one");
            Err(Diagnostic::message(message, ""))
        }
        false => Ok(texts),
    }
}
