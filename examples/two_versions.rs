//! One object at two versions: written at `autoscaling/v2`, edited at `autoscaling/v1`, read at
//! `autoscaling/v2` again.
//!
//! v1 has one field for the cpu target. It cannot represent the memory metric and the scaling
//! behavior, so the conversion stashes them in annotations. An edit at v1 wins over the stash, and
//! everything that was not edited comes back.

use std::error::Error;

use hubgen_kubernetes::autoscaling::{v1, v2};
use hubgen_kubernetes::machinery::convert::Convert;
use hubgen_kubernetes::machinery::{json, yaml};

const AUTOSCALER: &str = "
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
  metrics:
  - type: Resource
    resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
  behavior:
    scaleDown: {stabilizationWindowSeconds: 60}
";

fn main() -> Result<(), Box<dyn Error>> {
    let written: v2::HorizontalPodAutoscaler = json::decode(&yaml::to_json(AUTOSCALER)?)?;

    let mut old = v1::HorizontalPodAutoscaler::from_hub(written.clone().to_hub())?;
    println!("at v1: targetCPUUtilizationPercentage is {:?}", old.spec.target_cpu_utilization_percentage);
    println!("stashed in annotations:");
    for (key, value) in &old.metadata.annotations {
        println!("  {key}: {value}");
    }

    // A client that knows only v1 changes two fields.
    old.spec.max_replicas = 9;
    old.spec.target_cpu_utilization_percentage = Some(50);

    let read = v2::HorizontalPodAutoscaler::from_hub(old.to_hub())?;
    assert_eq!(read.spec.behavior, written.spec.behavior);
    assert!(read.metadata.annotations.is_empty());
    print!("\nat v2 again:\n{}", yaml::from_json(&json::encode(&read)?)?);
    Ok(())
}
