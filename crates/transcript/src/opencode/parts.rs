//! Selects the parts of an export that opencode sends to the model.

use std::collections::BTreeSet;

use interlingua_wire::JsonNode;

/// A part of the export that is sent to the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExportPart<'s> {
    /// The indices of its message, and of the part in it.
    pub(super) message_index: usize,
    pub(super) index: usize,
    pub(super) node: JsonNode<'s>,
    pub(super) kind: PartKind,
    /// The number of its step: the results of a step's calls follow the step.
    pub(super) step: usize,
    pub(super) from_user: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text,
    Reasoning,
    File,
    /// The user requests a summary of the conversation.
    Compaction,
    Tool,
}

pub(super) fn read<'s>(messages: JsonNode<'s>) -> Vec<ExportPart<'s>> {
    let nodes: Vec<JsonNode<'s>> = messages.items().collect();
    let mut parts = Vec::new();
    let mut step = 0;
    for (message, node) in nodes.iter().enumerate().skip(first_visible_message(&nodes)) {
        let from_user = role(*node) == "user";
        step += 1;
        if !from_user && is_failed_reply(*node) {
            continue;
        }
        let parts_of_message = node.get("parts").into_iter().flat_map(JsonNode::items);
        for (at, node) in parts_of_message.enumerate() {
            let kind = match &*str_field(node, "type") {
                "step-start" => {
                    step += 1;
                    continue;
                }
                "text" if !is_true(node, "ignored") => PartKind::Text,
                "reasoning" if !from_user => PartKind::Reasoning,
                "file" if from_user && is_media(node) => PartKind::File,
                "compaction" if from_user => PartKind::Compaction,
                "tool" if !from_user => PartKind::Tool,
                _ => continue,
            };
            parts.push(ExportPart {
                message_index: message,
                index: at,
                node,
                kind,
                step,
                from_user,
            });
        }
    }
    parts
}

/// The first message that is sent to the model: the last answered request for a summary.
fn first_visible_message(messages: &[JsonNode<'_>]) -> usize {
    let mut answered = BTreeSet::new();
    for (at, message) in messages.iter().enumerate().rev() {
        let Some(info) = message.get("info") else { continue };
        let is_request = |part: JsonNode<'_>| str_field(part, "type") == "compaction";
        let mut parts = message.get("parts").into_iter().flat_map(JsonNode::items);
        if role(*message) == "user"
            && answered.contains(&*str_field(info, "id"))
            && parts.any(is_request)
        {
            return at;
        }
        if is_true(info, "summary") && info.get("finish").is_some() {
            answered.insert(str_field(info, "parentID").into_owned());
        }
    }
    0
}

/// A reply that ended in an error is not sent, unless it was aborted and has content.
fn is_failed_reply(message: JsonNode<'_>) -> bool {
    let Some(error) = message.get("info").and_then(|info| info.get("error")) else { return false };
    let is_aborted = str_field(error, "name") == "MessageAbortedError";
    let is_content =
        |part: JsonNode<'_>| !["step-start", "reasoning"].contains(&&*str_field(part, "type"));
    !is_aborted || !message.get("parts").into_iter().flat_map(JsonNode::items).any(is_content)
}

/// Text files and directories have text parts too, which are sent instead.
fn is_media(part: JsonNode<'_>) -> bool {
    let media_type = str_field(part, "mime");
    str_field(part, "url").starts_with("data:")
        && media_type != "text/plain"
        && media_type != "application/x-directory"
}

pub(super) fn role(message: JsonNode<'_>) -> std::borrow::Cow<'_, str> {
    message.get("info").map(|info| str_field(info, "role")).unwrap_or_default()
}

pub(super) fn str_field<'n>(node: JsonNode<'n>, key: &str) -> std::borrow::Cow<'n, str> {
    node.get(key).map(JsonNode::str_or_empty).unwrap_or_default()
}

fn is_true(node: JsonNode<'_>, key: &str) -> bool {
    node.get(key).and_then(JsonNode::as_bool).unwrap_or(false)
}
