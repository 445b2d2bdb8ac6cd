//! What servers of the Chat dialect teach by their refusals.

use serde_json::{Value, json};

use crate::client::{Answer, post};
use crate::house::House;
use crate::ladder::stubbed;
use crate::stub::{refusal, said};

fn ask_chat(house: &House, body: &Value) -> Answer {
    post(house.addr(), "/v1/chat/completions", "", body.to_string().as_bytes())
}

#[test]
fn a_template_that_wants_roles_in_turns_gets_them() {
    let thrown =
        "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";
    let broken = json!({"error": {"code": 500, "message": thrown, "type": "server_error"}});
    let answers = vec![(500, broken.to_string()), said("openai-chat")];
    let (house, stub) = stubbed("openai-chat", answers);
    let user = |text: &str| json!({"role": "user", "content": text});
    let request = json!({"model": "stub/m", "messages": [user("hello"), user("are you there?")]});
    for expected in [2, 3] {
        let answer = ask_chat(&house, &request);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(stub.asked().len(), expected);
    }
    let asked = stub.asked();
    assert_eq!(asked[0]["messages"], request["messages"]);
    for healed in &asked[1..] {
        let [one] = &healed["messages"].as_array().unwrap()[..] else { panic!("{healed}") };
        let said = one["content"].to_string();
        assert!(said.contains("hello") && said.contains("are you there?"), "{said}");
    }
}

#[test]
fn how_long_an_answer_may_be_is_learned() {
    let words = "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, \
        whereas you provided 32000.";
    let (house, stub) = stubbed("openai-chat", vec![refusal(words), said("openai-chat")]);
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 32000, "messages": [hello]});
    for expected in [2, 3] {
        assert_eq!(ask_chat(&house, &request).status, 200);
        assert_eq!(stub.asked().len(), expected);
    }
    let most = |one: &Value| one.get("max_tokens").or(one.get("max_completion_tokens")).cloned();
    let asked: Vec<Value> = stub.asked().iter().filter_map(most).collect();
    assert_eq!(asked, [32000, 16384, 16384]);
    let shorter = json!({"model": "stub/m", "max_tokens": 99, "messages": request["messages"]});
    assert_eq!(ask_chat(&house, &shorter).status, 200);
    assert_eq!(stub.asked()[3]["max_tokens"], 99);
}
