//! `hubgen serve`.

mod authorization;
mod controllers;
mod identity;
mod kubeconfig;

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_documents::project::Project;
use hubgen_machinery::scheme::Scheme;
use hubgen_migrate::Repository;
use hubgen_releases::{Release, RuntimeConfig, Unserved};
use hubgen_server::access::{Access, Authenticated};
use hubgen_server::openapi::Descriptions;
use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{
    DoorLimits, Kinds, Kubeconfig, Limits, Media, Server, ServiceUrl, Settings, StorageVersions, Tls, process,
};
use hubgen_terminal::{Diagnostic, FAILURE, Messages, println};
use serde_json::json;

pub use self::controllers::TAINT_NODES;
use self::identity::Identity;

/// Serve the kinds of Kubernetes, also at versions that it has dropped.
///
/// An object written at one version can be read at every other one. Clients such as kubectl and curl reach
/// the server over plain HTTP on the loopback interface. With another address, or with a certificate, it serves
/// over TLS. Everybody may do everything, unless there are tokens or certificates of users. It stops on SIGINT and SIGTERM, after the
/// requests that it is answering.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Serve on the default port, and lose all objects at the end:
    hubgen serve --in-memory
  Keep objects in a folder:
    hubgen serve --data-dir data
  Serve on any free port, and write the address to a file for a script:
    hubgen serve --in-memory --port 0 --ready-file address
  Serve other machines over TLS, with a certificate that the server makes, to users with a token:
    hubgen serve --data-dir data --bind 0.0.0.0 --token-auth-file tokens.csv
  Let roles and bindings decide who may, among users with a token:
    hubgen serve --in-memory --token-auth-file tokens.csv --authorization-mode RBAC
  Serve kubectl and others that read a kubeconfig:
    hubgen serve --in-memory --kubeconfig hubgen.kubeconfig
  Serve every version that any release of Kubernetes had:
    hubgen serve --in-memory --runtime-config api/all=true
  Serve what Kubernetes 1.20 served:
    hubgen serve --in-memory --emulated-version 1.20
  Show descriptions in kubectl explain:
    hubgen serve --in-memory --api-docs docs.json
  Serve the kinds of a repository, too, which convert by its rules:
    hubgen serve --in-memory --config hubgen.toml
  Let objects stay whose owners are deleted:
    hubgen serve --in-memory --controllers=*,-garbage-collector-controller
  Store autoscalers at an older version:
    hubgen serve --data-dir data --storage-versions autoscaling/v1

