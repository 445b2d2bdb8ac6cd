//! Writes missing or null content as an empty string where the target requires content.
//!
//! A message with calls needs no content; many servers require it in every other message.
//!
//! ## Why
//! > Invalid value for 'content': expected a string, got null.
//!
//! > invalid message content type: \<nil\>
//!
//! > All non-assistant messages must contain 'content'
//!
//! ## Example
//! ```text
//! before   tool: null
//! after    tool: ""
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Role, Turn};
use interlingua_providers::profile::texts::MissingContent;
use interlingua_wire::{JsonNode, JsonString};

use crate::engine::Work;
use crate::values::block::{
    has_content_elsewhere, is_assistant, is_call, is_content_empty, is_legacy,
    is_reasoning_or_entry, plain_text,
};

pub(super) fn apply(work: &mut Work<'_>) {
    // Requests of another dialect are always encoded with content.
    if work.profile.texts.missing_content == MissingContent::Accepted || !work.is_same_dialect() {
        return;
    }
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let dialect = work.profile.dialect;
        let has_unknown_role = this.extras.written_role(dialect).is_some();
        let has_calls = || this.blocks.iter().any(|block| is_call(block));
        let has_other_content =
            || is_assistant(this) && has_content_elsewhere(this, dialect) && !has_calls();
        let blanks = work.profile.texts.checks_whole_message;
        if (has_unknown_role || may_lack_content(this, blanks) || has_other_content())
            && is_rejected(work, turn)
        {
            work.record_change(
                LedgerPath::turn(turn),
                "the message has no content: an empty string is sent",
            );
            work.discard_turn_text(turn);
        }
    }
}

/// Whether the decoded blocks allow that the content was missing. With `blanks`, empty texts next
/// to other fields count as missing too.
fn may_lack_content(turn: &Turn, blanks: bool) -> bool {
    match turn.role {
        Role::Assistant => {
            let is_in_other_field = |body: &BlockContent| {
                matches!(body, BlockContent::Refusal(_) | BlockContent::Media(_))
            };
            let has_other_field = turn.blocks.iter().any(|block| is_in_other_field(&block.content));
            let is_blank = |block: &Block| plain_text(block).is_some_and(JsonString::is_empty);
            !turn.blocks.iter().any(|block| is_call(block))
                && turn.blocks.iter().all(|block| {
                    is_reasoning_or_entry(block)
                        || is_in_other_field(&block.content)
                        || has_other_field && blanks && is_blank(block)
                })
        }
        Role::System | Role::Developer | Role::User => {
            turn.blocks.iter().all(|block| match &block.content {
                BlockContent::ToolResult(result) => result.content.is_empty() && !is_legacy(block),
                _ => false,
            })
        }
    }
}

fn is_rejected(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let Some(raw) = this.text_for(work.profile.dialect) else { return false };
    let doc = raw.to_doc();
    let content = doc.root().get("content");
    let is_absent = content.is_none();
    let is_null = content.is_some_and(JsonNode::is_null);
    match work.profile.texts.missing_content {
        MissingContent::Accepted => false,
        MissingContent::NullOnlyFromAssistant => is_null && this.role != Role::Assistant,
        MissingContent::AbsentRejected => is_absent,
        MissingContent::Rejected => is_null || is_absent,
        MissingContent::EmptyAssistantRejected => {
            let blanks = work.profile.texts.checks_whole_message;
            let empty = content.is_some_and(|content| is_content_empty(content, blanks));
            this.role == Role::Assistant && (is_null || is_absent || empty)
        }
    }
}
