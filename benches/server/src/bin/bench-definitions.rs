//! Measures how many definitions of users' kinds cost `hubgen serve` beside a kube-apiserver with etcd.
//! docs/performance.md contains the results.
//!
//! `cargo xtask bench definitions --kube-apiserver FILE` builds and starts it. Needs: etcd, openssl.

use bench_server::definitions;
use bench_server::server::{Kube, Ours, Server};
use bench_server::{Arguments, Error, Figures, Programs, print};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = Arguments::default();
    let programs = Programs::parse(&mut arguments)?;
    let many = arguments.number("the number of definitions")? as usize;
    let generations = arguments.number("the number of generations")? as usize;
    print(
        run::<Ours>(&programs, many, generations).await?,
        &run::<Kube>(&programs, many, generations).await?,
    );
    Ok(())
}

async fn run<S: Server>(programs: &Programs, many: usize, generations: usize) -> Result<Figures, Error> {
    let program = S::program(programs);
    let mut figures = Figures::default();
    definitions::many(&S::start(program).await?, many, &mut figures).await?;
    definitions::generations(&S::start(program).await?, generations, &mut figures).await?;
    Ok(figures)
}
