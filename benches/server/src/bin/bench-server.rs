//! Measures `hubgen serve` beside a kube-apiserver with etcd: both with TLS, certificates of users and RBAC, both with
//! durable writes, with the same client and by turns. docs/performance.md contains the results.
//!
//! `cargo xtask bench server --kube-apiserver FILE` builds and starts it. Needs: etcd, openssl.

use bench_server::measure::{self, Load};
use bench_server::server::{Kube, Ours, Server};
use bench_server::{Arguments, Error, Figures, Programs, print};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = Arguments::default();
    let programs = Programs::parse(&mut arguments)?;
    let seconds = arguments.number("the seconds of each measurement")?;
    let pods = arguments.number("the number of pods")? as usize;
    let watchers = arguments.text("the numbers of watches")?;
    let watchers = watchers.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let load = Load { seconds, pods, watchers };
    print(run::<Ours>(&programs, &load).await?, &run::<Kube>(&programs, &load).await?);
    Ok(())
}

async fn run<S: Server>(programs: &Programs, load: &Load) -> Result<Figures, Error> {
    let program = S::program(programs);
    let mut figures = Figures::default();
    for _ in 0..5 {
        let server = S::start(program).await?;
        figures.add("start, ms", server.started().as_secs_f64() * 1000.0);
    }
    // Each on a server of its own: what one leaves behind is no part of the next.
    measure::requests(&S::start(program).await?, load, &mut figures).await?;
    for watchers in &load.watchers {
        measure::watches(&S::start(program).await?, *watchers, &mut figures).await?;
    }
    measure::lists(&S::start(program).await?, load, &mut figures).await?;
    Ok(figures)
}
