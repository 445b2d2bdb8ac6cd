//! What can be seen of a turn, so that it is known again however a client spells it.

use interlingua_guard::fingerprint;
use interlingua_model::{Block, Body, Verbatim};

use crate::stable::Stable;

/// What clients write where a model said nothing.
const PLACEHOLDERS: &[&str] = &[
    "[Empty text removed]",
    "(no content)",
    "[System: Empty message content sanitised to satisfy protocol]",
];
/// With some space around.
const LONGEST: usize = 80;
/// What stands around thoughts that are shown as text, before what was said.
const TAGS: &[(&str, &str)] = &[("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// What is said in blocks, and what is called.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The words, with one space between any two.
    pub(crate) words: String,
    /// What was thought aloud, in the same way, block by block.
    pub(crate) thoughts: Vec<String>,
    pub(crate) calls: Vec<Called>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) id: String,
    /// The tool, and its arguments however they are spelled.
    pub(crate) what: String,
}

impl Said {
    pub(crate) fn of<'b>(blocks: impl IntoIterator<Item = &'b Verbatim<Block>>) -> Self {
        let mut said = Self::default();
        for block in blocks {
            match &block.body {
                Body::Text { text, .. } | Body::Refusal(text) => said.add(&text.contents()),
                Body::Thinking(thinking) => {
                    let mut thought = String::new();
                    add_words(&thinking.text.contents(), &mut thought);
                    said.thoughts.extend(Some(thought).filter(|thought| !thought.is_empty()));
                }
                Body::ToolCall(call) => said.calls.push(Called {
                    id: call.id.contents().into_owned(),
                    what: format!("{} {}", call.name.contents(), fingerprint(&call.args)),
                }),
                Body::Media(_) | Body::ToolResult(_) | Body::Data(_) | Body::Foreign { .. } => {}
            }
        }
        said
    }

    fn add(&mut self, text: &str) {
        if !is_placeholder(text) {
            add_words(spoken(text), &mut self.words);
        }
    }

    /// Whether these are the words of the other, its thoughts perhaps among them.
    pub(crate) fn words_are(&self, other: &Self) -> bool {
        if self.words == other.words {
            return true;
        }
        let mut bare = self.words.clone();
        for thought in &other.thoughts {
            bare = bare.replacen(thought, " ", 1);
        }
        let mut words = String::new();
        add_words(&bare, &mut words);
        words == other.words
    }
}

/// The words of blocks, as a number; says whether there are any.
pub(crate) fn hear_words<'b>(
    blocks: impl IntoIterator<Item = &'b Verbatim<Block>>,
    into: &mut Stable,
) -> bool {
    let mut any = false;
    for block in blocks {
        if let Body::Text { text, .. } | Body::Refusal(text) = &block.body {
            let text = text.contents();
            // Most texts begin with a word: those are neither placeholders nor thoughts.
            let plain = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
            any |= if plain {
                into.add_words(&text)
            } else {
                !is_placeholder(&text) && into.add_words(spoken(&text))
            };
        }
    }
    any
}

fn is_placeholder(text: &str) -> bool {
    text.len() <= LONGEST
        && text.trim_start().starts_with(['[', '('])
        && PLACEHOLDERS.contains(&text.trim())
}

/// What follows thoughts that are shown as text.
fn spoken(text: &str) -> &str {
    let start = text.trim_start();
    if !start.starts_with('<') {
        return text;
    }
    let shown = TAGS.iter().find_map(|(open, close)| {
        let thought = start.strip_prefix(open)?;
        thought.split_once(close).map(|(_, rest)| rest)
    });
    shown.unwrap_or(text)
}

/// Adds words with one space between any two.
fn add_words(text: &str, to: &mut String) {
    for word in text.split_whitespace() {
        if !to.is_empty() {
            to.push(' ');
        }
        to.push_str(word);
    }
}
