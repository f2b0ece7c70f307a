//! The operators whose suites run, and which of their specs no kube-apiserver of the reference release passes.

/// An operator.
pub struct Operator {
    pub name: &'static str,
    /// The module of which Go builds the suites.
    pub module: &'static str,
    /// The packages with suites that start a control plane, but for those that take many minutes.
    pub packages: &'static [&'static str],
}

pub const OPERATORS: [Operator; 2] = [
    Operator {
        name: "kuberay",
        module: "github.com/ray-project/kuberay/ray-operator@v1.5.0",
        packages: &["controllers/ray"],
    },
    Operator {
        name: "karpenter",
        module: "sigs.k8s.io/karpenter@v1.14.0",
        packages: &[
            "pkg/apis/autoscaling/v1beta1",
            "pkg/apis/v1",
            "pkg/apis/v1alpha1",
            "pkg/controllers/capacitybuffer",
            "pkg/controllers/dynamicresources/deviceallocation",
            "pkg/controllers/metrics/node",
            "pkg/controllers/metrics/nodepool",
            "pkg/controllers/metrics/pod",
            "pkg/controllers/node/health",
            "pkg/controllers/node/hydration",
            "pkg/controllers/node/termination",
            "pkg/controllers/node/termination/terminator",
            "pkg/controllers/nodeclaim/consistency",
            "pkg/controllers/nodeclaim/disruption",
            "pkg/controllers/nodeclaim/expiration",
            "pkg/controllers/nodeclaim/garbagecollection",
            "pkg/controllers/nodeclaim/hydration",
            "pkg/controllers/nodeclaim/lifecycle",
            "pkg/controllers/nodeclaim/podevents",
            "pkg/controllers/nodeoverlay",
            "pkg/controllers/nodepool/counter",
            "pkg/controllers/nodepool/hash",
            "pkg/controllers/nodepool/readiness",
            "pkg/controllers/nodepool/registrationhealth",
            "pkg/controllers/nodepool/validation",
            "pkg/controllers/static/deprovisioning",
            "pkg/controllers/static/provisioning",
            "pkg/scheduling/dynamicresources",
            "pkg/state/cost",
            "pkg/utils/node",
            "pkg/utils/nodeclaim",
            "pkg/utils/nodepool",
            "pkg/utils/pdb",
        ],
    },
];

/// A spec that a kube-apiserver of the reference release cannot pass.
pub struct Unfit {
    /// The operator and the package.
    pub suite: &'static str,
    pub spec: &'static str,
    /// Why it fails there.
    pub why: &'static str,
}

const JOB: &str = "the suite lets Jobs complete without `SuccessCriteriaMet` and times, which kube-apiservers refuse since 1.32";

pub const UNFIT: &[Unfit] = &[
    Unfit {
        suite: "kuberay controllers/ray",
        spec: "RayJob with different submission modes RayJob in K8sJobMode Successful RayJob in K8sJobMode \
               RayJobs's JobDeploymentStatus transitions from Running to Complete.",
        why: JOB,
    },
    Unfit {
        suite: "kuberay controllers/ray",
        spec: "RayJob with different submission modes RayJob in K8sJobMode Successful RayJob in K8sjobMode with \
               DELETE_RAYJOB_CR_AFTER_JOB_FINISHES RayJobs's JobDeploymentStatus transitions from Running to Complete.",
        why: JOB,
    },
    Unfit {
        suite: "kuberay controllers/ray",
        spec: "RayJob with different submission modes RayJob in K8sJobMode Retrying RayJob in K8sJobMode RayJobs's \
               JobDeploymentStatus transitions from Running -> Retrying -> New -> Initializing",
        why: JOB,
    },
    Unfit {
        suite: "kuberay controllers/ray",
        spec: "RayJob with different submission modes RayJob with DeletionStrategy Delete cluster on success",
        why: JOB,
    },
];
