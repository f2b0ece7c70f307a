//! Finds the heads of requests in the bytes of an HTTP/2 connection.

/// The type of the frame that begins a head.
const HEADERS: u8 = 1;
/// The type of the frames that continue it.
const CONTINUATION: u8 = 9;
/// The flag of a frame that ends a head.
const END_HEADERS: u8 = 4;

/// The number of bytes before the payload of a frame: length (3), type, flags, stream (4).
const FRAME: usize = 9;

/// Whether part of a head has arrived. Frames of a head follow each other without others between them, so a connection
/// receives at most one head at a time.
#[derive(Debug, Default)]
pub(super) struct Heads {
    frame: [u8; FRAME],
    /// How much of `frame` is there.
    known: usize,
    /// The bytes of the payload that are not there yet.
    left: usize,
    /// A head has begun, and the frame that ends it is not complete.
    is_open: bool,
}

impl Heads {
    /// Receives bytes. Returns whether a head is incomplete after them.
    pub(super) fn receive(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.known < FRAME {
                let count = bytes.len().min(FRAME - self.known);
                self.frame[self.known..self.known + count].copy_from_slice(&bytes[..count]);
                self.known += count;
                bytes = &bytes[count..];
                if self.known < FRAME {
                    break;
                }
                let [a, b, c, kind, ..] = self.frame;
                self.left = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
                self.is_open |= kind == HEADERS;
            }
            let count = bytes.len().min(self.left);
            self.left -= count;
            bytes = &bytes[count..];
            if self.left == 0 {
                self.known = 0;
                let [_, _, _, kind, flags, ..] = self.frame;
                if matches!(kind, HEADERS | CONTINUATION) && flags & END_HEADERS != 0 {
                    self.is_open = false;
                }
            }
        }
        self.is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = payload.len() as u32;
        let mut frame = length.to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags, 0, 0, 0, 1]);
        frame.extend(payload);
        frame
    }

    #[test]
    fn a_head_is_open_until_its_last_byte() {
        let mut heads = Heads::default();
        assert!(!heads.receive(&frame(4, 0, &[0; 6])), "SETTINGS");
        let head = frame(HEADERS, END_HEADERS, b"abc");
        for byte in &head[..FRAME - 1] {
            assert!(!heads.receive(&[*byte]), "it is not known yet what this is");
        }
        for byte in &head[FRAME - 1..head.len() - 1] {
            assert!(heads.receive(&[*byte]));
        }
        assert!(!heads.receive(&head[head.len() - 1..]));
        assert!(!heads.receive(&frame(0, 1, &[7; 100])), "DATA");
    }

    #[test]
    fn a_head_continues_in_further_frames() {
        let mut heads = Heads::default();
        assert!(heads.receive(&frame(HEADERS, 1, b"abc")));
        assert!(heads.receive(&frame(CONTINUATION, 0, b"")));
        assert!(heads.receive(&frame(CONTINUATION, 0, b"abc")));
        assert!(!heads.receive(&frame(CONTINUATION, END_HEADERS, b"")));
        let two = [frame(HEADERS, END_HEADERS, b""), frame(HEADERS, 0, b"abc")].concat();
        assert!(heads.receive(&two));
    }
}
