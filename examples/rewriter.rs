//! Rewrites a manifest of several documents for another cluster: images come from another registry,
//! objects move to another namespace and get a label, and what only a server writes is dropped.

use std::env;
use std::error::Error;

use hubgen_kubernetes::apps::v1::{DaemonSet, Deployment, StatefulSet};
use hubgen_kubernetes::batch::v1::{CronJob, Job};
use hubgen_kubernetes::core::v1::{Container, Pod, PodTemplateSpec};
use hubgen_kubernetes::machinery::meta::metadata_mut;
use hubgen_kubernetes::machinery::reflect::Reflect;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme};
use hubgen_kubernetes::machinery::{Str, yaml};
use hubgen_kubernetes::meta::v1::ObjectMeta;
use hubgen_kubernetes::rbac::v1::RoleBinding;
use serde_json::Value;

/// As `kubectl get -o yaml` prints objects.
const MANIFEST: &str = "
apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
  namespace: shop
  uid: 5d0f3a70-94a1-4d8b-9a6b-1f6a2c1b7a11
  resourceVersion: '48213377'
  creationTimestamp: 2025-11-03T08:14:52Z
  labels: {app: checkout}
  annotations: {deployment.kubernetes.io/revision: '7', team: payments}
  managedFields:
  - manager: kubectl
    operation: Apply
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {'f:spec': {'f:replicas': {}}}
spec:
  replicas: 3
  selector: {matchLabels: {app: checkout}}
  template:
    metadata: {labels: {app: checkout}}
    spec:
      initContainers:
      - {name: migrate, image: 'registry.old.example.com/shop/migrate:v12'}
      containers:
      - name: server
        image: registry.old.example.com/shop/checkout:v2.0.1
        env: [{name: CART_URL, value: 'http://cart.shop.svc:8080'}]
      - name: proxy
        image: docker.io/envoyproxy/envoy:v1.34.1
status: {replicas: 3, readyReplicas: 3, observedGeneration: 7}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: backup, namespace: shop, uid: 9a1f6f1e-62ab-41a9-9be8-2fb3f2a0f0d2}
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
      template:
        spec:
          containers: [{name: backup, image: 'registry.old.example.com/tools/backup@sha256:8f1c'}]
          restartPolicy: Never
status: {}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: backup, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: backup, namespace: shop}]
";

/// What to change.
struct Rewrite {
    /// The registry to replace, and the new one.
    registry: (Str, Str),
    /// The namespace to replace, and the new one.
    namespace: (Str, Str),
    labels: Vec<(Str, Str)>,
}

impl Rewrite {
    fn metadata(&self, metadata: &mut ObjectMeta) {
        let (from, to) = &self.namespace;
        if metadata.namespace == *from {
            metadata.namespace.clone_from(to);
        }
        metadata.labels.extend(self.labels.iter().cloned());
        metadata.annotations.retain(|key, _| !key.starts_with("deployment.kubernetes.io/"));
        metadata.managed_fields.clear();
        metadata.uid.clear();
        metadata.resource_version.clear();
        metadata.creation_timestamp = None;
        metadata.generation = 0;
    }

    /// The new name of an image, if it is in the old registry.
    fn image(&self, image: &str) -> Option<String> {
        let (from, to) = &self.registry;
        let path = image.strip_prefix(from.as_str())?.strip_prefix('/')?;
        Some(format!("{to}/{path}"))
    }

    fn containers(&self, containers: &mut [Container]) {
        let (old, new) = &self.namespace;
        let (old, new) = (format!(".{old}.svc"), format!(".{new}.svc"));
        for container in containers {
            if let Some(image) = self.image(&container.image) {
                container.image = image.into();
            }
            for variable in &mut container.env {
                variable.value = variable.value.replace(&old, &new).into();
            }
        }
    }

    fn template(&self, template: &mut PodTemplateSpec) {
        template.metadata.labels.extend(self.labels.iter().cloned());
        self.containers(&mut template.spec.init_containers);
        self.containers(&mut template.spec.containers);
    }

    /// Changes an object of any kind.
    fn object(&self, object: &mut dyn Reflect) {
        if let Some(metadata) = metadata_mut(object).and_then(|metadata| metadata.downcast_mut()) {
            self.metadata(metadata);
        }
        if let Some(pod) = object.downcast_mut::<Pod>() {
            self.containers(&mut pod.spec.init_containers);
            self.containers(&mut pod.spec.containers);
        } else if let Some(deployment) = object.downcast_mut::<Deployment>() {
            self.template(&mut deployment.spec.template);
        } else if let Some(stateful_set) = object.downcast_mut::<StatefulSet>() {
            self.template(&mut stateful_set.spec.template);
        } else if let Some(daemon_set) = object.downcast_mut::<DaemonSet>() {
            self.template(&mut daemon_set.spec.template);
        } else if let Some(job) = object.downcast_mut::<Job>() {
            self.template(&mut job.spec.template);
        } else if let Some(cron_job) = object.downcast_mut::<CronJob>() {
            self.template(&mut cron_job.spec.job_template.spec.template);
        } else if let Some(binding) = object.downcast_mut::<RoleBinding>() {
            for subject in &mut binding.subjects {
                if subject.namespace == self.namespace.0 {
                    subject.namespace.clone_from(&self.namespace.1);
                }
            }
        }
    }

    /// Changes all documents of a manifest.
    fn manifest(&self, scheme: &Scheme, manifest: &str) -> Result<String, Box<dyn Error>> {
        let mut documents = Vec::new();
        for document in yaml::documents(manifest) {
            let (mut object, _) = scheme.decode(&document?.json)?;
            self.object(&mut *object.value);
            documents.push(without_status(&object)?);
        }
        Ok(documents.join("---\n"))
    }
}

/// An object as YAML, without its status.
fn without_status(object: &Object) -> Result<String, Box<dyn Error>> {
    let mut value: Value = serde_json::from_slice(&object.encode()?)?;
    if let Some(members) = value.as_object_mut() {
        members.remove("status");
    }
    Ok(yaml::from_value(&value))
}

fn main() -> Result<(), Box<dyn Error>> {
    let scheme = hubgen_kubernetes::scheme();
    let rewrite = Rewrite {
        registry: ("registry.old.example.com".into(), "registry.example.org/mirror".into()),
        namespace: ("shop".into(), "shop-eu".into()),
        labels: vec![("example.com/region".into(), "eu-west-1".into())],
    };
    // `rewriter 100` does the work 100 times, so that its cost can be measured.
    let rounds: usize = env::args().nth(1).map_or(Ok(1), |rounds| rounds.parse())?;
    for _ in 1..rounds {
        rewrite.manifest(&scheme, MANIFEST)?;
    }
    print!("{}", rewrite.manifest(&scheme, MANIFEST)?);
    Ok(())
}
