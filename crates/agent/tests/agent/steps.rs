//! Asking, calling, answering; and where it ends.

use interlingua::Json;
use interlingua::model::{Reasoning, ReasoningMode};
use interlingua_agent::{Session, Stopped};

use crate::world::{Heard, MODELS, World, results};

#[tokio::test]
async fn a_tool_is_called_and_its_result_is_in_the_answer() {
    let world = World::new();
    for (provider, model) in MODELS {
        let (agent, heard) = (world.agent(provider, model), Heard::default());
        let mut session = Session::new();
        let said = "What is at the harbour? sim:arguments={\"place\":\"harbour\"}";
        let answer = agent.ask(&mut session, said, &mut heard.tell()).await.unwrap();
        assert!(answer.text().contains("boats at harbour"), "{provider}: {}", answer.text());
        assert_eq!((answer.steps, session.turns().len()), (2, 4), "{provider}");
        assert!(answer.input > 0 && answer.output > 0, "{provider}");
        assert_eq!(heard.count("calls look"), 1);
        assert_eq!(heard.count("look gave boats at harbour"), 1);
        let spoken: String =
            heard.lines().iter().filter_map(|line| line.strip_prefix("says ")).collect();
        assert!(spoken.ends_with(&answer.text()), "{provider}: streamed as it came");
    }
    world.assert_accepted();
}

#[tokio::test]
async fn thoughts_are_heard_apart() {
    let world = World::new();
    let mut agent = world.agent("anthropic", "claude-sonnet-4-5");
    let budget = Some(Json::number(2000));
    agent.settings.reasoning =
        Some(Reasoning { mode: Some(ReasoningMode::On), budget, ..Reasoning::default() });
    let heard = Heard::default();
    agent.ask(&mut Session::new(), "Where are we?", &mut heard.tell()).await.unwrap();
    assert!(heard.count("thinks ") > 0, "{:?}", heard.lines());
    world.assert_accepted();
}

#[tokio::test]
async fn the_limit_of_steps_leaves_a_session_that_goes_on() {
    let world = World::new();
    let mut agent = world.agent("anthropic", "claude-sonnet-4-5");
    agent.steps = 3;
    let mut session = Session::new();
    let stopped = agent.ask(&mut session, "Look around. sim:rounds=9", &mut |_| {}).await;
    assert_eq!(stopped.unwrap_err(), Stopped::Steps(3));
    let (last, is_error) = results(&session).pop().unwrap();
    assert!(is_error && last.contains("limit of steps"), "{last}");
    agent.steps = 20;
    let answer = agent.ask(&mut session, "Go on.", &mut |_| {}).await.unwrap();
    assert!(!answer.text().is_empty());
    world.assert_accepted();
}

#[tokio::test]
async fn a_provider_that_fails_at_first_is_asked_again() {
    let world = World::new();
    let model = world.failing("anthropic", "claude-sonnet-4-5", "429=0@1,529@2");
    let agent = interlingua_agent::Agent::new(model);
    let answer = agent.ask(&mut Session::new(), "Hello", &mut |_| {}).await.unwrap();
    assert!(!answer.text().is_empty());
    let asked = world.log().len();
    assert!(asked >= 2, "{asked}");
}

#[tokio::test]
async fn what_cannot_be_answered_is_said_and_nothing_is_lost() {
    let world = World::new();
    let model = world.failing("openai", "gpt-4.1", "401");
    let mut agent = world.agent("openai", "gpt-4.1");
    let good = std::mem::replace(&mut agent.model, model);
    let mut session = Session::new();
    let stopped = agent.ask(&mut session, "Hello", &mut |_| {}).await.unwrap_err();
    assert!(matches!(&stopped, Stopped::Failed(failure) if failure.status == 401), "{stopped}");
    assert_eq!(session.turns().len(), 1, "the question is kept");
    agent.model = good;
    agent.resume(&mut session, &mut |_| {}).await.unwrap();
    assert!(session.turns().len() >= 2);
}