JSON (--json), one line on standard output when requests are answered:
  {\"ok\": true, \"url\": \"http://127.0.0.1:8001\", \"address\": \"127.0.0.1:8001\", \"certificate\": FILE or null}
  If it cannot serve: {\"ok\": false, \"diagnostics\": [{\"severity\", \"file\", \"message\", \"help\"}]}

Exit codes:
  0  stopped by a signal
  1  cannot serve: the port is taken, the folder cannot be used, or the repository has errors
  2  wrong arguments")]
pub struct Args {
    /// The port to listen on; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 8001)]
    port: u16,
    /// The address to listen on; other addresses than that of the loopback interface are served over TLS
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The certificate of the server (PEM), which then serves over TLS
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file")]
    tls_cert_file: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    tls_private_key_file: Option<PathBuf>,
    /// Serve over TLS with the certificate apiserver.crt in this folder, which is made if it is missing
    ///
    /// Without the folder, a server that needs a certificate keeps it in the folder `certs` of its data.
    #[arg(long, value_name = "DIR", conflicts_with = "tls_cert_file")]
    cert_dir: Option<PathBuf>,
    #[command(flatten)]
    identity: Identity,
    #[command(flatten)]
    authorization: authorization::Options,
    #[command(flatten)]
    controllers: controllers::ControllerOptions,
    /// Write the address, such as 127.0.0.1:8001, to this file as soon as requests are answered
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Write a kubeconfig for clients to this file as soon as requests are answered
    ///
    /// It has the certificate of the server and the first token of --token-auth-file. Only its owner can read it.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The folder of the objects; created if it is missing
    #[arg(long, value_name = "DIR", required_unless_present = "in_memory")]
    data_dir: Option<PathBuf>,
    /// Keep objects in memory only
    #[arg(long, conflicts_with = "data_dir")]
    in_memory: bool,
    /// Serve the kinds of the repository that this file describes, too: a hubgen.toml
    ///
    /// Their definitions, as `hubgen crds` writes them, are applied before the first request is answered, and their objects convert
    /// by the rules of the repository.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Store kinds at these versions instead of the default ones, such as autoscaling/v1,extensions=apps/v1
    ///
    /// `GROUP/VERSION` applies to every kind that has this version, `GROUP=OTHER/VERSION` to kinds that moved
    /// from one group to another. Objects that are stored at other versions stay readable.
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    storage_versions: String,
    /// Serve these group versions and resources, too, or not, such as batch/v1beta1=true or apps/v1/deployments=false
    ///
    /// By default, the stable versions of the newest Kubernetes are served. `api/all=true` serves everything that any release
    /// had; `api/beta` and `api/alpha` what the newest one has of that level. The nearest pair counts.
    #[arg(long, value_name = "PAIRS", value_delimiter = ',')]
    runtime_config: Vec<String>,
    /// Serve what this release of Kubernetes had, such as 1.20: its group versions, kinds and verbs
    ///
    /// Objects that are stored at other versions stay readable at those that the release had.
    #[arg(long, value_name = "RELEASE")]
    emulated_version: Option<Release>,
    /// The encoding of stored objects; those stored in the other one stay readable
    #[arg(long, value_name = "MEDIA-TYPE", default_value = Media::Protobuf.name(), value_parser = media)]
    storage_media_type: Media,
    /// Publish the descriptions of types and fields in this file, which `kubectl explain` shows
    ///
    /// `cargo xtask release --docs FILE` writes it from the published documents of a release. hubgen has no descriptions of
    /// Kubernetes' types: they are the words of its authors.
    #[arg(long, value_name = "FILE")]
    api_docs: Option<PathBuf>,
    /// Leave objects that cannot be read out of lists, with a warning
    ///
    /// Otherwise such a list fails and names the objects, because clients that keep a copy of a list take a
    /// missing object for a deleted one.
    #[arg(long)]
    omit_unreadable: bool,
    /// Where a service is reached that definitions name for their conversion webhook, such as shop/webhook=https://127.0.0.1:9443
    ///
    /// The webhook needs the certificate of the service, `NAME.NAMESPACE.svc`. Without this, the server looks up that name. Can be
    /// given several times.
    #[arg(long, value_name = "NAMESPACE/NAME[:PORT]=URL")]
    service_url: Vec<ServiceUrl>,
    /// The most connections at a time; one more closes the connection that has been idle longest
    #[arg(long, value_name = "N", default_value_t = DoorLimits::default().connections)]
    max_connections: usize,
    /// The most reading requests at a time; one more is answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().reads)]
    max_requests_inflight: usize,
    /// The most writing requests at a time; one more is answered with status 429
    #[arg(long, value_name = "N", default_value_t = Limits::default().writes)]
    max_mutating_requests_inflight: usize,
    /// Print the address, or the error, as JSON
    #[arg(long)]
    json: bool,
}

fn media(name: &str) -> Result<Media, String> {
    let names = [Media::Json, Media::Protobuf].map(Media::name).join(" or ");
    Media::named(name).ok_or_else(|| format!("expected {names}"))
}

/// Serves until a signal stops it.
pub fn run(args: &Args) -> ExitCode {
    if let Some(path) = &args.ready_file {
        // The file of an earlier server would report this one as ready too soon.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return failed(args.json, &not_ready(path, &error));
            }
            _ => {}
        }
    }
    if let Some(Err(error)) = args.kubeconfig.as_deref().map(kubeconfig::remove) {
        return failed(args.json, &error);
    }
    let repository =
        args.config.as_deref().map(|config| Repository::read(&Project::named(config)?)).transpose();
    let repository = match repository {
        Ok(repository) => repository,
        Err(errors) => return Messages::new(args.json, false).fail(&errors),
    };
    let scheme = Arc::new(hubgen_kubernetes::scheme());
    let storage_versions = match StorageVersions::parse(&args.storage_versions, &scheme) {
        Ok(versions) => versions,
        Err(error) => return crate::usage("serve", &format!("--storage-versions: {error}")),
    };
    let config = match RuntimeConfig::parse(&args.runtime_config.join(","), &scheme) {
        Ok(config) => config,
        Err(error) => return crate::usage("serve", &format!("--runtime-config: {error}")),
    };
    let kinds = match kinds(args, scheme, &config) {
        Ok(kinds) => Kinds { storage_versions, ..kinds },
        Err(error) => return failed(args.json, &error),
    };
    let served = process::run(serve(args, kinds, repository));
    match served.map_err(|error| Diagnostic::message(error.to_string(), "")).and_then(|served| served) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(args.json, &error),
    }
}

