//! Answers are found again for the call they are about, however the client replays it.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use interlingua_guard::{Answers, InMemory, Mode, answer_of, recall};
use interlingua_model::{Args, Block, Body, Conversation, DialectId, Role, Told, ToolCall, Turn};
use interlingua_wire::{Json, Text};

use crate::{READ_FILE, call, found, watch};

const DIALECT: DialectId = DialectId("test");

/// What is kept of a call with these arguments, and recalled of one that comes with those.
fn told(said: &str, replayed: Args) -> bool {
    let answers = InMemory::default();
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    answers.keep("", answer_of(&found(&watch, "read_file", said).unwrap()).unwrap());
    let replayed = ToolCall { args: replayed, ..call("read_file", "") };
    now(&conversation(vec![replayed.clone()]), "", &answers)
        .iter()
        .any(|told| told.call == replayed)
}

/// What is in memory is found at once.
fn now(conversation: &Conversation, owner: &str, answers: &InMemory) -> Vec<Told> {
    ready(recall(conversation, owner, answers))
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ready) => ready,
        Poll::Pending => unreachable!("nothing is waited for"),
    }
}

fn conversation(calls: Vec<ToolCall>) -> Conversation {
    let mut conversation = Conversation::new(DIALECT);
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = calls.into_iter().map(|call| Block::new(Body::ToolCall(call)).into()).collect();
    conversation.turns.push(turn.into());
    conversation
}

fn json(text: &str) -> Args {
    Args::Json(Json::parse(text).unwrap())
}

#[test]
fn a_call_is_known_again_however_it_is_spelled() {
    assert!(told("{}", json("{}")));
    assert!(told("{}", json("{ }")));
    let said = r#"{"limit":1.0,"encoding":"caf\u00e9","ranges":[1e2,12345678901234567890]}"#;
    let again = r#"{"encoding":"café","ranges":[100,12345678901234567000],"limit":1}"#;
    assert!(told(said, json(again)));
    assert!(!told("{}", json(r#"{"limit":1}"#)));
    assert!(!told(r#"{"limit":1}"#, json(r#"{"limit":2}"#)));
    assert!(!told(r#"{"limit":1}"#, json("{}")));
}

#[test]
fn what_is_no_object_comes_back_in_other_forms() {
    let cut = r#"{"target_file":"a"#;
    assert!(told(cut, Args::Malformed(Text::new(cut))));
    assert!(told(cut, json("{}")));
    assert!(told(cut, json("null")));
    assert!(told(cut, Args::Malformed(Text::EMPTY)));
    let wrapped = Json::object(|object| object.text("_raw", &Text::new(cut)));
    assert!(told(cut, Args::Json(wrapped)));
    assert!(told("[1]", json(r#"{"_raw":[1]}"#)));
    assert!(!told(cut, json(r#"{"target_file":"a"}"#)));
    assert!(!told(cut, json(r#"{"_raw":"other"}"#)));
}

#[test]
fn an_id_that_is_used_again_does_not_hit() {
    let answers = InMemory::default();
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    answers.keep("alice", answer_of(&found(&watch, "read_file", "{}").unwrap()).unwrap());
    let asked = |owner: &str, call: ToolCall| now(&conversation(vec![call]), owner, &answers).len();
    assert_eq!(asked("alice", call("read_file", "{}")), 1);
    assert_eq!(asked("bob", call("read_file", "{}")), 0);
    assert_eq!(asked("", call("read_file", "{}")), 0);
    assert_eq!(asked("alice", call("write_file", "{}")), 0);
    let other = ToolCall { id: Text::new("call_2"), ..call("read_file", "{}") };
    assert_eq!(asked("alice", other), 0);
}

#[test]
fn a_call_whose_id_the_client_leaves_away_is_known_by_what_it_says() {
    let answers = InMemory::default();
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    answers.keep("", answer_of(&found(&watch, "read_file", "{}").unwrap()).unwrap());
    let mut conversation =
        conversation(vec![ToolCall { id: Text::new("made_up"), ..call("read_file", "{}") }]);
    assert!(now(&conversation, "", &answers).is_empty());
    let block = conversation.turns[0].edit().blocks[0].edit();
    block.extras.put(DIALECT, Text::new("written id"), Json::NULL);
    assert_eq!(now(&conversation, "", &answers).len(), 1);
}

#[test]
fn what_is_only_observed_or_mended_leaves_no_answer() {
    for mode in [Mode::Observe, Mode::Mend] {
        let watch = watch(mode, &[("read_file", READ_FILE)]);
        let finding = found(&watch, "READ_FILE", r#"{"target_file":"a"}"#).unwrap();
        assert!(answer_of(&finding).is_none());
    }
}

#[test]
fn the_oldest_answers_make_room() {
    room(&InMemory::new(10, usize::MAX));
    room(&InMemory::new(usize::MAX, 5000));
}

fn room(answers: &InMemory) {
    assert!(answers.is_empty());
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    for number in 0..50 {
        let id = Text::new(&format!("call_{number}"));
        let call = ToolCall { id, ..call("read_file", "{}") };
        answers.keep("", answer_of(&watch.check(&call).unwrap()).unwrap());
    }
    let ids: Vec<String> = (0..50).map(|number| format!("call_{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let found = ready(answers.find("", &ids));
    assert!(!found.is_empty() && found.len() <= 10, "{}", found.len());
    assert_eq!(found.last().unwrap().keys[0], "call_49");
}
