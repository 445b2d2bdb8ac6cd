//! Every fault in the order of a stream's events, through the readers of all dialects that providers
//! speak: the grammar of the events is the same, and so is what is recorded.

use interlingua_dialects::{find_dialect, note};
use interlingua_model::{BlockContent, Delta, Ledger, ReplyContext, StreamEvent};
use interlingua_wire::Frame;

/// What a provider sends, in the words of no dialect. A dialect without such an event sends nothing.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The start of the reply.
    Start,
    /// The start of the text with this index.
    Text(u64),
    /// The start of the call with this index.
    Call(u64),
    /// The text `t`.
    TextDelta(u64),
    /// The arguments `{"a":1}`.
    ArgsDelta(u64),
    /// The end of the text, or of the call.
    TextEnd(u64),
    CallEnd(u64),
    /// The stop reason, if it is not the end of the reply.
    StopReason,
    Stop,
    Error,
}

use Step::{ArgsDelta, Call, CallEnd, Error, Start, Stop, StopReason, Text, TextDelta, TextEnd};

/// A sequence of steps, and what is read from it.
struct Row {
    fault: &'static str,
    steps: &'static [Step],
    events: &'static str,
    /// Dialects that are read as other events, or whose wire cannot express the steps (`None`).
    exceptions: &'static [(&'static str, Option<&'static str>)],
    /// The changes and losses that are recorded, of dialects that record any.
    ledger: &'static [(&'static str, &'static str)],
}

const DIALECTS: &[&str] = &["anthropic", "bedrock", "openai-responses", "openai-chat", "gemini"];

