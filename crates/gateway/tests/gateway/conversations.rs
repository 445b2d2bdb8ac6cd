//! Which conversation a request is of: as its client says, or by what was said so far.

use std::net::SocketAddr;

use interlingua_gateway::config::Place;
use interlingua_simulator::{Options, Script};
use serde_json::{Value, json};

use crate::client::post;
use crate::house::House;

const SCRIPT: &str = r#"
[[turn]]
when = { prompt = "harbour" }
blocks = [{ thinking = "Ships." }, { text = "The harbour has fourteen ships and three cranes, and the wind comes from the west." }]

[[turn]]
blocks = [{ thinking = "Nothing to do." }, { text = "Certainly." }]
"#;

/// A client that sends words only, and brings words only back.
struct Talk {
    at: SocketAddr,
    model: &'static str,
    headers: String,
    messages: Vec<Value>,
    more: Value,
}

impl Talk {
    fn with(house: &House) -> Self {
        let (messages, headers) = (Vec::new(), String::new());
        let at = house.addr();
        Self { at, model: "anthropic/claude-sonnet-4-5", headers, messages, more: json!({}) }
    }

    /// Says something; gives which conversation the gateway takes it for.
    fn say(&mut self, words: &str) -> String {
        self.messages.push(json!({"role": "user", "content": words}));
        let mut request = json!({
            "model": self.model, "messages": self.messages, "max_tokens": 9000, "reasoning_effort": "high",
        });
        for (key, value) in self.more.as_object().unwrap() {
            request[key] = value.clone();
        }
        let body = request.to_string();
        let answer = post(self.at, "/v1/chat/completions", &self.headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let reply: Value = serde_json::from_slice(&answer.body).unwrap();
        let content = reply["choices"][0]["message"]["content"].clone();
        self.messages.push(json!({"role": "assistant", "content": content}));
        answer.header("x-interlingua-conversation").unwrap().to_owned()
    }
}

fn house() -> House {
    House::playing(options(), |_| {})
}

fn options() -> Options {
    Options { script: Some(Script::read(SCRIPT).unwrap()), ..Options::default() }
}

/// How many thoughts the provider was sent last.
fn thoughts(house: &House) -> usize {
    house.log().last().unwrap().to_string().matches("\"signature\":\"").count()
}

#[test]
fn a_conversation_that_goes_on_is_one() {
    for model in ["anthropic/claude-sonnet-4-5", "openai/gpt-4.1"] {
        let house = house();
        let mut talk = Talk { model, ..Talk::with(&house) };
        let first = talk.say("Look at the harbour.");
        assert_eq!([talk.say("And now?"), talk.say("And now?")], [first.clone(), first], "{model}");
    }
}

#[test]
fn conversations_that_begin_alike_are_two() {
    let house = house();
    let (mut one, mut other) = (Talk::with(&house), Talk::with(&house));
    let (first, second) = (one.say("Hello."), other.say("Hello."));
    assert_ne!(first, second);
    let mut both = [one.say("Ships?"), other.say("Cranes?")];
    both.sort();
    let mut expected = [first, second];
    expected.sort();
    assert_eq!(both, expected);
    assert_eq!([one.say("Go on."), other.say("Go on.")].len(), 2);
    assert_eq!(thoughts(&house), 2, "each has its own thoughts back");
}

#[test]
fn a_history_that_is_cut_or_edited_is_the_same_conversation() {
    let house = house();
    let mut talk = Talk::with(&house);
    let first = talk.say("Look at the harbour.");
    talk.say("And now?");
    let before = talk.messages.clone();
    talk.messages[0]["content"] = json!("Look at the harbour, and be brief.");
    assert_eq!(talk.say("Go on."), first, "an old message is edited");
    assert_eq!(thoughts(&house), 2);
    talk.messages.clone_from(&before);
    talk.messages[0]["content"] = json!("This session goes on from another one. Summary: ships.");
    assert_eq!(talk.say("Go on."), first, "a summary stands for the beginning");
    talk.messages.clone_from(&before);
    talk.messages.truncate(2);
    assert_eq!(talk.say("And the cranes?"), first, "the last message is another one");
}

#[test]
fn a_session_is_one_conversation_whatever_is_left_of_it() {
    let session = "0199a4be-6f5c-7d90-8a3f-2b1c3d4e5f60";
    let user = format!("user_0a1b_account__session_{session}");
    let rows = [
        (format!("x-session-id: {session}\r\n"), json!({})),
        (String::new(), json!({"prompt_cache_key": session})),
        (String::new(), json!({"metadata": {"user_id": user}})),
    ];
    let house = house();
    for (headers, more) in rows {
        let mut talk = Talk { headers, more, ..Talk::with(&house) };
        let first = talk.say("Look at the harbour.");
        talk.messages = vec![];
        assert_eq!(talk.say("A summary of everything."), first, "{}", talk.more);
        talk.messages = vec![json!({"role": "user", "content": "x"}), talk.messages[1].clone()];
        assert_eq!(talk.say("Go on."), first, "{}", talk.more);
    }
    // The name of a user or a program is none of a conversation.
    for more in [json!({"prompt_cache_key": "editor"}), json!({"metadata": {"user_id": session}})] {
        let talk = || Talk { more: more.clone(), ..Talk::with(&house) };
        assert_ne!(talk().say("Hello."), talk().say("Hello."), "{more}");
    }
}

#[test]
fn agents_of_one_session_are_apart() {
    let house = house();
    let of = |agent: &str| Talk {
        headers: format!("x-claude-code-session-id: s1\r\nx-claude-code-agent-id: {agent}\r\n"),
        ..Talk::with(&house)
    };
    assert_ne!(of("a").say("Hello."), of("b").say("Hello."));
    assert_eq!(of("a").say("Hello."), of("a").say("Good day."));
}

#[test]
fn a_restart_forgets_no_conversation_with_thoughts() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    let mut house = House::playing(options(), |config| config.store.place = place());
    let mut talk = Talk::with(&house);
    let first = talk.say("Look at the harbour.");
    talk.say("And now?");
    house.open(|config| config.store.place = place());
    talk.at = house.addr();
    talk.messages[0]["content"] = json!("Summary: ships.");
    assert_eq!(talk.say("Go on."), first);
    assert_eq!(thoughts(&house), 2);
}

