//! Objects that the reference implementation wrote come back as they were.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_checks::{Report, golden};

/// The golden objects, which are not part of the repository.
fn golden_objects(release: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden/kubernetes").join(release);
    if !path.exists() {
        // Not `println!`: the test harness would keep it to itself.
        let _ = writeln!(std::io::stderr(), "left out: no golden objects of {release} at {}", path.display());
        return None;
    }
    Some(path)
}

/// What the check finds in a folder; every object in it has to hold.
#[track_caller]
fn check(dir: &Path, exact: bool) -> Report {
    let report = golden::check(dir, exact).expect("the folder can be read");
    assert!(report.holds(), "{:#?}", report.failures);
    report
}

#[test]
fn the_reference_release_comes_back_byte_for_byte() {
    let Some(dir) = golden_objects("v1.35") else { return };
    let report = check(&dir, true);
    let counts = "183 byte for byte, 0 by value, 183 protobuf byte for byte, 0 protobuf by value, 0 failed";
    assert_eq!(report.summary(), format!("183 of 183 golden objects: {counts}"));
}

#[test]
fn older_releases_come_back_by_value() {
    // What the reference release always writes and these left out.
    let zeros = [
        "apps.v1.StatefulSet: status.availableReplicas: absent there, zero here",
        "apps.v1beta1.StatefulSet: status.availableReplicas: absent there, zero here",
        "apps.v1beta2.StatefulSet: status.availableReplicas: absent there, zero here",
        "certificates.k8s.io.v1beta1.CertificateSigningRequest: status.conditions[].status: absent there, zero here",
        // JSON left it out, protobuf wrote it.
        "core.v1.Event: series.state: absent there, zero here",
    ];
    let cases = [("v1.28", 158, &zeros[..0]), ("v1.22", 144, &zeros[..0]), ("v1.16", 125, &zeros[..])];
    for (release, count, zeros) in cases {
        let Some(dir) = golden_objects(release) else { continue };
        let report = check(&dir, false);
        assert_eq!((report.held, report.total), (count, count), "{release}");
        let notes: Vec<&String> = report.notes.iter().filter(|note| note.contains("zero here")).collect();
        assert_eq!(notes, zeros, "{release}");
        let values =
            report.notes.iter().filter_map(|note| Some(note.strip_prefix("protobuf ")?.split_once(':')?.0));
        for value in values {
            assert!(VALUES_SINCE.contains(&value), "{release}: {value}");
        }
    }
}

/// Fields of protobuf that upstream added, or made values, after 1.16: it writes values always.
const VALUES_SINCE: [&str; 15] = [
    "CertificateSigningRequestCondition.lastTransitionTime",
    "CertificateSigningRequestCondition.status",
    "CreateOptions.fieldValidation",
    "JobStatus.completedIndexes",
    "ListOptions.resourceVersionMatch",
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
