//! Reads a manifest from 2018 as the type of today.
//!
//! `extensions/v1beta1` Ingress was removed in Kubernetes 1.22. Its type is still here: read the
//! manifest as that type, convert it to the hub of the kind, and from the hub to
//! `networking.k8s.io/v1`.

use std::error::Error;

use hubgen_kubernetes::machinery::convert::Convert;
use hubgen_kubernetes::machinery::{json, yaml};
use hubgen_kubernetes::{extensions, networking};

const MANIFEST: &str = "
apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: shop
spec:
  backend: {serviceName: fallback, servicePort: web}
  rules:
  - host: shop.example.com
    http:
      paths:
      - path: /cart
        backend: {serviceName: cart, servicePort: 8080}
";

fn main() -> Result<(), Box<dyn Error>> {
    let old: extensions::v1beta1::Ingress = json::decode(&yaml::to_json(MANIFEST)?)?;

    // `try_to_hub` refuses values that the hub has no counterpart for; `to_hub` never fails.
    let new = networking::v1::Ingress::from_hub(old.try_to_hub()?)?;

    for rule in &new.spec.rules {
        for path in rule.http.iter().flat_map(|http| &http.paths) {
            let service = path.backend.service.as_ref().ok_or("this path leads to no service")?;
            println!("{}{} leads to {}:{}", rule.host, path.path, service.name, service.port.number);
        }
    }
    print!("\n{}", yaml::from_json(&json::encode(&new)?)?);
    Ok(())
}
