//! Tests stored sessions that continue in another process.

use std::sync::{Arc, Mutex};

use interlingua::RawJson;
use interlingua_agent::{AgentError, BoxFuture, Session, Tool, TurnLog};
use tokio::sync::Notify;

use crate::support::{TestEnv, look_tool, results, schema};

/// A log in memory that outlives its session.
#[derive(Clone, Debug, Default)]
struct TestLog {
    turns: Arc<Mutex<Vec<RawJson>>>,
    full: bool,
}

impl TurnLog for TestLog {
    fn append<'a>(
        &'a mut self,
        turns: &'a [RawJson],
        _: &'a str,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async {
            if self.full {
                return Err("the disk is full".to_owned());
            }
            self.turns.lock().unwrap().extend(turns.iter().cloned());
            Ok(())
        })
    }
}

impl TestLog {
    fn load(&self) -> Session {
        let turns = self.turns.lock().unwrap().clone();
        let imported = Session::load(&turns, Box::new(self.clone()));
        assert!(imported.ledger.is_empty(), "{:?}", imported.ledger);
        imported.session
    }
}

/// Drops the agent's future while the tool runs.
async fn crash_during_call(env: &TestEnv, log: &TestLog) {
    let mut agent = env.agent("anthropic", "claude-sonnet-4-5");
    let started = Arc::new(Notify::new());
    let tool_started = Arc::clone(&started);
    let hang = move |_: RawJson| {
        tool_started.notify_one();
        async { std::future::pending().await }
    };
    agent.tools = vec![Tool::new("look", "Looks at a place.", schema(), hang)];
    let mut session = log.load();
    let mut ignore = |_: interlingua_agent::Progress<'_>| {};
    let run = agent.ask(&mut session, "Look at the harbour.", &mut ignore);
    tokio::select! {
        answer = run => panic!("it ended while the tool was running: {answer:?}"),
        () = started.notified() => {}
    }
}

#[tokio::test]
async fn a_call_without_a_result_gets_an_unknown_outcome() {
    let (env, log) = (TestEnv::new(), TestLog::default());
    crash_during_call(&env, &log).await;
    let mut session = log.load();
    assert_eq!(session.turns().len(), 2, "the question and the call");
    let agent = env.agent("anthropic", "claude-sonnet-4-5");
    agent.resume(&mut session, &mut |_| {}).await.unwrap();
    let (first, is_error) = results(&session).remove(0);
    assert!(is_error && first.contains("unknown"), "{first}");
    assert_eq!(log.load().encoded_turns(), session.encoded_turns(), "all turns are stored");
    env.assert_accepted();
}

#[tokio::test]
async fn idempotent_calls_are_run_again() {
    let (env, log) = (TestEnv::new(), TestLog::default());
    crash_during_call(&env, &log).await;
    let mut session = log.load();
    let mut agent = env.agent("gemini", "gemini-2.5-pro");
    agent.tools = vec![look_tool().idempotent()];
    agent.ask(&mut session, "Go on.", &mut |_| {}).await.unwrap();
    let (first, is_error) = results(&session).remove(0);
    assert!(!is_error && first.starts_with("boats at"), "{first}");
    env.assert_accepted();
}

#[tokio::test]
async fn a_failing_log_stops_the_agent() {
    let env = TestEnv::new();
    let log = TestLog { full: true, ..TestLog::default() };
    let agent = env.agent("anthropic", "claude-sonnet-4-5");
    let mut session = log.load();
    let result = agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await;
    assert_eq!(result.unwrap_err(), AgentError::Persist("the disk is full".to_owned()));
    assert!(session.turns().is_empty() && env.log().is_empty());
}

#[tokio::test]
async fn persisting_a_session_stores_all_its_turns() {
    let (env, log) = (TestEnv::new(), TestLog::default());
    let agent = env.agent("anthropic", "claude-sonnet-4-5");
    let mut session = Session::new();
    agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
    session.persist_to(Box::new(log.clone())).await.unwrap();
    agent.ask(&mut session, "And the beach.", &mut |_| {}).await.unwrap();
    assert_eq!(log.load().encoded_turns(), session.encoded_turns());
}
