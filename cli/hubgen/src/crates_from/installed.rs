//! Where `cargo install` got a program from: cargo writes it beside the programs.

use std::fs;
use std::path::Path;

use super::CratesFrom;

/// The source of an installed program; `None` if cargo has not installed it.
///
/// Cargo keeps a table in `.crates.toml`, in the folder above `bin`:
/// `"hubgen 0.1.0 (git+https://…#REVISION)" = ["hubgen"]`.
pub fn source(program: &Path) -> Option<CratesFrom> {
    let root = program.parent()?.parent()?;
    let table: toml::Table = fs::read_to_string(root.join(".crates.toml")).ok()?.parse().ok()?;
    let name = program.file_name()?.to_str()?;
    let installed = table.get("v1")?.as_table()?;
    let is_it = |programs: &toml::Value| {
        programs.as_array().is_some_and(|programs| programs.iter().any(|own| own.as_str() == Some(name)))
    };
    let package =
        installed.iter().find(|(package, programs)| package.starts_with("hubgen ") && is_it(programs));
    of_package(package?.0)
}

/// The source in `hubgen 0.1.0 (git+https://…#REVISION)`.
fn of_package(package: &str) -> Option<CratesFrom> {
    let (_, source) = package.strip_suffix(')')?.split_once('(')?;
    if let Some(git) = source.strip_prefix("git+") {
        let (url, revision) = git.split_once('#')?;
        // The branch, tag or revision that was asked for; the one behind `#` is what was found.
        let url = url.split_once('?').map_or(url, |(url, _)| url);
        return Some(CratesFrom::Git { url: url.to_owned(), revision: Some(revision.to_owned()) });
    }
    if let Some(folder) = source.strip_prefix("path+file://") {
        // The folder of the command, in the checkout. On Windows there is a slash before the drive.
        let folder = folder.split_once('#').map_or(folder, |(folder, _)| folder);
        let folder = if cfg!(windows) { folder.trim_start_matches('/') } else { folder };
        return Some(CratesFrom::Path(Path::new(folder).ancestors().nth(2)?.to_owned()));
    }
    Some(CratesFrom::Registry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_wrote_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bin/hubgen");
        assert_eq!(source(&program), None);
        let git = |url: &str| CratesFrom::Git { url: url.to_owned(), revision: Some("0a1b".to_owned()) };
        for (package, expected) in [
            ("hubgen 0.1.0 (git+https://example.com/hubgen#0a1b)", git("https://example.com/hubgen")),
            ("hubgen 0.1.0 (git+ssh://git@example.com/h?branch=main#0a1b)", git("ssh://git@example.com/h")),
            (
                "hubgen 0.1.0 (path+file:///checkouts/hubgen/cli/hubgen)",
                CratesFrom::Path("/checkouts/hubgen".into()),
            ),
            ("hubgen 0.1.0 (registry+https://example.com/index)", CratesFrom::Registry),
        ] {
            let text = format!(
                "[v1]\n\"other 0.1.0 (registry+https://example.com/index)\" = [\"hubgen-other\"]\n\"{package}\" = [\"hubgen\"]\n"
            );
            fs::write(folder.path().join(".crates.toml"), text).expect("written");
            assert_eq!(source(&program), Some(expected), "{package}");
        }
        assert_eq!(source(&folder.path().join("bin/elsewhere")), None);
    }
}
