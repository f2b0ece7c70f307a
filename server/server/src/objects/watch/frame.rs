//! How events are sent: one after the other, each in a frame that tells where it ends.

use axum::body::Bytes;
use hubgen_machinery::protobuf::{WatchEvent, write_frame};

use super::Error;
use crate::media::Media;

/// What an event tells of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

impl EventType {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }

    /// The frame of an event with an object in this media type: a line of JSON, or protobuf after its length.
    ///
    /// # Errors
    /// If the object is larger than a frame can be.
    pub(crate) fn frame(self, media: Media, object: &[u8]) -> Result<Bytes, Error> {
        let mut frame = Vec::new();
        match media {
            Media::Json => {
                let [head, name, middle, tail] =
                    [br#"{"type":""#, self.name().as_bytes(), br#"","object":"#, b"}\n"];
                frame.reserve_exact(head.len() + name.len() + middle.len() + object.len() + tail.len());
                [head, name, middle, object, tail].iter().for_each(|part| frame.extend_from_slice(part));
            }
            Media::Protobuf => {
                let event = WatchEvent { event_type: self.name(), object }.encode();
                write_frame(&mut frame, &event).map_err(|error| Error::Internal(error.to_string()))?;
            }
        }
        Ok(frame.into())
    }
}

/// Frames that are sent together.
#[derive(Default)]
pub(super) struct Batch {
    /// The only frame, which other watches may share.
    first: Option<Bytes>,
    /// All frames, if there are several.
    all: Vec<u8>,
}

impl Batch {
    pub(super) fn push(&mut self, frame: Bytes) {
        match self.first.take() {
            None if self.all.is_empty() => self.first = Some(frame),
            first => {
                self.all.extend_from_slice(&first.unwrap_or_default());
                self.all.extend_from_slice(&frame);
            }
        }
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.first.as_ref().map_or(self.all.len(), Bytes::len)
    }

    /// The bytes, if there are any.
    pub(super) fn bytes(self) -> Option<Bytes> {
        self.first.or_else(|| (!self.all.is_empty()).then(|| self.all.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_framed() {
        let json = EventType::Added.frame(Media::Json, b"{}").unwrap();
        assert_eq!(json, b"{\"type\":\"ADDED\",\"object\":{}}\n"[..]);
        let protobuf = EventType::Error.frame(Media::Protobuf, b"k8s\0").unwrap();
        assert_eq!(protobuf, b"\0\0\0\x0f\x0a\x05ERROR\x12\x06\x0a\x04k8s\0"[..]);
    }

    #[test]
    fn one_frame_is_not_copied() {
        let frame = Bytes::from_static(b"one");
        let mut batch = Batch::default();
        assert_eq!((batch.len(), Batch::default().bytes()), (0, None));
        batch.push(frame.clone());
        assert_eq!(batch.len(), 3);
        assert_eq!(batch.bytes().unwrap().as_ptr(), frame.as_ptr());

        let mut batch = Batch::default();
        ["one", "two", "three"].into_iter().for_each(|text| batch.push(Bytes::from_static(text.as_bytes())));
        assert_eq!((batch.len(), batch.bytes().unwrap()), (11, Bytes::from_static(b"onetwothree")));
    }
}
