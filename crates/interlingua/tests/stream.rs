//! Streams on the road: forwarding, framing, and every way to end.

use bytes::Bytes;
use interlingua::wire::frame;
use interlingua::{Dialect, Exchange, Failure, Framing, Json, Ledger, Reply, Stream, Text, find};

fn dialect(name: &str) -> &'static dyn Dialect {
    find(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

struct Done {
    out: Vec<u8>,
    reply: Result<Reply, Failure>,
    ledger: Ledger,
}

impl Done {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

fn translate(from: &str, to: &str, exchange: &Exchange, chunks: &[&[u8]]) -> Done {
    let mut stream = Stream::new(dialect(from), dialect(to), exchange);
    let mut out = Vec::new();
    for chunk in chunks {
        stream.push(&Bytes::copy_from_slice(chunk), &mut out);
    }
    stream.finish(&mut out);
    stream.finish(&mut out);
    let (reply, ledger) = stream.into_reply();
    Done { out, reply, ledger }
}

const CHAT: &str = ": keep-alive\r\n\r\ndata:{\"id\":\"r\",\"choices\":[{\"delta\":{\"content\":\"hi\"},\"x\":1}]}\r\n\r\ndata: {\"id\":\"r\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const ARRAY: &str = " \n[{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"h[i\"}]}}]}\n,\r\n{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"!\"}]},\"finishReason\":\"STOP\"}]}]\n";

#[test]
fn frames_of_the_same_dialect_leave_as_they_came() {
    let chunks: Vec<_> = CHAT.as_bytes().chunks(7).collect();
    let done = translate("openai-chat", "openai-chat", &Exchange::default(), &chunks);
    assert_eq!(done.text(), CHAT);
    assert!(done.ledger.is_empty());
    assert_eq!(done.reply.unwrap().turn.blocks.len(), 1);
}

#[test]
fn an_array_is_known_by_its_bracket() {
    let array = Exchange { array: true, ..Exchange::default() };
    let chunks: Vec<_> = ARRAY.as_bytes().chunks(1).collect();
    let done = translate("gemini", "gemini", &array, &chunks);
    assert_eq!(done.text(), ARRAY);
    assert_eq!(done.reply.unwrap().turn.blocks.len(), 1);

    let done = translate("gemini", "openai-chat", &Exchange::default(), &chunks);
    assert!(done.text().contains("h[i") && done.text().ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_client_gets_the_framing_it_wants() {
    let events = translate("gemini", "gemini", &Exchange::default(), &[ARRAY.as_bytes()]);
    assert!(events.text().starts_with("data: {"), "{}", events.text());

    let array = Exchange { array: true, ..Exchange::default() };
    let again = translate("gemini", "gemini", &array, &[&events.out]);
    assert!(interlingua::Json::parse(again.text()).is_ok(), "{}", again.text());
    assert_eq!(again.reply.unwrap().turn.blocks, events.reply.unwrap().turn.blocks);

    let crossed = translate("openai-chat", "gemini", &array, &[CHAT.as_bytes()]);
    assert!(interlingua::Json::parse(crossed.text()).is_ok(), "{}", crossed.text());
}

#[test]
fn the_framing_may_be_given() {
    let (chat, exchange) = (dialect("openai-chat"), Exchange::default());
    let mut stream = Stream::with_framing(Framing::Sse, chat, chat, &exchange);
    let mut out = Vec::new();
    stream.push(&Bytes::from_static(b" "), &mut out);
    stream.push(&Bytes::from_static(&CHAT.as_bytes()[13..]), &mut out);
    stream.finish(&mut out);
    assert!(stream.has_ended());
}

#[test]
fn a_cut_stream_ends_in_an_error_after_what_came() {
    let half = &CHAT[..CHAT.find("data: {").unwrap_or(0)];
    let done = translate("openai-chat", "openai-chat", &Exchange::default(), &[half.as_bytes()]);
    let text = done.text();
    let error = text.strip_prefix(half).unwrap_or_else(|| unreachable!("{text}"));
    assert!(error.contains("ended before the reply was complete"), "{error}");
    assert!(done.reply.is_err());
    for to in interlingua::ALL {
        let done = translate("openai-chat", to.id().0, &Exchange::default(), &[half.as_bytes()]);
        assert!(done.text().contains("ended before the reply was complete"), "{}", done.text());
        assert_eq!(done.text().matches("ended before").count(), 1, "{}", done.text());
    }
}

#[test]
fn what_is_added_begins_a_frame_of_its_own_however_lines_end() {
    let frame = "data: {\"id\":\"r\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}";
    for end in ["", "\n", "\r", "\r\n", "\r\r", "\n\n", "\r\n\r\n"] {
        let came = format!("{frame}{end}");
        let done =
            translate("openai-chat", "openai-chat", &Exchange::default(), &[came.as_bytes()]);
        let again = translate("openai-chat", "native", &Exchange::default(), &[&done.out]);
        assert!(done.text().ends_with("data: [DONE]\n\n") && again.reply.is_ok(), "{end:?}");
    }
}

#[test]
fn nothing_at_all_is_an_error_too() {
    for to in interlingua::ALL {
        let done = translate("anthropic", to.id().0, &Exchange::default(), &[]);
        assert!(!done.out.is_empty(), "{}", to.id());
        assert!(done.reply.is_err(), "{}", to.id());
    }
}

#[test]
fn a_stream_that_cannot_be_cut_ends_in_an_error_that_says_so() {
    let mut bytes = Vec::new();
    frame::write(Framing::AwsEvents, Some("messageStart"), "{\"role\":\"assistant\"}", &mut bytes);
    let good = bytes.clone();
    frame::write(Framing::AwsEvents, Some("contentBlockDelta"), "{}", &mut bytes);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    for to in interlingua::ALL {
        let done = translate("bedrock", to.id().0, &Exchange::default(), &[&bytes]);
        let text = done.text();
        assert!(text.contains("the stream cannot be read"), "{}: {text}", to.id());
        assert!(done.reply.is_err());
        assert_eq!(done.ledger.entries.last().map(|entry| entry.rule), Some("bad-frame"));
    }
    let same = translate("bedrock", "bedrock", &Exchange::default(), &[&bytes]);
    assert!(same.out.starts_with(&good));
}

#[test]
fn an_error_that_came_in_a_frame_is_not_said_twice() {
    let stream = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
    let same = translate("anthropic", "anthropic", &Exchange::default(), &[stream.as_bytes()]);
    assert_eq!(same.text(), stream);
    let crossed = translate("anthropic", "openai-chat", &Exchange::default(), &[stream.as_bytes()]);
    assert_eq!(crossed.text().matches("busy").count(), 1, "{}", crossed.text());
    assert!(crossed.reply.is_err());
}

/// What was put together on the way is named to the client as if the provider had done it, and nothing else is
/// touched.
#[test]
fn a_field_that_the_provider_was_not_sent_is_said_in_its_frames() {
    let id = "openai-responses";
    let mut exchange = Exchange::default();
    let (key, value) = (Text::word("previous_response_id"), Json::parse("\"resp_1\"").unwrap());
    exchange.repeats.put(dialect(id).id(), key, value);
    let frame = |field: &str| {
        format!(
            "event: response.created\ndata: {{\"type\":\"response.created\",\"response\":{{\"id\":\"r\",{field}}},\"sequence_number\":0}}\n\n"
        )
    };
    let said = "\"previous_response_id\":\"resp_1\"";
    let cases = [
        ("\"previous_response_id\":null", said),
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
    for (came, leaves) in cases {
        let mut stream = Stream::new(dialect(id), dialect(id), &exchange);
        let mut out = Vec::new();
        stream.push(&frame(came).into(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), frame(leaves));
    }
}
