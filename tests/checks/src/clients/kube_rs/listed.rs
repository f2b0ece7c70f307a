//! The tests of kube-rs that fail here.

use crate::clients::judge::Listed;

/// All tests that fail.
pub const LISTED: &[Listed] = &[];
