//! Converts a list of objects of different kinds to the newest version of each kind.
//!
//! The program does not name a type: the Scheme knows every kind and version, reads each object
//! as the kind that it names, and converts it within its family. `hubgen convert --newest` does
//! the same for files and keeps their comments.

use std::error::Error;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_kubernetes::machinery::{json, yaml};
use hubgen_kubernetes::meta::v1::List;

const LIST: &str = "
apiVersion: v1
kind: List
items:
- apiVersion: extensions/v1beta1
  kind: Deployment
  metadata: {name: web}
  spec: {rollbackTo: {revision: 3}}
- apiVersion: batch/v1beta1
  kind: CronJob
  metadata: {name: backup}
  spec: {schedule: 0 3 * * *}
- apiVersion: policy/v1beta1
  kind: PodDisruptionBudget
  metadata: {name: web}
  spec: {maxUnavailable: 1}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data: {colour: blue}
- apiVersion: policy/v1beta1
  kind: PodSecurityPolicy
  metadata: {name: restricted}
";

fn main() -> Result<(), Box<dyn Error>> {
    let scheme = hubgen_kubernetes::scheme();
    let mut list: List = json::decode(&yaml::to_json(LIST)?)?;
    for item in &mut list.items {
        let (object, _) = scheme.decode(item.as_str().as_bytes())?;
        let from = Arc::clone(&object.entry);
        let Some(to) = newest(&scheme, &from) else {
            println!("{from}: removed in every version, the last release was {}", last_release(&from));
            continue;
        };
        println!("{from} → {to}");
        *item = json::Raw::new(&scheme.convert(object, &to)?.encode()?)?;
    }
    print!("\n{}", yaml::from_json(&json::encode(&list)?)?);
    Ok(())
}

/// The newest version of a kind that Kubernetes still serves. A family lists its members from the
/// oldest to the newest; most kinds have one version only, and no family.
fn newest(scheme: &Scheme, entry: &Arc<KindEntry>) -> Option<Arc<KindEntry>> {
    let members: Vec<_> = match &entry.family {
        Some(family) => scheme.family(family).collect(),
        None => vec![entry],
    };
    members.into_iter().rfind(|member| member.until.is_none()).cloned()
}

fn last_release(entry: &KindEntry) -> &str {
    entry.until.as_deref().unwrap_or("unknown")
}
