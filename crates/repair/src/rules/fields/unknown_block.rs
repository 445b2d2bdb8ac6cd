//! Removes blocks of types that the target does not know or does not accept in their position;
//! their text stays, if they have any.
//!
//! ## Why
//! > messages.0.content.0: Input tag 'input_text' found using 'type' does not match any of the
//! > expected tags: 'text', 'image', …
//!
//! > Invalid value: 'video'. Supported values are: 'text', 'image_url', …
//!
//! ## Example
//! ```text
//! before   user: {type: "input_text", text: "hi"}, {type: "from_the_future"}
//! after    user: "hi"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Role, ToolResult};
use interlingua_wire::{JsonString, RawJson};

use crate::edit::{missing_results, remove_reasoning};
use crate::engine::{Feature, Work};
use crate::query::describe::{self, Description};
use crate::query::unknown_block::{BlockAction, UnknownBlockPolicy, text_of_kind};
use crate::values::block::{BlockPos, is_reasoning_block, item_id};

pub(super) fn apply(work: &mut Work<'_>) {
    let profile = work.profile;
    if profile.fields.drops_foreign_dialects && work.has(Feature::ForeignBlocks) {
        remove_other_dialects(work);
    }
    if work.has(Feature::NonTextResult) {
        convert_in_results(work);
    }
    let Some(known) = profile.fields.foreign_kinds else { return };
    if profile.fields.text_only_system && work.is_same_dialect() {
        convert_instructions(work);
    }
    if !(work.has(Feature::ForeignBlocks) || work.has(Feature::Extras)) {
        return;
    }
    let policy = UnknownBlockPolicy::new(known, profile);
    let mut removed = Vec::new();
    // No item before this turn keeps an id that refers to removed reasoning.
    let mut ids_checked_from = 0;
    for turn in 0..work.turns().len() {
        if !work.is_accepted_verbatim(turn)
            && process_turn(work, &policy, turn, &mut ids_checked_from)
        {
            removed.push(turn);
        }
    }
    remove_items(work, &removed);
    // Targets that check few things accept only texts in instructions.
    if work.is_same_dialect() && profile.fields.accepts_item.is_some() {
        return;
    }
    work.remove_system_where(|work, at| process_instruction(work, &policy, at));
}

/// Fixes the blocks of a turn; returns whether the turn must be removed.
fn process_turn(
    work: &mut Work<'_>,
    policy: &UnknownBlockPolicy<'_>,
    turn: usize,
    ids_checked_from: &mut usize,
) -> bool {
    let (mut removed, mut last_kind) = (Vec::new(), None);
    for at in 0..work.blocks(turn).len() {
        if let Some(kind) = process_block(work, policy, (turn, at), ids_checked_from) {
            removed.push(at);
            last_kind = Some(kind);
        }
    }
    let Some(kind) = last_kind else { return false };
    work.remove_blocks(turn, &removed);
    missing_results::keep_user_turn(work, turn);
    // Where each item is a turn, the turn is empty then.
    let part_prefix = work.profile.fields.part_prefix;
    !part_prefix.is_empty() && work.blocks(turn).is_empty() && !kind.raw().starts_with(part_prefix)
}

/// Removes items, and the reasoning that led to them.
fn remove_items(work: &mut Work<'_>, removed: &[usize]) {
    let dialect = work.profile.dialect;
    let is_leading_reasoning = |turn: usize| match work.blocks(turn) {
        [block] => is_reasoning_block(block) && item_id(block, dialect).is_some(),
        _ => false,
    };
    let (mut leading, mut is_in_chain) = (Vec::new(), false);
    if work.profile.reasoning.is_item && work.is_same_dialect() && !removed.is_empty() {
        let mut items_before = removed.iter().rev().peekable();
        for turn in (0..work.turns().len()).rev() {
            let is_item = items_before.next_if_eq(&&turn).is_some();
            is_in_chain = is_item || is_in_chain && is_leading_reasoning(turn);
            if is_in_chain && !is_item {
                // Its index once the items are removed.
                leading.push(turn - items_before.len());
            }
        }
    }
    leading.reverse();
    work.remove_turns(removed);
    if let [first, .., last] | [first @ last] = leading[..] {
        remove_reasoning::remove_reasoning(work, first..last + 1, |_, turn, _| {
            let is_leading = leading.binary_search(&turn).is_ok();
            is_leading.then(|| "left out reasoning: the item that it led to is missing".to_owned())
        });
    }
}

