//! The functions that rules of operators name. Each operator has a file of them in its folder.

use std::path::Path;

use hubgen_machinery::convert::Functions;

#[path = "../../../operators/emissary/functions.rs"]
mod emissary;
#[path = "../../../operators/karpenter/mod.rs"]
mod karpenter;
#[path = "../../../operators/kueue/mod.rs"]
mod kueue;
#[path = "../../../operators/tekton/mod.rs"]
mod tekton;

/// The functions for the rules in a folder.
pub(super) fn of(folder: &Path) -> Functions {
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("emissary") => emissary::all(),
        Some("karpenter") => karpenter::functions::all(),
        Some("kueue") => kueue::functions::all(),
        Some("tekton") => tekton::functions::all(),
        _ => Functions::none(),
    }
}
