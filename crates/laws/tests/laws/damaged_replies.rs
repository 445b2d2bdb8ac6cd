//! Part of law 7: whatever a provider sends, the client gets a valid reply or error.

use bytes::Bytes;
use interlingua::{Dialect, Ledger, ReplyContext, ReplyError, translate_reply};
use interlingua_corpus::stream;
use interlingua_laws::generate::GeneratedReply;
use interlingua_laws::mutate::mutate;
use interlingua_laws::raw_json;
use interlingua_laws::rng::Rng;
use interlingua_wire::{Frame, FrameReader, JsonLimits, frame};
use serde_json::Value;

use crate::replies::{for_all_replies, in_all_pairs, parse_json, show, translate_stream};

#[test]
fn damaged_streams_follow_the_grammar() {
    for_all_replies(|reply, rng| {
        in_all_pairs(|from, to| {
            let bytes = damaged_stream(reply, from, rng);
            let events = stream::read(from, &bytes, &ReplyContext::default());
            stream::check_grammar(&events)
                .map_err(|violation| format!("decoded: {violation}\nin {}", show(&bytes)))?;
            let out = translate_stream(from, to, std::slice::from_ref(&bytes));
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
    for_all_replies(|reply, rng| {
        in_all_pairs(|from, to| {
            let cx = ReplyContext::default();
            let body = from.encode_reply(&reply.reply, &cx, &mut Ledger::default());
            let sent = match translate_reply(mutated(&body, rng), from, to, &cx) {
                Ok((sent, _)) => sent,
                Err(ReplyError::Api(api_error)) => to.encode_error(&api_error).into(),
                Err(ReplyError::InvalidBody(error)) => return Err(error.to_string()),
            };
            parse_json(&sent).map(|_| ())
        })
    });
}

/// The stream of a reply with one to four faults in its frames.
fn damaged_stream(reply: &GeneratedReply, dialect: &dyn Dialect, rng: &mut Rng) -> Bytes {
    let stream_bytes = stream::write(dialect, &reply.events(), &ReplyContext::default());
    let mut frame_reader = FrameReader::new(dialect.framing(), JsonLimits::default().max_bytes);
    frame_reader.push(&stream_bytes);
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = frame_reader.finish() {
        frames.push(frame);
    }
    for _ in 0..rng.in_range(1, 4) {
        if !frames.is_empty() {
            damage_frame(&mut frames, dialect, rng);
        }
    }
    frames.iter().flat_map(|frame| frame.raw.iter().copied()).collect()
}

/// Drops, repeats or moves a frame, or changes its data and keeps its event name.
fn damage_frame(frames: &mut Vec<Frame>, dialect: &dyn Dialect, rng: &mut Rng) {
    let (at, other) = (rng.below(frames.len()), rng.below(frames.len()));
    let data = match rng.below(5) {
        0 => return drop(frames.remove(at)),
        1 => return frames.insert(other, frames[at].clone()),
        2 => return frames.swap(at, other),
        3 => rng.pick(ODD_DATA).into(),
        _ => mutated(frames[at].data.as_deref().unwrap_or_default().as_bytes(), rng),
    };
    let mut raw = Vec::new();
    let data = String::from_utf8_lossy(&data);
    frame::write(dialect.framing(), frames[at].event.as_deref(), &data, &mut raw);
    frames[at].raw = raw.into();
}

/// The body with one to three changed values.
fn mutated(body: &[u8], rng: &mut Rng) -> Bytes {
    let mut value = serde_json::from_slice(body).unwrap_or(Value::Null);
    mutate(&mut value, rng);
    raw_json::to_bytes(&value)
}

const ODD_DATA: &[&str] =
    &["{}", "[1]", "null", "\"x\"", "{\"type\":\"from_the_future\"}", "{\"cut\":"];
