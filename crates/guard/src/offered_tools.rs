//! The tools that a request offers to the model, as the client wrote them.

use interlingua_model::{Conversation, ToolKind};
use interlingua_wire::{JsonString, RawJson};

/// The tools of one request, with the arguments that they take.
#[derive(Clone, Debug, Default)]
pub struct OfferedTools {
    /// Name and arguments of each tool.
    pub tools: Vec<(JsonString, ToolInput)>,
    /// The provider adds tools that the request does not list, so that unknown names may be valid.
    pub allows_unlisted: bool,
}

/// The arguments that a tool takes.
#[derive(Clone, Debug)]
pub enum ToolInput {
    /// A JSON object, with its schema if the client gave one.
    Object(Option<RawJson>),
    /// Free text, or the arguments of a tool that only the provider knows.
    Unchecked,
}

impl OfferedTools {
    /// The tools that this conversation offers. Names and schemas are copied: slices would keep the
    /// whole request in memory until the reply ends.
    pub fn from_conversation(conversation: &Conversation) -> Self {
        let mut offered_tools =
            Self { tools: Vec::with_capacity(conversation.tools.len()), allows_unlisted: false };
        for tool in conversation.tools.iter() {
            let input = match &tool.kind {
                ToolKind::Function { schema } => {
                    ToolInput::Object(schema.as_ref().map(RawJson::deep_clone))
                }
                ToolKind::Freeform { .. } => ToolInput::Unchecked,
                ToolKind::Foreign { .. } => {
                    offered_tools.allows_unlisted = true;
                    ToolInput::Unchecked
                }
            };
            offered_tools.tools.push((tool.name.deep_clone(), input));
        }
        offered_tools
    }
}
