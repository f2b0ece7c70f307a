//! A test that starts the server in its own process: on a free port, with objects in memory.
//!
//! Copy `Api` and the test to test a client or a controller without a cluster. `cargo run` runs
//! the same steps and prints them.

use std::error::Error;
use std::sync::Arc;

use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A server for one test. It stops when it is dropped.
struct Api {
    url: String,
    _runtime: Runtime,
}

impl Api {
    fn start() -> Result<Self, Box<dyn Error>> {
        let runtime = Runtime::new()?;
        let server = runtime.block_on(async {
            let store = Embedded::in_memory(Options::default())?;
            let settings = Settings::new(Arc::new(hubgen_kubernetes::scheme()), Arc::new(store));
            Ok::<_, Box<dyn Error>>(Server::bind(0, settings).await?)
        })?;
        let url = format!("http://{}/apis", server.address());
        runtime.spawn(server.run(std::future::pending()));
        Ok(Self { url, _runtime: runtime })
    }

    fn create(&self, collection: &str, object: &Value) -> Result<(), Box<dyn Error>> {
        let request = ureq::post(format!("{}/{collection}", self.url)).content_type("application/json");
        request.send(object.to_string())?;
        Ok(())
    }

    fn read(&self, path: &str) -> Result<Value, Box<dyn Error>> {
        let mut answer = ureq::get(format!("{}/{path}", self.url)).call()?;
        Ok(serde_json::from_reader(answer.body_mut().as_reader())?)
    }
}

/// Creates a CronJob at a version that was removed in Kubernetes 1.25, and reads it at `batch/v1`.
fn create_and_read() -> Result<Value, Box<dyn Error>> {
    let api = Api::start()?;
    api.create(
        "batch/v1beta1/namespaces/default/cronjobs",
        &json!({
            "apiVersion": "batch/v1beta1",
            "kind": "CronJob",
            "metadata": {"name": "backup"},
            "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
                "containers": [{"name": "backup", "image": "example.com/backup"}],
                "restartPolicy": "Never",
            }}}}},
        }),
    )?;
    api.read("batch/v1/namespaces/default/cronjobs/backup")
}

#[test]
fn an_old_version_is_read_as_a_new_one() {
    let job = create_and_read().unwrap();
    assert_eq!(job["apiVersion"], "batch/v1");
    assert_eq!(job["spec"]["concurrencyPolicy"], "Allow");
}

fn main() -> Result<(), Box<dyn Error>> {
    let job = create_and_read()?;
    println!("{} {} {}", job["apiVersion"], job["kind"], job["metadata"]["name"]);
    println!(
        "schedule: {}, concurrencyPolicy by default: {}",
        job["spec"]["schedule"], job["spec"]["concurrencyPolicy"]
    );
    Ok(())
}
