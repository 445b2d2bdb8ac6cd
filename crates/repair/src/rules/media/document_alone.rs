//! Adds a text to a message that has a document and no text.
//!
//! ## Why
//! > A text block must be included when using documents.
//!
//! ## Example
//! ```text
//! before   user: a document
//! after    user: a document, "(see the document)"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, MediaKind, Role, Turn};
use interlingua_wire::JsonString;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.media.documents_need_name_and_text {
        return;
    }
    // Leading instructions of another dialect are no messages.
    let mut first = if work.is_same_dialect() { 0 } else { work.leading_instructions() };
    while first < work.turns().len() {
        let end = message_end(work, first);
        let turns = &work.turns()[first..end];
        let has_block =
            |is_kind: fn(&Block) -> bool| turns.iter().any(|turn| has_block_of_kind(turn, is_kind));
        if has_block(is_document) && !has_block(is_text) {
            let turn = end - 1;
            let at = work.blocks(turn).len();
            work.insert_block(turn, at, Block::text(JsonString::from_static(DOCUMENT_TEXT)));
            work.record_change(
                LedgerPath::block(turn, at),
                "added a text to the message with the document",
            );
        }
        first = end;
    }
}

/// End of the turns that are sent as one message.
fn message_end(work: &Work<'_>, first: usize) -> usize {
    let is_assistant = |turn: &Turn| turn.role == Role::Assistant;
    let first_side = is_assistant(&work.turns()[first]);
    first + work.turns()[first..].iter().take_while(|turn| is_assistant(turn) == first_side).count()
}

fn has_block_of_kind(turn: &Turn, is_kind: fn(&Block) -> bool) -> bool {
    turn.blocks.iter().any(|block| is_kind(block))
}

fn is_document(block: &Block) -> bool {
    matches!(&block.content, BlockContent::Media(media) if media.kind == MediaKind::Document)
}

fn is_text(block: &Block) -> bool {
    matches!(&block.content, BlockContent::Text { text, .. } if !text.is_blank())
}

const DOCUMENT_TEXT: &str = "(see the document)";
