//! Runs `hubgen-checks watches` for some seconds.

use std::process::Command;

#[test]
fn each_watch_tells_what_happened() {
    let output = Command::new(env!("CARGO_BIN_EXE_hubgen-checks"))
        .args(["watches", "--seconds", "5", "--writers", "16", "--watchers", "60", "--keep", "50"])
        .output()
        .expect("the check runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("60 of 60 watches: "), "{last}");
    assert!(last.contains(" 1 restarts, "), "{last}");
}
