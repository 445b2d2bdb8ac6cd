//! A replay finds disagreements with made-up recordings.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use interlingua_laws::recorded::{Check, load, replay};
use serde_json::{Value, json};

#[test]
fn an_agreement_is_no_disagreement() {
    let reply = json!({"object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"},
    ]});
    assert_eq!(checks("agreement", &[exchange(200, GOOD_ROLE, &reply.to_string())]), []);
}

#[test]
fn every_kind_of_disagreement_is_found() {
    assert_eq!(
        checks(
            "disagreement",
            &[
                // Rejected by the judge, so the request is repaired as well.
                exchange(200, "poet", ""),
                exchange(400, GOOD_ROLE, ""),
                // Its end is added, and an item of the Responses API that has not ended is lost.
                exchange(200, GOOD_ROLE, TRUNCATED_STREAM),
            ]
        ),
        [
            Check::JudgeRejects,
            Check::RequestChanged,
            Check::JudgeAccepts,
            Check::ReplyChanged,
            Check::ReplyLost
        ]
    );
}

/// The kinds of disagreements with these exchanges, in their order.
fn checks(name: &str, exchanges: &[Value]) -> Vec<Check> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for judge in interlingua_strict::ALL {
        std::fs::write(folder.join(format!("{}.jsonl", judge.dialect)), "").unwrap();
    }
    let lines: Vec<String> = exchanges.iter().map(Value::to_string).collect();
    std::fs::write(folder.join("openai-chat.jsonl"), lines.join("\n")).unwrap();
    let report = replay(&load(&folder).unwrap(), 2).unwrap();
    report.unexplained.into_iter().map(|disagreement| disagreement.check).collect()
}

fn exchange(status: u16, role: &str, response: &str) -> Value {
    let messages = json!([{"role": role, "content": "Hello"}]);
    let request = json!({"model": "gpt-4.1", "messages": messages}).to_string();
    json!({
        "id": "a", "flavor": "openai", "path": "/v1/chat/completions", "status": status,
        "request": request, "response": response,
    })
}

const GOOD_ROLE: &str = "user";
const TRUNCATED_STREAM: &str = "data: {\"object\":\"chat.completion.chunk\",\"choices\":\
    [{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n";
