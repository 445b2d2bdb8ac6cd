//! Tests a session with several models.

use interlingua::RawJson;
use interlingua_agent::Session;
use interlingua_model::{ReasoningMode, ReasoningSettings};

use crate::support::TestEnv;

#[tokio::test]
async fn the_first_models_reasoning_is_sent_back_to_it() {
    let env = TestEnv::new();
    let mut agent = env.agent("anthropic", "claude-sonnet-4-5");
    agent.settings.reasoning = Some(ReasoningSettings {
        mode: Some(ReasoningMode::On),
        budget_tokens: Some(RawJson::number(2000)),
        ..ReasoningSettings::default()
    });
    let mut session = Session::new();
    let prompt = "Look at the harbour. sim:empty-text";
    agent.ask(&mut session, prompt, &mut |_| {}).await.unwrap();
    let first = env.log().pop().unwrap();
    let signatures = |body: &serde_json::Value| -> Vec<String> {
        let messages = body["request"]["messages"].as_array().cloned().unwrap_or_default();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array().cloned());
        let values =
            blocks.flatten().filter_map(|block| Some(block["signature"].as_str()?.to_owned()));
        values.collect()
    };
    let first_signatures = signatures(&first);
    assert!(!first_signatures.is_empty(), "the reasoning has signatures: {first:#}");
    for (provider, model) in [("codex", "gpt-5.5-codex"), ("gemini", "gemini-2.5-pro")] {
        agent.model = env.model(provider, model);
        let prompt = "And now look at the beach.";
        agent.ask(&mut session, prompt, &mut |_| {}).await.unwrap();
        let request = env.log().pop().unwrap().to_string();
        assert!(
            !request.contains(&first_signatures[0]),
            "{provider} must not get another provider's signature"
        );
    }
    agent.model = env.model("anthropic", "claude-sonnet-4-5");
    agent.ask(&mut session, "What did you see first?", &mut |_| {}).await.unwrap();
    let last = signatures(&env.log().pop().unwrap());
    assert!(last.starts_with(&first_signatures), "{last:?}");
    env.assert_accepted();
}
