//! Tests how requests are assigned to conversations: by client ids, or by their history.

use std::net::SocketAddr;

use interlingua_gateway::config::StoreLocation;
use interlingua_simulator::{Options, Script};
use serde_json::{Value, json};

use crate::client::post;
use crate::harness::Harness;
use crate::keys::{auth_header, key};

const SCRIPT: &str = r#"
[[turn]]
when = { prompt = "harbour" }
blocks = [{ thinking = "Ships." }, { text = "The harbour has fourteen ships and three cranes, and the wind comes from the west." }]

[[turn]]
blocks = [{ thinking = "Nothing to do." }, { text = "Certainly." }]
"#;

/// A Chat client that keeps only the text of replies.
struct ChatConversation {
    at: SocketAddr,
    model: &'static str,
    headers: String,
    messages: Vec<Value>,
    extra_fields: Value,
}

impl ChatConversation {
    fn new(harness: &Harness) -> Self {
        let (messages, headers) = (Vec::new(), String::new());
        let at = harness.addr();
        Self {
            at,
            model: "anthropic/claude-sonnet-4-5",
            headers,
            messages,
            extra_fields: json!({}),
        }
    }

    /// Sends a user message; returns the gateway's conversation id.
    fn send(&mut self, text: &str) -> String {
        self.messages.push(json!({"role": "user", "content": text}));
        let mut request = json!({
            "model": self.model, "messages": self.messages, "max_tokens": 9000, "reasoning_effort": "high",
        });
        for (key, value) in self.extra_fields.as_object().unwrap() {
            request[key] = value.clone();
        }
        let body = request.to_string();
        let response = post(self.at, "/v1/chat/completions", &self.headers, body.as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        let reply: Value = serde_json::from_slice(&response.body).unwrap();
        let content = reply["choices"][0]["message"]["content"].clone();
        self.messages.push(json!({"role": "assistant", "content": content}));
        response.header("x-interlingua-conversation").unwrap().to_owned()
    }
}

fn harness() -> Harness {
    Harness::with_simulator(options(), |_| {})
}

fn options() -> Options {
    Options { script: Some(Script::parse(SCRIPT).unwrap()), ..Options::default() }
}

/// Signatures in the last provider request.
fn count_signatures(harness: &Harness) -> usize {
    harness.provider_requests().last().unwrap().to_string().matches("\"signature\":\"").count()
}

#[test]
fn a_continued_conversation_keeps_its_id() {
    for model in ["anthropic/claude-sonnet-4-5", "openai/gpt-4.1"] {
        let gateway = harness();
        let mut conversation = ChatConversation { model, ..ChatConversation::new(&gateway) };
        let first = conversation.send("Look at the harbour.");
        assert_eq!(
            [conversation.send("And now?"), conversation.send("And now?")],
            [first.clone(), first],
            "{model}"
        );
    }
}

#[test]
fn conversations_with_the_same_start_are_separate() {
    let gateway = harness();
    let (mut one, mut other) = (ChatConversation::new(&gateway), ChatConversation::new(&gateway));
    let (first, second) = (one.send("Hello."), other.send("Hello."));
    assert_ne!(first, second);
    let mut continued = [one.send("Ships?"), other.send("Cranes?")];
    continued.sort();
    let mut expected = [first, second];
    expected.sort();
    assert_eq!(continued, expected);
    assert_eq!([one.send("Go on."), other.send("Go on.")].len(), 2);
    assert_eq!(count_signatures(&gateway), 2, "each gets its own reasoning back");
}

#[test]
fn a_history_that_is_cut_or_edited_is_the_same_conversation() {
    let gateway = harness();
    let mut conversation = ChatConversation::new(&gateway);
    let first = conversation.send("Look at the harbour.");
    conversation.send("And now?");
    let before = conversation.messages.clone();
    conversation.messages[0]["content"] = json!("Look at the harbour, and be brief.");
    assert_eq!(conversation.send("Go on."), first, "an old message is edited");
    assert_eq!(count_signatures(&gateway), 2);
    conversation.messages.clone_from(&before);
    conversation.messages[0]["content"] =
        json!("This session goes on from another one. Summary: ships.");
    assert_eq!(conversation.send("Go on."), first, "a summary stands for the beginning");
    conversation.messages.clone_from(&before);
    conversation.messages.truncate(2);
    assert_eq!(conversation.send("And the cranes?"), first, "the last message is another one");
}

#[test]
fn a_session_id_identifies_the_conversation() {
    let session = "0199a4be-6f5c-7d90-8a3f-2b1c3d4e5f60";
    let user = format!("user_0a1b_account__session_{session}");
    let cases = [
        (format!("x-session-id: {session}\r\n"), json!({})),
        (String::new(), json!({"prompt_cache_key": session})),
        (String::new(), json!({"metadata": {"user_id": user}})),
    ];
    let gateway = harness();
    for (headers, extra_fields) in cases {
        let mut conversation =
            ChatConversation { headers, extra_fields, ..ChatConversation::new(&gateway) };
        let first = conversation.send("Look at the harbour.");
        conversation.messages = vec![];
        assert_eq!(
            conversation.send("A summary of everything."),
            first,
            "{}",
            conversation.extra_fields
        );
        conversation.messages =
            vec![json!({"role": "user", "content": "x"}), conversation.messages[1].clone()];
        assert_eq!(conversation.send("Go on."), first, "{}", conversation.extra_fields);
    }
    // An identifier of a user or a program does not identify a conversation.
    for extra_fields in
        [json!({"prompt_cache_key": "editor"}), json!({"metadata": {"user_id": session}})]
    {
        let new_conversation = || ChatConversation {
            extra_fields: extra_fields.clone(),
            ..ChatConversation::new(&gateway)
        };
        assert_ne!(
            new_conversation().send("Hello."),
            new_conversation().send("Hello."),
            "{extra_fields}"
        );
    }
}

#[test]
fn agents_of_one_session_are_separate_conversations() {
    let gateway = harness();
    let for_agent = |agent: &str| ChatConversation {
        headers: format!("x-claude-code-session-id: s1\r\nx-claude-code-agent-id: {agent}\r\n"),
        ..ChatConversation::new(&gateway)
    };
    assert_ne!(for_agent("a").send("Hello."), for_agent("b").send("Hello."));
    assert_eq!(for_agent("a").send("Hello."), for_agent("a").send("Good day."));
}

#[test]
fn conversations_with_reasoning_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    let mut harness =
        Harness::with_simulator(options(), |config| config.store.location = location());
    let mut conversation = ChatConversation::new(&harness);
    let first = conversation.send("Look at the harbour.");
    conversation.send("And now?");
    harness.restart_gateway(|config| config.store.location = location());
    conversation.at = harness.addr();
    conversation.messages[0]["content"] = json!("Summary: ships.");
    assert_eq!(conversation.send("Go on."), first);
    assert_eq!(count_signatures(&harness), 2);
}

