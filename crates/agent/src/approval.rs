//! The decision which tool calls may run.

use std::fmt;

use interlingua_model::ToolCall;

use crate::{BoxFuture, Tool};

/// Decides about each tool call before it runs. The calls of a reply are decided one after the other,
/// and before the first of them runs.
pub trait ToolApproval: Send + Sync + fmt::Debug {
    /// A denied call is not run: the model gets the reason as its error result.
    fn approve<'a>(&'a self, tool: &'a Tool, call: &'a ToolCall) -> ApprovalFuture<'a>;
}

/// The future of a decision; the error is the reason for the model.
pub type ApprovalFuture<'a> = BoxFuture<'a, Result<(), String>>;
