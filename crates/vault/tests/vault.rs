//! One turn of a model, as clients bring it back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::find;
use interlingua_model::{Body, Conversation, Exchange, Ledger, Reply, Restored, Verbatim};
use interlingua_vault::{History, Kept, Origin, Run, keys_of, restore, runs};
use interlingua_wire::{Doc, Limits};

/// Interleaved thinking with nothing between two thoughts, words, and two calls.
const REPLY: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
    {"type":"thinking","thinking":"First, the place.","signature":"c2lnMQ=="},
    {"type":"text","text":""},
    {"type":"thinking","thinking":"Then the time.","signature":"c2lnMg=="},
    {"type":"text","text":"Let me look."},
    {"type":"tool_use","id":"toolu_1","name":"place","input":{"of":"café","deep":1}},
    {"type":"tool_use","id":"toolu_2","name":"time","input":{}}
  ],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":5}}"#;

const ANSWER: &str = r#"{"id":"msg_2","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
    {"type":"thinking","thinking":"That is all.","signature":"c2lnMw=="},
    {"type":"text","text":"It is noon."}
  ],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":5}}"#;

#[test]
fn a_client_without_room_for_thoughts_gets_them_back() {
    let calls = r#"[{"id":"toolu_1","type":"function","function":{"name":"place","arguments":"{\"deep\": 1, \"of\": \"caf\u00e9\"}"}},
        {"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]"#;
    for content in [r#""Let me look.""#, r#""Let  me look.\n""#, "null", r#""""#] {
        let said = format!(r#"{{"role":"assistant","content":{content},"tool_calls":{calls}}}"#);
        let restored = after(REPLY, "openai-chat", &chat(&said), &home()).unwrap();
        assert_eq!(restored.turns, 1..2);
        assert_eq!(pieces(&restored), AS_IT_WAS, "{content}");
    }
}

#[test]
fn an_answer_without_calls_is_known_by_its_words() {
    let said = r#"{"role":"assistant","content":"It is noon."}"#;
    let restored = after(ANSWER, "openai-chat", &chat(said), &home()).unwrap();
    assert_eq!(pieces(&restored), ["t That is all. c2lnMw==", "w It is noon."]);
    let shown =
        r#"{"role":"assistant","content":"<think>\nThat is all.\n</think>\n\nIt is noon."}"#;
    let restored = after(ANSWER, "openai-chat", &chat(shown), &home()).unwrap();
    assert_eq!(pieces(&restored), ["t That is all. c2lnMw==", "w It is noon."]);
}

#[test]
fn thoughts_shown_as_text_are_thoughts_again() {
    let said = r#"{"role":"assistant","content":"<think>First, the place. Then the time.</think>Let me look.",
        "tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"place","arguments":"{\"of\":\"café\",\"deep\":1}"}},
        {"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]}"#;
    let restored = after(REPLY, "openai-chat", &chat(said), &home()).unwrap();
    assert_eq!(pieces(&restored), AS_IT_WAS);
}

#[test]
fn what_a_client_of_the_same_dialect_changed_is_mended() {
    let block = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let one = r#"{"type":"thinking","thinking":"First, the place.","signature":"c2lnMQ=="}"#;
    let two = r#"{"type":"thinking","thinking":"Then the time.","signature":"c2lnMg=="}"#;
    let (gap, words) = (block(""), block("Let me look."));
    let first =
        r#"{"type":"tool_use","id":"toolu_1","name":"place","input":{"of":"café","deep":1}}"#;
    let second = r#"{"type":"tool_use","id":"toolu_2","name":"time","input":{}}"#;
    let removed = block("[Empty text removed]");
    for blocks in [
        vec![one, &removed, two, &words, first, second],
        vec![one, two, &words, first, second],
        vec![one, " {\"type\":\"text\",\"text\":\" \"}", two, &words, first, second],
        vec![&words, one, two, first, second],
        vec![&words, first, second],
        vec![first, second],
    ] {
        let said = format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(","));
        let restored = after(REPLY, "anthropic", &anthropic(&said), &home()).unwrap();
        assert_eq!(pieces(&restored), AS_IT_WAS, "{blocks:?}");
    }
    let whole = [one, &gap, two, &words, first, second].join(",");
    let said = format!(r#"{{"role":"assistant","content":[{whole}]}}"#);
    assert_eq!(after(REPLY, "anthropic", &anthropic(&said), &home()), None, "nothing is missing");
}

#[test]
fn items_of_one_reply_become_one_turn() {
    let items = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},
        {"type":"function_call","call_id":"toolu_1","name":"place","arguments":"{\"of\":\"café\",\"deep\":1}"},
        {"type":"function_call","call_id":"toolu_2","name":"time","arguments":"{}"}"#;
    let body = format!(
        r#"{{"model":"m","input":[{{"role":"user","content":"hi"}},{items},
            {{"type":"function_call_output","call_id":"toolu_1","output":"x"}},
            {{"type":"function_call_output","call_id":"toolu_2","output":"y"}}]}}"#
    );
    let restored = after(REPLY, "openai-responses", &body, &home()).unwrap();
    assert_eq!(restored.turns, 1..4);
    assert_eq!(pieces(&restored), AS_IT_WAS);
}