/// Turns instructions outside the turns into texts; media are handled by another rule.
fn convert_instructions(work: &mut Work<'_>) {
    work.remove_system_where(|work, at| {
        let text = match &work.conversation().system[at].content {
            BlockContent::Text { .. }
            | BlockContent::Refusal(_)
            | BlockContent::Json(_)
            | BlockContent::Media(_) => return false,
            BlockContent::Foreign { kind, json, .. } => text_of_kind(kind, json),
            BlockContent::Reasoning(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_) => None,
        };
        let path = LedgerPath::system(at);
        if let Some(text) = text {
            work.record_change(path, "sent a block of the instructions as text");
            let block = work.edit_system()[at].edit();
            block.content = BlockContent::Text { text, citations: Vec::new() };
            false
        } else {
            work.record_loss(path, "left out a block of the instructions: it is no text");
            true
        }
    });
}

/// Removes blocks of other dialects, so that later rules see what will be encoded. A turn without
/// other blocks stays, because it separates the turns around it.
fn remove_other_dialects(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    let is_foreign = |block: &Block| matches!(&block.content, BlockContent::Foreign { dialect: block_dialect, .. } if *block_dialect != dialect);
    for turn in 0..work.turns().len() {
        work.remove_blocks_where(turn, |work, at| {
            let path = LedgerPath::block(turn, at);
            match &work.block(turn, at).content {
                BlockContent::Foreign { kind, .. } if is_foreign(work.block(turn, at)) => {
                    let message = format!("left out `{kind}`: the target has no such block");
                    work.record_loss(path, message);
                    return true;
                }
                BlockContent::ToolResult(ToolResult { content, .. })
                    if content.iter().any(|inner| is_foreign(inner)) =>
                {
                    work.record_loss(
                        path,
                        "left out blocks of the result that the target does not have",
                    );
                    if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, at).content
                    {
                        result.content.retain(|inner| !is_foreign(inner));
                    }
                }
                _ => {}
            }
            false
        });
    }
}

/// Turns calls and results within a result into text, and removes reasoning there.
fn convert_in_results(work: &mut Work<'_>) {
    let description = |block: &Block| match &block.content {
        BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => describe::block_text(block),
        _ => None,
    };
    let (same_dialect, profile) = (work.is_same_dialect(), work.profile);
    // In the same dialect, reasoning stays where the target accepts such parts.
    let is_kept = |block: &Block| match profile.fields.foreign_kinds {
        None => same_dialect,
        Some(known) => same_dialect && UnknownBlockPolicy::new(known, profile).accepts_part(block),
    };
    let is_reasoning =
        |block: &Block| matches!(block.content, BlockContent::Reasoning(_)) && !is_kept(block);
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let BlockContent::ToolResult(result) = &work.block(turn, at).content else { continue };
            let has_calls = result.content.iter().any(|inner| description(inner).is_some());
            let has_reasoning = result.content.iter().any(|inner| is_reasoning(inner));
            if has_calls {
                work.record_change(
                    LedgerPath::block(turn, at),
                    "sent a call within a result as text",
                );
            }
            if has_reasoning {
                work.record_loss(LedgerPath::block(turn, at), "left out reasoning within a result");
            }
            if !has_calls && !has_reasoning {
                continue;
            }
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, at).content {
                result.content.retain(|inner| !is_reasoning(inner));
                for inner in &mut result.content {
                    if let Some(text) = description(inner) {
                        *inner = Block::text(text).into();
                    }
                }
            }
        }
    }
}

/// Fixes one block; returns its type if it must be removed.
fn process_block(
    work: &mut Work<'_>,
    policy: &UnknownBlockPolicy<'_>,
    (turn, at): BlockPos,
    ids_checked_from: &mut usize,
) -> Option<JsonString> {
    let role = work.turns()[turn].role;
    let block = work.block(turn, at);
    if let BlockContent::ToolResult(ToolResult { content, .. }) = &block.content {
        if content.iter().any(|inner| !matches!(policy.action(inner, None), BlockAction::Keep)) {
            process_result(work, policy, turn, at);
        }
        return None;
    }
    let block_action = policy.action(block, Some(role));
    let kind = policy.kind(block);
    let is_removed = matches!(block_action, BlockAction::ToText(_) | BlockAction::Drop);
    if is_removed && turn >= *ids_checked_from && has_reasoning_id(work, block) {
        *ids_checked_from = remove_reasoning::drop_ids_after_reasoning(work, turn + 1);
    }
    match block_action {
        BlockAction::Keep => {}
        BlockAction::Rewrite => {
            work.record_change(
                LedgerPath::block(turn, at),
                format!("rewrote `{kind}` in the target's form"),
            );
            policy.remove_part_type(work.edit_block(turn, at));
        }
        BlockAction::Replace(json) => {
            let path = LedgerPath::block(turn, at);
            if is_only_parsed(work.block(turn, at), &json) {
                work.record_change(path, format!("parsed a string in `{kind}` to an object"));
            } else {
                let message = format!("left out fields of `{kind}` that the target does not know");
                work.record_loss(path, message);
            }
            set_json(work.edit_block(turn, at), json);
        }
        BlockAction::ToText(text) => {
            work.record_change(LedgerPath::block(turn, at), format!("`{kind}` is sent as text"));
            work.edit_block(turn, at).content = BlockContent::Text { text, citations: Vec::new() };
        }
        BlockAction::Drop => {
            let message = format!("left out `{kind}`: the target accepts no such block here");
            work.record_loss(LedgerPath::block(turn, at), message);
            return Some(kind);
        }
    }
    None
}

