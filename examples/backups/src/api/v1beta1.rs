//! `backup.example.com/v1beta1`.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

use super::leaves::{Address, Proxy};
use super::v1::{BackupStatus, Target};

/// Copies of a volume, made at regular times.
#[derive(ApiType)]
#[kind(group = "backup.example.com", version = "v1beta1", kind = "Backup")]
#[kind(namespaced, status, deprecated, may_be_invalid("spec.proxies"))]
pub struct Backup {
    pub metadata: ObjectMeta,
    /// What to copy, and when.
    #[field(required)]
    pub spec: BackupSpec,
    /// What was copied.
    pub status: Option<BackupStatus>,
}

/// What to copy, and when.
#[derive(ApiType)]
pub struct BackupSpec {
    /// When, as in a CronJob.
    #[field(required)]
    pub schedule: Str,
    /// Where copies are stored.
    pub target: Option<Target>,
    /// How copies are compressed.
    pub compression: Option<Compression>,
    /// From which address copies are sent.
    pub address: Option<Address>,
    /// Through which proxies copies are sent; the first one that answers.
    pub proxies: Vec<Proxy>,
    /// How many copies are kept.
    #[field(default = "7")]
    pub keep: Option<i32>,
    /// What the store shows for each copy: `team=web`.
    pub tags: Vec<Str>,
}

/// How copies are compressed.
#[derive(ApiType)]
pub enum Compression {
    #[field(name = "gz")]
    Gzip,
    #[field(name = "zst")]
    Zstd,
    /// A word that only a newer version of the API has.
    #[field(other)]
    Other(Str),
}
