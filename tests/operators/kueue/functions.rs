//! The functions that the rules name.

use hubgen_kubernetes::machinery::convert::Functions;

/// All of them.
pub fn all() -> Functions {
    Functions::none()
}