/// Fixes one block of the instructions; returns whether it must be removed.
fn process_instruction(work: &mut Work<'_>, policy: &UnknownBlockPolicy<'_>, at: usize) -> bool {
    let block = &work.conversation().system[at];
    let BlockContent::Foreign { kind, .. } = &block.content else { return false };
    let (kind, path) = (kind.clone(), LedgerPath::system(at));
    match policy.action(block, Some(Role::System)) {
        BlockAction::Keep | BlockAction::Rewrite => {}
        BlockAction::Replace(json) => {
            let message = format!("left out fields of `{kind}` that the target does not know");
            work.record_loss(path, message);
            set_json(work.edit_system()[at].edit(), json);
        }
        BlockAction::ToText(text) => {
            work.record_change(path, format!("`{kind}` is sent as text"));
            work.edit_system()[at].edit().content =
                BlockContent::Text { text, citations: Vec::new() };
        }
        BlockAction::Drop => {
            let message =
                format!("left out `{kind}`: the target accepts no such block in instructions");
            work.record_loss(path, message);
            return true;
        }
    }
    false
}

/// Whether an item has the id of a reasoning item, whatever its type.
fn has_reasoning_id(work: &Work<'_>, block: &Block) -> bool {
    let Some(ids) = work.profile.calls.item_id_format else { return false };
    let id = item_id(block, work.profile.dialect);
    id.is_some_and(|id| id.raw().starts_with(ids.reasoning_prefix))
}

fn process_result(work: &mut Work<'_>, policy: &UnknownBlockPolicy<'_>, turn: usize, at: usize) {
    let path = LedgerPath::block(turn, at);
    let BlockContent::ToolResult(ToolResult { content, .. }) = &work.block(turn, at).content else {
        return;
    };
    let mut blocks = Vec::new();
    let mut notes = Vec::new();
    for inner in content.clone() {
        let kind = policy.kind(&inner);
        let block_action = match policy.action(&inner, None) {
            // Only the type is left.
            BlockAction::Replace(json) if json.to_doc().root().len() < 2 => BlockAction::Drop,
            block_action => block_action,
        };
        match block_action {
            BlockAction::Keep => blocks.push(inner),
            BlockAction::Rewrite => {
                let mut inner = inner;
                policy.remove_part_type(inner.edit());
                blocks.push(inner);
                notes.push((false, format!("rewrote `{kind}` in the result in the target's form")));
            }
            BlockAction::Replace(json) => {
                let mut inner = inner;
                set_json(inner.edit(), json);
                blocks.push(inner);
                notes.push((true, format!("left out fields of `{kind}` in the result")));
            }
            BlockAction::ToText(_) | BlockAction::Drop => match describe_output(&inner) {
                Some(description) => {
                    blocks.push(Block::text(description.text).into());
                    let message = format!("`{kind}` in the result is sent as text");
                    notes.push((!description.is_complete, message));
                }
                None => notes.push((true, format!("left out `{kind}` of the result"))),
            },
        }
    }
    for (is_loss, message) in notes {
        if is_loss { work.record_loss(path, message) } else { work.record_change(path, message) }
    }
    if let BlockContent::ToolResult(ToolResult { content, .. }) =
        &mut work.edit_block(turn, at).content
    {
        *content = blocks;
    }
}

/// The text of a block of a result that the target does not accept.
fn describe_output(block: &Block) -> Option<Description> {
    if describe::is_broken_media(block) { None } else { describe::describe_output(block) }
}

/// Whether the block differs only in strings that are parsed objects now.
fn is_only_parsed(block: &Block, new: &RawJson) -> bool {
    let BlockContent::Foreign { json, .. } = &block.content else { return false };
    let (old, new) = (json.to_doc(), new.to_doc());
    let mut new = new.root().fields();
    old.root().fields().all(|old| {
        new.next().is_some_and(|new| {
            let is_parsed = old.value.is_string() && new.value.is_object();
            old.key() == new.key() && (is_parsed || old.value.raw() == new.value.raw())
        })
    })
}

fn set_json(block: &mut Block, new: RawJson) {
    if let BlockContent::Foreign { json, .. } = &mut block.content {
        *json = new;
    }
}
