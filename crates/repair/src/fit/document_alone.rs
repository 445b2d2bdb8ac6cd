//! Some text stands beside a document.
//!
//! ## Why
//! > A text block must be included when using documents.
//!
//! ## Example
//! ```text
//! before   user: a document
//! after    user: a document, "(see the document)"
//! ```

use interlingua_model::{Block, Body, MediaKind, Place, Role, Turn};
use interlingua_wire::Text;

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.media.named_documents {
        return;
    }
    // Instructions that lead the conversation of another dialect do not stand among the messages.
    let mut first = if work.is_own() { 0 } else { work.leading() };
    while first < work.turns().len() {
        let end = run(work, first);
        let turns = &work.turns()[first..end];
        let holds = |is: fn(&Block) -> bool| turns.iter().any(|turn| any(turn, is));
        if holds(is_document) && !holds(is_text) {
            let turn = end - 1;
            let at = work.blocks(turn).len();
            work.insert(turn, at, Block::text(Text::word(WORDS)));
            work.change(Place::block(turn, at), "a text is put beside the document");
        }
        first = end;
    }
}

/// The end of the turns that leave as one message.
fn run(work: &Work<'_>, first: usize) -> usize {
    let assistant = |turn: &Turn| turn.role == Role::Assistant;
    let side = assistant(&work.turns()[first]);
    first + work.turns()[first..].iter().take_while(|turn| assistant(turn) == side).count()
}

fn any(turn: &Turn, is: fn(&Block) -> bool) -> bool {
    turn.blocks.iter().any(|block| is(block))
}

fn is_document(block: &Block) -> bool {
    matches!(&block.body, Body::Media(media) if media.kind == MediaKind::Document)
}

fn is_text(block: &Block) -> bool {
    matches!(&block.body, Body::Text { text, .. } if !text.is_blank())
}

const WORDS: &str = "(see the document)";
