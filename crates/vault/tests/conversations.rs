//! Conversations that are known again, and ones that are not mistaken for one another.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::find;
use interlingua_model::{Conversation, Exchange, Ledger, Reply, Verbatim};
use interlingua_vault::{History, Kept, Origin, Run, keys_of, restore, runs};
use interlingua_wire::{Doc, Limits};

/// Everything that was kept.
#[derive(Default)]
struct Shelf(Vec<(Vec<String>, Kept)>);

impl Shelf {
    /// Talks: the model answers the last of these words, and thinks this, sealed with as much.
    fn hears(&mut self, conversation: u64, said: &[&str], answer: &str, thought: &str) {
        let (asked, reply) = (talk(said), reply(answer, thought));
        let history = History::of(&asked);
        let body = Kept::encode(&Origin::default(), conversation, history.asked(), &reply);
        self.0.push((keys_of(&reply, &history), Kept::decode(&body).unwrap()));
    }

    /// What the model finds again of its thoughts, when the client has none of them; these conversations
    /// are known to be this one.
    fn recalled(&self, said: &[&str], known: &[u64]) -> Vec<String> {
        let conversation = talk(said);
        let here = |key: &str| {
            let kept: Vec<&Kept> = self
                .0
                .iter()
                .rev()
                .filter(|kept| kept.0.iter().any(|known| known == key))
                .map(|kept| &kept.1)
                .collect();
            kept
        };
        let runs = runs(&conversation, &History::of(&conversation));
        let one = |run: &Run| {
            let found: Vec<&Kept> = runs.keys_of(run).flat_map(here).collect();
            let restored = restore(&conversation, run, &found, &Origin::default(), known)?;
            let seal = restored.turn.blocks[0].seal.as_deref()?;
            Some(seal.data.contents().into_owned())
        };
        runs.iter().filter_map(one).collect()
    }
}

/// Words of the user and of the model by turns.
fn talk(said: &[&str]) -> Verbatim<Conversation> {
    let turn = |(nth, words): (usize, &&str)| {
        let role = if nth % 2 == 0 { "user" } else { "assistant" };
        format!(r#"{{"role":"{role}","content":"{words}"}}"#)
    };
    let turns: Vec<String> = said.iter().enumerate().map(turn).collect();
    let body = format!(r#"{{"model":"m","messages":[{}]}}"#, turns.join(","));
    find("openai-chat").unwrap().decode_request(&doc(&body), &mut Ledger::default())
}

fn reply(answer: &str, thought: &str) -> Verbatim<Reply> {
    let body = format!(
        r#"{{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
        {{"type":"thinking","thinking":"hm","signature":"{thought}"}},
        {{"type":"text","text":"{answer}"}}],"stop_reason":"end_turn","stop_sequence":null,
        "usage":{{"input_tokens":3,"output_tokens":5}}}}"#
    );
    let dialect = find("anthropic").unwrap();
    dialect.decode_reply(&doc(&body), &Exchange::default(), &mut Ledger::default()).unwrap()
}

fn doc(body: &str) -> Doc {
    Doc::from_bytes(Bytes::copy_from_slice(body.as_bytes()), Limits::default()).unwrap()
}

const LONG: &str =
    "The harbour has fourteen ships and three cranes, and the wind comes from the west today.";

#[test]
fn conversations_that_begin_alike_are_not_mistaken_for_one_another() {
    let mut shelf = Shelf::default();
    shelf.hears(1, &["hello"], "Hi!", "one-a");
    shelf.hears(2, &["hello"], "Hi!", "two-a");
    shelf.hears(1, &["hello", "Hi!", "ships?"], "Certainly.", "one-b");
    shelf.hears(2, &["hello", "Hi!", "cranes?"], "Certainly.", "two-b");
    let last = |said: &[&str]| shelf.recalled(said, &[]).pop().unwrap();
    assert_eq!(last(&["hello", "Hi!", "ships?", "Certainly.", "go on"]), "one-b");
    assert_eq!(last(&["hello", "Hi!", "cranes?", "Certainly.", "go on"]), "two-b");
}

#[test]
fn what_was_said_twice_was_thought_twice() {
    let mut shelf = Shelf::default();
    shelf.hears(1, &["go on"], "Certainly.", "a");
    shelf.hears(1, &["go on", "Certainly.", "go on"], "Certainly.", "b");
    let all = ["go on", "Certainly.", "go on", "Certainly.", "go on"];
    assert_eq!(shelf.recalled(&all, &[]), ["a", "b"]);
}

#[test]
fn a_history_with_another_beginning_is_still_known() {
    let mut shelf = Shelf::default();
    shelf.hears(1, &["Look at the harbour, please."], LONG, "a");
    shelf.hears(1, &["Look at the harbour, please.", LONG, "And now?"], "Calm.", "b");
    // A summary stands for what came before.
    let compacted = ["This is what happened so far.", LONG, "And now?", "Calm.", "Thanks."];
    assert_eq!(shelf.recalled(&compacted, &[]), ["a"], "a short answer could be anybody's");
    assert_eq!(shelf.recalled(&compacted, &[1]), ["a", "b"]);
    let edited = ["Look at the harbor, please.", LONG, "And now?", "Calm.", "Thanks."];
    assert_eq!(shelf.recalled(&edited, &[1]), ["a", "b"]);
    let spaced = ["Look at  the harbour,\\n please. ", LONG, "And now?", "Calm.", "Thanks."];
    assert_eq!(shelf.recalled(&spaced, &[]), ["a", "b"], "space does not count");
}

#[test]
fn a_short_answer_is_nobody_elses() {
    let mut shelf = Shelf::default();
    shelf.hears(1, &["hello", "Hi!", "and now?"], "Certainly.", "a");
    let other = ["good day", "Hi!", "and now?", "Certainly.", "go on"];
    assert_eq!(shelf.recalled(&other, &[]), [""; 0]);
    assert_eq!(shelf.recalled(&other, &[1]), ["a"]);
}
