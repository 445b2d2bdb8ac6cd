//! Moves instructions among the turns to a position that the target accepts.
//!
//! Leading instructions go into the target's separate field for instructions, or, from another
//! dialect, into one message where only the first message may be instructions. Instructions in the
//! middle of the conversation stay where they are, as user text that is marked as a reminder, so
//! that the turns before them keep their bytes. A reminder before tool results is moved after them.
//!
//! ## Why
//! > role 'system' is not supported on this model
//!
//! > messages.3: role 'system' must follow a 'user' message or an 'assistant' message ending in a server
//! > tool result
//!
//! > messages.0: use the top-level 'system' parameter for the initial system prompt
//!
//! > Please use a valid role: user, model.
//!
//! > Unexpected role 'system' after role 'tool'
//!
//! > system message must be at the beginning
//!
//! ## Example
//! ```text
//! before   system: "Be brief."   user: "hi"   system: "It is late."
//! after    (its place: "Be brief.")   user: "hi"   user: "<system-reminder>It is late.</system-reminder>"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, Role, Turn, Verbatim};
use interlingua_providers::profile::roles::InstructionPlacement;
use interlingua_wire::JsonString;

use crate::engine::{DetachedBlock, Work};
use crate::values::block::{
    BlockPos, as_call, is_assistant, is_instruction, is_result, plain_text,
};
use crate::values::placeholder::{BLANK_LINE, EMPTY_MESSAGE};

pub(super) fn apply(work: &mut Work<'_>) {
    let is_accepted = match work.profile.roles.instruction_placement {
        InstructionPlacement::Anywhere => true,
        // Across dialects the encoder moves instructions into their field.
        InstructionPlacement::SeparateField | InstructionPlacement::BeforeReplies => {
            !work.is_same_dialect()
        }
        InstructionPlacement::NotAfterReplies => false,
        // Clients of the same dialect know what the chat template of their server accepts.
        InstructionPlacement::Leading => work.is_same_dialect(),
    };
    if is_accepted || !work.turns().iter().any(|turn| is_instruction(turn)) {
        return;
    }
    move_leading(work);
    convert_misplaced(work);
    if work.profile.roles.instruction_placement == InstructionPlacement::NotAfterReplies {
        remove_from_end(work);
    }
}

/// Makes trailing instructions the last user turn. Instructions before them stay, as they do when
/// the conversation continues.
fn remove_from_end(work: &mut Work<'_>) {
    while let Some(last) = work.turns().len().checked_sub(1) {
        if !is_instruction(&work.turns()[last]) {
            return;
        }
        if to_user_text(work, last) {
            return;
        }
        work.remove_turn(last);
    }
}

/// Moves leading instructions into the separate field.
fn move_leading(work: &mut Work<'_>) {
    let leading_count =
        work.leading_instructions() + usize::from(!work.conversation().system.is_empty());
    match work.profile.roles.instruction_placement {
        InstructionPlacement::NotAfterReplies => return,
        InstructionPlacement::Leading if leading_count < 2 => return,
        _ => {}
    }
    let is_text = |work: &Work<'_>| {
        let first = work.turns().first();
        first.is_some_and(|turn| {
            is_instruction(turn)
                && !turn.blocks.is_empty()
                && turn.blocks.iter().all(|block| plain_text(block).is_some())
        })
    };
    if is_text(work) {
        // Later turns are split off, so that removing a turn does not move them.
        let mut detached_turns = work.split_off(1);
        while is_text(work) {
            work.record_change(
                LedgerPath::turn(0),
                "moved leading instructions into the target's field for instructions",
            );
            for block in work.remove_turn(0).into_value().blocks {
                work.edit_system().push(block);
            }
            work.reattach_turn(&mut detached_turns);
        }
        while work.reattach_turn(&mut detached_turns) {}
    }
    if work.profile.roles.instruction_placement == InstructionPlacement::Leading {
        merge_texts(work);
    }
}

