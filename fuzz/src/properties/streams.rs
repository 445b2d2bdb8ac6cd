//! A translated stream and its reply are the same for any chunking of the input.

use bytes::Bytes;
use interlingua::{ApiError, Reply, StreamTranslator};
use interlingua_dialects::note;

use super::dialect_pair::{DialectPair, exchange};
use crate::rng::Rng;

/// The first byte selects the dialects, the second seeds the chunking.
pub fn streams(data: &[u8]) {
    let [choice, chunk_seed, stream @ ..] = data else { return };
    let pair = DialectPair::from_byte(*choice);
    let whole = StreamRun::run(&pair, [stream]);
    let has_reply = whole.reply.is_ok();
    // A stream as an array or one object is sent as events, because this client does not request an
    // array.
    let is_array = matches!(stream.trim_ascii_start().first(), Some(b'[' | b'{'));
    if pair.is_same() && has_reply && !is_array {
        if whole.rules.iter().any(|rule| STREAM_REPAIR_NOTES.contains(rule)) {
            let second = StreamRun::run(&pair, [&whole.out[..]]);
            assert!(second.reply.is_ok(), "a repaired stream cannot be decoded");
        } else {
            assert!(
                whole.out.starts_with(stream) || stream.starts_with(&whole.out),
                "encoded differently"
            );
        }
    }
    whole.assert_same(&StreamRun::run(&pair, stream.chunks(1)));
    let mut rng = Rng::new(u64::from(*chunk_seed));
    let mut rest = stream;
    let chunks = std::iter::from_fn(|| {
        let (chunk, after) = rest.split_at(rng.below(rest.len().min(40) + 1));
        let has_more = !rest.is_empty();
        rest = after;
        has_more.then_some(chunk)
    });
    whole.assert_same(&StreamRun::run(&pair, chunks));
}

/// Notes of a repaired beginning or end.
const STREAM_REPAIR_NOTES: &[&str] = &[note::STREAM_ORDER, note::ODD_INPUT];

struct StreamRun {
    out: Vec<u8>,
    reply: Result<Reply, ApiError>,
    rules: Vec<&'static str>,
}

impl StreamRun {
    fn run<'s>(pair: &DialectPair, chunks: impl IntoIterator<Item = &'s [u8]>) -> Self {
        let mut stream = StreamTranslator::new(pair.from, pair.to, &exchange());
        let mut out = Vec::new();
        for chunk in chunks {
            stream.push(&Bytes::copy_from_slice(chunk), &mut out);
        }
        stream.finish(&mut out);
        assert!(stream.has_ended(), "neither a stop nor an error");
        let (reply, ledger) = stream.into_reply();
        let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
        Self { out, reply, rules }
    }

    fn assert_same(&self, other: &Self) {
        // The message of an error may depend on the chunks; its kind may not.
        match (&self.reply, &other.reply) {
            (Err(a), Err(b)) => assert_eq!(a.kind, b.kind),
            (a, b) => assert_eq!(a, b, "the reply depends on the chunks"),
        }
        assert_eq!(self.rules, other.rules, "the notes depend on the chunks");
        if self.reply.is_ok() {
            let [a, b] = [&self.out, &other.out].map(|out| String::from_utf8_lossy(out));
            assert_eq!(a, b, "the stream depends on the chunks");
        }
    }
}
