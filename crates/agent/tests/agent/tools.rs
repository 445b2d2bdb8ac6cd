//! How tools are run: side by side, not for ever, and not at all when the call does not fit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use interlingua::Json;
use interlingua_agent::{Given, Session, Tool};
use tokio::sync::Barrier;

use crate::world::{Heard, MODELS, World, results, schema};

#[tokio::test]
async fn calls_of_one_reply_run_side_by_side() {
    let world = World::new();
    let barrier = Arc::new(Barrier::new(2));
    let mut agent = world.agent("anthropic", "claude-sonnet-4-5");
    agent.tools = vec![Tool::new("look", "Looks at a place.", schema(), move |_| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok("both are here".to_owned())
        }
    })];
    agent.patience = Duration::from_secs(20);
    let mut session = Session::new();
    agent.ask(&mut session, "Look twice, in parallel.", &mut |_| {}).await.unwrap();
    assert_eq!(results(&session), vec![("both are here".to_owned(), false); 2]);
    world.assert_accepted();
}

#[tokio::test]
async fn a_tool_that_hangs_or_breaks_or_says_nothing_is_answered_all_the_same() {
    let world = World::new();
    let silent = |_: Json| async { Ok(String::new()) };
    let hanging = |_: Json| async { std::future::pending().await };
    let breaking = |_: Json| async { panic!("a bug in a tool") };
    let tools = [
        (Tool::new("look", "", schema(), silent), "(no output)"),
        (Tool::new("look", "", schema(), hanging), "did not finish within 0.1 s"),
        (Tool::new("look", "", schema(), breaking), "The tool broke"),
    ];
    for (tool, said) in tools {
        let mut agent = world.agent("openai", "gpt-4.1");
        agent.tools = vec![tool];
        agent.patience = Duration::from_millis(100);
        let mut session = Session::new();
        agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
        let (result, is_error) = results(&session).pop().unwrap();
        assert!(result.contains(said), "{result}");
        assert_eq!(is_error, said != "(no output)");
    }
    world.assert_accepted();
}

#[tokio::test]
async fn a_call_that_does_not_fit_is_not_run_and_the_model_corrects_itself() {
    let world = World::new();
    for (provider, model) in MODELS {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let mut agent = world.agent(provider, model);
        agent.tools = vec![Tool::giving("look", "Looks at a place.", schema(), move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            async { Given::text("boats") }
        })];
        let (mut session, heard) = (Session::new(), Heard::default());
        let said = "Please look at the harbour. sim:missing-arguments";
        agent.ask(&mut session, said, &mut heard.tell()).await.unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 1, "{provider}");
        let results = results(&session);
        assert_eq!(results.len(), 2, "{provider}: {results:?}");
        assert!(results[0].1 && results[0].0.contains("empty arguments"), "{results:?}");
        assert_eq!(results[1], ("boats".to_owned(), false), "{provider}");
        assert_eq!(heard.count("look told Error: Tool 'look'"), 1);
    }
    world.assert_accepted();
}
