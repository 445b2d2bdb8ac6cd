//! Conversations are recognized when they return, and not confused with each other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::find_dialect;
use interlingua_model::{Conversation, Ledger, Reply, ReplyContext, Verbatim};
use interlingua_vault::{
    AssistantRun, HistoryHashes, ReplyOrigin, VaultEntry, assistant_runs, reply_keys, restore,
};
use interlingua_wire::{JsonDoc, JsonLimits};

#[derive(Default)]
struct TestVault(Vec<(Vec<String>, VaultEntry)>);

impl TestVault {
    /// Stores a reply to the last of these messages, with a thinking block sealed by `seal`.
    fn store_reply(&mut self, conversation_hash: u64, messages: &[&str], answer: &str, seal: &str) {
        let (conversation, reply) = (conversation(messages), reply(answer, seal));
        let history = HistoryHashes::new(&conversation);
        let body = VaultEntry::encode(
            &ReplyOrigin::default(),
            conversation_hash,
            history.prefix_hash(),
            &reply,
        );
        self.0.push((reply_keys(&reply, &history), VaultEntry::decode(&body).unwrap()));
    }

    /// The seals that are restored for a client that has lost all thinking blocks. `known` are the
    /// conversations that this one may be.
    fn restored_seals(&self, messages: &[&str], known: &[u64]) -> Vec<String> {
        let conversation = conversation(messages);
        let entries_under = |key: &str| {
            let entries: Vec<&VaultEntry> = self
                .0
                .iter()
                .rev()
                .filter(|stored| stored.0.iter().any(|known| known == key))
                .map(|stored| &stored.1)
                .collect();
            entries
        };
        let runs = assistant_runs(&conversation, &HistoryHashes::new(&conversation));
        let restored_seal = |run: &AssistantRun| {
            let found: Vec<&VaultEntry> = runs.keys_for(run).flat_map(entries_under).collect();
            let restored = restore(&conversation, run, &found, &ReplyOrigin::default(), known)?;
            let seal = restored.turn.blocks[0].seal.as_deref()?;
            Some(seal.data.unescape().into_owned())
        };
        runs.iter().filter_map(restored_seal).collect()
    }
}

/// A conversation of alternating user and assistant texts.
fn conversation(messages: &[&str]) -> Verbatim<Conversation> {
    let turn = |(index, text): (usize, &&str)| {
        let role = if index % 2 == 0 { "user" } else { "assistant" };
        format!(r#"{{"role":"{role}","content":"{text}"}}"#)
    };
    let turns: Vec<String> = messages.iter().enumerate().map(turn).collect();
    let body = format!(r#"{{"model":"m","messages":[{}]}}"#, turns.join(","));
    find_dialect("openai-chat").unwrap().decode_request(&doc(&body), &mut Ledger::default())
}

fn reply(answer: &str, seal: &str) -> Verbatim<Reply> {
    let body = format!(
        r#"{{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
        {{"type":"thinking","thinking":"hm","signature":"{seal}"}},
        {{"type":"text","text":"{answer}"}}],"stop_reason":"end_turn","stop_sequence":null,
        "usage":{{"input_tokens":3,"output_tokens":5}}}}"#
    );
    let dialect = find_dialect("anthropic").unwrap();
    dialect.decode_reply(&doc(&body), &ReplyContext::default(), &mut Ledger::default()).unwrap()
}

fn doc(body: &str) -> JsonDoc {
    JsonDoc::from_bytes(Bytes::copy_from_slice(body.as_bytes()), JsonLimits::default()).unwrap()
}

const LONG_TEXT: &str =
    "The harbour has fourteen ships and three cranes, and the wind comes from the west today.";

#[test]
fn conversations_with_equal_beginnings_are_not_confused() {
    let mut vault = TestVault::default();
    vault.store_reply(1, &["hello"], "Hi!", "one-a");
    vault.store_reply(2, &["hello"], "Hi!", "two-a");
    vault.store_reply(1, &["hello", "Hi!", "ships?"], "Certainly.", "one-b");
    vault.store_reply(2, &["hello", "Hi!", "cranes?"], "Certainly.", "two-b");
    let last = |messages: &[&str]| vault.restored_seals(messages, &[]).pop().unwrap();
    assert_eq!(last(&["hello", "Hi!", "ships?", "Certainly.", "go on"]), "one-b");
    assert_eq!(last(&["hello", "Hi!", "cranes?", "Certainly.", "go on"]), "two-b");
}

#[test]
fn equal_replies_keep_their_own_reasoning() {
    let mut vault = TestVault::default();
    vault.store_reply(1, &["go on"], "Certainly.", "a");
    vault.store_reply(1, &["go on", "Certainly.", "go on"], "Certainly.", "b");
    let all = ["go on", "Certainly.", "go on", "Certainly.", "go on"];
    assert_eq!(vault.restored_seals(&all, &[]), ["a", "b"]);
}

#[test]
fn a_history_with_a_replaced_beginning_is_recognized() {
    let mut vault = TestVault::default();
    vault.store_reply(1, &["Look at the harbour, please."], LONG_TEXT, "a");
    vault.store_reply(1, &["Look at the harbour, please.", LONG_TEXT, "And now?"], "Calm.", "b");
    // A summary replaces the beginning.
    let compacted = ["This is what happened so far.", LONG_TEXT, "And now?", "Calm.", "Thanks."];
    assert_eq!(vault.restored_seals(&compacted, &[]), ["a"], "a short reply is ambiguous");
    assert_eq!(vault.restored_seals(&compacted, &[1]), ["a", "b"]);
    let edited = ["Look at the harbor, please.", LONG_TEXT, "And now?", "Calm.", "Thanks."];
    assert_eq!(vault.restored_seals(&edited, &[1]), ["a", "b"]);
    let spaced = ["Look at  the harbour,\\n please. ", LONG_TEXT, "And now?", "Calm.", "Thanks."];
    assert_eq!(vault.restored_seals(&spaced, &[]), ["a", "b"], "whitespace is ignored");
}

#[test]
fn a_short_reply_matches_only_known_conversations() {
    let mut vault = TestVault::default();
    vault.store_reply(1, &["hello", "Hi!", "and now?"], "Certainly.", "a");
    let other = ["good day", "Hi!", "and now?", "Certainly.", "go on"];
    assert_eq!(vault.restored_seals(&other, &[]), [""; 0]);
    assert_eq!(vault.restored_seals(&other, &[1]), ["a"]);
}
