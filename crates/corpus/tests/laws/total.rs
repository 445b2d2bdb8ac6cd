//! Part of law 7: whatever a provider sends, the client gets a valid reply or error.

use bytes::Bytes;
use interlingua::wire::{Frame, FrameReader, JsonLimits, frame};
use interlingua::{Dialect, Ledger, ReplyContext, ReplyError, StreamTranslator, translate_reply};
use interlingua_corpus::stream;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::corruption::{Corruptions, corruptions};
use crate::reply::{ChunkedReply, reply};
use crate::{bodies, for_all, in_all_pairs};

/// Damage to the frames of a stream.
#[derive(Clone, Debug)]
enum FrameFault {
    Drop(Index),
    Duplicate(Index),
    Swap(Index, Index),
    /// Replaces the data of a frame and keeps its event name.
    ReplaceData(Index, &'static str),
    /// Corrupts the data of a frame.
    CorruptData(Index, Corruptions),
}

#[test]
fn damaged_streams_follow_the_grammar() {
    let faults = prop::collection::vec(frame_fault(), 1..5);
    for_all((reply(), faults), |(reply, faults)| {
        in_all_pairs(|from, to| {
            let bytes = damaged_stream(faults, reply, from);
            let events = stream::read(from, &bytes, &ReplyContext::default());
            stream::check_grammar(&events)
                .map_err(|violation| format!("decoded: {violation}\nin {}", show(&bytes)))?;
            let out = translated(from, to, &bytes);
            let reread = stream::read(to, &out, &ReplyContext::default());
            stream::check_grammar(&reread)
                .map_err(|violation| format!("{violation}\nin {}", show(&out)))?;
            match (stream::fold_events(&events), stream::fold_events(&reread)) {
                (Err(error), Ok(_)) => Err(format!("a clean end after {error:?}: {}", show(&out))),
                (Ok(_), Err(error)) => Err(format!("{error:?} for a reply: {}", show(&out))),
                (Ok(_), Ok(_)) | (Err(_), Err(_)) => Ok(()),
            }
        })
    });
}

#[test]
fn corrupted_replies_are_translated_to_json() {
    for_all((reply(), corruptions()), |(reply, changes)| {
        in_all_pairs(|from, to| {
            let cx = ReplyContext::default();
            let body = from.encode_reply(&reply.reply, &cx, &mut Ledger::default());
            let corrupted = changes.apply_to(&body);
            let sent = match translate_reply(corrupted, from, to, &cx) {
                Ok((sent, _)) => sent,
                Err(ReplyError::Api(api_error)) => to.encode_error(&api_error).into(),
                Err(ReplyError::InvalidBody(error)) => return Err(error.to_string()),
            };
            bodies::doc(&sent).map(|_| ())
        })
    });
}

fn frame_fault() -> impl Strategy<Value = FrameFault> {
    let index = any::<Index>;
    let data =
        select(&["{}", "[1]", "null", "\"x\"", "{\"type\":\"from_the_future\"}", "{\"cut\":"]);
    prop_oneof![
        index().prop_map(FrameFault::Drop),
        index().prop_map(FrameFault::Duplicate),
        (index(), index()).prop_map(|(a, b)| FrameFault::Swap(a, b)),
        (index(), data).prop_map(|(at, data)| FrameFault::ReplaceData(at, data)),
        (index(), corruptions()).prop_map(|(at, mess)| FrameFault::CorruptData(at, mess)),
    ]
}

/// The stream of a reply after these faults.
fn damaged_stream(faults: &[FrameFault], reply: &ChunkedReply, dialect: &dyn Dialect) -> Bytes {
    let stream_bytes = stream::write(dialect, &reply.events(), &ReplyContext::default());
    let mut frame_reader = FrameReader::new(dialect.framing(), JsonLimits::default().max_bytes);
    frame_reader.push(&stream_bytes);
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = frame_reader.finish() {
        frames.push(frame);
    }
    for frame_fault in faults {
        if !frames.is_empty() {
            frame_fault.apply(&mut frames, dialect);
        }
    }
    frames.iter().flat_map(|frame| frame.raw.iter().copied()).collect()
}

impl FrameFault {
    fn apply(&self, frames: &mut Vec<Frame>, dialect: &dyn Dialect) {
        let count = frames.len();
        let rewrite = |frame: &mut Frame, data: &str| {
            let mut raw = Vec::new();
            frame::write(dialect.framing(), frame.event.as_deref(), data, &mut raw);
            frame.raw = raw.into();
        };
        match self {
            Self::Drop(index) => drop(frames.remove(index.index(count))),
            Self::Duplicate(index) => {
                let frame = frames[index.index(count)].clone();
                frames.insert(index.index(count), frame);
            }
            Self::Swap(a, b) => frames.swap(a.index(count), b.index(count)),
            Self::ReplaceData(index, data) => rewrite(&mut frames[index.index(count)], data),
            Self::CorruptData(index, corruptions) => {
                let frame = &mut frames[index.index(count)];
                let data =
                    corruptions.apply_to(frame.data.as_deref().unwrap_or_default().as_bytes());
                rewrite(frame, &String::from_utf8_lossy(&data));
            }
        }
    }
}

fn translated(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes) -> Bytes {
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default());
    let mut out = Vec::new();
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    out.into()
}

/// The text of a stream, with control characters replaced.
fn show(bytes: &[u8]) -> String {
    let is_control = |c: char| c.is_control() && c != '\n';
    String::from_utf8_lossy(bytes).replace(is_control, "·")
}
