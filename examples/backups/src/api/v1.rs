//! `backup.example.com/v1`, and how the older versions differ from it.

use hubgen_machinery::scalar::Time;
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::ObjectMeta;

use super::leaves::{Address, Proxy};

/// Copies of a volume, made at regular times.
#[derive(ApiType)]
#[kind(group = "backup.example.com", version = "v1", kind = "Backup")]
#[kind(namespaced, storage, status, short("bk"))]
#[kind(column("Schedule" => ".spec.schedule"), column("Last" => ".status.last"))]
#[kind(may_be_invalid("spec.proxies"))]
#[from(v1alpha1, moved("spec.bucket" => "spec.target.bucket"))]
#[from(v1alpha1, words("spec.compression" => "spec.compression", "gz" = "Gzip", "zst" = "Zstd"))]
#[from(v1alpha1, function("crate::tags", "spec.tags: Vec<Str>" => "spec.tags: StrMap<Str>"))]
#[from(v1beta1, words("spec.compression" => "spec.compression", "gz" = "Gzip", "zst" = "Zstd"))]
#[from(v1beta1, function("crate::tags", "spec.tags: Vec<Str>" => "spec.tags: StrMap<Str>"))]
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
    #[field(default = "7", renamed(v1alpha1 = "copies"))]
    pub keep: Option<i32>,
    /// What the store shows for each copy.
    pub tags: StrMap<Str>,
}

/// Where copies are stored.
#[derive(ApiType)]
pub struct Target {
    /// The bucket.
    pub bucket: Option<Str>,
    /// The region of the bucket.
    #[field(added)]
    pub region: Option<Str>,
}

/// How copies are compressed.
#[derive(ApiType)]
pub enum Compression {
    Gzip,
    Zstd,
    /// A word that only a newer version of the API has.
    #[field(other)]
    Other(Str),
}

/// What was copied.
#[derive(ApiType)]
pub struct BackupStatus {
    /// When the last copy was made.
    pub last: Option<Time>,
}
