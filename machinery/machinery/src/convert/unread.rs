//! Reports what could not be read of a stash.

use std::fmt;

use super::delta::Delta;
use super::kept::Stash;
use super::{Annotations, STASH};

/// What a stash has that could not be read, and stays in the annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The version in whose terms it is, `example.com/v1`; `None` if the stash does not say, or is text in another
    /// format.
    pub version: Option<String>,
    /// The paths of its fields, without indices; none if it is text in another format.
    pub fields: Vec<String>,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, fields } = self;
        write!(f, "the annotation {STASH} has what this program cannot read")?;
        if !fields.is_empty() {
            write!(f, ": {}", fields.join(", "))?;
        }
        if let Some(version) = version {
            write!(f, ", in the terms of {version}")?;
        }
        f.write_str("; it stays in the annotation")
    }
}

/// What could not be read of the stash of an object, if its `annotations` are those of the hub. The annotations of an
/// object of another version may contain a stash that the hub reads.
///
/// ```
/// use hubgen_machinery::convert::{self, Annotations, STASH};
///
/// let stash = r#"{"hub":"example.com/v2","seen":"0000000000000000","delta":{"fields":{"size":{"is":3}}}}"#;
/// let mut hub = Annotations::new();
/// hub.insert(STASH, stash.into());
/// assert_eq!(
///     convert::unread(&hub).unwrap().to_string(),
///     "the annotation conversion.hubgen.dev/kept has what this program cannot read: size, in the terms of \
///      example.com/v2; it stays in the annotation",
/// );
/// assert_eq!(convert::unread(&Annotations::new()), None);
/// ```
pub fn unread(annotations: &Annotations) -> Option<Unread> {
    annotations.get(STASH).map(|text| Unread::of(text))
}

impl Unread {
    /// Of a text that could not be read.
    pub(crate) fn of(text: &str) -> Self {
        let stash = Stash::read(text);
        let fields = stash.as_ref().map(|stash| fields(&stash.delta)).unwrap_or_default();
        Self { version: stash.and_then(|stash| stash.hub), fields }
    }
}

fn fields(delta: &Delta) -> Vec<String> {
    let mut out = Vec::new();
    add_fields("", delta, &mut out);
    out
}

fn add_fields(path: &str, delta: &Delta, out: &mut Vec<String>) {
    match delta {
        Delta::Fields(fields) => {
            for (name, delta) in fields {
                let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                add_fields(&below, delta, out);
            }
        }
        Delta::Value { .. } | Delta::List { .. } => out.push(path.to_owned()),
    }
}
