//! Sessions that are kept, and go on in another process.

use std::sync::{Arc, Mutex};

use interlingua::Json;
use interlingua_agent::{BoxFuture, Keeper, Session, Stopped, Tool};
use tokio::sync::Notify;

use crate::world::{World, look, results, schema};

/// A keeper whose turns outlive a session.
#[derive(Clone, Debug, Default)]
struct Book {
    turns: Arc<Mutex<Vec<Json>>>,
    full: bool,
}

impl Keeper for Book {
    fn keep<'a>(&'a mut self, turns: &'a [Json], _: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async {
            if self.full {
                return Err("the disk is full".to_owned());
            }
            self.turns.lock().unwrap().extend(turns.iter().cloned());
            Ok(())
        })
    }
}

impl Book {
    fn opened(&self) -> Session {
        let turns = self.turns.lock().unwrap().clone();
        let imported = Session::kept(&turns, Box::new(self.clone()));
        assert!(imported.ledger.is_empty(), "{:?}", imported.ledger);
        imported.session
    }
}

/// Asks, and is gone while the tool runs.
async fn crashed(world: &World, book: &Book) {
    let mut agent = world.agent("anthropic", "claude-sonnet-4-5");
    let begun = Arc::new(Notify::new());
    let runs = Arc::clone(&begun);
    let never = move |_: Json| {
        runs.notify_one();
        async { std::future::pending().await }
    };
    agent.tools = vec![Tool::new("look", "Looks at a place.", schema(), never)];
    let mut session = book.opened();
    let mut deaf = |_: interlingua_agent::Progress<'_>| {};
    let asked = agent.ask(&mut session, "Look at the harbour.", &mut deaf);
    tokio::select! {
        answer = asked => panic!("it was still at work: {answer:?}"),
        () = begun.notified() => {}
    }
}

#[tokio::test]
async fn a_call_without_a_result_is_said_to_have_an_outcome_that_nobody_knows() {
    let (world, book) = (World::new(), Book::default());
    crashed(&world, &book).await;
    let mut session = book.opened();
    assert_eq!(session.turns().len(), 2, "the question and the call");
    let agent = world.agent("anthropic", "claude-sonnet-4-5");
    agent.resume(&mut session, &mut |_| {}).await.unwrap();
    let (first, is_error) = results(&session).remove(0);
    assert!(is_error && first.contains("unknown"), "{first}");
    assert_eq!(book.opened().written(), session.written(), "all of it is kept");
    world.assert_accepted();
}

#[tokio::test]
async fn what_may_be_repeated_is_run_again() {
    let (world, book) = (World::new(), Book::default());
    crashed(&world, &book).await;
    let mut session = book.opened();
    let mut agent = world.agent("gemini", "gemini-2.5-pro");
    agent.tools = vec![look().repeatable()];
    agent.ask(&mut session, "Go on.", &mut |_| {}).await.unwrap();
    let (first, is_error) = results(&session).remove(0);
    assert!(!is_error && first.starts_with("boats at"), "{first}");
    world.assert_accepted();
}

#[tokio::test]
async fn nothing_is_done_that_cannot_be_kept() {
    let world = World::new();
    let book = Book { full: true, ..Book::default() };
    let agent = world.agent("anthropic", "claude-sonnet-4-5");
    let mut session = book.opened();
    let stopped = agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await;
    assert_eq!(stopped.unwrap_err(), Stopped::NotKept("the disk is full".to_owned()));
    assert!(session.turns().is_empty() && world.log().is_empty());
}

#[tokio::test]
async fn a_session_begins_to_be_kept_with_all_that_was_said() {
    let (world, book) = (World::new(), Book::default());
    let agent = world.agent("anthropic", "claude-sonnet-4-5");
    let mut session = Session::new();
    agent.ask(&mut session, "Look at the harbour.", &mut |_| {}).await.unwrap();
    session.keep_in(Box::new(book.clone())).await.unwrap();
    agent.ask(&mut session, "And the beach.", &mut |_| {}).await.unwrap();
    assert_eq!(book.opened().written(), session.written());
}
