//! Test helpers that feed a stream in chunks of every size.

use bytes::Bytes;
use interlingua_wire::frame::{Frame, FrameError, FrameReader, Framing};

pub(crate) const LIMIT: usize = 1 << 20;

/// Reads all frames up to the end of the stream, or to the first error.
pub(crate) fn read_frames<'c>(
    framing: Framing,
    chunks: impl IntoIterator<Item = &'c [u8]>,
    limit: usize,
) -> (Vec<Frame>, Option<FrameError>) {
    let mut reader = FrameReader::new(framing, limit);
    let mut frames = Vec::new();
    for chunk in chunks {
        reader.push(&Bytes::copy_from_slice(chunk));
        loop {
            match reader.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
    }
    loop {
        match reader.finish() {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => return (frames, None),
            Err(error) => return (frames, Some(error)),
        }
    }
}

pub(crate) fn read_all(framing: Framing, stream: &[u8]) -> Vec<Frame> {
    let (frames, error) = read_frames(framing, [stream], LIMIT);
    assert_eq!(error, None, "{:?}", String::from_utf8_lossy(stream));
    frames
}

/// Asserts that chunk boundaries change neither the frames nor the error, and that the frames'
/// bytes are the stream if there is no error.
pub(crate) fn assert_chunking_invariant(framing: Framing, stream: &[u8]) {
    let text = String::from_utf8_lossy(stream);
    let expected = read_frames(framing, [stream], LIMIT);
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        assert_eq!(read_frames(framing, [head, tail], LIMIT), expected, "{text:?} cut at {at}");
    }
    for size in 1..=7 {
        assert_eq!(
            read_frames(framing, stream.chunks(size), LIMIT),
            expected,
            "{text:?} by {size}"
        );
    }
    let (frames, error) = expected;
    let raw: Vec<u8> = frames.iter().flat_map(|frame| frame.raw.iter().copied()).collect();
    assert!(stream.starts_with(&raw), "{text:?}");
    assert!(error.is_some() || raw == stream, "{text:?}");
}