/// Merges the instructions into one text: parts of a message may become messages of their own.
fn merge_texts(work: &mut Work<'_>) {
    let texts: Vec<&JsonString> =
        work.conversation().system.iter().map_while(|block| plain_text(block)).collect();
    let merged_count = texts.len();
    if merged_count < 2 {
        return;
    }
    let separator = JsonString::new(BLANK_LINE);
    let mut pieces = Vec::with_capacity(merged_count * 2);
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        if !pieces.is_empty() {
            pieces.push(&separator);
        }
        pieces.push(text);
    }
    let text = JsonString::concat(pieces);
    work.remove_system_range(1..merged_count);
    work.edit_system()[0].edit().content = BlockContent::Text { text, citations: Vec::new() };
}

/// The instruction turns in positions that the target rejects.
fn misplaced_turns(work: &Work<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut previous = None;
    // The last turn that may leave content behind.
    let mut before = None;
    let is_empty = |turn: &Turn| is_instruction(turn) && turn.blocks.is_empty();
    let mut turn = 0;
    for run in work.turns().chunk_by(|a, b| is_instruction(a) == is_instruction(b)) {
        let end = turn + run.len();
        if is_instruction(&run[0]) {
            let next = work.turns().get(end);
            for (at, this) in (turn..end).zip(run) {
                if !may_stand(work, at, [before, previous, next]) {
                    found.push(at);
                }
                before = Some(this).filter(|this| !is_empty(this)).or(before);
            }
        } else {
            previous = run.last();
            before = previous;
        }
        turn = end;
    }
    found
}

/// Whether the target accepts an instruction turn here. `before` is the last turn that may leave
/// content behind; `previous` and `next` are the turns around the run of instructions.
fn may_stand(
    work: &Work<'_>,
    turn: usize,
    [before, previous, next]: [Option<&Verbatim<Turn>>; 3],
) -> bool {
    let this = &work.turns()[turn];
    match work.profile.roles.instruction_placement {
        InstructionPlacement::Anywhere => true,
        InstructionPlacement::SeparateField => false,
        InstructionPlacement::Leading => turn == 0 && work.conversation().system.is_empty(),
        // An instruction turn without content has its meaning in its other fields.
        InstructionPlacement::BeforeReplies
            if this.blocks.is_empty() && !this.extras.is_empty() =>
        {
            true
        }
        InstructionPlacement::BeforeReplies => {
            let ends_resumable =
                |turn: &Turn| work.ends_resumable(turn) && ends_with_hosted_result(turn);
            previous.is_some_and(|turn| !is_assistant(turn) || ends_resumable(turn))
                && next.is_none_or(|turn| is_assistant(turn))
        }
        InstructionPlacement::NotAfterReplies => {
            before.is_none_or(|turn| !is_assistant(turn) && !has_result(turn))
        }
    }
}

fn has_result(turn: &Turn) -> bool {
    turn.blocks.iter().any(|block| is_result(block))
}

/// Turns misplaced instructions into user text. Results must come first, so text before results is
/// moved after them.
fn convert_misplaced(work: &mut Work<'_>) {
    let mut removed = Vec::new();
    let mut pending_reminders = PendingReminders::default();
    // From the end, so that the positions still to be visited do not change.
    let (mut visited, mut results_turn) = (work.turns().len(), None);
    for turn in misplaced_turns(work).into_iter().rev() {
        while visited > turn + 1 {
            visited -= 1;
            let turn_after = &work.turns()[visited];
            results_turn = if is_assistant(turn_after) || calls_before_results(turn_after) {
                None
            } else {
                results_turn.or(has_result(turn_after).then_some(visited))
            };
        }
        let is_empty = work.blocks(turn).is_empty();
        if !to_user_text(work, turn) {
            removed.push(turn);
        } else if let Some(results_turn) = results_turn.filter(|_| !is_empty) {
            pending_reminders.add(work, turn, results_turn);
            removed.push(turn);
        }
    }
    pending_reminders.insert(work);
    removed.reverse();
    work.remove_turns(&removed);
}

