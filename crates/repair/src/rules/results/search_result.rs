//! Writes search results as text where a tool's result has other content too.
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

use interlingua_model::{Block, BlockContent, LedgerPath, Verbatim};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.media.mixed_citations {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let BlockContent::ToolResult(result) = &work.block(turn, at).content else { continue };
            let count = result.content.iter().filter(|block| is_search_result(block)).count();
            if count == 0 || count == result.content.len() {
                continue;
            }
            work.record_change(
                LedgerPath::block(turn, at),
                "sent search results as text: the target cannot mix them with other content",
            );
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, at).content {
                for block in result.content.iter_mut().filter(|block| is_search_result(block)) {
                    replace_with_text(block);
                }
            }
        }
    }
}

fn is_search_result(block: &Block) -> bool {
    matches!(&block.content, BlockContent::Foreign { kind, .. } if kind == "search_result")
}

fn replace_with_text(block: &mut Verbatim<Block>) {
    let BlockContent::Foreign { json, .. } = &block.content else { return };
    let text = search_result_text(json);
    *block = Block::text(JsonString::new(&text)).into();
}

fn search_result_text(json: &RawJson) -> String {
    let doc = json.to_doc();
    let [title, source, content] = doc.root().get_many(["title", "source", "content"]);
    let field = |node: Option<JsonNode<'_>>| {
        node.map(JsonNode::str_or_empty).unwrap_or_default().into_owned()
    };
    let mut text = format!("{} ({})", field(title), field(source));
    for part in content.into_iter().flat_map(JsonNode::items) {
        text.push_str("\n\n");
        text.push_str(&field(part.get("text")));
    }
    text
}
