//! The content of the stash annotation: a delta, the version in whose terms it is, and a fingerprint of what the client
//! could see. The fingerprint tells whether the delta can be applied as a whole, or element by element because a client
//! changed something. What another program wrote and this one cannot read is carried on as text.

use hubgen_json::read_value;
use serde_json::Value;

use super::delta::Delta;
use super::{ConvertError, MAX_ANNOTATIONS, STASH, diff, fingerprint};
use crate::json::{EncodeError, Lexer, writer};
use crate::reflect::{Reflect, Slot};

/// Empty members of the JSON of a hub that a typed object does not tell from none.
pub(crate) struct Zeros {
    /// The version in whose terms they are.
    pub hub: Option<String>,
    /// The members, in the shape of the hub.
    pub(crate) members: Value,
}

impl Zeros {
    /// Those in the stash with this text.
    pub(crate) fn in_stash(text: &str) -> Option<Self> {
        // Few stashes have any, and reading one takes long.
        let stash = text.contains("\"zeros\":").then(|| Stash::read(text)).flatten()?;
        Some(Self { hub: stash.hub, members: stash.zeros? })
    }
}

/// The stash of an object, at whatever version it is.
pub fn stash_in(object: &dyn Reflect) -> Option<String> {
    let Some(Slot::Struct(metadata)) = object.field("metadata") else { return None };
    let Some(Slot::Map(annotations)) = metadata.field("annotations") else { return None };
    match annotations.get(STASH) {
        Some(Slot::String(text)) => Some(text.as_str().to_owned()),
        _ => None,
    }
}

/// Whether a stash was written for exactly this hub, without what the stash contains: a client changed nothing, and the
/// program that wrote it converts the object as this one does. `named` is the hub version of this program.
pub fn is_unchanged(stash: &str, named: &str, hub: &dyn Reflect) -> bool {
    Stash::read(stash).is_some_and(|stash| {
        let is_own = stash.hub.as_deref() == Some(named) && !stash.is_carried && stash.unread.is_none();
        is_own && stash.seen == fingerprint::of_object(hub, &["metadata"])
    })
}

/// What a version could not represent, as the annotation has it.
#[derive(Clone)]
pub struct Stash {
    /// The version in whose terms the delta is: the hub version of the program that wrote it. `None` in the first
    /// format, which did not say.
    pub(super) hub: Option<String>,
    /// The fingerprint of what the client could see.
    pub(super) seen: u64,
    /// The difference between that and the hub.
    pub(super) delta: Delta,
    /// Whether a program could not read it and passed it on. Other versions than the one that it was written for may
    /// have it then, which may have fields that it restores.
    pub(super) is_carried: bool,
    /// The text of another stash, which the program that wrote this one could not read.
    pub(super) unread: Option<String>,
    /// The members of [`Zeros`].
    pub(super) zeros: Option<Value>,
}

impl Stash {
    /// What is in `whole` but not in `reconverted`, and `zeros`; `None` if that is nothing. All are in the terms of
    /// `hub`.
    pub fn difference(
        hub: Option<&str>,
        reconverted: &dyn Reflect,
        whole: &dyn Reflect,
        zeros: Option<Value>,
    ) -> Result<Option<Self>, ConvertError> {
        let delta = match diff::diff(reconverted, whole) {
            Some(delta) => delta,
            None if zeros.is_some() => Delta::Fields(Vec::new()),
            None => return Ok(None),
        };
        if let Some(error) = EncodeError::find(whole) {
            return Err(ConvertError::NotJson(error));
        }
        let seen = fingerprint::of_object(reconverted, &["metadata"]);
        Ok(Some(Self { hub: hub.map(str::to_owned), seen, delta, is_carried: false, unread: None, zeros }))
    }

    /// Whether both contain the same, apart from fingerprints and terms.
    pub fn keeps_the_same(&self, other: &Self) -> bool {
        self.delta == other.delta
    }

    /// Writes the text of the annotation.
    pub fn write(&self) -> String {
        let mut out = Vec::with_capacity(256);
        out.push(b'{');
        if let Some(hub) = &self.hub {
            out.extend_from_slice(b"\"hub\":");
            writer::string(&mut out, hub);
            out.push(b',');
        }
        out.extend_from_slice(b"\"seen\":");
        fingerprint::write_hex(&mut out, self.seen);
        out.extend_from_slice(b",\"delta\":");
        self.delta.write(&mut out);
        if self.is_carried {
            out.extend_from_slice(b",\"carried\":true");
        }
        if let Some(zeros) = &self.zeros {
            out.extend_from_slice(b",\"zeros\":");
            writer::value(&mut out, zeros);
        }
        if let Some(unread) = &self.unread {
            out.extend_from_slice(b",\"unread\":");
            writer::string(&mut out, unread);
        }
        out.push(b'}');
        String::from_utf8(out).expect("JSON is written from strings only")
    }

    /// Reads the text of the annotation; `None` if it is not what [`write`](Self::write) returns,
    /// or longer than the limit for annotations.
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_ANNOTATIONS {
            return None;
        }
        let (mut hub, mut seen, mut delta, mut is_carried, mut unread, mut zeros) =
            (None, None, None, false, None, None);
        let mut lexer = Lexer::over(text);
        let mut more = lexer.enter_object().ok()?;
        while more {
            match &*lexer.key().ok()? {
                "hub" => hub = Some(lexer.string().ok()?.into_owned()),
                "seen" => seen = fingerprint::from_hex(&lexer.string().ok()?),
                "delta" => delta = Some(Delta::read(&mut lexer)?),
                "carried" => is_carried = lexer.bool().ok()?,
                "zeros" => zeros = Some(read_value(&mut lexer).ok()?),
                "unread" => unread = Some(lexer.string().ok()?.into_owned()),
                _ => lexer.skip().ok()?,
            }
            more = lexer.next_member().ok()?;
        }
        lexer.finish().ok()?;
        let mut delta = delta?;
        if let Delta::Fields(fields) = &mut delta {
            // The metadata is the same at every version, and is never stashed.
            fields.retain(|(name, _)| name != "metadata");
        }
        Some(Self { hub, seen: seen?, delta, is_carried, unread, zeros })
    }
}
