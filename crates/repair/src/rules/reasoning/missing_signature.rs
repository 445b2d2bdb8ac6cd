//! Adds the provider's documented placeholder signature to a call that must be signed and is not.
//!
//! Some models sign the first call of each step and require the signature in later requests. A call
//! of another model, or one that lost its signature, gets the documented value that turns the check
//! off.
//!
//! In the provider's own dialect only calls of the current turn are changed; from another dialect
//! all of them, so that earlier turns are encoded in the same way every time.
//!
//! ## Why
//! > Function call is missing a thought_signature in functionCall parts. This is required for tools to
//! > work correctly, and missing thought_signature may lead to degraded model performance.
//!
//! ## Example
//! ```text
//! before   model: call `bash`
//! after    model: call `bash`, sealed "skip_thought_signature_validator"
//! ```

use std::ops::Range;

use interlingua_model::{Block, BlockContent, LedgerPath, Role, Seal, Verbatim};
use interlingua_providers::profile::reasoning::CallSealing;
use interlingua_wire::{JsonString, RawJson};

use crate::edit::call_seal;
use crate::engine::Work;
use crate::query::reasoning;
use crate::values::block::as_call;

pub(super) fn apply(work: &mut Work<'_>) {
    let rule = work.profile.reasoning.call_sealing;
    if rule == CallSealing::NotRequired {
        return;
    }
    let (earlier, current) = find_steps(work);
    for step in current {
        seal_step(work, step, true);
    }
    // Seals in other positions were moved while their turn was the current one.
    if !work.is_verbatim() {
        for step in earlier {
            seal_step(work, step, false);
        }
    }
}

/// Puts the seal of a step where the target expects it, or adds the placeholder if there is none
/// and one is needed.
fn seal_step(work: &mut Work<'_>, step: Range<usize>, needed: bool) {
    let rule = work.profile.reasoning.call_sealing;
    let positions =
        || step.clone().flat_map(|turn| (0..work.blocks(turn).len()).map(move |at| (turn, at)));
    let block = |(turn, at): &(usize, usize)| work.block(*turn, *at);
    let Some((turn, at)) = positions().find(|pos| needs_seal(rule, block(pos))) else { return };
    let sealed = match rule {
        CallSealing::CallOrReasoning => positions().any(|pos| has_step_seal(work, pos)),
        CallSealing::FirstCall | CallSealing::FirstCallInMessage | CallSealing::NotRequired => {
            is_sealed(work.block(turn, at))
        }
    };
    let seal_pos = match rule {
        CallSealing::CallOrReasoning => positions().find(|pos| {
            let candidate = block(pos);
            matches!(candidate.content, BlockContent::ToolCall(_)) && is_sealed(candidate)
        }),
        CallSealing::FirstCall | CallSealing::FirstCallInMessage | CallSealing::NotRequired => {
            Some((turn, at))
        }
    };
    match seal_pos.filter(|(turn, at)| is_sealed(work.block(*turn, *at))) {
        Some(pos) if !sealed || is_seal_elsewhere(work, pos) => rewrite_call(work, pos),
        _ if sealed || !needed => {}
        _ => {
            let seal = Seal::new(
                JsonString::from_static(SEAL_ISSUER),
                JsonString::from_static(SKIP_SIGNATURE),
            );
            if !call_seal::insert(work, (turn, at), &seal) {
                work.edit_block(turn, at).seal = Some(Box::new(seal));
            }
            work.record_change(
                LedgerPath::block(turn, at),
                "added the placeholder signature: that of the call is missing",
            );
        }
    }
}

/// Whether a block has the seal in its step's list of reasoning.
fn has_step_seal(work: &Work<'_>, (turn, at): (usize, usize)) -> bool {
    let block = work.block(turn, at);
    match block.content {
        // A seal that was decoded from the call itself is not in the list.
        BlockContent::ToolCall(_) => {
            is_sealed(block) && block.text_for(work.profile.dialect).is_none()
        }
        BlockContent::Reasoning(_) => is_sealed(block) || is_sealed_entry(work, block),
        _ => is_signed_entry(block),
    }
}

/// Whether the client wrote the seal of the call in another position of the message.
fn is_seal_elsewhere(work: &Work<'_>, (turn, at): (usize, usize)) -> bool {
    let dialect = work.profile.dialect;
    matches!(
        work.profile.reasoning.call_sealing,
        CallSealing::FirstCall | CallSealing::FirstCallInMessage
    ) && work.turns()[turn].text_for(dialect).is_some()
        && work.block(turn, at).text_for(dialect).is_none()
}

fn rewrite_call(work: &mut Work<'_>, (turn, at): (usize, usize)) {
    work.discard_block_text(turn, at);
    work.record_change(
        LedgerPath::block(turn, at),
        "moved the call's signature to the position that the target expects",
    );
}

/// Whether a block is a call that must be sealed. Where the seal is part of the call, legacy calls
/// have no field for it and are not checked.
fn needs_seal(rule: CallSealing, block: &Block) -> bool {
    matches!(block.content, BlockContent::ToolCall(_))
        && (rule == CallSealing::CallOrReasoning || as_call(block).is_some())
}

/// Whether the block is an entry of unknown type with a signature.
fn is_signed_entry(block: &Block) -> bool {
    let BlockContent::Foreign { json, .. } = &block.content else { return false };
    let doc = json.to_doc();
    doc.root().get("signature").is_some_and(|seal| !seal.str_or_empty().is_empty())
}

/// Whether the block is a list entry with a seal that no other issuer is known to have made.
fn is_sealed_entry(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let is_entry = |text: &RawJson| {
        text.to_doc()
            .root()
            .get("type")
            .is_some_and(|kind| kind.str_or_empty().starts_with("reasoning."))
    };
    block.seal.is_some() && block.text_for(work.profile.dialect).is_some_and(is_entry)
}

fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| seal.origin.issuer == SEAL_ISSUER)
}

/// The steps before the current user turn, and those in which calls must be sealed. A step is one
/// reply of the model.
fn find_steps(work: &Work<'_>) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if !work.is_same_dialect() {
        return (Vec::new(), reasoning::assistant_runs(work));
    }
    let turns = work.turns();
    let is_user_message = |at: &usize| {
        let turn = &turns[*at];
        let is_result = |block: &Block| matches!(block.content, BlockContent::ToolResult(_));
        turn.role == Role::User
            && (work.profile.roles.allows_empty_user || !turn.blocks.is_empty())
            && !turn.blocks.iter().any(|block| is_result(block))
    };
    let current = (0..turns.len()).rev().find(is_user_message).map_or(0, |at| at + 1);
    let assistant_steps = |range: Range<usize>| {
        let assistant_turns = range.filter(|at| turns[*at].role == Role::Assistant);
        assistant_turns.map(|at| at..at + 1).collect()
    };
    (assistant_steps(0..current), assistant_steps(current..turns.len()))
}

const SEAL_ISSUER: &str = "google";
/// Documented value for calls that the model did not make itself.
const SKIP_SIGNATURE: &str = "skip_thought_signature_validator";