/// Reminders that are moved into a turn with results.
#[derive(Default)]
struct PendingReminders {
    target_turn: usize,
    /// The blocks of each turn, the last turn first.
    blocks: Vec<Vec<DetachedBlock>>,
}

impl PendingReminders {
    fn add(&mut self, work: &mut Work<'_>, turn: usize, results_turn: usize) {
        let has_result = has_result(&work.turns()[turn]);
        if self.target_turn != results_turn || has_result {
            self.insert(work);
        }
        self.target_turn = results_turn;
        if !has_result {
            let positions: Vec<BlockPos> =
                (0..work.blocks(turn).len()).map(|at| (turn, at)).collect();
            self.blocks.push(work.take_blocks(&positions));
            return;
        }
        while let Some(last) = work.blocks(turn).len().checked_sub(1) {
            work.move_block((turn, last), (results_turn, index_after_results(work, results_turn)));
        }
    }

    fn insert(&mut self, work: &mut Work<'_>) {
        if !self.blocks.is_empty() {
            let at = index_after_results(work, self.target_turn);
            let blocks = self.blocks.drain(..).rev().flatten().map(|block| (at, block)).collect();
            work.insert_blocks(self.target_turn, blocks);
        }
    }
}

fn index_after_results(work: &Work<'_>, turn: usize) -> usize {
    let last = work.blocks(turn).iter().rposition(|block| is_result(block));
    last.map_or(0, |at| at + 1)
}

/// Turns instructions into user text. Returns whether the turn has content; if not, the caller
/// removes it.
fn to_user_text(work: &mut Work<'_>, turn: usize) -> bool {
    if work.blocks(turn).is_empty() {
        // Even an empty turn separates two assistant turns.
        let before = turn.checked_sub(1).map(|before| &work.turns()[before]);
        if before.is_some_and(|before| is_assistant(before)) {
            work.edit_turn(turn).role = Role::User;
            work.insert_block(turn, 0, Block::text(JsonString::from_static(EMPTY_MESSAGE)));
            work.record_change(
                LedgerPath::turn(turn),
                "sent empty instructions as a user turn with a placeholder",
            );
            return true;
        }
        work.record_loss(
            LedgerPath::turn(turn),
            "left out empty instructions: the target accepts none here",
        );
        return false;
    }
    let message = "instructions in the middle of the conversation are sent as user text, marked as a reminder";
    work.record_change(LedgerPath::turn(turn), message);
    let (head, tail) = (JsonString::new(REMINDER_OPEN), JsonString::new(REMINDER_CLOSE));
    for block in 0..work.blocks(turn).len() {
        if let BlockContent::Text { text, .. } = &work.block(turn, block).content {
            let reminder = JsonString::concat([&head, text, &tail]);
            work.edit_block(turn, block).content =
                BlockContent::Text { text: reminder, citations: Vec::new() };
        }
    }
    work.edit_turn(turn).role = Role::User;
    true
}

/// Whether a turn of any role has a call before its results: later results belong to these calls.
fn calls_before_results(turn: &Turn) -> bool {
    let is_call_or_result = |block: &&Verbatim<Block>| is_result(block) || as_call(block).is_some();
    turn.blocks.iter().find(is_call_or_result).is_some_and(|first| !is_result(first))
}

/// Whether a resumable turn ends with the result of a hosted tool.
fn ends_with_hosted_result(turn: &Turn) -> bool {
    turn.blocks.last().is_some_and(|last| {
        matches!(&last.content, BlockContent::Foreign { kind, .. } if kind.unescape().ends_with("_result"))
    })
}

const REMINDER_OPEN: &str = "<system-reminder>\n";
const REMINDER_CLOSE: &str = "\n</system-reminder>";
