//! A stream gives the same reply and the same stream in another dialect, however it was cut.

use bytes::Bytes;
use interlingua::{Failure, Reply, Stream, note};

use super::pair::{Pair, exchange};
use crate::random::Random;

/// The first byte chooses the dialects, the second how the stream is cut.
pub fn streams(data: &[u8]) {
    let [choice, cut, stream @ ..] = data else { return };
    let pair = Pair::chosen_by(*choice);
    let whole = Taken::of(&pair, [stream]);
    let ended_well = whole.reply.is_ok();
    // A stream that comes as an array, or as one object, leaves as events, where the client has not asked for an array.
    let is_array = matches!(stream.trim_ascii_start().first(), Some(b'[' | b'{'));
    if pair.is_same() && ended_well && !is_array {
        if whole.rules.iter().any(|rule| MENDED.contains(rule)) {
            let again = Taken::of(&pair, [&whole.out[..]]);
            assert!(again.reply.is_ok(), "mended, and then not readable");
        } else {
            assert!(whole.out.starts_with(stream) || stream.starts_with(&whole.out), "respelled");
        }
    }
    whole.same_as(&Taken::of(&pair, stream.chunks(1)));
    let mut random = Random::new(u64::from(*cut));
    let mut rest = stream;
    let chunks = std::iter::from_fn(|| {
        let (chunk, after) = rest.split_at(random.below(rest.len().min(40) + 1));
        let more = !rest.is_empty();
        rest = after;
        more.then_some(chunk)
    });
    whole.same_as(&Taken::of(&pair, chunks));
}

/// Notes of a beginning or an end that was put right on the way.
const MENDED: &[&str] = &[note::STREAM_ORDER, note::ODD_INPUT];

struct Taken {
    out: Vec<u8>,
    reply: Result<Reply, Failure>,
    rules: Vec<&'static str>,
}

impl Taken {
    fn of<'s>(pair: &Pair, chunks: impl IntoIterator<Item = &'s [u8]>) -> Self {
        let mut stream = Stream::new(pair.from, pair.to, &exchange());
        let mut out = Vec::new();
        for chunk in chunks {
            stream.push(&Bytes::copy_from_slice(chunk), &mut out);
        }
        stream.finish(&mut out);
        assert!(stream.has_ended(), "neither a stop nor a failure");
        let (reply, ledger) = stream.into_reply();
        let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
        Self { out, reply, rules }
    }

    fn same_as(&self, other: &Self) {
        // Where exactly a broken stream breaks may depend on the chunks; that it breaks may not.
        match (&self.reply, &other.reply) {
            (Err(one), Err(two)) => assert_eq!(one.kind, two.kind),
            (one, two) => assert_eq!(one, two, "other chunks, another reply"),
        }
        assert_eq!(self.rules, other.rules, "other chunks, other notes");
        if self.reply.is_ok() {
            let [one, two] = [&self.out, &other.out].map(|out| String::from_utf8_lossy(out));
            assert_eq!(one, two, "other chunks, another stream");
        }
    }
}
