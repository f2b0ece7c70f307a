//! The types of `shapes` for prost. A value that is not an `Option` is `required`, so that it is always written.

use std::collections::BTreeMap;

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub struct PlainPeer {
    #[prost(bool, required, tag = "1")]
    flag: bool,
    #[prost(int32, required, tag = "2")]
    small: i32,
    #[prost(int64, required, tag = "3")]
    large: i64,
    #[prost(double, required, tag = "4")]
    ratio: f64,
    #[prost(string, required, tag = "5")]
    name: String,
    #[prost(bytes = "vec", tag = "6")]
    data: Vec<u8>,
    #[prost(message, required, tag = "7")]
    inner: InnerPeer,
    #[prost(bool, optional, tag = "8")]
    maybe_flag: Option<bool>,
    #[prost(int32, optional, tag = "9")]
    maybe_small: Option<i32>,
    #[prost(int64, optional, tag = "10")]
    maybe_large: Option<i64>,
    #[prost(double, optional, tag = "11")]
    maybe_ratio: Option<f64>,
    #[prost(string, optional, tag = "12")]
    maybe_name: Option<String>,
    #[prost(message, optional, tag = "13")]
    maybe_inner: Option<InnerPeer>,
    #[prost(bool, repeated, packed = "false", tag = "14")]
    flags: Vec<bool>,
    #[prost(int32, repeated, packed = "true", tag = "15")]
    smalls: Vec<i32>,
    #[prost(int64, repeated, packed = "false", tag = "16")]
    larges: Vec<i64>,
    #[prost(double, repeated, packed = "true", tag = "17")]
    ratios: Vec<f64>,
    #[prost(string, repeated, tag = "18")]
    names: Vec<String>,
    #[prost(message, repeated, tag = "19")]
    inners: Vec<InnerPeer>,
    #[prost(btree_map = "string, string", tag = "20")]
    labels: BTreeMap<String, String>,
    #[prost(btree_map = "string, int64", tag = "21")]
    counts: BTreeMap<String, i64>,
    #[prost(btree_map = "string, bytes", tag = "22")]
    blobs: BTreeMap<String, Vec<u8>>,
    #[prost(btree_map = "string, message", tag = "23")]
    parts: BTreeMap<String, InnerPeer>,
    #[prost(message, required, tag = "24")]
    nested: NestedPeer,
    #[prost(int64, optional, tag = "2000")]
    far: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct NestedPeer {
    #[prost(int32, required, tag = "1")]
    first: i32,
    #[prost(string, optional, tag = "2")]
    second: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct InnerPeer {
    #[prost(int32, required, tag = "1")]
    id: i32,
    #[prost(message, repeated, tag = "2")]
    children: Vec<InnerPeer>,
    #[prost(string, optional, tag = "3")]
    note: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SpecialPeer {
    #[prost(message, required, tag = "1")]
    leaves: LeavesPeer,
    #[prost(message, required, tag = "2")]
    free: RawPeer,
    #[prost(message, repeated, tag = "3")]
    frees: Vec<RawPeer>,
    #[prost(message, optional, tag = "4")]
    verbs: Option<StringsPeer>,
    #[prost(btree_map = "string, message", tag = "5")]
    extra: BTreeMap<String, StringsPeer>,
    #[prost(btree_map = "string, message", tag = "6")]
    amounts: BTreeMap<String, TextPeer>,
    #[prost(message, optional, tag = "7")]
    or_bool: Option<OrBoolPeer>,
    #[prost(message, optional, tag = "8")]
    or_array: Option<OrArrayPeer>,
    #[prost(message, optional, tag = "9")]
    or_strings: Option<OrStringsPeer>,
    #[prost(string, optional, tag = "10")]
    color: Option<String>,
    #[prost(message, optional, tag = "11")]
    shape: Option<ShapePeer>,
    #[prost(message, repeated, tag = "12")]
    ports: Vec<PortPeer>,
    #[prost(message, required, tag = "13")]
    created: TimePeer,
}

#[derive(Clone, PartialEq, Message)]
struct LeavesPeer {
    #[prost(message, optional, tag = "1")]
    time: Option<TimePeer>,
    #[prost(message, optional, tag = "2")]
    micro: Option<TimePeer>,
    #[prost(message, optional, tag = "3")]
    wait: Option<DurationPeer>,
    #[prost(message, optional, tag = "4")]
    amount: Option<TextPeer>,
    #[prost(message, optional, tag = "5")]
    port: Option<PortPeer>,
}

/// Empty if the time is not set.
#[derive(Clone, PartialEq, Message)]
struct TimePeer {
    #[prost(int64, optional, tag = "1")]
    second: Option<i64>,
    #[prost(int32, optional, tag = "2")]
    nanosecond: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct DurationPeer {
    #[prost(int64, required, tag = "1")]
    nanosecond: i64,
}

#[derive(Clone, PartialEq, Message)]
struct TextPeer {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PortPeer {
    #[prost(int64, required, tag = "1")]
    pub kind: i64,
    #[prost(int32, required, tag = "2")]
    pub number: i32,
    #[prost(string, required, tag = "3")]
    pub text: String,
}

#[derive(Clone, PartialEq, Message)]
struct RawPeer {
    #[prost(bytes = "vec", optional, tag = "1")]
    json: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct StringsPeer {
    #[prost(string, repeated, tag = "1")]
    items: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct OrBoolPeer {
    #[prost(bool, required, tag = "1")]
    allows: bool,
    #[prost(message, optional, tag = "2")]
    value: Option<InnerPeer>,
}

#[derive(Clone, PartialEq, Message)]
struct OrArrayPeer {
    #[prost(message, optional, tag = "1")]
    value: Option<InnerPeer>,
    #[prost(message, repeated, tag = "2")]
    values: Vec<InnerPeer>,
}

#[derive(Clone, PartialEq, Message)]
struct OrStringsPeer {
    #[prost(message, optional, tag = "1")]
    value: Option<InnerPeer>,
    #[prost(string, repeated, tag = "2")]
    names: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ShapePeer {
    #[prost(message, optional, tag = "1")]
    round: Option<InnerPeer>,
    #[prost(message, optional, tag = "2")]
    square: Option<InnerPeer>,
}
