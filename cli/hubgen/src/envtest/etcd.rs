//! What the command does under the name `etcd`: it is healthy, and stores nothing, since the server that belongs to it keeps
//! its objects itself.

use std::ffi::OsString;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;

use http::{Request, Response, StatusCode};
use hubgen_serve::{Door, process, service};
use hubgen_terminal::{FAILURE, USAGE, eprintln, print, println};

use super::flags::{Dialect, Flags, Given, WrongFlag};

/// Which flags there are.
const FLAGS: &str = include_str!("etcd.flags");

const HELP: &str = "\
hubgen under the name of etcd, for test environments: it answers /health, and stores nothing. The kube-apiserver beside it
keeps objects itself.
";

/// Where etcd listens if it is not told.
const LISTEN: &str = "http://localhost:2379";

/// Is healthy until it is told to stop.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let flags = Flags::read(Dialect::Go, FLAGS);
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let given = match flags.parse(&arguments) {
        Ok(given) => given,
        Err(WrongFlag(why)) => {
            eprintln!("{why}");
            return ExitCode::from(USAGE);
        }
    };
    let value = |name: &str| given.iter().find(|flag| flag.name == name).map(|flag| &*flag.value);
    if value("help").is_some() {
        print!("{HELP}\nUsage:\n  etcd [flags]\n\nFlags:\n\n{}", flags.lines());
        return ExitCode::SUCCESS;
    }
    if value("version").is_some() {
        println!("etcd Version: hubgen {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let served = addresses(value("listen-client-urls").unwrap_or(LISTEN))
        .and_then(|addresses| process::run(serve(addresses, &given)).unwrap_or_else(Err));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("etcd (hubgen): {error}");
            ExitCode::from(FAILURE)
        }
    }
}

/// The addresses of URLs between commas.
fn addresses(urls: &str) -> io::Result<Vec<SocketAddr>> {
    let mut found = Vec::new();
    for url in urls.split(',') {
        let wrong = |why: &str| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("--listen-client-urls: {url:?}: {why}"))
        };
        let address = url.trim().strip_prefix("http://").ok_or_else(|| wrong("expected http://HOST:PORT"))?;
        let resolved = address.trim_end_matches('/').to_socket_addrs();
        // Go listens at one address of a name, too.
        found.extend(resolved.map_err(|error| wrong(&error.to_string()))?.next());
    }
    Ok(found)
}

async fn serve(addresses: Vec<SocketAddr>, given: &[Given]) -> io::Result<()> {
    let mut listeners = Vec::new();
    for address in addresses {
        let listener = tokio::net::TcpListener::bind(address).await;
        listeners
            .push(listener.map_err(|error| io::Error::new(error.kind(), format!("{address}: {error}")))?);
    }
    let flags: Vec<String> = given
        .iter()
        .filter(|flag| flag.name != "listen-client-urls")
        .map(|flag| format!("--{}", flag.name))
        .collect();
    eprintln!(
        "etcd is hubgen {}: it answers /health and stores nothing; without effect: {}",
        env!("CARGO_PKG_VERSION"),
        if flags.is_empty() { "nothing".to_owned() } else { flags.join(", ") }
    );
    let mut running = tokio::task::JoinSet::new();
    for listener in listeners {
        let shutdown = process::asked_to_stop()?;
        running.spawn(Door::new(service(answer)).serve_on(listener, shutdown));
    }
    while running.join_next().await.is_some() {}
    Ok(())
}

/// Answers as etcd does to `/health`, and tells all others that nothing is stored.
async fn answer<B>(request: Request<B>) -> Response<String> {
    let (code, text) = match request.uri().path() {
        "/health" | "/readyz" | "/livez" => (StatusCode::OK, r#"{"health":"true","reason":""}"#),
        // Clients over gRPC take this for a method that is not implemented.
        _ => (StatusCode::NOT_FOUND, "hubgen stores no objects in etcd"),
    };
    let mut response = Response::new(text.to_owned());
    *response.status_mut() = code;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_addresses() {
        let found = addresses("http://127.0.0.1:1234,http://[::1]:5/").unwrap();
        assert_eq!(found, ["127.0.0.1:1234".parse().unwrap(), "[::1]:5".parse().unwrap()]);
        let error = addresses("https://127.0.0.1:1").unwrap_err().to_string();
        assert_eq!(error, "--listen-client-urls: \"https://127.0.0.1:1\": expected http://HOST:PORT");
        assert!(addresses("http://127.0.0.1").is_err());
    }
}
