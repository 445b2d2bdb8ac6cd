//! Tests how tools run: concurrently, with a timeout, and not at all if the guard rejects the call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use interlingua::RawJson;
use interlingua_agent::{ApprovalFuture, Session, Tool, ToolApproval, ToolOutput};
use interlingua_model::ToolCall;
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

/// Denies the calls for one place, and logs every decision.
#[derive(Debug)]
struct PlaceApproval {
    denied: &'static str,
    decisions: Mutex<Vec<String>>,
}

impl ToolApproval for PlaceApproval {
    fn approve<'a>(&'a self, tool: &'a Tool, call: &'a ToolCall) -> ApprovalFuture<'a> {
        let args = call.args.to_json_string().unescape().into_owned();
        let is_denied = args.contains(self.denied);
        self.decisions.lock().unwrap().push(format!("{} {args}", tool.name));
        Box::pin(async move { if is_denied { Err("not there".to_owned()) } else { Ok(()) } })
    }
}

#[tokio::test]
async fn a_denied_call_is_not_run_and_the_model_gets_the_reason() {
    let env = TestEnv::new();
    for (provider, model) in MODELS {
        let approval = Arc::new(PlaceApproval { denied: "cellar", decisions: Mutex::default() });
        let mut agent = env.agent(provider, model);
        agent.approval = Some(Arc::<PlaceApproval>::clone(&approval));
        let (mut session, progress_log) = (Session::new(), ProgressLog::default());
        for place in ["cellar", "harbour"] {
            let prompt = format!("sim:call=look sim:arguments={{\"place\":\"{place}\"}}");
            agent.ask(&mut session, &prompt, &mut progress_log.callback()).await.unwrap();
        }
        let results = results(&session);
        assert_eq!(results[0], ("not there".to_owned(), true), "{provider}");
        assert_eq!(results[1], ("boats at harbour".to_owned(), false), "{provider}");
        assert_eq!(progress_log.count("calls look"), 1, "{provider}");
        assert_eq!(progress_log.count("look rejected: not there"), 1, "{provider}");
        assert_eq!(approval.decisions.lock().unwrap().len(), 2, "{provider}");
    }
    env.assert_accepted();
}
