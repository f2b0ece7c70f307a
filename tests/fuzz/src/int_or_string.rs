//! Integers or strings: the same bytes as text, as a JSON document and as a message.

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::protobuf;
use hubgen_machinery::reflect::{Type, Value as _};
use hubgen_machinery::scalar::IntOrString;
use prost::Message;
use serde_json::Value;

use crate::peer::protobuf::PortPeer;
use crate::shapes::{Leaves, survives};
use crate::{memory, peer};

/// Bytes of memory per byte of input: the text, and as much again while it grows if it contains escapes.
const MEMORY: u64 = 4;

pub fn check(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let read: IntOrString = text.parse().unwrap_or_else(|never| match never {});
        let expected = text.parse().map_or_else(|_| IntOrString::from(text), IntOrString::Int);
        assert_eq!(read, expected);
        survives(&Leaves { port: Some(read), ..Leaves::default() });
    }
    in_json(data);
    in_protobuf(data);
}

fn in_json(data: &[u8]) {
    let mut found = IntOrString::default();
    let read =
        memory::bounded(data.len(), MEMORY, || json::decode_slot(data, &Type::IntOrString, found.slot_mut()));
    let expected = peer::json(&peer::without_lone_surrogates(data)).and_then(|value| match value {
        Value::Null => Some(IntOrString::default()),
        Value::String(text) => Some(IntOrString::String(text.into())),
        // serde_json reads -0 as a float.
        Value::Number(number)
            if number.as_f64().is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()) =>
        {
            let text = Raw::new(data).expect("a number is JSON");
            (text.as_str() == "-0").then_some(IntOrString::Int(0))
        }
        Value::Number(number) => Some(IntOrString::Int(number.as_i64()?.try_into().ok()?)),
        _ => None,
    });
    assert_eq!(read.is_ok().then_some(&found), expected.as_ref(), "{read:?}");
    if let Err(error) = read {
        assert!(error.offset() <= data.len(), "{error}");
    }
    if let Ok(value) = serde_json::from_slice::<IntOrString>(data) {
        assert_eq!(Some(value), expected, "through serde");
    }
}

#[derive(Clone, PartialEq, Message)]
struct Holder {
    #[prost(message, optional, tag = "5")]
    port: Option<PortPeer>,
}

fn in_protobuf(data: &[u8]) {
    let mut message = vec![5 << 3 | 2];
    prost::encode_length_delimiter(data.len(), &mut message).expect("a vector grows");
    message.extend(data);
    let ours = memory::bounded(message.len(), MEMORY, || protobuf::decode::<Leaves>(&message));
    let theirs = Holder::decode(&message[..]).ok().and_then(|holder| holder.port);
    match (ours, theirs) {
        (Ok(ours), Some(theirs)) => {
            let expected = match theirs.kind {
                0 => IntOrString::Int(theirs.number),
                1 => IntOrString::String(theirs.text.into()),
                other => panic!("expected type {other} to be refused"),
            };
            assert_eq!(ours.port, Some(expected));
            survives(&ours);
        }
        (Err(error), Some(theirs)) => assert!(!(0..=1).contains(&theirs.kind), "{error}: {theirs:?}"),
        // Numbers of more than 64 bits are truncated, as by Go.
        (Ok(_), None) => {
            assert!(data.windows(10).any(|ten| ten[..9].iter().all(|byte| *byte >= 0x80) && ten[9] > 1))
        }
        (Err(error), None) => assert!(error.offset() <= message.len(), "{error}"),
    }
}
