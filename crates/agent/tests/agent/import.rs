//! Tests that conversations of any shape are imported and continue.

use interlingua::{Dialect, find_dialect};
use interlingua_agent::Session;
use serde_json::{Value, json};

use crate::support::{MODELS, TestEnv};

fn dialect(name: &str) -> &'static dyn Dialect {
    find_dialect(name).unwrap()
}

fn irregular_messages() -> Value {
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
async fn messages_of_any_shape_are_imported_and_continue_with_every_model() {
    let env = TestEnv::new();
    for (provider, model) in MODELS {
        let body = irregular_messages().to_string().into();
        let imported = Session::import(body, dialect("openai-chat")).unwrap();
        assert!(!imported.ledger.is_empty(), "irregularities are recorded");
        let mut session = imported.session;
        let agent = env.agent(provider, model);
        let output = agent.ask(&mut session, "Say hello.", &mut |_| {}).await.unwrap();
        assert!(!output.text().is_empty(), "{provider}");
        assert!(session.encoded_turns().iter().any(|turn| turn.as_str().contains("boats")));
    }
    env.assert_accepted();
}

#[tokio::test]
async fn a_session_is_exported_and_imported_in_any_dialect() {
    let env = TestEnv::new();
    let agent = env.agent("anthropic", "claude-sonnet-4-5");
    let mut session = Session::new();
    agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
    for name in ["anthropic", "openai-chat", "openai-responses", "gemini", "native"] {
        let (body, _) = session.export(dialect(name), Some("sim/agent"));
        let imported = Session::import(body, dialect(name)).unwrap();
        // Gemini has the model in the URL.
        let model = imported.model.map(|model| model.unescape().into_owned());
        assert_eq!(model.as_deref(), Some("sim/agent").filter(|_| name != "gemini"), "{name}");
        let mut reimported = imported.session;
        let output = agent.ask(&mut reimported, "And the beach?", &mut |_| {}).await.unwrap();
        assert!(!output.text().is_empty(), "{name}");
    }
    env.assert_accepted();
}
