//! The client side of a conversation: a model, its tools, and the loop between them.
//!
//! ```text
//! user ─▶ session ─▶ model ─▶ reply ─┬─ no calls ─▶ answer
//!            ▲                       └─ calls ─▶ guard ─▶ tools, side by side ─▶ results ─┐
//!            └───────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! An [`Agent`] has a [`Model`] and [`Tool`]s; a [`Session`] is what was said so far, and outlives
//! both: the next turn may go to another model, from another process.
//!
//! - Every turn is kept before the next step is taken. So whoever comes back after a crash knows which
//!   calls were made, and the model is told of those whose outcome nobody knows.
//! - A reply that says nothing is not kept: it would be refused when it is sent again.
//! - A call that does not fit its tool is not run: the model is told what is wrong with it.
//! - Dropping the future of [`Agent::ask`] stops everything it does; the session stays whole.
//!
//! ```
//! use interlingua_agent::{Agent, Answered, Asked, Heard, Model, Session, Tool};
//! use interlingua::Text;
//! use interlingua::model::{Block, Reply};
//! # use std::sync::Arc;
//!
//! /// A model for this example; a real one is `Remote`.
//! #[derive(Debug)]
//! struct Polite;
//!
//! impl Model for Polite {
//!     fn name(&self) -> &str {
//!         "polite"
//!     }
//!
//!     fn answer<'a>(&'a self, _: Asked<'a>, _: &'a mut Heard<'a>) -> interlingua_agent::Answering<'a> {
//!         let mut reply = Reply::new();
//!         reply.turn.blocks.push(Block::text(Text::new("How do you do?")).into());
//!         Box::pin(async { Ok(Answered { reply, ..Answered::default() }) })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let agent = Agent::new(Arc::new(Polite));
//! let mut session = Session::new();
//! let answer = agent.ask(&mut session, "Hello", &mut |_| {}).await.unwrap();
//! assert_eq!(answer.text(), "How do you do?");
//! assert_eq!(session.turns().len(), 2);
//! # });
//! ```

mod agent;
mod hearing;
pub mod mcp;
mod model;
mod open_calls;
mod progress;
mod remote;
mod running;
mod session;
mod stopped;
mod stored;
mod tool;

use std::pin::Pin;

pub use agent::{Agent, Answer};
pub use interlingua::Text;
pub use model::{Answered, Answering, Asked, Heard, Model};
pub use progress::Progress;
pub use remote::Remote;
pub use session::{Imported, Keeper, Session};
pub use stopped::Stopped;
pub use stored::{Found, Stored};
pub use tool::{Given, Tool};

/// What comes later.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
