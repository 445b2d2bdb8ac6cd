//! A stream gives the same frames for any chunking, and the frames together are the stream.

use bytes::Bytes;
use interlingua_wire::{Frame, FrameError, FrameReader, Framing};

use crate::rng::Rng;

/// A frame limit that real streams satisfy, and one that most exceed.
const LIMITS: [usize; 2] = [64 * 1024, 256];

/// The first byte selects the framing and the limit, the second seeds the chunking.
pub fn frames(data: &[u8]) {
    let [choice, chunk_seed, stream @ ..] = data else { return };
    let limit = LIMITS[usize::from(choice >> 7)];
    let framing = match choice % 3 {
        0 => Framing::Sse,
        1 => Framing::JsonArray,
        _ => Framing::AwsEventStream,
    };
    let whole = FramingRun::run(framing, limit, [stream]);
    if whole.error.is_none() {
        let raws = whole.frames.iter().flat_map(|frame| frame.raw.iter().copied());
        assert!(raws.eq(stream.iter().copied()), "the frames are not the stream");
    }
    for frame in &whole.frames {
        assert!(frame.raw.len() <= limit, "a frame of {} bytes", frame.raw.len());
        assert!(!frame.raw.is_empty(), "a frame of no bytes");
    }
    let bytewise = FramingRun::run(framing, limit, stream.chunks(1));
    whole.assert_same(&bytewise);
    let mut rng = Rng::new(u64::from(*chunk_seed));
    let mut rest = stream;
    let chunks = std::iter::from_fn(|| {
        let (chunk, after) = rest.split_at(rng.below(rest.len().min(40) + 1));
        let has_more = !rest.is_empty();
        rest = after;
        has_more.then_some(chunk)
    });
    whole.assert_same(&FramingRun::run(framing, limit, chunks));
}

struct FramingRun {
    frames: Vec<Frame>,
    error: Option<FrameError>,
}

impl FramingRun {
    fn run<'s>(framing: Framing, limit: usize, chunks: impl IntoIterator<Item = &'s [u8]>) -> Self {
        let mut reader = FrameReader::new(framing, limit);
        let mut frames = Vec::new();
        let mut drain = |reader: &mut FrameReader| loop {
            match reader.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => return None,
                Err(error) => return Some(error),
            }
        };
        let mut error = None;
        for chunk in chunks {
            reader.push(&Bytes::copy_from_slice(chunk));
            error = drain(&mut reader);
            if error.is_some() {
                break;
            }
        }
        if error.is_none() {
            match reader.finish() {
                Ok(last) => frames.extend(last),
                Err(truncated) => error = Some(truncated),
            }
        }
        Self { frames, error }
    }

    /// The exact error may depend on the chunks; whether there is one may not.
    fn assert_same(&self, other: &Self) {
        assert_eq!(self.frames, other.frames, "the frames depend on the chunks");
        assert_eq!(
            self.error.is_some(),
            other.error.is_some(),
            "{:?} or {:?}",
            self.error,
            other.error
        );
    }
}
