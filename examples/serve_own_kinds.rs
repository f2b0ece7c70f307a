//! Serves the kinds of a crate beside those of Kubernetes. Their objects convert by the code of that crate: no webhook is
//! needed, and functions that its rules name are called.
//!
//! The crate is examples/backups. Its function `tags` makes a map of a list, which no rule expresses.

use std::error::Error;
use std::sync::Arc;

use hubgen_example_backups::api;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::new()?;
    let server = runtime.block_on(async {
        let store = Embedded::in_memory(Options::default())?;
        let settings = Settings::new(Arc::new(hubgen_kubernetes::scheme()), Arc::new(store));
        Ok::<_, Box<dyn Error>>(Server::with_scheme(0, api::scheme(), api::crds(), settings).await?)
    })?;
    let url = format!("http://{}/apis", server.address());
    runtime.spawn(server.run(std::future::pending()));

    let read = |path: &str| -> Result<Value, Box<dyn Error>> {
        let mut answer = ureq::get(format!("{url}/{path}")).call()?;
        Ok(serde_json::from_reader(answer.body_mut().as_reader())?)
    };
    let definition = read("apiextensions.k8s.io/v1/customresourcedefinitions/backups.backup.example.com")?;
    let versions = definition["spec"]["versions"].as_array().map_or(0, Vec::len);
    println!("{}: {versions} versions", definition["metadata"]["name"]);

    let backup = json!({
        "apiVersion": "backup.example.com/v1alpha1",
        "kind": "Backup",
        "metadata": {"name": "web"},
        "spec": {"schedule": "@daily", "bucket": "copies", "tags": ["stage=test", "team=web"], "verbose": true},
    });
    ureq::post(format!("{url}/backup.example.com/v1alpha1/namespaces/default/backups"))
        .content_type("application/json")
        .send(backup.to_string())?;
    for version in ["v1", "v1beta1", "v1alpha1"] {
        let read = read(&format!("backup.example.com/{version}/namespaces/default/backups/web"))?;
        println!("{version}: {}", read["spec"]);
    }
    Ok(())
}
