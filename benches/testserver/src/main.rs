//! Measures tests that have an API server each, tests that share one and bring its objects back by a snapshot, and tests that
//! share a kube-apiserver with etcd. docs/testserver.md contains the results.
//!
//! `cargo xtask bench testserver --kube-apiserver FILE` builds and starts it. Needs: etcd, openssl.

mod run;
mod test;

use std::time::Instant;

use bench_server::server::{Kube, Server};
use bench_server::{Arguments, Error, Figures, print};
use hubgen_test_server::TestServer;

use self::run::{Way, memory, run};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = Arguments::default();
    let kube_apiserver = arguments.text("kube-apiserver")?;
    let tests = arguments.number("the number of tests")? as usize;
    let servers = arguments.number("the number of servers at once")? as usize;
    let mut ours = Figures::default();
    starts(&mut ours).await?;
    crowd(servers, &mut ours).await?;
    let each = run(Way::Fresh, tests).await?;
    ours.add("tests per second, a server each", each);
    let shared = run(Way::Snapshots, tests).await?;
    ours.add("tests per second, one server and snapshots", shared);
    ours.add("memory at the end, MB", memory()?);

    let mut theirs = Figures::default();
    let kube = Kube::start(kube_apiserver.as_ref()).await?;
    let rate = run(Way::Shared(kube.address()), tests).await?;
    theirs.add("tests per second, a server each", rate);
    theirs.add("tests per second, one server and snapshots", rate);
    theirs.add("memory at the end, MB", kube.memory()?);
    theirs.add("start of a server, ms", kube.started().as_secs_f64() * 1000.0);
    print(ours, &theirs);
    Ok(())
}

/// How long a server takes to start, after the first one in the process, and to be restored after a test.
async fn starts(figures: &mut Figures) -> Result<(), Error> {
    let begin = Instant::now();
    let server = TestServer::start().await?;
    figures.add("start of the first server, ms", begin.elapsed().as_secs_f64() * 1000.0);
    let snapshot = server.snapshot().await?;
    for number in 0..20 {
        let begin = Instant::now();
        let another = TestServer::start().await?;
        figures.add("start of a server, ms", begin.elapsed().as_secs_f64() * 1000.0);
        drop(another);
        test::write(&run::address(&server)?, number).await?;
        let begin = Instant::now();
        server.restore(&snapshot).await?;
        figures.add("restoring six objects, ms", begin.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(())
}

/// The memory of many servers at once, each with objects of its own; none sees those of another.
async fn crowd(count: usize, figures: &mut Figures) -> Result<(), Error> {
    let before = memory()?;
    let begin = Instant::now();
    let mut servers = Vec::new();
    for number in 0..count {
        let server = TestServer::start().await?;
        test::write(&run::address(&server)?, number).await?;
        servers.push(server);
    }
    figures.add(
        &format!("start of {count} servers with objects, ms each"),
        begin.elapsed().as_secs_f64() * 1000.0 / count as f64,
    );
    let kilobytes = (memory()? - before) * 1000.0 / count as f64;
    figures.add(&format!("memory of each of {count} servers, kB"), kilobytes);
    for (number, server) in servers.iter().enumerate() {
        test::has_only(&run::address(server)?, number).await?;
    }
    Ok(())
}
