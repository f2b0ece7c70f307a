//! Golden objects of the reference implementation survive a round trip.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_checks::{Report, go_module, golden};

/// The folder of golden objects, which is not part of the repository.
fn golden_objects(release: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/kubernetes").join(release);
    if !path.exists() {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: no golden objects of {release} at {}", path.display());
        return None;
    }
    Some(path)
}

/// Checks a folder, in which every object must pass.
#[track_caller]
fn check(dir: &Path, exact: bool) -> Report {
    let report = golden::check(dir, exact).expect("the folder can be read");
    assert!(report.is_success(), "{:#?}", report.failures);
    report
}

#[test]
fn objects_of_the_reference_release_survive_byte_for_byte() {
    let Some(module) = go_module::find_or_leave_out("k8s.io/api@v0.37.1") else { return };
    let report = check(&module.join("testdata/HEAD"), true);
    let counts = "193 byte for byte, 0 by value, 193 protobuf byte for byte, 0 protobuf by value, 0 failed";
    assert_eq!(report.summary(), format!("193 of 193 golden objects: {counts}"));
}

#[test]
fn objects_of_older_releases_survive_by_value() {
    // Fields that the reference release always writes, and these releases omitted.
    let zeros = [
        "apps.v1.StatefulSet: status.availableReplicas: absent in the file, zero in our output",
        "apps.v1beta1.StatefulSet: status.availableReplicas: absent in the file, zero in our output",
        "apps.v1beta2.StatefulSet: status.availableReplicas: absent in the file, zero in our output",
        "certificates.k8s.io.v1beta1.CertificateSigningRequest: status.conditions[].status: absent in the file, zero in our output",
        // JSON omitted it, protobuf wrote it.
        "core.v1.Event: series.state: absent in the file, zero in our output",
        "storage.k8s.io.v1beta1.CSINode: status: absent in the file, zero in our output",
    ];
    // A CSINode had no status before 1.37.
    let nodes = [
        "storage.k8s.io.v1.CSINode: status: absent in the file, zero in our output",
        "storage.k8s.io.v1beta1.CSINode: status: absent in the file, zero in our output",
    ];
    let cases = [
        ("v1.36", 185, &nodes[..]),
        ("v1.35", 183, &nodes[..]),
        ("v1.28", 158, &nodes[..]),
        ("v1.22", 144, &nodes[..]),
        ("v1.16", 125, &zeros[..]),
    ];
    for (release, count, zeros) in cases {
        let dir = match release {
            "v1.36" => {
                go_module::find_or_leave_out("k8s.io/api@v0.36.1").map(|module| module.join("testdata/HEAD"))
            }
            _ => golden_objects(release),
        };
        let Some(dir) = dir else { continue };
        let report = check(&dir, false);
        assert_eq!((report.passed, report.total), (count, count), "{release}");
        let notes: Vec<&String> =
            report.notes.iter().filter(|note| note.contains("zero in our output")).collect();
        assert_eq!(notes, zeros, "{release}");
        let values =
            report.notes.iter().filter_map(|note| Some(note.strip_prefix("protobuf ")?.split_once(':')?.0));
        for value in values {
            assert!(VALUES_SINCE.contains(&value), "{release}: {value}");
        }
    }
}

/// Protobuf fields that upstream added or changed from pointers to values after 1.16. Protobuf always writes values.
const VALUES_SINCE: [&str; 17] = [
    "CSINode.status",
    "CertificateSigningRequestCondition.lastTransitionTime",
    "CertificateSigningRequestCondition.status",
    "CreateOptions.fieldValidation",
    "JobStatus.completedIndexes",
    "ListOptions.resourceVersionMatch",
    "ListOptions.shardSelector",
    "ManagedFieldsEntry.subresource",
    "PatchOptions.fieldValidation",
    "PodCondition.observedGeneration",
    "PodLogOptions.insecureSkipTLSVerifyBackend",
    "PodStatus.observedGeneration",
    "PodStatus.resize",
    "ResourceClaim.request",
    "StatefulSetSpec.minReadySeconds",
    "StatefulSetStatus.availableReplicas",
    "UpdateOptions.fieldValidation",
];
