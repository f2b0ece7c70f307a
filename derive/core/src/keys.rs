//! The names of all attributes and keys.
//!
//! The parser matches on the enums here, and error messages list their names. A key therefore exists exactly if it is
//! in this table. `docs/attributes.md` documents each, together with its tests.

use syn::{Ident, Path};

/// Where keys are written, and which ones.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The attribute, and the key that the keys are inside of: `kind` and `column` for `#[kind(column(…))]`. For the
    /// names of the attributes themselves it is empty.
    pub path: &'static [&'static str],
    /// The keys.
    pub keys: &'static [&'static str],
}

/// A set of keys that are allowed in one place.
pub(crate) trait Key: Sized {
    /// Their names.
    const NAMES: &[&str];

    /// The key of this name.
    fn named(name: &Ident) -> Option<Self>;

    /// The key of this name, if the path has one part.
    fn at(path: &Path) -> Option<Self> {
        path.get_ident().and_then(Self::named)
    }
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident in $path:tt { $($key:ident = $text:literal,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq)]
            pub(crate) enum $name {
                $($key,)+
            }

            impl Key for $name {
                const NAMES: &[&str] = &[$($text),+];

                fn named(name: &Ident) -> Option<Self> {
                    match name.to_string().as_str() {
                        $($text => Some(Self::$key),)+
                        _ => None,
                    }
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(match self {
                        $(Self::$key => $text,)+
                    })
                }
            }
        )+

        /// All attributes and keys. A path may occur more than once.
        pub const PLACES: &[Place] = &[$(Place { path: &$path, keys: $name::NAMES }),+];
    };
}

places! {
    /// The attributes.
    AttributeName in [] {
        Api = "api",
        Default = "default",
        Field = "field",
        Flattened = "flattened",
        From = "from",
        Kind = "kind",
        Leaf = "leaf",
        Object = "object",
        Unknown = "unknown",
        View = "view",
    }

    /// What is not about the type of the field's values.
    FieldKey in ["field"] {
        Name = "name",
        Number = "number",
        Omit = "omit",
        Value = "value",
        Required = "required",
        Default = "default",
        OneOf = "one_of",
        Other = "other",
        Rest = "rest",
        Flatten = "flatten",
        List = "list",
        Atomic = "atomic",
        Patch = "patch",
        MergeKey = "merge_key",
        Since = "since",
        Until = "until",
        Added = "added",
        Removed = "removed",
        Dropped = "dropped",
        EmptyIsAbsent = "empty_is_absent",
        Renamed = "renamed",
    }

    /// What a schema specifies about values. `items(…)` and `values(…)` have the same keys inside.
    FactKey in ["field"] {
        Title = "title",
        Example = "example",
        Format = "format",
        Pattern = "pattern",
        MinLength = "min_length",
        MaxLength = "max_length",
        Minimum = "minimum",
        Maximum = "maximum",
        ExclusiveMinimum = "exclusive_minimum",
        ExclusiveMaximum = "exclusive_maximum",
        MultipleOf = "multiple_of",
        MinItems = "min_items",
        MaxItems = "max_items",
        MinProperties = "min_properties",
        MaxProperties = "max_properties",
        Cel = "cel",
        Items = "items",
        Values = "values",
        Keywords = "keywords",
        Schema = "schema",
    }

    /// Those that concern objects.
    ObjectKey in ["object"] {
        Title = "title",
        Example = "example",
        MinProperties = "min_properties",
        MaxProperties = "max_properties",
        Cel = "cel",
        Keywords = "keywords",
        Schema = "schema",
    }

    /// What a leaf is, and what a schema specifies about its texts.
    LeafKey in ["leaf"] {
        Text = "text",
        Other = "other",
        Expects = "expects",
        Examples = "examples",
        Title = "title",
        Format = "format",
        Pattern = "pattern",
        MinLength = "min_length",
        MaxLength = "max_length",
        Cel = "cel",
        Keywords = "keywords",
    }

    NumberWord in ["field", "number"] {
        None = "none",
    }

    OmitWord in ["field", "omit"] {
        Empty = "empty",
        Zero = "zero",
        Never = "never",
        Exact = "exact",
    }

    ListWord in ["field", "list"] {
        Atomic = "atomic",
        Set = "set",
        Map = "map",
    }

    CelKey in ["field", "cel"] {
        MessageExpression = "message_expression",
        Reason = "reason",
        FieldPath = "field_path",
        OptionalOldSelf = "optional_old_self",
    }

    KindKey in ["kind"] {
        Group = "group",
        Version = "version",
        Kind = "kind",
        Plural = "plural",
        Singular = "singular",
        List = "list",
        Short = "short",
        Category = "category",
        Namespaced = "namespaced",
        Storage = "storage",
        Served = "served",
        Deprecated = "deprecated",
        Status = "status",
        Scale = "scale",
        Column = "column",
        Selectable = "selectable",
        MayBeInvalid = "may_be_invalid",
        Label = "label",
        Annotation = "annotation",
        Conversion = "conversion",
        PreserveUnknownFields = "preserve_unknown_fields",
    }

    ScaleKey in ["kind", "scale"] {
        Spec = "spec",
        Status = "status",
        Selector = "selector",
    }

    ColumnKey in ["kind", "column"] {
        Type = "type",
        Format = "format",
        Description = "description",
        Priority = "priority",
    }

    FromKey in ["from"] {
        Moved = "moved",
        Words = "words",
        Number = "number",
        Keyed = "keyed",
        Table = "table",
        Function = "function",
        NotConvertible = "not_convertible",
    }

    NumberKey in ["from", "number"] {
        Duration = "duration",
        Quantity = "quantity",
        Percent = "percent",
        Text = "text",
    }

    KeyedKey in ["from", "keyed"] {
        Key = "key",
        Value = "value",
    }

    UnknownWord in ["unknown"] {
        Refuse = "refuse",
    }

    ApiKey in ["api"] {
        Crate = "crate",
    }
}

impl AttributeName {
    /// The attributes of this name.
    pub(crate) fn all(self, attributes: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
        attributes.iter().filter(move |attribute| Self::at(attribute.path()) == Some(self))
    }
}

/// The message for any other key.
pub(crate) fn expected(names: &[&[&str]]) -> String {
    let names: Vec<String> = names.concat().iter().map(|name| format!("`{name}`")).collect();
    format!("expected one of {}", names.join(", "))
}
