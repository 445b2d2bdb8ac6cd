//! The guard's answer to a wrong tool call.

use interlingua_wire::JsonString;

use crate::ToolCall;

/// An error result that the gateway inserts for a tool call in the history that the guard found
/// wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardAnswer {
    /// The call as it is in the conversation that the client wrote.
    pub call: ToolCall,
    /// The text that the model gets as the result of the call.
    pub message: JsonString,
}
