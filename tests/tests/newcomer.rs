//! What somebody does first: builds `hubgen` from this checkout, runs `hubgen init`, and tests the new crate. Nothing is
//! published, and nothing is patched.

#[path = "../support/client.rs"]
mod client;
#[path = "../support/packed.rs"]
mod packed;
#[path = "../support/pages.rs"]
mod pages;
#[path = "../support/process.rs"]
mod process;

use packed::Outside;

#[test]
fn a_new_crate_builds_with_the_checkout() {
    let demo = Outside::unpacked("newcomer");
    let output = process::hubgen().args(["init", "."]).current_dir(&demo.folder).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{err}");
    let root = pages::root().canonicalize().unwrap();
    let note = format!(
        "hubgen's crates are from the checkout {}, where this hubgen is from; --crates-from chooses another source\n",
        root.display()
    );
    assert!(out.contains(&note), "{out}");
    demo.lock();
    let printed = demo.cargo(&["test", "--", "--format=pretty"]);
    for test in ["conversions_lose_nothing", "older_objects_are_read"] {
        assert!(printed.contains(&format!("test {test} ... ok")), "{printed}");
    }
}
