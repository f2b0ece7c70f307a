//! `backup.example.com/v1alpha1`.

use hubgen_machinery::{ApiType, Str};
use hubgen_meta::v1::ObjectMeta;

use super::leaves::Address;
use super::v1::BackupStatus;
use super::v1beta1::Compression;

/// Copies of a volume, made at regular times.
#[derive(ApiType)]
#[kind(group = "backup.example.com", version = "v1alpha1", kind = "Backup")]
#[kind(namespaced, status, deprecated)]
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
    /// The bucket where copies are stored.
    pub bucket: Option<Str>,
    /// How copies are compressed.
    pub compression: Option<Compression>,
    /// From which address copies are sent.
    pub address: Option<Address>,
    /// Through which proxies copies are sent; the first one that answers. Any text was allowed.
    pub proxies: Vec<Str>,
    /// How many copies are kept.
    #[field(default = "7")]
    pub copies: Option<i32>,
    /// What the store shows for each copy: `team=web`.
    pub tags: Vec<Str>,
    /// Whether the program prints what it does.
    #[field(removed)]
    pub verbose: Option<bool>,
}
