//! A test with an API server in its own process: on a free port, with objects in memory.
//!
//! Copy the test to test a client or a controller without a cluster; docs/testserver.md has more. `cargo run` runs the same
//! steps and prints them.

use std::error::Error;

use hubgen_test_server::TestServer;
use serde_json::{Value, json};

/// Creates a CronJob at a version that was removed in Kubernetes 1.25, and reads it at `batch/v1`.
fn create_and_read(server: &TestServer) -> Result<Value, Box<dyn Error>> {
    let job = json!({
        "apiVersion": "batch/v1beta1",
        "kind": "CronJob",
        "metadata": {"name": "backup"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
            "containers": [{"name": "backup", "image": "example.com/backup"}],
            "restartPolicy": "Never",
        }}}}},
    });
    let path = |version: &str| format!("{}/apis/batch/{version}/namespaces/default/cronjobs", server.url());
    ureq::post(path("v1beta1")).content_type("application/json").send(job.to_string())?;
    let mut answer = ureq::get(format!("{}/backup", path("v1"))).call()?;
    Ok(serde_json::from_reader(answer.body_mut().as_reader())?)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_version_is_read_as_a_new_one() {
    let server = TestServer::builder().runtime_config("batch/v1beta1=true").start().await.unwrap();
    let job = create_and_read(&server).unwrap();
    assert_eq!(job["apiVersion"], "batch/v1");
    assert_eq!(job["spec"]["concurrencyPolicy"], "Allow");
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = TestServer::builder().runtime_config("batch/v1beta1=true").start().await?;
    let job = create_and_read(&server)?;
    println!("{} {} {}", job["apiVersion"], job["kind"], job["metadata"]["name"]);
    println!(
        "schedule: {}, concurrencyPolicy by default: {}",
        job["spec"]["schedule"], job["spec"]["concurrencyPolicy"]
    );
    Ok(())
}