#[test]
fn a_reply_that_is_named_is_gone_on_from() {
    let house = house();
    let ask = |request: &Value| {
        let answer = post(house.addr(), "/v1/responses", "", request.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let reply: Value = serde_json::from_slice(&answer.body).unwrap();
        let conversation = answer.header("x-interlingua-conversation").unwrap().to_owned();
        (conversation, reply["id"].clone())
    };
    let (model, reasoning) = ("openai/gpt-5.5", json!({"effort": "high"}));
    let begin = json!({"model": model, "input": "Look at the harbour.", "reasoning": reasoning});
    let (first, id) = ask(&begin);
    let other = json!({"model": model, "input": "Look at a harbour.", "reasoning": reasoning});
    assert_ne!(ask(&other).0, first);
    let more = json!({"model": model, "input": "And now?", "reasoning": reasoning, "previous_response_id": id});
    assert_eq!(ask(&more).0, first);
}

#[test]
fn a_provider_that_caches_by_name_is_told_the_same_name_each_time() {
    let house = House::build();
    let asked = |path: &str, model: &str, session: &str| {
        let body = json!({
            "model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}],
            "metadata": {"user_id": "u", "session_id": session},
        });
        let answer = post(house.addr(), path, "", body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let log = house.log();
        log.last().unwrap()["request"]["prompt_cache_key"].clone()
    };
    let one = asked("/v1/messages", "openai/gpt-5.2", "s1");
    assert!(one.as_str().is_some_and(|key| !key.contains("s1")), "{one}");
    assert_eq!(one, asked("/v1/messages", "openai/gpt-5.2", "s1"));
    assert_ne!(one, asked("/v1/messages", "openai/gpt-5.2", "s2"));
    assert_eq!(Value::Null, asked("/v1/messages", "groq/x", "s1"), "it knows no such field");
    let own = asked("/v1/chat/completions", "openai/gpt-5.2", "s1");
    assert_eq!(Value::Null, own, "a client of its own dialect says itself what it wants");
}
