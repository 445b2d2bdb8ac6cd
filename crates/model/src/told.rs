//! What a model is to be told of a call it made.

use interlingua_wire::Text;

use crate::ToolCall;

/// An error result for a call in the history that nobody but us has seen to be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The call as it stands in the conversation that the client wrote.
    pub call: ToolCall,
    pub message: Text,
}
