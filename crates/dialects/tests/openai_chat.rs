//! The openai-chat dialect: laws that no single case can show.

use bytes::Bytes;
use interlingua_dialects::openai_chat::{ID, OpenAiChat, flavor::FLAVORS};
use interlingua_dialects::{ALL, Dialect, find};
use interlingua_model::{
    Args, Block, Body, Citation, Conversation, Delta, Event, Exchange, Fold, Form, Ledger, Reply,
    Role, Seal, Settings, Stop, StopReason, Target, Thinking, ToolCall, Turn, Usage, Verbatim,
    unfold,
};
use interlingua_wire::{Doc, Framer, Framing, Json, Limits, Text};

fn doc(text: &str) -> Doc {
    Doc::parse(text.into(), Limits::default()).unwrap()
}

fn decode(text: &str) -> Verbatim<Conversation> {
    OpenAiChat.decode_request(&doc(text), &mut Ledger::default())
}

fn encode(conversation: &Verbatim<Conversation>, flavor: &'static str) -> String {
    let target = Target { model: None, flavor: Some(flavor) };
    let body = OpenAiChat.encode_request(conversation, &target, &mut Ledger::default());
    String::from_utf8(body.to_vec()).unwrap()
}

fn text(text: &str) -> Block {
    Block::text(Text::new(text))
}

