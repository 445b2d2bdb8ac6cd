//! A block that only another dialect knows is told in words.
//!
//! What a provider's own tools did, what a search found, a block of a type that nobody has heard of: the
//! target has no such block, but the model has to know what was said and done. What has a text is that
//! text; calls and results of such tools say what they are, and an image among them is shown. What says
//! nothing to a reader is left to `unknown-block`.
//!
//! ## Why
//! > messages.0.content.0: Input tag 'input_text' found using 'type' does not match any of the
//! > expected tags: 'text', 'image', …
//!
//! ## Example
//! ```text
//! before   assistant: web search for `rust`, its result `Rust` of https://a.example, "found it"
//! after    assistant: "[web_search] {"query":"rust"}", "[web_search_tool_result] Rust (https://a.example)",
//!          "found it"
//! ```

use interlingua_model::{Block, Body, Media, MediaKind, Place, Source, ToolResult};

use crate::Work;
use crate::telling::{self, Words};

pub fn apply(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let mut next = 0;
        while next < work.blocks(turn).len() {
            let at = next;
            next += 1;
            let place = Place::block(turn, at);
            let block = work.block(turn, at);
            if let Some(mut words) = telling::words(block, dialect) {
                note(work, place, &words, &kind(work.block(turn, at)));
                let shown = words.shown.take();
                say(work.edit(turn, at), words);
                if let Some(source) = shown {
                    work.part((turn, at), (turn, next), image(source));
                    next += 1;
                }
            } else if let Body::ToolResult(ToolResult { content, .. }) = &block.body {
                let told: Vec<_> =
                    content.iter().map(|inner| telling::words(inner, dialect)).collect();
                if told.iter().any(Option::is_some) {
                    inside(work, (turn, at), told);
                }
            }
        }
    }
    for at in 0..work.conversation().system.len() {
        let block = &work.conversation().system[at];
        let Some(words) = telling::words(block, dialect) else { continue };
        let kind = kind(block);
        note(work, Place::system(at), &words, &kind);
        say(work.system()[at].edit(), words);
    }
}

/// Tells what stands within a result.
fn inside(work: &mut Work<'_>, (turn, at): (usize, usize), told: Vec<Option<Words>>) {
    let Body::ToolResult(ToolResult { content, .. }) = &work.block(turn, at).body else { return };
    let kinds: Vec<_> = content.iter().map(|inner| kind(inner)).collect();
    for (words, kind) in told.iter().zip(&kinds) {
        if let Some(words) = words {
            note(work, Place::block(turn, at), words, kind);
        }
    }
    if let Body::ToolResult(ToolResult { content, .. }) = &mut work.edit(turn, at).body {
        for (inner, words) in content.iter_mut().zip(told) {
            if let Some(words) = words {
                say(inner.edit(), words);
            }
        }
    }
}

fn note(work: &mut Work<'_>, place: Place, words: &Words, kind: &str) {
    if words.whole {
        work.change(place, format!("`{kind}` is said as text"));
    } else {
        work.loss(place, format!("`{kind}` is told in words: there is no such block here"));
    }
}

fn image(source: Source) -> Block {
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Block::new(Body::Media(Box::new(media)))
}

pub(crate) fn say(block: &mut Block, words: Words) {
    // Whoever vouches for the block does not vouch for the words.
    block.seal = None;
    block.body = Body::Text { text: words.text, citations: Vec::new() };
}

fn kind(block: &Block) -> String {
    match &block.body {
        Body::Foreign { kind, .. } => kind.to_string(),
        _ => String::new(),
    }
}
