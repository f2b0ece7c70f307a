//! The functions that rules of operators name. Each operator has a file of them in its folder.

use std::path::Path;

use hubgen_kubernetes::machinery::convert::Functions;

#[path = "../../../operators/kueue/functions.rs"]
mod kueue;

/// The functions for the rules in a folder.
pub(super) fn of(folder: &Path) -> Functions {
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("kueue") => kueue::all(),
        _ => Functions::none(),
    }
}
