//! Restores single turns, in the forms in which clients replay them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::find_dialect;
use interlingua_model::{
    BlockContent, Conversation, Ledger, Reply, ReplyContext, RestoredTurn, Verbatim,
};
use interlingua_vault::{
    AssistantRun, HistoryHashes, ReplyOrigin, VaultEntry, assistant_runs, reply_keys, restore,
};
use interlingua_wire::{JsonDoc, JsonLimits};

/// Interleaved thinking with an empty text between two thinking blocks, then text and two calls.
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
fn thinking_that_a_dialect_cannot_represent_is_restored() {
    let calls = r#"[{"id":"toolu_1","type":"function","function":{"name":"place","arguments":"{\"deep\": 1, \"of\": \"caf\u00e9\"}"}},
        {"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]"#;
    for content in [r#""Let me look.""#, r#""Let  me look.\n""#, "null", r#""""#] {
        let message = format!(r#"{{"role":"assistant","content":{content},"tool_calls":{calls}}}"#);
        let restored =
            restore_second_turn(REPLY, "openai-chat", &chat(&message), &origin()).unwrap();
        assert_eq!(restored.replaced, 1..2);
        assert_eq!(describe_blocks(&restored), EXPECTED_BLOCKS, "{content}");
    }
}

#[test]
fn a_reply_without_calls_is_recognized_by_its_text() {
    let message = r#"{"role":"assistant","content":"It is noon."}"#;
    let restored = restore_second_turn(ANSWER, "openai-chat", &chat(message), &origin()).unwrap();
    assert_eq!(describe_blocks(&restored), ["t That is all. c2lnMw==", "w It is noon."]);
    let shown =
        r#"{"role":"assistant","content":"<think>\nThat is all.\n</think>\n\nIt is noon."}"#;
    let restored = restore_second_turn(ANSWER, "openai-chat", &chat(shown), &origin()).unwrap();
    assert_eq!(describe_blocks(&restored), ["t That is all. c2lnMw==", "w It is noon."]);
}

#[test]
fn thinking_shown_as_text_becomes_thinking_again() {
    let message = r#"{"role":"assistant","content":"<think>First, the place. Then the time.</think>Let me look.",
        "tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"place","arguments":"{\"of\":\"café\",\"deep\":1}"}},
        {"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]}"#;
    let restored = restore_second_turn(REPLY, "openai-chat", &chat(message), &origin()).unwrap();
    assert_eq!(describe_blocks(&restored), EXPECTED_BLOCKS);
}

#[test]
fn turns_changed_by_a_client_of_the_same_dialect_are_restored() {
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
        let message = format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(","));
        let restored =
            restore_second_turn(REPLY, "anthropic", &anthropic(&message), &origin()).unwrap();
        assert_eq!(describe_blocks(&restored), EXPECTED_BLOCKS, "{blocks:?}");
    }
    let all_blocks = [one, &gap, two, &words, first, second].join(",");
    let message = format!(r#"{{"role":"assistant","content":[{all_blocks}]}}"#);
    assert_eq!(
        restore_second_turn(REPLY, "anthropic", &anthropic(&message), &origin()),
        None,
        "nothing is missing"
    );
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
    let restored = restore_second_turn(REPLY, "openai-responses", &body, &origin()).unwrap();
    assert_eq!(restored.replaced, 1..4);
    assert_eq!(describe_blocks(&restored), EXPECTED_BLOCKS);
}

#[test]
fn turns_with_other_content_or_origin_are_not_replaced() {
    let calls = |arguments: &str| {
        format!(
            r#"[{{"id":"toolu_1","type":"function","function":{{"name":"place","arguments":"{arguments}"}}}},
            {{"id":"toolu_2","type":"function","function":{{"name":"time","arguments":"{{}}"}}}}]"#
        )
    };
    let message = |text: &str, calls: &str| {
        chat(&format!(r#"{{"role":"assistant","content":"{text}","tool_calls":{calls}}}"#))
    };
    let same_calls = calls(r#"{\"of\":\"café\",\"deep\":1}"#);
    let other_words = message("Something else.", &same_calls);
    let other_arguments = message("Let me look.", &calls(r#"{\"of\":\"bar\"}"#));
    for body in [other_words, other_arguments] {
        assert_eq!(restore_second_turn(REPLY, "openai-chat", &body, &origin()), None, "{body}");
    }
    let other_model = ReplyOrigin { model: "claude-opus-4-5".into(), ..origin() };
    assert_eq!(
        restore_second_turn(
            REPLY,
            "openai-chat",
            &message("Let me look.", &same_calls),
            &other_model
        ),
        None
    );
    let other_account = ReplyOrigin { account: "b".into(), ..origin() };
    assert_eq!(
        restore_second_turn(
            REPLY,
            "openai-chat",
            &message("Let me look.", &same_calls),
            &other_account
        ),
        None
    );
}

#[test]
fn cache_breakpoints_are_preserved() {
    let message = r#"{"role":"assistant","content":[{"type":"text","text":"It is noon.","cache_control":{"type":"ephemeral"}}]}"#;
    let restored =
        restore_second_turn(ANSWER, "anthropic", &anthropic(message), &origin()).unwrap();
    assert!(restored.turn.blocks[1].cache_breakpoint.is_some());
}

#[test]
fn malformed_entries_are_not_decoded() {
    assert!(VaultEntry::decode(&Bytes::from_static(b"{}")).is_none());
    assert!(VaultEntry::decode(&Bytes::from_static(b"\x00")).is_none());
    let plain = ANSWER
        .replace(r#"{"type":"thinking","thinking":"That is all.","signature":"c2lnMw=="},"#, "");
    assert!(!VaultEntry::has_sealed_content(&reply(&plain)));
    assert!(VaultEntry::has_sealed_content(&reply(ANSWER)));
}

const EXPECTED_BLOCKS: [&str; 6] = [
    "t First, the place. c2lnMQ==",
    "w ",
    "t Then the time. c2lnMg==",
    "w Let me look.",
    "c toolu_1",
    "c toolu_2",
];

fn origin() -> ReplyOrigin {
    ReplyOrigin {
        provider: "anthropic".into(),
        endpoint: "https://api.anthropic.com".into(),
        account: "a".into(),
        model: "claude-sonnet-4-5".into(),
    }
}

/// The restored second turn of a conversation, after its first reply was stored.
fn restore_second_turn(
    message: &str,
    dialect: &str,
    body: &str,
    target: &ReplyOrigin,
) -> Option<RestoredTurn> {
    let mut vault = TestVault::default();
    vault.store_reply(
        &decoded("openai-chat", r#"{"messages":[{"role":"user","content":"hi"}]}"#),
        message,
        1,
    );
    let conversation = decoded(dialect, body);
    vault.restored(&conversation, target, &[]).into_iter().next()
}

/// Stored entries under their keys, the newest last.
#[derive(Default)]
struct TestVault(Vec<(Vec<String>, VaultEntry)>);

impl TestVault {
    fn store_reply(&mut self, conversation: &Conversation, message: &str, conversation_id: u64) {
        let (reply, history) = (reply(message), HistoryHashes::new(conversation));
        let body = VaultEntry::encode(&origin(), conversation_id, history.prefix_hash(), &reply);
        self.0.push((reply_keys(&reply, &history), VaultEntry::decode(&body).unwrap()));
    }

    fn restored(
        &self,
        conversation: &Conversation,
        target: &ReplyOrigin,
        known: &[u64],
    ) -> Vec<RestoredTurn> {
        let runs = assistant_runs(conversation, &HistoryHashes::new(conversation));
        let restore_run = |run: &AssistantRun| {
            let has_key = |stored: &&(Vec<String>, VaultEntry)| {
                runs.keys_for(run).any(|key| stored.0.iter().any(|known| known == key))
            };
            let found: Vec<&VaultEntry> =
                self.0.iter().rev().filter(has_key).map(|stored| &stored.1).collect();
            restore(conversation, run, &found, target, known)
        };
        runs.iter().filter_map(restore_run).collect()
    }
}

fn reply(body: &str) -> Verbatim<Reply> {
    let dialect = find_dialect("anthropic").unwrap();
    dialect.decode_reply(&doc(body), &ReplyContext::default(), &mut Ledger::default()).unwrap()
}

fn decoded(dialect: &str, body: &str) -> Verbatim<Conversation> {
    find_dialect(dialect).unwrap().decode_request(&doc(body), &mut Ledger::default())
}

fn doc(body: &str) -> JsonDoc {
    JsonDoc::from_bytes(Bytes::copy_from_slice(body.as_bytes()), JsonLimits::default()).unwrap()
}

fn chat(message: &str) -> String {
    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}},{message}]}}"#)
}

fn anthropic(message: &str) -> String {
    format!(
        r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}},{message}]}}"#
    )
}

fn describe_blocks(restored: &RestoredTurn) -> Vec<String> {
    let blocks = restored.turn.blocks.iter().map(|block| {
        let seal = block.seal.as_deref().map(|seal| format!(" {}", seal.data.unescape()));
        let seal = seal.unwrap_or_default();
        match &block.content {
            BlockContent::Reasoning(reasoning) => format!("t {}{seal}", reasoning.text.unescape()),
            BlockContent::Text { text, .. } => format!("w {}{seal}", text.unescape()),
            BlockContent::ToolCall(call) => format!("c {}{seal}", call.id.unescape()),
            other => panic!("{other:?}"),
        }
    });
    blocks.collect()
}
