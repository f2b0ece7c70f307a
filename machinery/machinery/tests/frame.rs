//! Watches in protobuf: the events do not depend on the pieces in which the
//! bytes arrive.

use hubgen_machinery::protobuf::{Envelope, Frames, WatchEvent, write_frame};
use proptest::prelude::*;

const LIMIT: usize = 1 << 10;

/// Reads frames from pieces that are cut at `cuts`. Returns the messages, and
/// the error at the end, if any.
fn read(bytes: &[u8], cuts: &[prop::sample::Index]) -> (Vec<Vec<u8>>, Option<String>) {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    let (mut frames, mut found) = (Frames::new(LIMIT), Vec::new());
    for piece in cuts.windows(2) {
        frames.push(&bytes[piece[0]..piece[1]]);
        loop {
            match frames.next() {
                Ok(Some(message)) => found.push(message.to_vec()),
                Ok(None) => break,
                Err(error) => return (found, Some(error.to_string())),
            }
        }
    }
    (found, frames.finish().err().map(|error| error.to_string()))
}

fn framed(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    messages.iter().for_each(|message| write_frame(&mut out, message).unwrap());
    out
}

proptest! {
    #[test]
    fn events_do_not_depend_on_the_pieces(
        events: Vec<(String, Vec<u8>)>,
        cuts: Vec<prop::sample::Index>,
    ) {
        let messages: Vec<Vec<u8>> = events
            .iter()
            .map(|(event_type, object)| WatchEvent { event_type, object }.encode())
            .collect();
        let (found, error) = read(&framed(&messages), &cuts);
        prop_assert_eq!(error, None);
        prop_assert_eq!(&found, &messages);
        for (message, (event_type, object)) in found.iter().zip(&events) {
            prop_assert_eq!(WatchEvent::decode(message), Ok(WatchEvent { event_type, object }));
            let enveloped = Envelope { raw: message, ..Envelope::default() }.encode();
            prop_assert_eq!(WatchEvent::decode(&enveloped), Ok(WatchEvent { event_type, object }));
        }
    }

    /// A truncated stream returns its complete messages, and an error unless
    /// it ends between two frames.
    #[test]
    fn a_truncated_stream_is_an_error(
        messages: Vec<Vec<u8>>,
        cut: prop::sample::Index,
        cuts: Vec<prop::sample::Index>,
    ) {
        let bytes = framed(&messages);
        let cut = cut.index(bytes.len() + 1);
        let (found, error) = read(&bytes[..cut], &cuts);
        prop_assert_eq!(&found[..], &messages[..found.len()]);
        let whole = framed(&found).len();
        prop_assert!(found.len() == messages.len() || cut < whole + 4 + messages[found.len()].len());
        prop_assert_eq!(error.is_some(), cut != whole, "{:?}", error);
    }

    /// No bytes make the reader panic or return a message that is not a frame.
    #[test]
    fn any_bytes_are_frames_or_an_error(bytes: Vec<u8>, cuts: Vec<prop::sample::Index>) {
        let (found, error) = read(&bytes, &cuts);
        prop_assert_eq!(error.is_none(), framed(&found).len() == bytes.len());
        let _ = WatchEvent::decode(&bytes);
    }
}

#[test]
fn errors_contain_the_offset() {
    let wrong = |bytes: &[u8]| read(bytes, &[]).1.unwrap();
    let first = b"\0\0\0\x01x";
    let after = |rest: &[u8]| wrong(&[first, rest].concat());
    assert_eq!(after(&[0, 0, 4, 1]), "byte 5: expected a frame of at most 1024 bytes, found one of 1025");
    assert_eq!(after(&[255; 4]), "byte 5: expected a frame of at most 1024 bytes, found one of 4294967295");
    assert_eq!(after(&[0, 0, 0, 9, 1, 2]), "byte 5: expected a frame of 9 bytes, found the end after 2");
    assert_eq!(after(&[0, 0]), "byte 5: expected the 4 bytes of a frame's length, found the end after 2");
    // Later calls return the error again.
    let mut frames = Frames::new(1);
    frames.push(&[0, 0, 0, 2, 1, 1]);
    assert!(frames.next().is_err());
    frames.push(&[0, 0, 0, 0]);
    assert!(frames.next().is_err());

    let pod = Envelope { api_version: "v1", kind: "Pod", ..Envelope::default() }.encode();
    let error = WatchEvent::decode(&pod).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 0: expected a WatchEvent in an envelope without a kind, found kind v1 Pod"
    );
    let broken = Envelope { raw: &[0x12, 2, 0x0a, 5], ..Envelope::default() }.encode();
    let error = WatchEvent::decode(&broken).unwrap_err();
    assert_eq!(error.to_string(), "byte 15, object: expected 5 more bytes, found 0");
}

#[test]
fn a_watch_as_upstream_sends_it() {
    let bytes = b"\0\0\0\x23\x0a\x08BOOKMARK\x12\x17\x0a\x15k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x00\x1a\x00\x22\x00\0\0\0\0";
    let mut frames = Frames::new(Frames::LIMIT);
    frames.push(bytes);
    let message = frames.next().unwrap().unwrap().to_vec();
    let event = WatchEvent::decode(&message).unwrap();
    assert_eq!(event.event_type, "BOOKMARK");
    assert_eq!(Envelope::decode(event.object).unwrap().kind, "Pod");
    // Upstream's clients read an empty frame as an empty event.
    assert_eq!(WatchEvent::decode(frames.next().unwrap().unwrap()).unwrap(), WatchEvent::default());
}
