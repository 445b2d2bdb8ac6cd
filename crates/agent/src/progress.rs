//! Progress of a running agent.

use interlingua::Ledger;
use interlingua_model::ToolCall;

use crate::ToolOutput;

/// An event of a running agent. Text is streamed in pieces.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A piece of the model's reasoning, if the provider shows it.
    Reasoning(&'a str),
    /// A piece of the model's text.
    Text(&'a str),
    /// A call is complete and about to run.
    ToolCall(&'a ToolCall),
    /// A call has a result.
    ToolResult(&'a ToolCall, &'a ToolOutput),
    /// A call is not run, for this reason: the guard rejected it, or it was denied.
    CallRejected(&'a ToolCall, &'a str),
    /// The request or the reply was repaired.
    Repaired(&'a Ledger),
    /// The reply was empty; the model is called once more.
    EmptyReply,
}
