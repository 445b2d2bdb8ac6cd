//! Loading is decoding: whatever shape a stored conversation has, it goes on.

use interlingua::{Dialect, find};
use interlingua_agent::Session;
use serde_json::{Value, json};

use crate::world::{MODELS, World};

fn dialect(name: &str) -> &'static dyn Dialect {
    find(name).unwrap()
}

fn odd() -> Value {
    json!([
        {"role": "system", "content": {"rule": "be brief"}},
        {"role": "user", "content": [{"type": "text", "text": "Look."}, "there"]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"place\":\"x\"}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": {"boats": 3}},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": 42},
        null,
        "just words",
        {"role": "stranger", "content": "who is this?"},
    ])
}

#[tokio::test]
async fn messages_of_any_shape_are_loaded_and_go_on_with_every_model() {
    let world = World::new();
    for (provider, model) in MODELS {
        let body = odd().to_string().into();
        let imported = Session::import(body, dialect("openai-chat")).unwrap();
        assert!(!imported.ledger.is_empty(), "what is odd is told");
        let mut session = imported.session;
        let agent = world.agent(provider, model);
        let answer = agent.ask(&mut session, "Say hello.", &mut |_| {}).await.unwrap();
        assert!(!answer.text().is_empty(), "{provider}");
        assert!(session.written().iter().any(|turn| turn.as_str().contains("boats")));
    }
    world.assert_accepted();
}

#[tokio::test]
async fn a_session_leaves_in_any_dialect_and_comes_back() {
    let world = World::new();
    let agent = world.agent("anthropic", "claude-sonnet-4-5");
    let mut session = Session::new();
    agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
    for name in ["anthropic", "openai-chat", "openai-responses", "gemini", "native"] {
        let (body, _) = session.export(dialect(name), Some("sim/agent"));
        let imported = Session::import(body, dialect(name)).unwrap();
        // Gemini has the model in the address.
        let model = imported.model.map(|model| model.contents().into_owned());
        assert_eq!(model.as_deref(), Some("sim/agent").filter(|_| name != "gemini"), "{name}");
        let mut back = imported.session;
        let answer = agent.ask(&mut back, "And the beach?", &mut |_| {}).await.unwrap();
        assert!(!answer.text().is_empty(), "{name}");
    }
    world.assert_accepted();
}
