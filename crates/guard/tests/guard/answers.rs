//! Guard answers are found again for the call they belong to, however the client replays it.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use interlingua_guard::{
    AnswerRecord, AnswerStore, GuardMode, MemoryAnswerStore, find_guard_answers,
};
use interlingua_model::{
    Block, BlockContent, Conversation, DialectId, GuardAnswer, Role, ToolArgs, ToolCall, Turn,
    WrittenForm,
};
use interlingua_wire::{JsonString, RawJson};

use crate::{READ_FILE, call, call_checker, finding};

const DIALECT: DialectId = DialectId("test");

/// Whether the answer stored for a call with `args` is found for its replay with `replayed`.
fn is_answered(args: &str, replayed: ToolArgs) -> bool {
    let answers = MemoryAnswerStore::default();
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    answers.insert(
        "",
        AnswerRecord::from_finding(&finding(&checker, "read_file", args).unwrap()).unwrap(),
    );
    let replayed = ToolCall { args: replayed, ..call("read_file", "") };
    find_ready(&conversation(vec![replayed.clone()]), "", &answers)
        .iter()
        .any(|guard_answer| guard_answer.call == replayed)
}

/// The memory store's futures are ready immediately.
fn find_ready(
    conversation: &Conversation,
    owner: &str,
    answers: &MemoryAnswerStore,
) -> Vec<GuardAnswer> {
    ready(find_guard_answers(conversation, owner, answers))
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ready) => ready,
        Poll::Pending => unreachable!("the store does not wait"),
    }
}

fn conversation(calls: Vec<ToolCall>) -> Conversation {
    let mut conversation = Conversation::new(DIALECT);
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks =
        calls.into_iter().map(|call| Block::new(BlockContent::ToolCall(call)).into()).collect();
    conversation.turns.push(turn.into());
    conversation
}

fn json(text: &str) -> ToolArgs {
    ToolArgs::Json(RawJson::parse(text).unwrap())
}

#[test]
fn a_call_is_recognized_however_it_is_spelled() {
    assert!(is_answered("{}", json("{}")));
    assert!(is_answered("{}", json("{ }")));
    let original = r#"{"limit":1.0,"encoding":"caf\u00e9","ranges":[1e2,12345678901234567890]}"#;
    let respelled = r#"{"encoding":"café","ranges":[100,12345678901234567000],"limit":1}"#;
    assert!(is_answered(original, json(respelled)));
    assert!(!is_answered("{}", json(r#"{"limit":1}"#)));
    assert!(!is_answered(r#"{"limit":1}"#, json(r#"{"limit":2}"#)));
    assert!(!is_answered(r#"{"limit":1}"#, json("{}")));
}

#[test]
fn arguments_that_are_no_object_are_recognized_in_other_forms() {
    let cut = r#"{"target_file":"a"#;
    assert!(is_answered(cut, ToolArgs::Malformed(JsonString::new(cut))));
    assert!(is_answered(cut, json("{}")));
    assert!(is_answered(cut, json("null")));
    assert!(is_answered(cut, ToolArgs::Malformed(JsonString::EMPTY)));
    let wrapped = RawJson::object(|object| object.json_string("_raw", &JsonString::new(cut)));
    assert!(is_answered(cut, ToolArgs::Json(wrapped)));
    assert!(is_answered("[1]", json(r#"{"_raw":[1]}"#)));
    assert!(!is_answered(cut, json(r#"{"target_file":"a"}"#)));
    assert!(!is_answered(cut, json(r#"{"_raw":"other"}"#)));
}

#[test]
fn a_reused_id_does_not_match() {
    let answers = MemoryAnswerStore::default();
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    answers.insert(
        "alice",
        AnswerRecord::from_finding(&finding(&checker, "read_file", "{}").unwrap()).unwrap(),
    );
    let answer_count =
        |owner: &str, call: ToolCall| find_ready(&conversation(vec![call]), owner, &answers).len();
    assert_eq!(answer_count("alice", call("read_file", "{}")), 1);
    assert_eq!(answer_count("bob", call("read_file", "{}")), 0);
    assert_eq!(answer_count("", call("read_file", "{}")), 0);
    assert_eq!(answer_count("alice", call("write_file", "{}")), 0);
    let other = ToolCall { id: JsonString::new("call_2"), ..call("read_file", "{}") };
    assert_eq!(answer_count("alice", other), 0);
}

#[test]
fn a_call_without_id_is_recognized_by_name_and_arguments() {
    let answers = MemoryAnswerStore::default();
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    answers.insert(
        "",
        AnswerRecord::from_finding(&finding(&checker, "read_file", "{}").unwrap()).unwrap(),
    );
    let mut conversation =
        conversation(vec![ToolCall { id: JsonString::new("made_up"), ..call("read_file", "{}") }]);
    assert!(find_ready(&conversation, "", &answers).is_empty());
    let block = conversation.turns[0].edit().blocks[0].edit();
    block.extras.set_written(DIALECT, WrittenForm::NoId);
    assert_eq!(find_ready(&conversation, "", &answers).len(), 1);
}

#[test]
fn observed_and_mended_calls_leave_no_answer() {
    for mode in [GuardMode::Observe, GuardMode::Mend] {
        let checker = call_checker(mode, &[("read_file", READ_FILE)]);
        let finding = finding(&checker, "READ_FILE", r#"{"target_file":"a"}"#).unwrap();
        assert!(AnswerRecord::from_finding(&finding).is_none());
    }
}

#[test]
fn the_oldest_answers_are_evicted() {
    assert_eviction(&MemoryAnswerStore::new(10, usize::MAX));
    assert_eviction(&MemoryAnswerStore::new(usize::MAX, 5000));
}

fn assert_eviction(answers: &MemoryAnswerStore) {
    assert!(answers.is_empty());
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    for number in 0..50 {
        let id = JsonString::new(&format!("call_{number}"));
        let call = ToolCall { id, ..call("read_file", "{}") };
        answers
            .insert("", AnswerRecord::from_finding(&checker.check_call(&call).unwrap()).unwrap());
    }
    let ids: Vec<String> = (0..50).map(|number| format!("call_{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let found = ready(answers.find("", &ids));
    assert!(!found.is_empty() && found.len() <= 10, "{}", found.len());
    assert_eq!(found.last().unwrap().keys[0], "call_49");
}
