//! Measures `hubgen serve` beside a kube-apiserver with etcd: both with TLS, certificates of users and RBAC, both with
//! durable writes, with the same client and by turns. docs/performance.md contains the results.
//!
//! `cargo xtask bench server --kube-apiserver FILE` builds and starts it. Needs: etcd, openssl.

mod client;
mod credentials;
mod measure;
mod pods;
mod server;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use self::measure::Figures;
use self::server::{Kube, Ours, Server};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// What is measured, and how.
struct Args {
    hubgen: PathBuf,
    kube_apiserver: PathBuf,
    /// How long each sort of request is sent.
    seconds: f64,
    pods: usize,
    watchers: Vec<usize>,
}

impl Args {
    fn parse() -> Result<Self, Error> {
        let mut args = std::env::args_os().skip(1);
        let mut text = |name: &str| args.next().ok_or_else(|| format!("expected {name}"));
        let (hubgen, kube_apiserver) = (text("hubgen")?.into(), text("kube-apiserver")?.into());
        let number = |text: std::ffi::OsString| text.to_string_lossy().parse::<f64>();
        let seconds = number(text("the seconds of each measurement")?)?;
        let pods = number(text("the number of pods")?)? as usize;
        let watchers = text("the numbers of watches")?.to_string_lossy().into_owned();
        let watchers = watchers.split(',').map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { hubgen, kube_apiserver, seconds, pods, watchers })
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args = Args::parse()?;
    let ours = run::<Ours>(&args).await?;
    let theirs = run::<Kube>(&args).await?;
    let mut out = Map::new();
    for (name, ours) in ours.0 {
        let theirs = theirs.get(&name);
        out.insert(name, json!({"ours": ours, "theirs": theirs}));
    }
    println!("{}", Value::Object(out));
    Ok(())
}

async fn run<S: Server>(args: &Args) -> Result<Figures, Error> {
    let program = S::program(args);
    let mut figures = Figures::default();
    for _ in 0..5 {
        let server = S::start(program).await?;
        figures.add("start, ms", server.started().as_secs_f64() * 1000.0);
    }
    // Each on a server of its own: what one leaves behind is no part of the next.
    measure::requests(&S::start(program).await?, args, &mut figures).await?;
    for watchers in &args.watchers {
        measure::watches(&S::start(program).await?, *watchers, &mut figures).await?;
    }
    measure::lists(&S::start(program).await?, args, &mut figures).await?;
    Ok(figures)
}
