//! Streams cut into chunks in every way, for the tests of each framing.

use bytes::Bytes;
use interlingua_wire::frame::{Frame, FrameError, Framer, Framing};

pub(crate) const LIMIT: usize = 1 << 20;

/// All frames up to the end of the stream, or to the first error.
pub(crate) fn cut<'c>(
    framing: Framing,
    chunks: impl IntoIterator<Item = &'c [u8]>,
    limit: usize,
) -> (Vec<Frame>, Option<FrameError>) {
    let mut framer = Framer::new(framing, limit);
    let mut found = Vec::new();
    for chunk in chunks {
        framer.push(&Bytes::copy_from_slice(chunk));
        loop {
            match framer.next() {
                Ok(Some(frame)) => found.push(frame),
                Ok(None) => break,
                Err(error) => return (found, Some(error)),
            }
        }
    }
    loop {
        match framer.finish() {
            Ok(Some(frame)) => found.push(frame),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error)),
        }
    }
}

pub(crate) fn whole(framing: Framing, stream: &[u8]) -> Vec<Frame> {
    let (frames, error) = cut(framing, [stream], LIMIT);
    assert_eq!(error, None, "{:?}", String::from_utf8_lossy(stream));
    frames
}

/// Cutting the stream anywhere gives the same frames, and the same error if there is one; without
/// error the bytes of the frames are the stream.
pub(crate) fn assert_lawful(framing: Framing, stream: &[u8]) {
    let text = String::from_utf8_lossy(stream);
    let expected = cut(framing, [stream], LIMIT);
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        assert_eq!(cut(framing, [head, tail], LIMIT), expected, "{text:?} cut at {at}");
    }
    for size in 1..=7 {
        assert_eq!(cut(framing, stream.chunks(size), LIMIT), expected, "{text:?} by {size}");
    }
    let (frames, error) = expected;
    let raw: Vec<u8> = frames.iter().flat_map(|frame| frame.raw.iter().copied()).collect();
    assert!(stream.starts_with(&raw), "{text:?}");
    assert!(error.is_some() || raw == stream, "{text:?}");
}
