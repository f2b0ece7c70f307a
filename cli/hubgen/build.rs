//! Packs the relocations of the program, where the C library can read them so.
//!
//! Descriptors of types refer to others, at about 116,000 places that depend on where the program is loaded. As a plain list
//! they are 2.8 MB, which the loader reads at each start and which stay in memory. Packed (`DT_RELR`) they are 41 KB. glibc
//! reads them so since 2.36; an older one would not start the program.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let value = |name: &str| env::var(name).unwrap_or_default();
    let is_glibc = value("CARGO_CFG_TARGET_OS") == "linux" && value("CARGO_CFG_TARGET_ENV") == "gnu";
    // What is built for another system is not known to run with this one's library.
    if is_glibc && value("HOST") == value("TARGET") && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this system's glibc: `glibc 2.36`.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