fn thinking(text: &str, form: Form, seal: Option<(&'static str, &str)>) -> Block {
    let seal = seal.map(|(issuer, data)| Seal::new(Text::word(issuer), Text::new(data)));
    Block::new(Body::Thinking(Thinking { text: Text::new(text), form })).sealed(seal)
}

fn call(id: &str, args: Args) -> Block {
    let call = ToolCall { id: Text::new(id), name: Text::new("f"), args };
    Block::new(Body::ToolCall(call))
}

fn reply(blocks: Vec<Block>) -> Reply {
    let has_calls = blocks.iter().any(|block| matches!(block.body, Body::ToolCall(_)));
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = blocks.into_iter().map(Verbatim::new).collect();
    Reply {
        id: Some(Text::new("r1")),
        model: Some(Text::new("m")),
        turn,
        usage: Usage { input: Some(3), output: Some(4), ..Usage::default() },
        stop: Stop::new(if has_calls { StopReason::ToolUse } else { StopReason::End }),
        ..Reply::new()
    }
}

/// Replies this dialect can say without loss.
fn replies() -> Vec<Reply> {
    let args = |json: &str| Args::Json(Json::parse(json.to_owned()).unwrap());
    let mut cited = text("See \"here\"\n.");
    if let Body::Text { citations, .. } = &mut cited.body {
        citations.push(Citation {
            url: Some(Text::new("https://x")),
            title: Some(Text::new("X")),
            span: Some((4, 8)),
            ..Citation::default()
        });
    }
    let google = |block: Block| block.sealed(Some(Seal::new(Text::word("google"), Text::new("G"))));
    let mut summary = thinking("sum", Form::Summary, Some(("openai", "X")));
    if let Some(seal) = summary.seal.as_mut() {
        seal.id = Some(Text::new("rs_1"));
    }
    vec![
        reply(vec![text("hello")]),
        reply(vec![cited]),
        reply(vec![thinking("hm", Form::Full, None), text("a")]),
        reply(vec![thinking("hm", Form::Full, Some(("anthropic", "S"))), text("a")]),
        reply(vec![
            thinking("one", Form::Full, Some(("anthropic", "S1"))),
            thinking("", Form::Redacted, Some(("anthropic", "S2"))),
            thinking("two", Form::Full, Some(("anthropic", "S3"))),
            text("a"),
            call("c1", args("{\"x\":1}")),
            call("c2", args("{}")),
        ]),
        reply(vec![summary.clone(), call("c1", args("{}"))]),
        reply(vec![
            thinking("s", Form::Summary, None),
            thinking("t", Form::Summary, None),
            summary,
        ]),
        reply(vec![google(call("c1", args("{}"))), call("c2", Args::Freeform(Text::new("ls")))]),
        reply(vec![google(text("a"))]),
        reply(vec![text("a"), Block::new(Body::Refusal(Text::new("no")))]),
        reply(vec![call("c1", Args::Malformed(Text::new("{\"x\":"))), call("c2", args("[1]"))]),
        reply(vec![call("c1", Args::Malformed(Text::EMPTY))]),
    ]
}

/// Blocks, usage and stop, without what only remembers a spelling.
fn meaning(reply: &Reply) -> (Vec<Block>, Option<u64>, Option<u64>, StopReason, Option<Text>) {
    let blocks = reply.turn.blocks.iter().map(|block| {
        let mut block = Block { extras: Default::default(), ..(**block).clone() };
        if let Body::Text { citations, .. } = &mut block.body {
            citations.iter_mut().for_each(|citation| citation.written = None);
        }
        block
    });
    let usage = &reply.usage;
    (blocks.collect(), usage.input, usage.output, reply.stop.reason, reply.id.clone())
}

fn stream(events: &[Event]) -> String {
    let mut writer = OpenAiChat.writer(&Exchange::default());
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    events.iter().for_each(|event| writer.write(event, &mut out, &mut ledger));
    assert!(ledger.is_empty(), "{ledger:?}");
    String::from_utf8(out).unwrap()
}

fn read(stream: &str, exchange: &Exchange) -> Vec<Event> {
    let mut framer = Framer::new(Framing::Sse, 1 << 20);
    framer.push(&Bytes::copy_from_slice(stream.as_bytes()));
    let mut reader = OpenAiChat.reader(exchange);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = framer.next().unwrap() {
        reader.read(&frame, &mut events, &mut ledger);
    }
    if let Some(frame) = framer.finish().unwrap() {
        reader.read(&frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

fn fold(events: &[Event]) -> Reply {
    let mut fold = Fold::new();
    events.iter().for_each(|event| fold.push(event));
    fold.finish().unwrap()
}

fn assert_lawful(events: &[Event]) {
    assert!(matches!(events.first(), Some(Event::Start { .. })), "{events:?}");
    assert!(matches!(events.last(), Some(Event::Stop(_) | Event::Fail(_))), "{events:?}");
    let (mut open, mut next) = (None, 0);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start { .. } => assert_eq!(at, 0),
            Event::Open { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(*index);
            }
            Event::Delta { index, .. } => assert_eq!(open, Some(*index)),
            Event::Close { index } => {
                assert_eq!(open.take(), Some(*index));
                next += 1;
            }
            Event::Stop(_) | Event::Fail(_) => {
                assert_eq!((at + 1, open), (events.len(), None));
            }
            Event::Usage(_) | Event::Ping | Event::Foreign { .. } => {}
        }
    }
}

#[test]
fn a_reply_streamed_and_read_back_is_the_reply() {
    for reply in replies() {
        let stream = stream(&unfold(&reply));
        let events = read(&stream, &Exchange::default());
        assert_lawful(&events);
        assert_eq!(meaning(&fold(&events)), meaning(&reply), "{stream}");
    }
}

#[test]
fn a_reply_written_whole_and_read_back_is_the_reply() {
    for reply in replies() {
        let mut ledger = Ledger::default();
        let body = OpenAiChat.encode_reply(&reply, &Exchange::default(), &mut ledger);
        let body = String::from_utf8(body).unwrap();
        let back = OpenAiChat.decode_reply(&doc(&body), &Exchange::default(), &mut ledger).unwrap();
        assert_eq!(meaning(&back), meaning(&reply), "{body}");
        assert!(ledger.is_empty(), "{ledger:?}");
    }
}

#[test]
fn each_string_of_a_stream_is_sent_once() {
    for reply in replies() {
        let stream = stream(&unfold(&reply));
        for once in ["\"role\":\"assistant\"", "\"id\":\"c1\"", "\"format\":\"openai", "[DONE]"] {
            assert!(stream.matches(once).count() <= 2, "{once} in {stream}");
        }
        assert_eq!(stream.matches("\"role\"").count(), 1, "{stream}");
        assert_eq!(stream.matches("\"name\":\"f\"").count(), count_calls(&reply), "{stream}");
        let last: Vec<&str> = stream.lines().filter(|line| !line.is_empty()).rev().collect();
        assert!(last[0] == "data: [DONE]" && last[1].contains("\"choices\":[],\"usage\":{"));
    }
}

fn count_calls(reply: &Reply) -> usize {
    let is_call = |block: &&Verbatim<Block>| matches!(block.body, Body::ToolCall(_));
    reply.turn.blocks.iter().filter(is_call).count()
}

const HISTORY: &str = r#"{"model": "a", "x": [1], "messages": [
 {"role":"system","content":"s"},
 {"role": "user", "content": [ {"type":"text", "text":"q", "mark":1}, {"type":"hologram"} ], "name":"ann"},
 {"role":"assistant","content":"","reasoning":"hm","reasoning_details":[ {"type":"reasoning.text","text":"hm","signature":"S","format":"anthropic-claude-v1","index":0,"odd":true} ],"tool_calls":[ {"id":"c1", "type":"function","function":{"name":"f","arguments":"{ }"}}, {"id":"c2","type":"function","function":{"name":"f","arguments":"{"}} ]},
 {"role":"tool","tool_call_id":"c1","content":"one"},
 {"role":"tool","tool_call_id":"c2","content":"two"}],
 "temperature": 1.0e0, "tools":[ {"type":"function","function":{"name":"f"}} ]}"#;