const ROWS: &[Row] = &[
    Row {
        fault: "none",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), Call(1), ArgsDelta(1), CallEnd(1), Stop],
        events: r#"start text0 "t" end0 call1 "{"a":1}" end1 stop"#,
        exceptions: &[],
        ledger: &[],
    },
    Row {
        fault: "no start",
        steps: &[Text(0), TextDelta(0), TextEnd(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change"), ("openai-responses", "change")],
    },
    Row {
        fault: "two starts",
        steps: &[Start, Start, Text(0), TextDelta(0), TextEnd(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change"), ("openai-responses", "change")],
    },
    Row {
        fault: "a start within a block",
        steps: &[Start, Text(0), TextDelta(0), Start, TextDelta(0), TextEnd(0), Stop],
        events: r#"start text0 "t" "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change"), ("openai-responses", "change")],
    },
    Row {
        fault: "a delta before its text",
        steps: &[Start, TextDelta(0), TextEnd(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change")],
    },
    Row {
        // Only Bedrock's arguments show that they are a call's, and only Responses' end has the name.
        fault: "arguments before their call",
        steps: &[Start, ArgsDelta(0), CallEnd(0), Stop],
        events: r#"start call0 "{"a":1}" end0 stop"#,
        exceptions: &[("anthropic", Some("start stop")), ("gemini", None)],
        ledger: &[("anthropic", "loss change"), ("bedrock", "change"), ("openai-chat", "change")],
    },
    Row {
        fault: "a block that begins again",
        steps: &[Start, Call(0), ArgsDelta(0), Call(0), ArgsDelta(0), CallEnd(0), Stop],
        events: r#"start call0 "{"a":1}" end0 call1 "{"a":1}" end1 stop"#,
        // The same id is the same item, and the same call.
        exceptions: &[
            ("openai-responses", Some(r#"start call0 "{"a":1}" "{"a":1}" end0 stop"#)),
            ("openai-chat", Some(r#"start call0 "{"a":1}" end0 stop"#)),
        ],
        ledger: &[("anthropic", "change"), ("bedrock", "change"), ("openai-responses", "change")],
    },
    Row {
        fault: "calls that overlap",
        steps: &[Start, Call(0), Call(1), ArgsDelta(1), ArgsDelta(0), CallEnd(1), CallEnd(0), Stop],
        events: r#"start call0 "{"a":1}" end0 call1 "{"a":1}" end1 stop"#,
        exceptions: &[("gemini", None)],
        ledger: &[("anthropic", "change"), ("bedrock", "change")],
    },
    Row {
        fault: "a text within a call",
        steps: &[Start, Call(0), Text(1), TextDelta(1), ArgsDelta(0), TextEnd(1), CallEnd(0), Stop],
        events: r#"start call0 "{"a":1}" end0 text1 "t" end1 stop"#,
        exceptions: &[("gemini", None)],
        ledger: &[("anthropic", "change"), ("bedrock", "change")],
    },
    Row {
        fault: "a text under the index of a call",
        steps: &[Start, Call(0), TextDelta(0), ArgsDelta(0), CallEnd(0), Stop],
        events: r#"start call0 "{"a":1}" end0 text1 "t" end1 stop"#,
        // Its delta ends a call, and arguments without a start are another call.
        exceptions: &[
            ("bedrock", Some(r#"start call0 end0 text1 "t" end1 call2 "{"a":1}" end2 stop"#)),
            ("openai-responses", None),
            ("gemini", None),
        ],
        ledger: &[("anthropic", "change"), ("bedrock", "change change")],
    },
    Row {
        fault: "a delta after its text",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), TextDelta(0), TextEnd(0), Stop],
        events: r#"start text0 "t" end0 text1 "t" end1 stop"#,
        // Without ends of texts it is no fault.
        exceptions: &[
            ("openai-chat", Some(r#"start text0 "t" "t" end0 stop"#)),
            ("gemini", Some(r#"start text0 "t" "t" end0 stop"#)),
        ],
        ledger: &[("anthropic", "change"), ("openai-responses", "change")],
    },
    Row {
        fault: "arguments after their call",
        steps: &[
            Start,
            Call(0),
            ArgsDelta(0),
            CallEnd(0),
            Text(1),
            TextDelta(1),
            ArgsDelta(0),
            TextEnd(1),
            Stop,
        ],
        events: r#"start call0 "{"a":1}" end0 text1 "t" end1 stop"#,
        exceptions: &[
            (
                "bedrock",
                Some(r#"start call0 "{"a":1}" end0 text1 "t" end1 call2 "{"a":1}" end2 stop"#),
            ),
            ("gemini", None),
        ],
        ledger: &[
            ("anthropic", "loss"),
            ("bedrock", "change change change"),
            ("openai-responses", "loss"),
        ],
    },
    Row {
        fault: "an index that is used again",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), Call(0), ArgsDelta(0), CallEnd(0), Stop],
        events: r#"start text0 "t" end0 call1 "{"a":1}" end1 stop"#,
        exceptions: &[],
        ledger: &[],
    },
    Row {
        // Bedrock's empty text has only an end, and Responses' end has the whole item.
        fault: "an end without a block",
        steps: &[Start, TextEnd(0), Stop],
        events: "start stop",
        exceptions: &[("bedrock", Some("start text0 end0 stop"))],
        ledger: &[("anthropic", "change")],
    },
    Row {
        fault: "two ends",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), TextEnd(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change"), ("bedrock", "change")],
    },
    Row {
        fault: "a stop within a block",
        steps: &[Start, Text(0), TextDelta(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[("anthropic", "change"), ("bedrock", "change"), ("openai-responses", "loss")],
    },
    Row {
        fault: "a stop within two blocks",
        steps: &[Start, Call(0), Call(1), ArgsDelta(1), ArgsDelta(0), Stop],
        events: r#"start call0 "{"a":1}" end0 call1 "{"a":1}" end1 stop"#,
        exceptions: &[("gemini", None)],
        ledger: &[
            ("anthropic", "change change change"),
            ("bedrock", "change change change"),
            ("openai-responses", "loss loss"),
        ],
    },
    Row {
        fault: "a block after the stop reason",
        steps: &[
            Start,
            Text(0),
            TextDelta(0),
            TextEnd(0),
            StopReason,
            Text(1),
            TextDelta(1),
            TextEnd(1),
            Stop,
        ],
        events: r#"start text0 "t" end0 text1 "t" end1 stop"#,
        exceptions: &[
            ("openai-chat", Some(r#"start text0 "t" "t" end0 stop"#)),
            ("gemini", Some(r#"start text0 "t" "t" end0 stop"#)),
        ],
        ledger: &[],
    },
    Row {
        fault: "a block that is truncated after the stop reason",
        steps: &[Start, TextDelta(0), TextEnd(0), StopReason, TextDelta(1)],
        events: r#"start text0 "t" end0 text1 "t" end1 error"#,
        // Without ends of texts it is complete.
        exceptions: &[
            ("openai-chat", Some(r#"start text0 "t" "t" end0 stop"#)),
            ("gemini", Some(r#"start text0 "t" "t" end0 stop"#)),
        ],
        ledger: &[("anthropic", "change change")],
    },
    Row {
        fault: "a block after the end",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), Stop, Text(1), TextDelta(1), TextEnd(1)],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[("gemini", Some(r#"start text0 "t" "t" end0 stop"#))],
        ledger: &[
            ("anthropic", "loss"),
            ("bedrock", "loss"),
            ("openai-responses", "loss"),
            ("openai-chat", "loss"),
        ],
    },
    Row {
        fault: "two stops",
        steps: &[Start, Text(0), TextDelta(0), TextEnd(0), Stop, Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[],
        ledger: &[
            ("anthropic", "loss"),
            ("bedrock", "loss"),
            ("openai-responses", "loss"),
            ("openai-chat", "loss"),
        ],
    },
    Row {
        fault: "a second reply",
        steps: &[Start, TextDelta(0), Stop, Start, TextDelta(0), Stop],
        events: r#"start text0 "t" end0 stop"#,
        exceptions: &[("gemini", Some(r#"start text0 "t" "t" end0 stop"#))],
        ledger: &[
            ("anthropic", "change change loss"),
            ("bedrock", "change loss"),
            ("openai-responses", "loss loss"),
            ("openai-chat", "loss"),
        ],
    },
    Row {
        fault: "an error within a block",
        steps: &[Start, Text(0), TextDelta(0), Error],
        events: r#"start text0 "t" end0 error"#,
        exceptions: &[],
        ledger: &[],
    },
    Row {
        fault: "an error within two blocks",
        steps: &[Start, Call(0), ArgsDelta(0), Text(1), TextDelta(1), Error],
        events: r#"start call0 "{"a":1}" end0 text1 "t" end1 error"#,
        exceptions: &[("gemini", None)],
        ledger: &[("anthropic", "change"), ("bedrock", "change")],
    },
    Row {
        fault: "only an error",
        steps: &[Error],
        events: "start error",
        exceptions: &[],
        ledger: &[],
    },
    Row {
        fault: "an event after an error",
        steps: &[Start, Error, TextDelta(0), Stop],
        events: "start error",
        exceptions: &[],
        ledger: &[
            ("anthropic", "loss"),
            ("bedrock", "loss"),
            ("openai-responses", "loss"),
            ("openai-chat", "loss"),
            ("gemini", "loss"),
        ],
    },
    Row {
        fault: "no end",
        steps: &[Start, Text(0), TextDelta(0)],
        events: r#"start text0 "t" end0 error"#,
        exceptions: &[],
        ledger: &[],
    },
    Row { fault: "nothing", steps: &[], events: "start error", exceptions: &[], ledger: &[] },
];

#[test]
fn every_fault_is_read_the_same_by_all_readers() {
    let mut differences = Vec::new();
    for row in ROWS {
        for dialect in DIALECTS {
            let exception = row.exceptions.iter().find(|(name, _)| name == dialect);
            let Some(expected) = exception.map_or(Some(row.events), |(_, events)| *events) else {
                continue;
            };
            let recorded = row.ledger.iter().find(|(name, _)| name == dialect);
            let recorded = recorded.map_or("", |(_, recorded)| recorded);
            let read = read(dialect, row.steps);
            if read != (expected.to_owned(), recorded.to_owned()) {
                let fault = row.fault;
                differences.push(format!(
                    "{fault}, {dialect}:\n  {read:?}\nfor\n  {expected} [{recorded}]"
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// More blocks than are scanned for an index.
#[test]
fn many_blocks_that_overlap_are_ordered() {
    let calls = || 0..40;
    let mut steps = vec![Start];
    steps.extend(calls().map(Call));
    steps.extend(calls().rev().map(ArgsDelta));
    steps.extend(calls().rev().map(CallEnd));
    steps.push(Stop);
    let blocks = calls().map(|at| format!(r#"call{at} "{{"a":1}}" end{at}"#));
    let expected = format!("start {} stop", blocks.collect::<Vec<_>>().join(" "));
    for dialect in DIALECTS.iter().filter(|name| **name != "gemini") {
        assert_eq!(read(dialect, &steps).0, expected, "{dialect}");
    }
}

/// The events of the steps, and the changes and losses.
fn read(dialect: &str, steps: &[Step]) -> (String, String) {
    let dialect = find_dialect(dialect).unwrap_or_else(|| unreachable!("{dialect} is a dialect"));
    let mut reader = dialect.reader(&ReplyContext::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    for step in steps {
        for (event, data) in frames(dialect.id().0, *step) {
            let event = (!event.is_empty()).then(|| event.to_owned().into());
            let frame = Frame { event, data: Some(data.into()), ..Frame::default() };
            reader.read(frame, &mut events, &mut ledger);
        }
    }
    reader.finish(&mut events, &mut ledger);
    assert!(
        ledger
            .entries
            .iter()
            .all(|entry| [note::STREAM_ORDER, note::ODD_INPUT].contains(&entry.rule))
    );
    let recorded = ledger.entries.iter().map(|entry| if entry.is_loss { "loss" } else { "change" });
    let events: Vec<_> = events.iter().filter_map(show).collect();
    (events.join(" "), recorded.collect::<Vec<_>>().join(" "))
}

fn show(event: &StreamEvent) -> Option<String> {
    Some(match event {
        StreamEvent::Start { .. } => "start".to_owned(),
        StreamEvent::BlockStart { index, block } => match block.content {
            BlockContent::ToolCall(_) => format!("call{index}"),
            _ => format!("text{index}"),
        },
        StreamEvent::Delta { delta: Delta::Text(text) | Delta::Args(text), .. } => {
            format!("\"{text}\"")
        }
        StreamEvent::Delta { delta, .. } => format!("{delta:?}"),
        StreamEvent::BlockEnd { index } => format!("end{index}"),
        StreamEvent::Stop(_) => "stop".to_owned(),
        StreamEvent::Error(_) => "error".to_owned(),
        StreamEvent::Usage(_) | StreamEvent::Ping | StreamEvent::Foreign { .. } => return None,
    })
}

/// The frames of a step: the name and the data of each event.
fn frames(dialect: &str, step: Step) -> Vec<(&'static str, String)> {
    match dialect {
        "anthropic" => anthropic_frames(step),
        "bedrock" => bedrock_frames(step),
        "openai-responses" => responses_frames(step),
        "openai-chat" => chat_frames(step),
        _ => gemini_frames(step),
    }
}

fn anthropic_frames(step: Step) -> Vec<(&'static str, String)> {
    let frame = |data: String| vec![("", data)];
    match step {
        Start => frame(r#"{"type":"message_start","message":{"id":"m","content":[]}}"#.to_owned()),
        Text(at) => frame(format!(
            r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"text","text":""}}}}"#
        )),
        Call(at) => frame(format!(
            r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"tool_use","id":"c{at}","name":"f","input":{{}}}}}}"#
        )),
        TextDelta(at) => frame(format!(
            r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":"text_delta","text":"t"}}}}"#
        )),
        ArgsDelta(at) => frame(format!(
            r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":"input_json_delta","partial_json":"{{\"a\":1}}"}}}}"#
        )),
        TextEnd(at) | CallEnd(at) => {
            frame(format!(r#"{{"type":"content_block_stop","index":{at}}}"#))
        }
        StopReason => {
            frame(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned())
        }
        Stop => {
            let mut frames = anthropic_frames(StopReason);
            frames.push(("", r#"{"type":"message_stop"}"#.to_owned()));
            frames
        }
        Error => frame(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
                .to_owned(),
        ),
    }
}

fn bedrock_frames(step: Step) -> Vec<(&'static str, String)> {
    match step {
        Start => vec![("messageStart", r#"{"role":"assistant"}"#.to_owned())],
        // A text begins with its first delta.
        Text(_) => Vec::new(),
        Call(at) => vec![(
            "contentBlockStart",
            format!(
                r#"{{"contentBlockIndex":{at},"start":{{"toolUse":{{"toolUseId":"c{at}","name":"f"}}}}}}"#
            ),
        )],
        TextDelta(at) => vec![(
            "contentBlockDelta",
            format!(r#"{{"contentBlockIndex":{at},"delta":{{"text":"t"}}}}"#),
        )],
        ArgsDelta(at) => vec![(
            "contentBlockDelta",
            format!(
                r#"{{"contentBlockIndex":{at},"delta":{{"toolUse":{{"input":"{{\"a\":1}}"}}}}}}"#
            ),
        )],
        TextEnd(at) | CallEnd(at) => {
            vec![("contentBlockStop", format!(r#"{{"contentBlockIndex":{at}}}"#))]
        }
        StopReason => vec![("messageStop", r#"{"stopReason":"end_turn"}"#.to_owned())],
        Stop => vec![
            ("messageStop", r#"{"stopReason":"end_turn"}"#.to_owned()),
            ("metadata", r#"{"usage":{"inputTokens":1,"outputTokens":1}}"#.to_owned()),
        ],
        Error => vec![("exception:throttlingException", r#"{"message":"slow"}"#.to_owned())],
    }
}

fn responses_frames(step: Step) -> Vec<(&'static str, String)> {
    let message =
        |at: u64| format!(r#"{{"type":"message","id":"m{at}","role":"assistant","content":[]}}"#);
    let call = |at: u64, args: &str| {
        format!(
            r#"{{"type":"function_call","id":"i{at}","call_id":"c{at}","name":"f","arguments":"{args}"}}"#
        )
    };
    let item = |kind: &str, at: u64, item: String| {
        vec![("", format!(r#"{{"type":"{kind}","output_index":{at},"item":{item}}}"#))]
    };
    match step {
        StopReason => Vec::new(),
        Start => {
            vec![("", r#"{"type":"response.created","response":{"id":"r"}}"#.to_owned())]
        }
        Text(at) => item("response.output_item.added", at, message(at)),
        Call(at) => item("response.output_item.added", at, call(at, "")),
        TextDelta(at) => vec![(
            "",
            format!(
                r#"{{"type":"response.output_text.delta","item_id":"m{at}","output_index":{at},"content_index":0,"delta":"t"}}"#
            ),
        )],
        ArgsDelta(at) => vec![(
            "",
            format!(
                r#"{{"type":"response.function_call_arguments.delta","item_id":"i{at}","output_index":{at},"delta":"{{\"a\":1}}"}}"#
            ),
        )],
        TextEnd(at) => item("response.output_item.done", at, message(at)),
        CallEnd(at) => item("response.output_item.done", at, call(at, r#"{\"a\":1}"#)),
        Stop => vec![(
            "",
            r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}"#
                .to_owned(),
        )],
        Error => vec![(
            "",
            r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"no"}}}"#
                .to_owned(),
        )],
    }
}

fn chat_frames(step: Step) -> Vec<(&'static str, String)> {
    let delta = |delta: String| {
        vec![("", format!(r#"{{"id":"r","choices":[{{"index":0,"delta":{delta}}}]}}"#))]
    };
    match step {
        // Chunks have neither starts nor ends of replies, texts and calls.
        Start | Text(_) | TextEnd(_) | CallEnd(_) => Vec::new(),
        Call(at) => delta(format!(
            r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"f","arguments":""}}}}]}}"#
        )),
        TextDelta(_) => delta(r#"{"content":"t"}"#.to_owned()),
        ArgsDelta(at) => delta(format!(
            r#"{{"tool_calls":[{{"index":{at},"function":{{"arguments":"{{\"a\":1}}"}}}}]}}"#
        )),
        StopReason => vec![(
            "",
            r#"{"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned(),
        )],
        Stop => {
            let mut frames = chat_frames(StopReason);
            frames.push(("", "[DONE]".to_owned()));
            frames
        }
        Error => vec![("", r#"{"error":{"message":"no","code":500}}"#.to_owned())],
    }
}

fn gemini_frames(step: Step) -> Vec<(&'static str, String)> {
    let part = |part: &str| {
        vec![("", format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"index":0}}]}}"#))]
    };
    match step {
        // Parts have no index, and only calls in pieces have a start and an end.
        Start | Text(_) | TextEnd(_) => Vec::new(),
        Call(at) => {
            part(&format!(r#"{{"functionCall":{{"name":"f","id":"c{at}","willContinue":true}}}}"#))
        }
        TextDelta(_) => part(r#"{"text":"t"}"#),
        ArgsDelta(_) => part(
            r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.a","numberValue":1}],"willContinue":true}}"#,
        ),
        CallEnd(_) => part(r#"{"functionCall":{}}"#),
        // The stream ends after it, so that a chunk behind it still belongs to the reply.
        StopReason | Stop => {
            vec![("", r#"{"candidates":[{"finishReason":"STOP","index":0}]}"#.to_owned())]
        }
        Error => {
            vec![("", r#"{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}"#.to_owned())]
        }
    }
}
