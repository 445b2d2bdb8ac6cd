//! Results of a search that stand beside something else in a tool's result are said as text.
//!
//! ## Why
//! > messages.1.content.0.tool_result.content: `search_result` blocks cannot be mixed with other content
//! > types
//!
//! ## Example
//! ```text
//! before   result 1: "found", a search result `Title` of https://a.example
//! after    result 1: "found", "Title (https://a.example)\n\nwhat it says"
//! ```

use interlingua_model::{Block, Body, Place, Verbatim};
use interlingua_wire::{Json, Node, Text};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.media.mixed_sources {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Body::ToolResult(result) = &work.block(turn, at).body else { continue };
            let found = result.content.iter().filter(|block| is_found(block)).count();
            if found == 0 || found == result.content.len() {
                continue;
            }
            work.change(Place::block(turn, at), "the results of a search are said as text");
            if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
                for block in result.content.iter_mut().filter(|block| is_found(block)) {
                    say(block);
                }
            }
        }
    }
}

fn is_found(block: &Block) -> bool {
    matches!(&block.body, Body::Foreign { kind, .. } if kind == "search_result")
}

fn say(block: &mut Verbatim<Block>) {
    let Body::Foreign { json, .. } = &block.body else { return };
    let words = spoken(json);
    *block = Block::text(Text::new(&words)).into();
}

fn spoken(json: &Json) -> String {
    let doc = json.doc();
    let [title, source, content] = doc.root().pick(["title", "source", "content"]);
    let word = |node: Option<Node<'_>>| node.map(Node::word).unwrap_or_default().into_owned();
    let mut words = format!("{} ({})", word(title), word(source));
    for part in content.into_iter().flat_map(Node::items) {
        words.push_str("\n\n");
        words.push_str(&word(part.get("text")));
    }
    words
}