#[test]
fn an_edited_turn_changes_alone() {
    let mut conversation = decode(HISTORY);
    let turn = &mut conversation.edit().turns[3];
    let Body::ToolResult(result) = &mut turn.edit().blocks[0].edit().body else { panic!() };
    result.content = vec![text("new").into()];
    let body = encode(&conversation, "openai");
    let expected = HISTORY
        .replace(
            r#"{"role":"tool","tool_call_id":"c1","content":"one"}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"new"}"#,
        )
        .replace("},\n {", "},{")
        .replace("[\n {", "[{")
        .replace("\"x\": ", "\"x\":")
        .replace("\"model\": ", "\"model\":")
        .replace("\"temperature\": ", "\"temperature\":")
        .replace(", \"x\"", ",\"x\"")
        .replace(", \"messages\": ", ",\"messages\":")
        .replace("],\n", "],")
        .replace(" \"temperature\"", "\"temperature\"")
        .replace(", \"tools\"", ",\"tools\"");
    assert_eq!(body, expected);
}

#[test]
fn an_edited_block_changes_alone() {
    let mut conversation = decode(HISTORY);
    let turns = &mut conversation.edit().turns;
    turns[1].edit().blocks[0].edit().body = text("new").body;
    let assistant = turns[2].edit();
    let Body::ToolCall(call) = &mut assistant.blocks[2].edit().body else { panic!() };
    call.args = Args::Json(Json::EMPTY_OBJECT);
    let body = encode(&conversation, "openrouter");
    for kept in [
        r#"{"role":"user","content":[{"type":"text","text":"new","mark":1},{"type":"hologram"}],"name":"ann"}"#,
        r#""reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"S","format":"anthropic-claude-v1","index":0,"odd":true}]"#,
        r#"{"id":"c1", "type":"function","function":{"name":"f","arguments":"{ }"}}"#,
        r#"{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}"#,
    ] {
        assert!(body.contains(kept), "{kept} is not in {body}");
    }
}

#[test]
fn edited_settings_are_written_in_the_words_of_the_flavor() {
    let mut conversation = decode(
        r#"{"model":"m","max_completion_tokens":5,"logit_bias":{"1":2},"messages":[],"seed":1}"#,
    );
    let settings: &mut Settings = conversation.edit().settings.edit();
    settings.temperature = Some(Json::number(1));
    let expected = r#"{"model":"m","logit_bias":{"1":2},"messages":[],"max_tokens":5,"temperature":1,"random_seed":1}"#;
    assert_eq!(encode(&conversation, "mistral"), expected);
}

