//! What an agent tells while it works.

use interlingua::Ledger;
use interlingua::model::ToolCall;

use crate::Given;

/// Something that just happened. Texts come in the pieces in which the model says them.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// More of what the model thinks, where it shows that.
    Thinking(&'a str),
    /// More of what the model says.
    Text(&'a str),
    /// A call is complete, and about to be run.
    Calls(&'a ToolCall),
    /// A call came to this.
    Result(&'a ToolCall, &'a Given),
    /// A call that does not fit its tool is not run: the model is told this.
    Told(&'a ToolCall, &'a str),
    /// Something had to be changed for the model to accept it, or of what it said.
    Changed(&'a Ledger),
    /// The model said nothing at all, and is asked once more.
    Empty,
}
