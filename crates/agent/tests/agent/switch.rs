//! One session, several models.

use interlingua::Json;
use interlingua::model::{Reasoning, ReasoningMode};
use interlingua_agent::Session;

use crate::world::World;

#[tokio::test]
async fn what_the_first_model_thought_is_back_when_it_is_asked_again() {
    let world = World::new();
    let mut agent = world.agent("anthropic", "claude-sonnet-4-5");
    agent.settings.reasoning = Some(Reasoning {
        mode: Some(ReasoningMode::On),
        budget: Some(Json::number(2000)),
        ..Reasoning::default()
    });
    let mut session = Session::new();
    let said = "Look at the harbour. sim:empty-text";
    agent.ask(&mut session, said, &mut |_| {}).await.unwrap();
    let first = world.log().pop().unwrap();
    let signatures = |body: &serde_json::Value| -> Vec<String> {
        let messages = body["request"]["messages"].as_array().cloned().unwrap_or_default();
        let blocks = messages.iter().filter_map(|message| message["content"].as_array().cloned());
        let signed =
            blocks.flatten().filter_map(|block| Some(block["signature"].as_str()?.to_owned()));
        signed.collect()
    };
    let sealed = signatures(&first);
    assert!(!sealed.is_empty(), "the thoughts came with their seals: {first:#}");
    for (provider, model) in [("codex", "gpt-5.5-codex"), ("gemini", "gemini-2.5-pro")] {
        agent.model = world.model(provider, model);
        let said = "And now look at the beach.";
        agent.ask(&mut session, said, &mut |_| {}).await.unwrap();
        let asked = world.log().pop().unwrap().to_string();
        assert!(!asked.contains(&sealed[0]), "{provider} is not shown what it cannot read");
    }
    agent.model = world.model("anthropic", "claude-sonnet-4-5");
    agent.ask(&mut session, "What did you see first?", &mut |_| {}).await.unwrap();
    let last = signatures(&world.log().pop().unwrap());
    assert!(last.starts_with(&sealed), "{last:?}");
    world.assert_accepted();
}
