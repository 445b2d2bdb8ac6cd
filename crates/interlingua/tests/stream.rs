//! Streams: passthrough, framing, and every way to end.

use bytes::Bytes;
use interlingua::{
    ApiError, Dialect, Framing, JsonString, Ledger, RawJson, Reply, ReplyContext, StreamTranslator,
    find_dialect,
};
use interlingua_model::ApiErrorKind;
use interlingua_wire::frame;

fn dialect(name: &str) -> &'static dyn Dialect {
    find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

struct StreamResult {
    out: Vec<u8>,
    reply: Result<Reply, ApiError>,
    ledger: Ledger,
}

impl StreamResult {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

fn translate(from: &str, to: &str, cx: &ReplyContext, chunks: &[&[u8]]) -> StreamResult {
    let mut stream = StreamTranslator::new(dialect(from), dialect(to), cx);
    let mut out = Vec::new();
    for chunk in chunks {
        stream.push(&Bytes::copy_from_slice(chunk), &mut out);
    }
    stream.finish(&mut out);
    stream.finish(&mut out);
    let (reply, ledger) = stream.into_reply();
    StreamResult { out, reply, ledger }
}

const CHAT: &str = ": keep-alive\r\n\r\ndata:{\"id\":\"r\",\"choices\":[{\"delta\":{\"content\":\"hi\"},\"x\":1}]}\r\n\r\ndata: {\"id\":\"r\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const ARRAY: &str = " \n[{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"h[i\"}]}}]}\n,\r\n{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"!\"}]},\"finishReason\":\"STOP\"}]}]\n";

#[test]
fn frames_of_the_same_dialect_are_forwarded_unchanged() {
    let chunks: Vec<_> = CHAT.as_bytes().chunks(7).collect();
    let done = translate("openai-chat", "openai-chat", &ReplyContext::default(), &chunks);
    assert_eq!(done.text(), CHAT);
    assert!(done.ledger.is_empty());
    assert_eq!(done.reply.unwrap().turn.blocks.len(), 1);
}

#[test]
fn an_array_is_detected_by_its_bracket() {
    let array = ReplyContext { wants_json_array: true, ..ReplyContext::default() };
    let chunks: Vec<_> = ARRAY.as_bytes().chunks(1).collect();
    let done = translate("gemini", "gemini", &array, &chunks);
    assert_eq!(done.text(), ARRAY);
    assert_eq!(done.reply.unwrap().turn.blocks.len(), 1);

    let done = translate("gemini", "openai-chat", &ReplyContext::default(), &chunks);
    assert!(done.text().contains("h[i") && done.text().ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_client_gets_the_framing_it_wants() {
    let events = translate("gemini", "gemini", &ReplyContext::default(), &[ARRAY.as_bytes()]);
    assert!(events.text().starts_with("data: {"), "{}", events.text());

    let array = ReplyContext { wants_json_array: true, ..ReplyContext::default() };
    let second = translate("gemini", "gemini", &array, &[&events.out]);
    assert!(interlingua::RawJson::parse(second.text()).is_ok(), "{}", second.text());
    assert_eq!(second.reply.unwrap().turn.blocks, events.reply.unwrap().turn.blocks);

    let crossed = translate("openai-chat", "gemini", &array, &[CHAT.as_bytes()]);
    assert!(interlingua::RawJson::parse(crossed.text()).is_ok(), "{}", crossed.text());
}

#[test]
fn the_framing_can_be_set() {
    let (chat, cx) = (dialect("openai-chat"), ReplyContext::default());
    let mut stream = StreamTranslator::with_framing(Framing::Sse, chat, chat, &cx);
    let mut out = Vec::new();
    stream.push(&Bytes::from_static(b" "), &mut out);
    stream.push(&Bytes::from_static(&CHAT.as_bytes()[13..]), &mut out);
    stream.finish(&mut out);
    assert!(stream.has_ended());
}

#[test]
fn an_end_that_is_held_back_is_released_or_replaced_by_an_error() {
    for is_stored in [true, false] {
        let (chat, native) = (dialect("openai-chat"), dialect("native"));
        let cx = ReplyContext::default();
        let mut stream = StreamTranslator::new(chat, native, &cx).with_held_end();
        let mut out = Vec::new();
        stream.release_end(&mut out);
        stream.push(&Bytes::from_static(CHAT.as_bytes()), &mut out);
        stream.finish(&mut out);
        let before = String::from_utf8_lossy(&out).into_owned();
        assert!(stream.has_ended() && stream.holds_end());
        assert!(before.contains("\"hi\"") && !before.contains("event: stop"), "{before}");
        assert_eq!(stream.partial_reply().turn.blocks.len(), 1);
        if is_stored {
            stream.release_end(&mut out);
        } else {
            let message = JsonString::from_static("not stored");
            stream.fail_end(ApiError::new(ApiErrorKind::ServerError, message), &mut out);
        }
        assert!(!stream.holds_end());
        let text = String::from_utf8_lossy(&out).into_owned();
        assert!(text.starts_with(&before));
        assert_eq!(text.contains("event: stop"), is_stored, "{text}");
        assert_eq!(text.contains("not stored"), !is_stored, "{text}");
        assert_eq!(stream.error().is_none(), is_stored);
    }
}

#[test]
fn a_truncated_stream_ends_in_an_error_after_its_events() {
    let half = &CHAT[..CHAT.find("data: {").unwrap_or(0)];
    let done =
        translate("openai-chat", "openai-chat", &ReplyContext::default(), &[half.as_bytes()]);
    let text = done.text();
    let error = text.strip_prefix(half).unwrap_or_else(|| unreachable!("{text}"));
    assert!(error.contains("ended before the reply was complete"), "{error}");
    assert!(done.reply.is_err());
    for to in interlingua::DIALECTS {
        let done =
            translate("openai-chat", to.id().0, &ReplyContext::default(), &[half.as_bytes()]);
        assert!(done.text().contains("ended before the reply was complete"), "{}", done.text());
        assert_eq!(done.text().matches("ended before").count(), 1, "{}", done.text());
    }
}

#[test]
fn added_events_begin_a_new_frame_with_any_line_ends() {
    let frame = "data: {\"id\":\"r\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}";
    for end in ["", "\n", "\r", "\r\n", "\r\r", "\n\n", "\r\n\r\n"] {
        let input = format!("{frame}{end}");
        let done =
            translate("openai-chat", "openai-chat", &ReplyContext::default(), &[input.as_bytes()]);
        let second = translate("openai-chat", "native", &ReplyContext::default(), &[&done.out]);
        assert!(done.text().ends_with("data: [DONE]\n\n") && second.reply.is_ok(), "{end:?}");
    }
}

#[test]
fn an_empty_stream_is_an_error_too() {
    for to in interlingua::DIALECTS {
        let done = translate("anthropic", to.id().0, &ReplyContext::default(), &[]);
        assert!(!done.out.is_empty(), "{}", to.id());
        assert!(done.reply.is_err(), "{}", to.id());
    }
}

#[test]
fn a_stream_that_cannot_be_split_ends_in_an_error() {
    let mut bytes = Vec::new();
    frame::write(
        Framing::AwsEventStream,
        Some("messageStart"),
        "{\"role\":\"assistant\"}",
        &mut bytes,
    );
    let good = bytes.clone();
    frame::write(Framing::AwsEventStream, Some("contentBlockDelta"), "{}", &mut bytes);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    for to in interlingua::DIALECTS {
        let done = translate("bedrock", to.id().0, &ReplyContext::default(), &[&bytes]);
        let text = done.text();
        assert!(text.contains("the stream cannot be read"), "{}: {text}", to.id());
        assert!(done.reply.is_err());
        assert_eq!(done.ledger.entries.last().map(|entry| entry.rule), Some("bad-frame"));
    }
    let same = translate("bedrock", "bedrock", &ReplyContext::default(), &[&bytes]);
    assert!(same.out.starts_with(&good));
}

#[test]
fn an_error_event_is_not_written_twice() {
    let stream = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
    let same = translate("anthropic", "anthropic", &ReplyContext::default(), &[stream.as_bytes()]);
    assert_eq!(same.text(), stream);
    let crossed =
        translate("anthropic", "openai-chat", &ReplyContext::default(), &[stream.as_bytes()]);
    assert_eq!(crossed.text().matches("busy").count(), 1, "{}", crossed.text());
    assert!(crossed.reply.is_err());
}

/// A field that the gateway resolved is reported to the client as if the provider had echoed it,
/// and all other bytes stay.
#[test]
fn an_echoed_field_is_filled_in_within_frames() {
    let id = "openai-responses";
    let mut cx = ReplyContext::default();
    let (key, value) =
        (JsonString::from_static("previous_response_id"), RawJson::parse("\"resp_1\"").unwrap());
    cx.echoed_fields.push(dialect(id).id(), key, value);
    let frame = |field: &str| {
        format!(
            "event: response.created\ndata: {{\"type\":\"response.created\",\"response\":{{\"id\":\"r\",{field}}},\"sequence_number\":0}}\n\n"
        )
    };
    let echoed = "\"previous_response_id\":\"resp_1\"";
    let cases = [
        ("\"previous_response_id\":null", echoed),
        (
            "\"previous_response_id\" : \t null,\"x\":null",
            "\"previous_response_id\" : \t \"resp_1\",\"x\":null",
        ),
        ("\"previous_response_id\":\"resp_0\"", "\"previous_response_id\":\"resp_0\""),
        ("\"my_previous_response_id\":null", "\"my_previous_response_id\":null"),
        (
            "\"text\":\"\\\"previous_response_id\\\":null\"",
            "\"text\":\"\\\"previous_response_id\\\":null\"",
        ),
    ];
    for (input, output) in cases {
        let mut stream = StreamTranslator::new(dialect(id), dialect(id), &cx);
        let mut out = Vec::new();
        stream.push(&frame(input).into(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), frame(output));
    }
}
