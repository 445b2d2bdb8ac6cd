//! Tests how tools run: concurrently, with a timeout, and not at all if the guard rejects the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use interlingua::RawJson;
use interlingua_agent::{Session, Tool, ToolOutput};
use tokio::sync::Barrier;

use crate::support::{MODELS, ProgressLog, TestEnv, results, schema};

#[tokio::test]
async fn calls_of_one_reply_run_concurrently() {
    let env = TestEnv::new();
    let barrier = Arc::new(Barrier::new(2));
    let mut agent = env.agent("anthropic", "claude-sonnet-4-5");
    agent.tools = vec![Tool::new("look", "Looks at a place.", schema(), move |_| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok("both are here".to_owned())
        }
    })];
    agent.tool_timeout = Duration::from_secs(20);
    let mut session = Session::new();
    agent.ask(&mut session, "Look twice, in parallel.", &mut |_| {}).await.unwrap();
    assert_eq!(results(&session), vec![("both are here".to_owned(), false); 2]);
    env.assert_accepted();
}

#[tokio::test]
async fn every_call_gets_a_result_even_if_its_tool_hangs_or_panics() {
    let env = TestEnv::new();
    let silent = |_: RawJson| async { Ok(String::new()) };
    let hanging = |_: RawJson| async { std::future::pending().await };
    let panicking = |_: RawJson| async { panic!("a bug in a tool") };
    let tools = [
        (Tool::new("look", "", schema(), silent), "(no output)"),
        (Tool::new("look", "", schema(), hanging), "did not finish within 0.1 s"),
        (Tool::new("look", "", schema(), panicking), "The tool broke"),
    ];
    for (tool, expected) in tools {
        let mut agent = env.agent("openai", "gpt-4.1");
        agent.tools = vec![tool];
        agent.tool_timeout = Duration::from_millis(100);
        let mut session = Session::new();
        agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
        let (result, is_error) = results(&session).pop().unwrap();
        assert!(result.contains(expected), "{result}");
        assert_eq!(is_error, expected != "(no output)");
    }
    env.assert_accepted();
}

#[tokio::test]
async fn a_rejected_call_is_not_run_and_the_model_corrects_itself() {
    let env = TestEnv::new();
    for (provider, model) in MODELS {
        let runs = Arc::new(AtomicUsize::new(0));
        let run_counter = Arc::clone(&runs);
        let mut agent = env.agent(provider, model);
        agent.tools = vec![Tool::from_handler("look", "Looks at a place.", schema(), move |_| {
            run_counter.fetch_add(1, Ordering::Relaxed);
            async { ToolOutput::from_text("boats") }
        })];
        let (mut session, progress_log) = (Session::new(), ProgressLog::default());
        let prompt = "Please look at the harbour. sim:missing-arguments";
        agent.ask(&mut session, prompt, &mut progress_log.callback()).await.unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 1, "{provider}");
        let results = results(&session);
        assert_eq!(results.len(), 2, "{provider}: {results:?}");
        assert!(results[0].1 && results[0].0.contains("empty arguments"), "{results:?}");
        assert_eq!(results[1], ("boats".to_owned(), false), "{provider}");
        assert_eq!(progress_log.count("look rejected: Error: Tool 'look'"), 1);
    }
    env.assert_accepted();
}