/// The kinds, and what is offered and published of them; with the descriptions of types, if there is a file of them.
fn kinds(args: &Args, scheme: Arc<Scheme>, config: &RuntimeConfig) -> Result<Kinds, Diagnostic> {
    let kinds = hubgen_releases::kinds(scheme, config, args.emulated_version);
    let mut kinds = kinds.map_err(|unserved| {
        let help = match &unserved {
            Unserved::NoSuchRelease { known, .. } => {
                let known: Vec<String> = known.iter().map(ToString::to_string).collect();
                format!("choose one of {}", known.join(", "))
            }
            _ => String::new(),
        };
        Diagnostic::message(format!("--emulated-version: {unserved}"), help)
    })?;
    if let Some(file) = &args.api_docs {
        let failed = |error: &dyn std::fmt::Display| {
            let help = "write it with `cargo xtask release --docs FILE`";
            Diagnostic::file(file, format!("cannot be read: {error}"), help)
        };
        let text = fs::read_to_string(file).map_err(|error| failed(&error))?;
        kinds.published.described(Descriptions::read(&text).map_err(|error| failed(&error))?);
    }
    Ok(kinds)
}

fn failed(as_json: bool, error: &Diagnostic) -> ExitCode {
    let mut messages = Messages::new(as_json, false);
    messages.report(error);
    if as_json {
        println!("{}", json!({ "ok": false, "diagnostics": messages.take() }));
    }
    ExitCode::from(FAILURE)
}

fn not_ready(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(path, format!("cannot be written: {error}"), "choose another path with --ready-file")
}