#[test]
fn moved_images_wait_for_the_last_result() {
    let mut conversation = decode(
        r#"{"model":"m","messages":[
        {"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"https://x"}}]},
        {"role":"tool","tool_call_id":"b","content":"two"}]}"#,
    );
    conversation.edit().turns[1].edit();
    let body = encode(&conversation, "openai");
    let (second, image) = (body.find("\"two\"").unwrap(), body.find("https://x").unwrap());
    assert!(second < image && body.contains(r#""tool_call_id":"a","content":"[image]"#), "{body}");
}

#[test]
fn a_longer_history_begins_with_the_shorter_one() {
    let anthropic = |count: usize| {
        let turns = [
            r#"{"role":"user","content":"q"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{}}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]},{"type":"text","text":"go"}]}"#,
            r#"{"role":"assistant","content":"b"}"#,
            r#"{"role":"user","content":"r"}"#,
        ];
        let body = format!(r#"{{"max_tokens":9,"messages":[{}]}}"#, turns[..count].join(","));
        let conversation =
            find("anthropic").unwrap().decode_request(&doc(&body), &mut Ledger::default());
        let body = encode(&conversation, "openai");
        let end = body.find("],\"max_completion_tokens\"").unwrap();
        body[..end].to_owned()
    };
    for (shorter, longer) in [(1, 3), (3, 5)] {
        let (shorter, longer) = (anthropic(shorter), anthropic(longer));
        assert!(longer.starts_with(&shorter), "{longer}\ndoes not begin with\n{shorter}");
    }
}

/// The text with each of its values replaced by each odd one.
fn mutations(text: &str) -> Vec<String> {
    let doc = doc(text);
    let mut places = Vec::new();
    let mut rest = vec![doc.root()];
    while let Some(node) = rest.pop() {
        let start = node.raw().as_ptr() as usize - doc.text().as_ptr() as usize;
        places.push((start, start + node.raw().len()));
        rest.extend(node.items());
        rest.extend(node.fields().map(|field| field.value));
    }
    let odd =
        ["null", "true", "7", "\"x\"", "\"\"", "[]", "{}", "[[\"a\",{}],null,3]", "{\"type\":9}"];
    places
        .iter()
        .flat_map(|(start, end)| {
            odd.map(|odd| format!("{}{odd}{}", &text[..*start], &text[*end..]))
        })
        .collect()
}

#[test]
fn whatever_a_body_holds_it_is_read_and_written() {
    for body in mutations(HISTORY) {
        let conversation = decode(&body);
        assert_eq!(encode(&conversation, "openai"), body);
        for flavor in FLAVORS {
            let mut edited = conversation.clone();
            let inner = edited.edit();
            inner.turns.iter_mut().for_each(|turn| {
                turn.edit();
            });
            inner.tools.edit();
            inner.settings.edit();
            doc(&encode(&edited, flavor.name));
        }
    }
}

const STREAM: &str = r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a","refusal":"no","reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"s","index":0,"id":"i","format":"f"}],"annotations":[{"type":"url_citation","url_citation":{"url":"u","start_index":0}}],"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"g"}}},{"index":1,"custom":{"name":"sh","input":"ls"}}],"images":[{"type":"image_url","image_url":{"url":"u"}}],"function_call":{"name":"f","arguments":"{}"},"audio":{"transcript":"t"}},"finish_reason":"stop","logprobs":{"content":[]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"x_groq":{"usage":{}}}"#;

#[test]
fn whatever_a_chunk_holds_the_events_are_lawful() {
    let exchange = Exchange { flavor: Some("ollama"), ..Exchange::default() };
    for chunk in mutations(STREAM) {
        let once = format!("data: {chunk}\n\n");
        let twice = format!("data: {STREAM}\n\n{once}data: [DONE]\n\n{once}");
        for stream in [once, twice] {
            let events = read(&stream, &exchange);
            assert_lawful(&events);
            for dialect in ALL {
                let mut writer = dialect.writer(&exchange);
                let (mut out, mut ledger) = (Vec::new(), Ledger::default());
                events.iter().for_each(|event| writer.write(event, &mut out, &mut ledger));
            }
        }
    }
}

#[test]
fn whatever_a_reply_holds_it_is_read() {
    let reply = STREAM.replace("\"delta\"", "\"message\"");
    for body in mutations(&reply) {
        let mut ledger = Ledger::default();
        if let Ok(reply) = OpenAiChat.decode_reply(&doc(&body), &Exchange::default(), &mut ledger) {
            let again = OpenAiChat.encode_reply(&reply, &Exchange::default(), &mut ledger);
            doc(&String::from_utf8(again).unwrap());
        }
        OpenAiChat.decode_error(400, body.as_bytes());
    }
}

#[test]
fn arguments_stream_on_as_they_come() {
    let chunk = |entry: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{entry}]}}}}]}}\n\n"
        )
    };
    let stream = [
        chunk(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}"#),
        chunk(r#"{"index":0,"function":{"arguments":"\"}\""}}"#),
    ];
    let events = read(&stream.concat(), &Exchange::default());
    let pieces =
        events.iter().filter(|event| matches!(event, Event::Delta { delta: Delta::Args(_), .. }));
    assert_eq!(pieces.count(), 2);
}

#[test]
fn a_body_that_is_no_object_is_an_empty_conversation() {
    let mut ledger = Ledger::default();
    let conversation = OpenAiChat.decode_request(&doc("[1]"), &mut ledger);
    assert!(conversation.turns.is_empty() && !ledger.is_empty());
    assert_eq!(encode(&conversation, "openai"), "[1]");
}

#[test]
fn flavors_are_rows_with_names_of_their_own() {
    let names = OpenAiChat.flavors();
    assert_eq!((names.len(), names[0], OpenAiChat.id()), (16, "openai", ID));
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), names.len());
}
