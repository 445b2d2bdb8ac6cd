//! Describes blocks of other dialects as text.
//!
//! Calls of hosted tools, search results and blocks of unknown types have no equivalent in the
//! target, but the model needs their content. A block with a text becomes that text; calls and
//! results of such tools get a label, and an image among them becomes an image block. Other JSON
//! that a tool returned becomes its text. A block without readable content is left to
//! `unknown-block`.
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

use interlingua_model::{
    Block, BlockContent, LedgerPath, Media, MediaKind, MediaSource, ToolResult,
};

use crate::engine::Work;
use crate::query::describe::{self, Description, replace_with_text};

pub(super) fn apply(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let mut images = Vec::new();
        for at in 0..work.blocks(turn).len() {
            let path = LedgerPath::block(turn, at);
            let block = work.block(turn, at);
            if let Some(mut description) = describe::describe_foreign(block, dialect) {
                record_description(work, path, &description, &foreign_kind(work.block(turn, at)));
                let image_source = description.image.take();
                replace_with_text(work.edit_block(turn, at), description);
                if let Some(source) = image_source {
                    images.push((at + 1, work.derive_block((turn, at), image_block(source))));
                }
            } else if let BlockContent::ToolResult(ToolResult { content, .. }) = &block.content {
                let descriptions: Vec<_> = content
                    .iter()
                    .map(|inner| describe::describe_foreign_output(inner, dialect))
                    .collect();
                if descriptions.iter().any(Option::is_some) {
                    describe_in_result(work, (turn, at), descriptions);
                }
            }
        }
        if !images.is_empty() {
            work.insert_blocks(turn, images);
        }
    }
    for at in 0..work.conversation().system.len() {
        let block = &work.conversation().system[at];
        let Some(description) = describe::describe_foreign(block, dialect) else { continue };
        let kind = foreign_kind(block);
        record_description(work, LedgerPath::system(at), &description, &kind);
        replace_with_text(work.edit_system()[at].edit(), description);
    }
}

/// Describes foreign blocks within a result.
fn describe_in_result(
    work: &mut Work<'_>,
    (turn, at): (usize, usize),
    descriptions: Vec<Option<Description>>,
) {
    let BlockContent::ToolResult(ToolResult { content, .. }) = &work.block(turn, at).content else {
        return;
    };
    let kinds: Vec<_> = content.iter().map(|inner| foreign_kind(inner)).collect();
    for (description, kind) in descriptions.iter().zip(&kinds) {
        if let Some(description) = description {
            record_description(work, LedgerPath::block(turn, at), description, kind);
        }
    }
    if let BlockContent::ToolResult(ToolResult { content, .. }) =
        &mut work.edit_block(turn, at).content
    {
        for (inner, description) in content.iter_mut().zip(descriptions) {
            if let Some(description) = description {
                replace_with_text(inner.edit(), description);
            }
        }
    }
}

fn record_description(
    work: &mut Work<'_>,
    path: LedgerPath,
    description: &Description,
    kind: &str,
) {
    if description.is_complete {
        work.record_change(path, format!("`{kind}` is sent as text"));
    } else {
        work.record_loss(path, format!("described `{kind}` as text: the target has no such block"));
    }
}

fn image_block(source: MediaSource) -> Block {
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Block::new(BlockContent::Media(Box::new(media)))
}

fn foreign_kind(block: &Block) -> String {
    match &block.content {
        BlockContent::Foreign { kind, .. } => kind.to_string(),
        _ => String::new(),
    }
}
