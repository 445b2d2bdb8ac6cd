//! Whatever a provider sends, the client gets something it can read: part of law 7.

use bytes::Bytes;
use interlingua::wire::{Frame, Framer, Limits, frame};
use interlingua::{Dialect, Exchange, Ledger, ReplyError, Stream, translate_reply};
use interlingua_corpus::stream;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::mess::{Mess, mess};
use crate::reply::{Streamed, reply};
use crate::{bodies, for_all, in_all_pairs};

/// What happens to the frames of a stream on the way.
#[derive(Clone, Debug)]
enum Accident {
    Dropped(Index),
    Doubled(Index),
    Swapped(Index, Index),
    /// Another frame's data under this frame's name.
    Replaced(Index, &'static str),
    /// Something odd inside the data.
    Odd(Index, Mess),
}

#[test]
fn any_stream_is_lawful_in_every_dialect() {
    let accidents = prop::collection::vec(accident(), 1..5);
    for_all((reply(), accidents), |(reply, accidents)| {
        in_all_pairs(|from, to| {
            let bytes = after(accidents, reply, from);
            let events = stream::read(from, &bytes, &Exchange::default());
            stream::lawful(&events).map_err(|why| format!("read {why}\nin {}", show(&bytes)))?;
            let out = translated(from, to, &bytes);
            let again = stream::read(to, &out, &Exchange::default());
            stream::lawful(&again).map_err(|why| format!("{why}\nin {}", show(&out)))?;
            match (stream::fold(&events), stream::fold(&again)) {
                (Err(failure), Ok(_)) => {
                    Err(format!("a clean end after {failure:?}: {}", show(&out)))
                }
                (Ok(_), Err(failure)) => Err(format!("{failure:?} for a reply: {}", show(&out))),
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => Ok(()),
            }
        })
    });
}

#[test]
fn any_reply_can_be_read_in_every_dialect() {
    for_all((reply(), mess()), |(reply, mess)| {
        in_all_pairs(|from, to| {
            let exchange = Exchange::default();
            let whole = from.encode_reply(&reply.reply, &exchange, &mut Ledger::default());
            let odd = mess.of(&whole);
            let sent = match translate_reply(odd, from, to, &exchange) {
                Ok((sent, _)) => sent,
                Err(ReplyError::Failed(failure)) => to.encode_error(&failure).into(),
                Err(ReplyError::Unreadable(error)) => return Err(error.to_string()),
            };
            bodies::doc(&sent).map(|_| ())
        })
    });
}

fn accident() -> impl Strategy<Value = Accident> {
    let at = any::<Index>;
    let data =
        select(&["{}", "[1]", "null", "\"x\"", "{\"type\":\"from_the_future\"}", "{\"cut\":"]);
    prop_oneof![
        at().prop_map(Accident::Dropped),
        at().prop_map(Accident::Doubled),
        (at(), at()).prop_map(|(a, b)| Accident::Swapped(a, b)),
        (at(), data).prop_map(|(at, data)| Accident::Replaced(at, data)),
        (at(), mess()).prop_map(|(at, mess)| Accident::Odd(at, mess)),
    ]
}

/// The stream of a reply after these accidents.
fn after(accidents: &[Accident], reply: &Streamed, dialect: &dyn Dialect) -> Bytes {
    let whole = stream::write(dialect, &reply.events(), &Exchange::default());
    let mut cutter = Framer::new(dialect.framing(), Limits::default().bytes);
    cutter.push(&whole);
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = cutter.finish() {
        frames.push(frame);
    }
    for accident in accidents {
        if !frames.is_empty() {
            accident.happen(&mut frames, dialect);
        }
    }
    frames.iter().flat_map(|frame| frame.raw.iter().copied()).collect()
}

impl Accident {
    fn happen(&self, frames: &mut Vec<Frame>, dialect: &dyn Dialect) {
        let count = frames.len();
        let rewrite = |frame: &mut Frame, data: &str| {
            let mut raw = Vec::new();
            frame::write(dialect.framing(), frame.event.as_deref(), data, &mut raw);
            frame.raw = raw.into();
        };
        match self {
            Self::Dropped(at) => drop(frames.remove(at.index(count))),
            Self::Doubled(at) => {
                let frame = frames[at.index(count)].clone();
                frames.insert(at.index(count), frame);
            }
            Self::Swapped(a, b) => frames.swap(a.index(count), b.index(count)),
            Self::Replaced(at, data) => rewrite(&mut frames[at.index(count)], data),
            Self::Odd(at, mess) => {
                let frame = &mut frames[at.index(count)];
                let data = mess.of(frame.data.as_deref().unwrap_or_default().as_bytes());
                rewrite(frame, &String::from_utf8_lossy(&data));
            }
        }
    }
}

fn translated(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes) -> Bytes {
    let mut stream = Stream::new(from, to, &Exchange::default());
    let mut out = Vec::new();
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    out.into()
}

/// The readable parts of a stream.
fn show(bytes: &[u8]) -> String {
    let binary = |letter: char| letter.is_control() && letter != '\n';
    String::from_utf8_lossy(bytes).replace(binary, "·")
}
