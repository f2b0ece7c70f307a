//! A field of a type, with all facts that upstream published about it.

use hubgen_facts::Omit;

use crate::{Facts, RawForm, Release, TypeExpr, TypeId};

/// A field of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// Its type.
    pub ty: TypeExpr,
    /// What an absent value is the same as.
    pub presence: Presence,
    /// When it is omitted from JSON.
    pub omit: Omit,
    /// Its protobuf numbers, from the outermost message inwards. Most fields have one. A field that
    /// upstream inlines in JSON but not in protobuf has one for each message on its path
    /// (`Volume.configMap` is in message 2, `VolumeSource`). Empty if the field is not part of the
    /// protobuf encoding, or its number is unknown.
    pub number: Vec<u32>,
    /// Whether an object without it is invalid.
    pub required: bool,
    /// The default in the published schema.
    pub default: Option<serde_json::Value>,
    /// The values that the published schema allows; empty: any.
    pub enumeration: Vec<serde_json::Value>,
    /// How a list is merged and checked.
    pub list_type: Option<ListType>,
    /// Whether a map or object is replaced as a whole by server-side apply, or each item of a list whose items are told
    /// apart.
    pub atomic: bool,
    /// How strategic merge patches treat the field.
    pub patch: Option<Patch>,
    /// The first release that had it, if known.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest one still has it.
    pub until: Option<Release>,
    /// Its description, for users' own APIs. Descriptions of published Kubernetes types are not
    /// stored.
    pub description: Option<String>,
    /// Its name in Rust.
    pub rust_name: RustName,
    /// What else a CustomResourceDefinition specifies about it.
    pub facts: Option<Box<Facts>>,
}

impl Field {
    /// Whether it is a list whose items are told apart, by keys or by their values.
    pub fn has_items_apart(&self) -> bool {
        matches!(self.list_type, Some(ListType::Set | ListType::Map(_)))
    }

    /// Creates a field of which only name and type are known: an optional scalar or object is a
    /// pointer; lists and maps are omitted if empty.
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
            rust_name: RustName::Usual,
            facts: None,
        }
    }

    /// The name of the field that contains what an object has besides its other fields.
    pub const REST: &str = "*";

    /// The field that contains what an object has besides its other fields. It is the last one.
    pub fn rest(others: &[Self]) -> Self {
        let mut rest = Self::new(Self::REST, TypeExpr::Map(Box::new(TypeExpr::Raw(RawForm::Json))));
        let same = (2..).zip(others.iter().filter(|field| field.letters() == "rest")).last();
        if let Some((number, _)) = same {
            rest.rust_name = RustName::Numbered(number);
        }
        rest
    }

    /// Whether the field contains what an object has besides its other fields.
    pub fn is_rest(&self) -> bool {
        self.name == Self::REST
    }

    /// The name without case and punctuation. Fields with the same letters would have the same name in Rust.
    pub fn letters(&self) -> String {
        self.name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
    }

    /// The values that the published schema allows, as words: strings without quotes, other values
    /// as JSON.
    pub fn words(&self) -> impl Iterator<Item = String> {
        self.enumeration.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
    }

    /// Whether "absent" differs from every value of the field. False for a value, except for times,
    /// whose zero value means absent.
    pub fn may_be_absent(&self) -> bool {
        self.presence != Presence::Value || matches!(self.ty, TypeExpr::Time | TypeExpr::MicroTime)
    }

    /// Whether JSON contains the field if its value is absent, or an empty list or map.
    pub fn writes_absent(&self) -> bool {
        self.omit.writes_absent(self.presence != Presence::Value, self.ty.has_empty())
    }

    /// Whether `null` is a value of the field that differs from an absent one.
    pub fn is_nullable(&self) -> bool {
        self.presence == Presence::Nullable
    }
}

/// The name of a field in Rust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RustName {
    /// The name that follows from the name in JSON: `cluster_ips` for `clusterIPs`.
    #[default]
    Usual,
    /// That name with a number at its end, because another field would have the same name:
    /// `proxy_url_2` for `proxyURL` beside `proxyUrl`.
    Numbered(u32),
    /// The name in users' source.
    Written(String),
    /// In users' source it is a field of a flattened object: `timeout` in the field `limits`.
    Within {
        /// The fields around it and their types, from the outermost.
        path: Vec<(String, TypeId)>,
        /// Its own name.
        name: String,
    },
}

impl RustName {
    /// The fields of flattened objects around it and their types, from the outermost.
    pub fn around(&self) -> &[(String, TypeId)] {
        match self {
            Self::Within { path, .. } => path,
            _ => &[],
        }
    }

    /// The name in a generated type, which has no flattened objects.
    pub fn generated(self) -> Self {
        match self {
            Self::Within { name, .. } => Self::Written(name),
            other => other,
        }
    }
}

/// What an absent value is the same as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Absent is the same as the empty value (a Go value, list or map).
    Value,
    /// Absent is different from every value (a Go pointer).
    Pointer,
    /// Absent, `null` and every value are different: an optional field of a CustomResourceDefinition
    /// that is nullable.
    Nullable,
}

/// How a list is merged and checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// These fields identify an element.
    Map(Vec<String>),
}

/// How strategic merge patches treat a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Patch {
    /// `merge`, `replace`, `retainKeys`, in the published order.
    pub strategies: Vec<String>,
    /// The field that identifies a list element.
    pub merge_key: Option<String>,
}
