//! Merges neighbouring turns of one role where the target requires alternating roles.
//!
//! Tool results come first in a merged user turn. Two assistant turns are separated by a short user
//! turn if the second has signed reasoning: merging would change the position that its signature
//! covers.
//!
//! ## Why
//! > A conversation must alternate between user and assistant roles. Make sure the conversation
//! > alternates between user and assistant roles and try again.
//!
//! > Cannot have 2 or more assistant messages at the end of the list.
//!
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! > Conversation roles must alternate user/assistant/user/assistant/...
//!
//! ## Example
//! ```text
//! before   user: "first"   user: "second"   assistant: "ok"   assistant: "and more"
//! after    user: "first", "second"          assistant: "ok", "and more"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Lesson, Role, Turn, Verbatim};
use interlingua_providers::profile::roles::MergePolicy;
use interlingua_providers::profile::texts::StringContent;
use interlingua_wire::JsonString;

use crate::edit::{empty_texts, misplaced_reasoning};
use crate::engine::{DetachedBlock, Feature, Work};
use crate::values::block::{BlockPos, has_unknown_role, is_assistant, is_call, is_result};
use crate::values::placeholder::{BLANK_LINE, CONTINUE};

pub(super) fn apply(work: &mut Work<'_>) {
    // Across dialects the encoder merges neighbours.
    let policy = merge_policy(work);
    if policy == MergePolicy::Never
        || policy != MergePolicy::WithoutResults && !work.is_same_dialect()
    {
        return;
    }
    // Merging changes positions of reasoning and of empty texts, so both rules run again.
    while merge_neighbours(work, policy) && work.has(Feature::MisplacedReasoning) {
        work.set_rule("misplaced-thinking");
        misplaced_reasoning::remove_misplaced_reasoning(work);
        work.set_rule("blank-between-reasoning");
        empty_texts::fix_between_reasoning(work);
        work.set_rule("alternation");
    }
}

/// Which neighbours are merged, lessons included.
fn merge_policy(work: &Work<'_>) -> MergePolicy {
    match work.profile.roles.merge_policy {
        MergePolicy::Never | MergePolicy::AtEnd | MergePolicy::BeforeCalls
            if work.profile.lessons.iter().any(|lesson| *lesson == Lesson::AlternateRoles) =>
        {
            MergePolicy::WithoutResults
        }
        merge_policy => merge_policy,
    }
}

/// Merges or separates turns; returns whether any changed.
fn merge_neighbours(work: &mut Work<'_>, merge_policy: MergePolicy) -> bool {
    let end = if merge_policy == MergePolicy::AtEnd { final_assistant_start(work) } else { 0 };
    let is_mergeable = |work: &Work<'_>, turn: usize| {
        let [this, next] = &work.turns()[turn..turn + 2] else { return false };
        match merge_policy {
            MergePolicy::Never => false,
            MergePolicy::All => this.role == next.role,
            MergePolicy::BeforeCalls => is_assistant(this) && is_assistant(next) && has_call(next),
            MergePolicy::AtEnd => turn >= end,
            MergePolicy::WithoutResults => {
                this.role == next.role && ![this, next].iter().any(|turn| has_result(turn))
            }
        }
    };
    let mut pairs = 0..work.turns().len().saturating_sub(1);
    let Some(mut turn) = pairs.find(|turn| is_mergeable(work, *turn)) else { return false };
    // Later turns are split off and moved blocks inserted in bulk, so each block moves only once.
    let mut detached_turns = work.split_off(turn + 2);
    let mut pending_blocks = PendingBlocks::default();
    while turn + 1 < work.turns().len() {
        let [this, next] = &work.turns()[turn..turn + 2] else { break };
        if !is_mergeable(work, turn) {
            pending_blocks.insert(work, turn);
            turn += 1;
        } else if merge_policy == MergePolicy::All && is_assistant(this) && next.has_sealed_block()
        {
            pending_blocks.insert(work, turn);
            separate(work, turn + 1);
            turn += 2;
        } else {
            merge_next(work, turn, &mut pending_blocks);
        }
        work.reattach_after(&mut detached_turns, turn);
    }
    pending_blocks.insert(work, turn);
    true
}

/// First turn after which only assistant turns follow, turns of unknown role excluded.
fn final_assistant_start(work: &Work<'_>) -> usize {
    let ends = |turn: &&Verbatim<Turn>| is_assistant(turn) && !has_unknown_role(turn);
    work.turns().len() - work.turns().iter().rev().take_while(ends).count()
}

/// Blocks on their way into the turn that they are merged with.
#[derive(Default)]
struct PendingBlocks {
    results: Vec<DetachedBlock>,
    others: Vec<DetachedBlock>,
}

impl PendingBlocks {
    /// Inserts results after the turn's leading results, all others at its end.
    fn insert(&mut self, work: &mut Work<'_>, turn: usize) {
        if self.results.is_empty() && self.others.is_empty() {
            return;
        }
        let blocks = work.blocks(turn);
        let (end, first) =
            (blocks.len(), blocks.iter().take_while(|block| is_result(block)).count());
        let results = self.results.drain(..).map(|block| (first, block));
        let all = results.chain(self.others.drain(..).map(|block| (end, block))).collect();
        work.insert_blocks(turn, all);
    }
}

/// Whether merged texts need a blank line between them: they become parts of one string, or of a
/// list that not every chat template separates.
fn needs_blank_line(work: &Work<'_>, turn: usize) -> bool {
    match merge_policy(work) {
        MergePolicy::Never | MergePolicy::All | MergePolicy::BeforeCalls => false,
        MergePolicy::AtEnd => true,
        MergePolicy::WithoutResults if is_assistant(&work.turns()[turn]) => work.is_same_dialect(),
        MergePolicy::WithoutResults => {
            work.profile.texts.string_content != StringContent::AllMessages
        }
    }
}

/// Whether the turn has a tool result.
fn has_result(turn: &Turn) -> bool {
    turn.blocks.iter().any(|block| is_result(block))
}

fn has_call(turn: &Verbatim<Turn>) -> bool {
    turn.blocks.iter().any(|block| is_call(block))
}

fn separate(work: &mut Work<'_>, at: usize) {
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(JsonString::from_static(CONTINUE)).into());
    work.insert_turn(at, turn);
    work.record_change(
        LedgerPath::turn(at),
        "inserted a user turn between two signed assistant turns",
    );
}

fn merge_next(work: &mut Work<'_>, turn: usize, pending_blocks: &mut PendingBlocks) {
    let previous = match work.turns()[turn].role {
        Role::Assistant => "assistant turn",
        Role::User => "user turn",
        Role::System | Role::Developer => "instructions",
    };
    let message = format!("merged with the previous {previous}: roles alternate here");
    work.record_change(LedgerPath::turn(turn + 1), message);
    if needs_blank_line(work, turn)
        && let Some(BlockContent::Text { text, .. }) =
            work.blocks(turn + 1).first().map(|block| &block.content)
    {
        // The texts become parts of one string.
        let separated = JsonString::concat([&JsonString::new(BLANK_LINE), text]);
        work.edit_block(turn + 1, 0).content =
            BlockContent::Text { text: separated, citations: Vec::new() };
    }
    let positions: Vec<BlockPos> =
        (0..work.blocks(turn + 1).len()).map(|at| (turn + 1, at)).collect();
    for detached in work.take_blocks(&positions) {
        let list = if is_result(&detached.block) {
            &mut pending_blocks.results
        } else {
            &mut pending_blocks.others
        };
        list.push(detached);
    }
    work.remove_turn(turn + 1);
}
