//! What the agent says to the model, part by part.

use std::collections::BTreeSet;

use interlingua::wire::Node;

/// A part of the export that the model sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'s> {
    /// Its message, and its place there.
    pub(super) message: usize,
    pub(super) at: usize,
    pub(super) node: Node<'s>,
    pub(super) kind: Kind,
    /// Which step of a reply it is in: results follow the calls of a step.
    pub(super) step: usize,
    pub(super) from_user: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
    File,
    /// The user asks for a summary of what came before.
    Compaction,
    Tool,
}

pub(super) fn read<'s>(messages: Node<'s>) -> Vec<Part<'s>> {
    let all: Vec<Node<'s>> = messages.items().collect();
    let mut parts = Vec::new();
    let mut step = 0;
    for (message, node) in all.iter().enumerate().skip(first(&all)) {
        let from_user = role(*node) == "user";
        step += 1;
        if !from_user && failed(*node) {
            continue;
        }
        let list = node.get("parts").into_iter().flat_map(Node::items);
        for (at, node) in list.enumerate() {
            let kind = match &*word(node, "type") {
                "step-start" => {
                    step += 1;
                    continue;
                }
                "text" if !flag(node, "ignored") => Kind::Text,
                "reasoning" if !from_user => Kind::Reasoning,
                "file" if from_user && is_media(node) => Kind::File,
                "compaction" if from_user => Kind::Compaction,
                "tool" if !from_user => Kind::Tool,
                _ => continue,
            };
            parts.push(Part { message, at, node, kind, step, from_user });
        }
    }
    parts
}

/// The message from which on the model sees the conversation: the last request for a summary that was
/// answered.
fn first(messages: &[Node<'_>]) -> usize {
    let mut answered = BTreeSet::new();
    for (at, message) in messages.iter().enumerate().rev() {
        let Some(info) = message.get("info") else { continue };
        let is_request = |part: Node<'_>| word(part, "type") == "compaction";
        let mut parts = message.get("parts").into_iter().flat_map(Node::items);
        if role(*message) == "user"
            && answered.contains(&*word(info, "id"))
            && parts.any(is_request)
        {
            return at;
        }
        if flag(info, "summary") && info.get("finish").is_some() {
            answered.insert(word(info, "parentID").into_owned());
        }
    }
    0
}

/// A reply that ended in an error is not repeated, unless it was stopped and said something.
fn failed(message: Node<'_>) -> bool {
    let Some(error) = message.get("info").and_then(|info| info.get("error")) else { return false };
    let stopped = word(error, "name") == "MessageAbortedError";
    let says = |part: Node<'_>| !["step-start", "reasoning"].contains(&&*word(part, "type"));
    !stopped || !message.get("parts").into_iter().flat_map(Node::items).any(says)
}

/// Text files and folders are repeated as text parts.
fn is_media(part: Node<'_>) -> bool {
    let kind = word(part, "mime");
    word(part, "url").starts_with("data:")
        && kind != "text/plain"
        && kind != "application/x-directory"
}

pub(super) fn role(message: Node<'_>) -> std::borrow::Cow<'_, str> {
    message.get("info").map(|info| word(info, "role")).unwrap_or_default()
}

pub(super) fn word<'n>(node: Node<'n>, key: &str) -> std::borrow::Cow<'n, str> {
    node.get(key).map(Node::word).unwrap_or_default()
}

fn flag(node: Node<'_>, key: &str) -> bool {
    node.get(key).and_then(Node::boolean).unwrap_or(false)
}
