//! An agent loop for clients: a model, its tools, and a session that outlives both.
//!
//! ```text
//! user ─▶ session ─▶ model ─▶ reply ─┬─ no calls ─▶ answer
//!            ▲                       └─ calls ─▶ guard ─▶ tools, concurrently ─▶ results ─┐
//!            └───────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! An [`Agent`] has a [`Model`] and [`Tool`]s; a [`Session`] has the turns so far: the next turn may
//! go to another model, from another process.
//!
//! - Every turn is stored before the next step. After a crash the session shows which calls were
//!   made, and calls without a result get a result that says that their outcome is unknown.
//! - An empty reply is not stored: providers reject it when it is sent back.
//! - A call that does not match its tool's schema is not run: the model gets an error message. So does
//!   one that [`Agent::approval`] denies.
//! - Dropping the future of [`Agent::ask`] stops everything it does; the session stays consistent.
//!
//! ```
//! use interlingua::{Block, JsonString, Reply};
//! use interlingua_agent::{
//!     Agent, EventCallback, Model, ModelReply, ModelRequest, ReplyFuture, Session,
//! };
//! # use std::sync::Arc;
//!
//! /// A model for this example; a real one is `RemoteModel`.
//! #[derive(Debug)]
//! struct Polite;
//!
//! impl Model for Polite {
//!     fn name(&self) -> &str {
//!         "polite"
//!     }
//!
//!     fn generate<'a>(
//!         &'a self,
//!         _: ModelRequest<'a>,
//!         _: &'a mut EventCallback<'a>,
//!     ) -> ReplyFuture<'a> {
//!         let mut reply = Reply::new();
//!         reply.turn.blocks.push(Block::text(JsonString::new("How do you do?")).into());
//!         Box::pin(async { Ok(ModelReply { reply, ..ModelReply::default() }) })
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
mod approval;
mod error;
pub mod mcp;
mod model;
mod open_calls;
mod progress;
mod remote_model;
mod run_tools;
mod session;
mod stored_session;
mod tool;

pub use agent::{Agent, AgentOutput};
pub use approval::{ApprovalFuture, ToolApproval};
pub use error::AgentError;
pub use interlingua::JsonString;
pub use interlingua_store::BoxFuture;
pub use model::{EventCallback, Model, ModelReply, ModelRequest, ReplyFuture};
pub use progress::Progress;
pub use remote_model::RemoteModel;
pub use session::{ImportedSession, Session, TurnLog};
pub use stored_session::{OpenedSession, StoredTurnLog};
pub use tool::{Tool, ToolOutput};
