//! A field of a type, with every fact that upstream published about it.

use crate::{Release, TypeExpr};

/// A field of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// What it holds.
    pub ty: TypeExpr,
    /// Whether absence differs from the empty value.
    pub presence: Presence,
    /// When it is left out of JSON.
    pub omit: Omit,
    /// Its protobuf numbers from the outermost message inwards. Most fields
    /// have one; a field that upstream inlines in JSON but not in protobuf
    /// (`Volume.configMap` sits in message 2, `VolumeSource`) has one for each
    /// message on the way. Empty: not on the protobuf wire, or unknown.
    pub number: Vec<u32>,
    /// Whether an object without it is invalid.
    pub required: bool,
    /// The value that the published schema puts in when it is absent.
    pub default: Option<serde_json::Value>,
    /// The values that the published schema allows; empty: any.
    pub enumeration: Vec<serde_json::Value>,
    /// How lists of it are merged and checked.
    pub list_type: Option<ListType>,
    /// Whether a map or object is replaced as a whole by server-side apply.
    pub atomic: bool,
    /// How strategic merge patches treat it.
    pub patch: Option<Patch>,
    /// The first release that had it, where known.
    pub since: Option<Release>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<Release>,
    /// What it means, for users' own APIs; published Kubernetes prose is not
    /// kept.
    pub description: Option<String>,
}

impl Field {
    /// A field of which nothing but name and type is known: an optional
    /// scalar or object becomes a pointer, lists and maps are left out when
    /// empty.
    pub fn new(name: impl Into<String>, ty: TypeExpr) -> Self {
        let presence = match ty {
            TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Bytes | TypeExpr::Strings => Presence::Value,
            _ => Presence::Pointer,
        };
        Self {
            name: name.into(),
            ty,
            presence,
            omit: Omit::Empty,
            number: Vec::new(),
            required: false,
            default: None,
            enumeration: Vec::new(),
            list_type: None,
            atomic: false,
            patch: None,
            since: None,
            until: None,
            description: None,
        }
    }

    /// The values that the published schema allows, as words: strings without
    /// quotes, all else as JSON.
    pub fn words(&self) -> impl Iterator<Item = String> {
        self.enumeration.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
    }

    /// Whether absence is a state of its own: of pointers, and of times, whose
    /// zero nothing else could stand for.
    pub fn may_be_absent(&self) -> bool {
        self.presence == Presence::Pointer || matches!(self.ty, TypeExpr::Time | TypeExpr::MicroTime)
    }
}

/// Whether absence differs from the empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Absent reads as the empty value (a Go value, list or map).
    Value,
    /// Absent is a state of its own (a Go pointer).
    Pointer,
}

/// When a field is left out of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Omit {
    /// Never; an absent pointer, list or map is written as `null`.
    Never,
    /// When it is absent, zero, or an empty string, list or map. An object
    /// that is not a pointer is never empty (Go's `omitempty`).
    Empty,
    /// When it is absent or zero, objects included (Go's `omitzero`).
    Zero,
}

/// How a list is merged and checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// Elements are told apart by these fields.
    Map(Vec<String>),
}

/// How strategic merge patches treat a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Patch {
    /// `merge`, `replace`, `retainKeys`, in the order published.
    pub strategies: Vec<String>,
    /// The field by which list elements are told apart.
    pub merge_key: Option<String>,
}
