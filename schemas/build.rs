//! Lists the files below `kubernetes/`, so that the crate contains what the folder does.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=kubernetes");
    let mut paths = Vec::new();
    collect(Path::new("kubernetes"), "", &mut paths)?;
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let text = format!(
            "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))",
            format!("/kubernetes/{path}")
        );
        writeln!(list, "    ({path:?}, {text}),")?;
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?;
    fs::write(PathBuf::from(out).join("kubernetes.rs"), list)?;
    Ok(())
}

/// Adds the files below `folder` that the generator reads. `prefix` is the folder's path, with `/` on every system.
fn collect(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| format!("{}: expected a name in UTF-8", path.display()))?;
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), paths)?;
        } else if name.ends_with(".json") || name.ends_with(".toml") || name == "crate.md" {
            paths.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
