//! What an encoder of one dialect provides.

use std::collections::BTreeSet;

use interlingua::{JsonString, RawJson};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::parts::ExportPart;

/// Encodes parts in one dialect.
pub(super) struct RequestEncoder {
    pub(super) dialect: &'static str,
    /// Encodes a part; `None` if it is not sent to this provider.
    pub(super) encode_part: fn(&ExportPart<'_>) -> Option<RawJson>,
    /// Encodes the result of a tool run.
    pub(super) encode_result: fn(&ExportPart<'_>, &JsonString, bool) -> RawJson,
    /// Whether a tool result may contain files.
    pub(super) allows_result_files: bool,
    /// For dialects with messages: consecutive parts of one role are one message, and the last
    /// message must not be the model's. `None` for dialects with single items.
    pub(super) messages: Option<MessageLayout>,
}

/// The fields and roles of messages in one dialect.
pub(super) struct MessageLayout {
    pub(super) list_key: &'static str,
    pub(super) content_key: &'static str,
    pub(super) assistant_role: &'static str,
    pub(super) encode_text: fn(&JsonString) -> RawJson,
    pub(super) is_result: fn(JsonNode<'_>) -> bool,
    /// The name of the tool that a part calls, if any.
    pub(super) called_tool: fn(JsonNode<'_>) -> Option<String>,
    /// Writes the tools with these names and the dialect's other fields.
    pub(super) write_rest: fn(&BTreeSet<String>, &mut ObjectWriter<'_>),
}
