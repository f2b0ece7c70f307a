//! The kind Backup of `backup.example.com`, whose types people wrote in Rust, at the versions `v1alpha1`, `v1beta1` and `v1`.
//!
//! What became of the fields of `v1alpha1`:
//!
//! | `v1alpha1` | `v1beta1` | `v1` |
//! | --- | --- | --- |
//! | `bucket` | `target.bucket` | `target.bucket` |
//! | | `target.region` | `target.region` |
//! | `compression`: `gz`, `zst` | `compression`: `gz`, `zst` | `compression`: `Gzip`, `Zstd` |
//! | `tags`, a list: `["team=web"]` | `tags`, a list | `tags`, a map: `{team: web}` |
//! | `verbose` | | |
//! | `copies` | `keep` | `keep` |

pub mod api;
pub mod tags;
