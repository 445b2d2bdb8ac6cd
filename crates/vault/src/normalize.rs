//! Normalizes the visible content of a turn, so that different spellings compare equal.

use interlingua_guard::fingerprint;
use interlingua_model::{Block, BlockContent, Verbatim};

use crate::stable_hash::StableHasher;

/// Texts that clients insert for an empty reply.
const PLACEHOLDERS: &[&str] = &[
    "[Empty text removed]",
    "(no content)",
    "[System: Empty message content sanitised to satisfy protocol]",
];
/// The longest placeholder, with some whitespace around it.
const MAX_PLACEHOLDER_BYTES: usize = 80;
/// Tags around reasoning that clients show as text before the reply.
const THINKING_TAGS: &[(&str, &str)] = &[("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Visible text, reasoning and tool calls of some blocks, in comparable form.
#[derive(Debug, Default)]
pub(crate) struct NormalizedContent {
    /// The text with single spaces, without placeholders and tagged reasoning.
    pub(crate) text: String,
    /// The text of each reasoning block, with single spaces.
    pub(crate) thoughts: Vec<String>,
    pub(crate) calls: Vec<NormalizedCall>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NormalizedCall {
    pub(crate) id: String,
    /// The tool's name and the fingerprint of its arguments.
    pub(crate) signature: String,
}

impl NormalizedContent {
    pub(crate) fn from_blocks<'b>(blocks: impl IntoIterator<Item = &'b Verbatim<Block>>) -> Self {
        let mut content = Self::default();
        for block in blocks {
            match &block.content {
                BlockContent::Text { text, .. } | BlockContent::Refusal(text) => {
                    content.push_text(&text.unescape());
                }
                BlockContent::Reasoning(reasoning) => {
                    let mut thought = String::new();
                    push_words(&reasoning.text.unescape(), &mut thought);
                    content.thoughts.extend(Some(thought).filter(|thought| !thought.is_empty()));
                }
                BlockContent::ToolCall(call) => content.calls.push(NormalizedCall {
                    id: call.id.unescape().into_owned(),
                    signature: format!("{} {}", call.name.unescape(), fingerprint(&call.args)),
                }),
                BlockContent::Media(_)
                | BlockContent::ToolResult(_)
                | BlockContent::Json(_)
                | BlockContent::Foreign { .. } => {}
            }
        }
        content
    }

    fn push_text(&mut self, text: &str) {
        if !is_placeholder(text) {
            push_words(strip_thinking(text), &mut self.text);
        }
    }

    /// Whether the texts are equal, ignoring reasoning of the other that is shown within this text.
    pub(crate) fn has_same_text(&self, other: &Self) -> bool {
        if self.text == other.text {
            return true;
        }
        let mut text = self.text.clone();
        for thought in &other.thoughts {
            text = text.replacen(thought, " ", 1);
        }
        let mut normalized = String::new();
        push_words(&text, &mut normalized);
        normalized == other.text
    }
}

/// Feeds the text of blocks into a hasher; returns whether there was any.
pub(crate) fn hash_text<'b>(
    blocks: impl IntoIterator<Item = &'b Verbatim<Block>>,
    hasher: &mut StableHasher,
) -> bool {
    let mut has_words = false;
    for block in blocks {
        if let BlockContent::Text { text, .. } | BlockContent::Refusal(text) = &block.content {
            let text = text.unescape();
            // Fast path: text that begins with a letter or digit is neither a placeholder nor
            // tagged.
            let is_plain = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
            has_words |= if is_plain {
                hasher.write_words(&text)
            } else {
                !is_placeholder(&text) && hasher.write_words(strip_thinking(&text))
            };
        }
    }
    has_words
}

fn is_placeholder(text: &str) -> bool {
    text.len() <= MAX_PLACEHOLDER_BYTES
        && text.trim_start().starts_with(['[', '('])
        && PLACEHOLDERS.contains(&text.trim())
}

/// The text after tagged reasoning at its start.
fn strip_thinking(text: &str) -> &str {
    let start = text.trim_start();
    if !start.starts_with('<') {
        return text;
    }
    let visible = THINKING_TAGS.iter().find_map(|(open, close)| {
        let thought = start.strip_prefix(open)?;
        thought.split_once(close).map(|(_, rest)| rest)
    });
    visible.unwrap_or(text)
}

/// Appends words, separated by single spaces.
fn push_words(text: &str, out: &mut String) {
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}
