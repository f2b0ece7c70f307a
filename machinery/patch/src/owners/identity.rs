use hubgen_machinery::Str;
use hubgen_machinery::json::writer;

/// How a manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Everything else.
    Update,
}

impl Operation {
    /// The word as `managedFields` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }

    /// The operation of a word.
    pub fn named(word: &str) -> Option<Self> {
        [Self::Apply, Self::Update].into_iter().find(|operation| operation.as_str() == word)
    }
}

/// What tells managers of an object apart. Two entries with the same identity are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The name of the manager.
    pub manager: Str,
    /// How it writes.
    pub operation: Operation,
    /// The version of the kind at which it writes. It is no part of the identity of one that applies, and empty then.
    pub api_version: Str,
    /// The subresource that it writes; empty for the object itself.
    pub subresource: Str,
}

impl Identity {
    /// The identity as upstream writes it, by which managers that wrote at the same time are ordered.
    pub(super) fn to_text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let members = [
            ("manager", &*self.manager),
            ("operation", self.operation.as_str()),
            ("apiVersion", &self.api_version),
            ("subresource", &self.subresource),
        ];
        for (name, value) in members.into_iter().filter(|(_, value)| !value.is_empty()) {
            out.push(if out.is_empty() { b'{' } else { b',' });
            writer::string(&mut out, name);
            out.push(b':');
            writer::string(&mut out, value);
        }
        out.push(b'}');
        out
    }
}
