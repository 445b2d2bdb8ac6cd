//! Tests the steps of the loop, its limit and its errors.

use interlingua::RawJson;
use interlingua_agent::{AgentError, Session};
use interlingua_model::{ReasoningMode, ReasoningSettings};

use crate::support::{MODELS, ProgressLog, TestEnv, results};

#[tokio::test]
async fn a_tool_is_called_and_its_result_is_in_the_answer() {
    let env = TestEnv::new();
    for (provider, model) in MODELS {
        let (agent, progress_log) = (env.agent(provider, model), ProgressLog::default());
        let mut session = Session::new();
        let prompt = "What is at the harbour? sim:arguments={\"place\":\"harbour\"}";
        let output = agent.ask(&mut session, prompt, &mut progress_log.callback()).await.unwrap();
        assert!(output.text().contains("boats at harbour"), "{provider}: {}", output.text());
        assert_eq!((output.steps, session.turns().len()), (2, 4), "{provider}");
        assert!(output.input_tokens > 0 && output.output_tokens > 0, "{provider}");
        assert_eq!(progress_log.count("calls look"), 1);
        assert_eq!(progress_log.count("look returned boats at harbour"), 1);
        let streamed: String =
            progress_log.lines().iter().filter_map(|line| line.strip_prefix("text ")).collect();
        assert!(streamed.ends_with(&output.text()), "{provider}: the text was streamed");
    }
    env.assert_accepted();
}

#[tokio::test]
async fn reasoning_is_separate_progress() {
    let env = TestEnv::new();
    let mut agent = env.agent("anthropic", "claude-sonnet-4-5");
    let budget = Some(RawJson::number(2000));
    agent.settings.reasoning = Some(ReasoningSettings {
        mode: Some(ReasoningMode::On),
        budget_tokens: budget,
        ..ReasoningSettings::default()
    });
    let progress_log = ProgressLog::default();
    agent.ask(&mut Session::new(), "Where are we?", &mut progress_log.callback()).await.unwrap();
    assert!(progress_log.count("reasoning ") > 0, "{:?}", progress_log.lines());
    env.assert_accepted();
}

#[tokio::test]
async fn the_step_limit_leaves_a_session_that_can_continue() {
    let env = TestEnv::new();
    let mut agent = env.agent("anthropic", "claude-sonnet-4-5");
    agent.max_steps = 3;
    let mut session = Session::new();
    let result = agent.ask(&mut session, "Look around. sim:rounds=9", &mut |_| {}).await;
    assert_eq!(result.unwrap_err(), AgentError::StepLimit(3));
    let (last, is_error) = results(&session).pop().unwrap();
    assert!(is_error && last.contains("limit of steps"), "{last}");
    agent.max_steps = 20;
    let output = agent.ask(&mut session, "Go on.", &mut |_| {}).await.unwrap();
    assert!(!output.text().is_empty());
    env.assert_accepted();
}

#[tokio::test]
async fn a_request_that_fails_at_first_is_retried() {
    let env = TestEnv::new();
    let model = env.model_with_faults("anthropic", "claude-sonnet-4-5", "429=0@1,529@2");
    let agent = interlingua_agent::Agent::new(model);
    let output = agent.ask(&mut Session::new(), "Hello", &mut |_| {}).await.unwrap();
    assert!(!output.text().is_empty());
    let requests = env.log().len();
    assert!(requests >= 2, "{requests}");
}

#[tokio::test]
async fn a_failed_request_is_an_error_and_loses_no_turn() {
    let env = TestEnv::new();
    let model = env.model_with_faults("openai", "gpt-4.1", "401");
    let mut agent = env.agent("openai", "gpt-4.1");
    let working_model = std::mem::replace(&mut agent.model, model);
    let mut session = Session::new();
    let error = agent.ask(&mut session, "Hello", &mut |_| {}).await.unwrap_err();
    assert!(matches!(&error, AgentError::Model(failure) if failure.status == 401), "{error}");
    assert_eq!(session.turns().len(), 1, "the prompt is stored");
    agent.model = working_model;
    agent.resume(&mut session, &mut |_| {}).await.unwrap();
    assert!(session.turns().len() >= 2);
}