#[test]
fn a_previous_response_id_continues_its_conversation() {
    let gateway = harness();
    let ask = |request: &Value| {
        let response = post(gateway.addr(), "/v1/responses", "", request.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        let reply: Value = serde_json::from_slice(&response.body).unwrap();
        let conversation = response.header("x-interlingua-conversation").unwrap().to_owned();
        (conversation, reply["id"].clone())
    };
    let (model, reasoning) = ("openai/gpt-5.5", json!({"effort": "high"}));
    let first_request =
        json!({"model": model, "input": "Look at the harbour.", "reasoning": reasoning});
    let (first, id) = ask(&first_request);
    let other = json!({"model": model, "input": "Look at a harbour.", "reasoning": reasoning});
    assert_ne!(ask(&other).0, first);
    let next_request = json!({"model": model, "input": "And now?", "reasoning": reasoning, "previous_response_id": id});
    assert_eq!(ask(&next_request).0, first);
}

#[test]
fn the_prompt_cache_key_is_stable() {
    let harness = Harness::new();
    let cache_key = |path: &str, model: &str, session: &str| {
        let body = json!({
            "model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}],
            "metadata": {"user_id": "u", "session_id": session},
        });
        let response = post(harness.addr(), path, "", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        let log = harness.provider_requests();
        log.last().unwrap()["request"]["prompt_cache_key"].clone()
    };
    let first = cache_key("/v1/messages", "openai/gpt-5.2", "s1");
    assert!(first.as_str().is_some_and(|key| !key.contains("s1")), "{first}");
    assert_eq!(first, cache_key("/v1/messages", "openai/gpt-5.2", "s1"));
    assert_ne!(first, cache_key("/v1/messages", "openai/gpt-5.2", "s2"));
    assert_eq!(
        Value::Null,
        cache_key("/v1/messages", "groq/x", "s1"),
        "the target has no such field"
    );
    let chat_key = cache_key("/v1/chat/completions", "openai/gpt-5.2", "s1");
    assert_eq!(Value::Null, chat_key, "within one dialect the client sets the field itself");
}

#[test]
fn two_keys_with_the_same_session_id_have_different_conversations() {
    let harness = Harness::with_config(|config| config.access.keys = vec![key("ann"), key("bob")]);
    let conversation = |secret: &str| {
        let headers = format!("{}session-id: 1234\r\n", auth_header(secret));
        ChatConversation { headers, ..ChatConversation::new(&harness) }.send("Hi.")
    };
    let of_ann = conversation("ann");
    assert_eq!(of_ann, conversation("ann"));
    assert_ne!(of_ann, conversation("bob"));
}