#[test]
fn what_is_not_the_same_stays_as_it_is() {
    let calls = |arguments: &str| {
        format!(
            r#"[{{"id":"toolu_1","type":"function","function":{{"name":"place","arguments":"{arguments}"}}}},
            {{"id":"toolu_2","type":"function","function":{{"name":"time","arguments":"{{}}"}}}}]"#
        )
    };
    let said = |words: &str, calls: &str| {
        chat(&format!(r#"{{"role":"assistant","content":"{words}","tool_calls":{calls}}}"#))
    };
    let same = calls(r#"{\"of\":\"café\",\"deep\":1}"#);
    let other_words = said("Something else.", &same);
    let other_arguments = said("Let me look.", &calls(r#"{\"of\":\"bar\"}"#));
    for body in [other_words, other_arguments] {
        assert_eq!(after(REPLY, "openai-chat", &body, &home()), None, "{body}");
    }
    let elsewhere = Origin { model: "claude-opus-4-5".into(), ..home() };
    assert_eq!(after(REPLY, "openai-chat", &said("Let me look.", &same), &elsewhere), None);
    let another = Origin { account: "b".into(), ..home() };
    assert_eq!(after(REPLY, "openai-chat", &said("Let me look.", &same), &another), None);
}

#[test]
fn breakpoints_of_the_cache_stay() {
    let said = r#"{"role":"assistant","content":[{"type":"text","text":"It is noon.","cache_control":{"type":"ephemeral"}}]}"#;
    let restored = after(ANSWER, "anthropic", &anthropic(said), &home()).unwrap();
    assert!(restored.turn.blocks[1].cache.is_some());
}

#[test]
fn what_cannot_be_read_is_not_kept() {
    assert!(Kept::decode(&Bytes::from_static(b"{}")).is_none());
    assert!(Kept::decode(&Bytes::from_static(b"\x00")).is_none());
    let plain = ANSWER
        .replace(r#"{"type":"thinking","thinking":"That is all.","signature":"c2lnMw=="},"#, "");
    assert!(!Kept::is_worth_it(&reply(&plain)));
    assert!(Kept::is_worth_it(&reply(ANSWER)));
}

const AS_IT_WAS: [&str; 6] = [
    "t First, the place. c2lnMQ==",
    "w ",
    "t Then the time. c2lnMg==",
    "w Let me look.",
    "c toolu_1",
    "c toolu_2",
];

fn home() -> Origin {
    Origin {
        provider: "anthropic".into(),
        endpoint: "https://api.anthropic.com".into(),
        account: "a".into(),
        model: "claude-sonnet-4-5".into(),
    }
}

/// What becomes of the second turn of a conversation after this reply was kept.
fn after(said: &str, dialect: &str, body: &str, asked: &Origin) -> Option<Restored> {
    let mut kept = Shelf::default();
    kept.keep(&decoded("openai-chat", r#"{"messages":[{"role":"user","content":"hi"}]}"#), said, 1);
    let conversation = decoded(dialect, body);
    kept.restored(&conversation, asked, &[]).into_iter().next()
}

/// What was kept, under its keys, the newest last.
#[derive(Default)]
struct Shelf(Vec<(Vec<String>, Kept)>);

impl Shelf {
    fn keep(&mut self, asked: &Conversation, said: &str, conversation: u64) {
        let (reply, history) = (reply(said), History::of(asked));
        let body = Kept::encode(&home(), conversation, history.asked(), &reply);
        self.0.push((keys_of(&reply, &history), Kept::decode(&body).unwrap()));
    }

    fn restored(&self, asked: &Conversation, by: &Origin, known: &[u64]) -> Vec<Restored> {
        let runs = runs(asked, &History::of(asked));
        let one = |run: &Run| {
            let is_here = |kept: &&(Vec<String>, Kept)| {
                runs.keys_of(run).any(|key| kept.0.iter().any(|known| known == key))
            };
            let found: Vec<&Kept> =
                self.0.iter().rev().filter(is_here).map(|kept| &kept.1).collect();
            restore(asked, run, &found, by, known)
        };
        runs.iter().filter_map(one).collect()
    }
}

fn reply(body: &str) -> Verbatim<Reply> {
    let read = find("anthropic").unwrap();
    read.decode_reply(&doc(body), &Exchange::default(), &mut Ledger::default()).unwrap()
}

fn decoded(dialect: &str, body: &str) -> Verbatim<Conversation> {
    find(dialect).unwrap().decode_request(&doc(body), &mut Ledger::default())
}

fn doc(body: &str) -> Doc {
    Doc::from_bytes(Bytes::copy_from_slice(body.as_bytes()), Limits::default()).unwrap()
}

fn chat(said: &str) -> String {
    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}},{said}]}}"#)
}

fn anthropic(said: &str) -> String {
    format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}},{said}]}}"#
    )
}

fn pieces(restored: &Restored) -> Vec<String> {
    let blocks = restored.turn.blocks.iter().map(|block| {
        let seal = block.seal.as_deref().map(|seal| format!(" {}", seal.data.contents()));
        let seal = seal.unwrap_or_default();
        match &block.body {
            Body::Thinking(thinking) => format!("t {}{seal}", thinking.text.contents()),
            Body::Text { text, .. } => format!("w {}{seal}", text.contents()),
            Body::ToolCall(call) => format!("c {}{seal}", call.id.contents()),
            other => panic!("{other:?}"),
        }
    });
    blocks.collect()
}