async fn serve(args: &Args, kinds: Kinds, repository: Option<Repository>) -> Result<(), Diagnostic> {
    let opened = match &args.data_dir {
        Some(data_dir) => Embedded::open(data_dir, Options::default()),
        None => Embedded::in_memory(Options::default()),
    };
    let store: Arc<dyn Store> = Arc::new(opened.map_err(|error| Diagnostic::message(error.to_string(), ""))?);
    let mut settings = Settings::new(kinds, store);
    settings.storage_media = args.storage_media_type;
    settings.omit_unreadable = args.omit_unreadable;
    let Repository { definitions, rules } = repository.unwrap_or_default();
    settings.applied = definitions;
    settings.conversions = Some(Arc::new(rules));
    settings.service_urls.clone_from(&args.service_url);
    settings.limits = Limits {
        door: DoorLimits { connections: args.max_connections, ..DoorLimits::default() },
        reads: args.max_requests_inflight,
        writes: args.max_mutating_requests_inflight,
        ..Limits::default()
    };
    settings.address = args.bind;
    let certificate = certificate(args)?;
    if let Some((tls, _)) = &certificate {
        settings.tls = Some(args.identity.ask_clients(tls.clone())?);
    }
    settings.service_accounts = Arc::new(args.identity.service_accounts(folder_of_keys(args).as_deref())?);
    let (authenticators, token) = args.identity.authenticators()?;
    if authenticators.ask_for_credentials() || args.authorization.is_given() {
        // Unless somebody else decides, only users with credentials may do something.
        settings.access =
            Access { authenticate: Box::new(authenticators), authorize: Box::new(Authenticated) };
    } else if !args.bind.is_loopback() {
        let message = format!("whoever reaches {} may do everything", args.bind);
        let help = "name the users with --token-auth-file or --client-ca-file";
        Messages::new(false, false).report(&Diagnostic::message(message, help).warning());
    }
    args.authorization.apply(&mut settings)?;
    args.controllers.apply(&mut settings);
    // Signals must be caught before anybody knows the address.
    let shutdown = process::asked_to_stop()
        .map_err(|error| Diagnostic::message(format!("cannot wait for signals: {error}"), ""))?;
    let server = Server::bind(args.port, settings).await.map_err(|error| {
        if error.kind() == io::ErrorKind::InvalidInput {
            return Diagnostic::message(error.to_string(), "");
        }
        let message = format!("cannot listen on {}: {error}", SocketAddr::new(args.bind, args.port));
        Diagnostic::message(message, "choose another port with --port; 0 is any free one")
    })?;
    let address = server.address().to_string();
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    let file = certificate.as_ref().and_then(|(_, file)| file.as_deref());
    // Whoever reads the line can use the file.
    if let Some(path) = &args.kubeconfig {
        let url = format!("{scheme}://{}", reached(server.address()));
        let authority = certificate.as_ref().map(|(tls, _)| tls.ca_bundle());
        kubeconfig::write(Kubeconfig { url: &url, authority, token: token.as_deref() }, path)?;
    }
    if args.json {
        println!("{}", json!({"ok": true, "url": url, "address": address, "certificate": file}));
    } else {
        println!("serving on {url}");
        if let Some(file) = file {
            println!("certificate: {}", file.display());
        }
    }
    if let Some(path) = &args.ready_file {
        // The listener queues connections that come before the first answer.
        write_whole(path, &address).map_err(|error| not_ready(path, &error))?;
    }
    server.run(shutdown).await;
    Ok(())
}

/// The certificate of a server that needs one, and its file.
fn certificate(args: &Args) -> Result<Option<(Tls, Option<PathBuf>)>, Diagnostic> {
    let failed = |error: hubgen_serve::Error| Diagnostic::message(error.to_string(), "");
    if let (Some(certificate), Some(key)) = (&args.tls_cert_file, &args.tls_private_key_file) {
        let tls = Tls::files(certificate, key).map_err(failed)?;
        return Ok(Some((tls, Some(certificate.clone()))));
    }
    if args.cert_dir.is_none() && args.bind.is_loopback() && !args.identity.asks_for_certificates() {
        return Ok(None);
    }
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !args.bind.is_loopback() && !args.bind.is_unspecified() {
        names.push(args.bind.to_string());
    }
    match folder_of_keys(args) {
        Some(folder) => {
            let tls = Tls::in_folder(&folder, names).map_err(failed)?;
            Ok(Some((tls, Some(folder.join(hubgen_serve::CERTIFICATE)))))
        }
        None => Ok(Some((Tls::self_signed(names).map_err(failed)?, None))),
    }
}

/// The folder in which the server keeps what it makes for itself, if it keeps something.
fn folder_of_keys(args: &Args) -> Option<PathBuf> {
    args.cert_dir.clone().or_else(|| args.data_dir.as_ref().map(|data| data.join("certs")))
}

/// The address by which clients on this machine reach a server.
fn reached(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Writes a file so that nobody reads half of it.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    let mut file = fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
