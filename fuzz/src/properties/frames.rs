//! A stream gives the same frames however it was cut into chunks, and the frames are the stream.

use bytes::Bytes;
use interlingua_wire::{Frame, FrameError, Framer, Framing};

use crate::random::Random;

/// One that real streams meet, and one that most do not.
const LIMITS: [usize; 2] = [64 * 1024, 256];

/// The first byte chooses the framing and the limit, the second how the rest is cut.
pub fn frames(data: &[u8]) {
    let [choice, cut, stream @ ..] = data else { return };
    let limit = LIMITS[usize::from(choice >> 7)];
    let framing = match choice % 3 {
        0 => Framing::Sse,
        1 => Framing::JsonArray,
        _ => Framing::AwsEvents,
    };
    let whole = Cut::of(framing, limit, [stream]);
    if whole.error.is_none() {
        let raws = whole.frames.iter().flat_map(|frame| frame.raw.iter().copied());
        assert!(raws.eq(stream.iter().copied()), "the frames are not the stream");
    }
    for frame in &whole.frames {
        assert!(frame.raw.len() <= limit, "a frame of {} bytes", frame.raw.len());
        assert!(!frame.raw.is_empty(), "a frame of no bytes");
    }
    let bytewise = Cut::of(framing, limit, stream.chunks(1));
    whole.same_as(&bytewise);
    let mut random = Random::new(u64::from(*cut));
    let mut rest = stream;
    let chunks = std::iter::from_fn(|| {
        let (chunk, after) = rest.split_at(random.below(rest.len().min(40) + 1));
        let more = !rest.is_empty();
        rest = after;
        more.then_some(chunk)
    });
    whole.same_as(&Cut::of(framing, limit, chunks));
}

struct Cut {
    frames: Vec<Frame>,
    error: Option<FrameError>,
}

impl Cut {
    fn of<'s>(framing: Framing, limit: usize, chunks: impl IntoIterator<Item = &'s [u8]>) -> Self {
        let mut framer = Framer::new(framing, limit);
        let mut found = Vec::new();
        let mut drain = |framer: &mut Framer| loop {
            match framer.next() {
                Ok(Some(frame)) => found.push(frame),
                Ok(None) => return None,
                Err(error) => return Some(error),
            }
        };
        let mut error = None;
        for chunk in chunks {
            framer.push(&Bytes::copy_from_slice(chunk));
            error = drain(&mut framer);
            if error.is_some() {
                break;
            }
        }
        if error.is_none() {
            match framer.finish() {
                Ok(last) => found.extend(last),
                Err(cut) => error = Some(cut),
            }
        }
        Self { frames: found, error }
    }

    /// Where exactly an error shows may depend on the chunks; that there is one may not.
    fn same_as(&self, other: &Self) {
        assert_eq!(self.frames, other.frames, "other chunks, other frames");
        assert_eq!(
            self.error.is_some(),
            other.error.is_some(),
            "{:?} or {:?}",
            self.error,
            other.error
        );
    }
}
