//! Removes calls of one dialect without a result, and such results without a call.
//!
//! Tools that the provider runs itself have their own kinds of calls and results, both in assistant
//! turns. Compaction that removes one of them leaves the other. A block without its counterpart is
//! removed; a call that the provider is still running is kept.
//!
//! ## Why
//! > messages.69.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks:
//! > srvtoolu_1. Each block must have a corresponding `server_tool_use` block before it.
//!
//! > `web_search` tool use with id `srvtoolu_1` was found without a corresponding
//! > `web_search_tool_result` block
//!
//! > No tool output found for local shell call call_1.
//!
//! ## Example
//! ```text
//! before   assistant: result of the provider's search, "found it"      (the search is gone)
//! after    assistant: "found it"
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, BlockContent, LedgerPath, Role, Turn, Verbatim};
use interlingua_providers::profile::calls::{ForeignPair, ToolRunner};

use crate::engine::{Removals, Work};
use crate::query::earlier_calls::string_field;
use crate::query::{continued, conversation, empty_turn, rounds, unknown_block};
use crate::values::block::{BlockPos, as_result};

/// A call or result of such a pair.
#[derive(Clone, Debug)]
struct PairBlock {
    spot: BlockPos,
    pair: &'static ForeignPair,
    is_call: bool,
    id: String,
    kind: String,
    /// Name of the called tool.
    tool: String,
    /// Whether the target accepts the block itself, apart from its counterpart.
    is_accepted: bool,
    /// Whether the block may occur without a counterpart.
    is_standalone: bool,
}

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.calls.foreign_pairs.is_empty() {
        return;
    }
    let blocks = pair_blocks(work);
    if blocks.is_empty() {
        return;
    }
    let mut unpaired_blocks = unpaired(work, &blocks);
    // From last to first, so that positions stay valid.
    unpaired_blocks.sort_by_key(|(block, _)| std::cmp::Reverse(block.spot));
    let mut emptied = Removals::default();
    for in_turn in unpaired_blocks.chunk_by(|(a, _), (b, _)| a.spot.0 == b.spot.0) {
        let mut indices = Vec::with_capacity(in_turn.len());
        for (block, description) in in_turn {
            work.record_loss(LedgerPath::block(block.spot.0, block.spot.1), description.clone());
            indices.push(block.spot.1);
        }
        let Some(turn) = in_turn.first().map(|(block, _)| block.spot.0) else { continue };
        indices.reverse();
        work.remove_blocks(turn, &indices);
        if work.blocks(turn).is_empty()
            && !separates_assistant_turns(work, turn, emptied.next_kept_after(turn))
        {
            emptied.push(turn);
        }
    }
    work.remove_turns(&emptied.into_indices());
}

/// Whether a turn separates the assistant turns before and behind it.
fn separates_assistant_turns(work: &Work<'_>, turn: usize, next: usize) -> bool {
    let is_assistant = |at: Option<usize>| {
        at.and_then(|at| work.turns().get(at)).is_some_and(|turn| turn.role == Role::Assistant)
    };
    is_assistant(turn.checked_sub(1)) && is_assistant(Some(next))
}

fn pair_blocks(work: &Work<'_>) -> Vec<PairBlock> {
    let mut pair_blocks = Vec::new();
    for (pos, block) in rounds::blocks(work, 0..work.turns().len()) {
        let BlockContent::Foreign { dialect, kind, json } = &block.content else { continue };
        let kind = kind.unescape();
        let is_call = |pair: &&ForeignPair| *kind == *pair.call_kind;
        let is_result = |pair: &&ForeignPair| pair.result_kinds.contains(&kind);
        let pairs = work.profile.calls.foreign_pairs;
        let pair = pairs.iter().find(is_call).or_else(|| pairs.iter().find(is_result));
        let Some(pair) = pair.filter(|_| *dialect == work.profile.dialect) else { continue };
        let doc = json.to_doc();
        let is_call = *kind == *pair.call_kind;
        let node = doc.root();
        let is_standalone =
            pair.only_if.is_some_and(|(key, value)| string_field(node, key) != value);
        if is_standalone && is_call {
            continue;
        }
        let keys = if is_call { std::slice::from_ref(&pair.id_fields.0) } else { pair.id_fields.1 };
        let mut ids = keys.iter().map(|key| string_field(node, key));
        let id = ids.find(|id| !id.is_empty()).unwrap_or_default();
        let tool = string_field(node, "name");
        let is_accepted = unknown_block::is_accepted(work, block, work.turns()[pos.0].role);
        pair_blocks.push(PairBlock {
            spot: pos,
            pair,
            is_call,
            id,
            kind: kind.into_owned(),
            tool,
            is_accepted,
            is_standalone,
        });
    }
    pair_blocks
}

/// The blocks without a counterpart, with the ledger text.
fn unpaired(work: &Work<'_>, blocks: &[PairBlock]) -> Vec<(PairBlock, String)> {
    let mut call_ids = HashSet::new();
    // The last turn with a result, by id.
    let mut last_answered: HashMap<&str, usize> = HashMap::new();
    let mut result_index = ResultIndex::new(work, blocks);
    let runs = run_starts(work);
    let mut unpaired = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let PairBlock { id, kind, .. } = block;
        let is_formed =
            !id.is_empty() && block.pair.id_prefix.is_none_or(|prefix| has_valid_id(id, prefix));
        if block.is_call && !is_formed {
            unpaired.push((block.clone(), format!("left out `{kind}`: its id is `{id}`")));
        } else if block.is_call && block.is_accepted {
            call_ids.insert(id.as_str());
            // Calls with the same id in one run share a result.
            let start = runs[block.spot.0];
            let is_shared = block.pair.runner == ToolRunner::Provider
                && last_answered.get(id.as_str()).is_some_and(|turn| *turn >= start);
            if !is_shared && !result_index.is_answered(work, block, at) {
                unpaired.push((block.clone(), format!("left out `{kind}` {id}: it has no result")));
                call_ids.remove(id.as_str());
            }
        } else if !block.is_call
            && !block.is_standalone
            && !call_ids.contains(id.as_str())
            && !is_held_by_provider(work, block)
        {
            unpaired.push((block.clone(), format!("left out `{kind}` {id}: its call is gone")));
        } else if !block.is_call && block.is_accepted {
            last_answered.insert(id, block.spot.0);
        }
    }
    unpaired
}

/// For each turn the first assistant turn of its run.
fn run_starts(work: &Work<'_>) -> Vec<usize> {
    let (turns, mut start) = (work.turns(), 0);
    let run_start = |(at, turn): (usize, &Verbatim<Turn>)| {
        let is_assistant = turn.role == Role::Assistant;
        let continues_run = is_assistant && at > 0 && turns[at - 1].role == Role::Assistant;
        start = if continues_run { start } else { at };
        start
    };
    turns.iter().enumerate().map(run_start).collect()
}

/// Whether the provider may store the call.
fn is_held_by_provider(work: &Work<'_>, block: &PairBlock) -> bool {
    block.pair.runner == ToolRunner::Client && continued::continues_stored_conversation(work)
}

fn has_valid_id(id: &str, prefix: &str) -> bool {
    let rest = id.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Positions of results by the id that they answer.
struct ResultIndex<'h> {
    /// Foreign results: index among the blocks, and turn.
    foreign: HashMap<&'h str, Vec<(usize, usize)>>,
    /// Turns of plain results.
    plain: HashMap<String, Vec<usize>>,
    /// The last computed cutoff for each runner.
    cutoffs: [Option<Cutoff>; 2],
}

/// The turn from which on results of a call no longer count.
#[derive(Clone, Copy)]
struct Cutoff {
    turn: Option<usize>,
    /// Turns with the same cutoff for their calls.
    valid_for: (usize, usize),
}

impl<'h> ResultIndex<'h> {
    fn new(work: &Work<'_>, blocks: &'h [PairBlock]) -> Self {
        let mut result_index =
            Self { foreign: HashMap::new(), plain: HashMap::new(), cutoffs: [None; 2] };
        for (index, pair_block) in
            blocks.iter().enumerate().filter(|(_, pair_block)| !pair_block.is_call)
        {
            if pair_block.is_accepted {
                result_index
                    .foreign
                    .entry(&pair_block.id)
                    .or_default()
                    .push((index, pair_block.spot.0));
            }
        }
        if blocks
            .iter()
            .any(|pair_block| pair_block.is_call && pair_block.pair.runner == ToolRunner::Client)
        {
            for ((turn, _), block) in rounds::blocks(work, 0..work.turns().len()) {
                let Some(result) = as_result(block) else { continue };
                let id = result.call_id.unescape().into_owned();
                result_index.plain.entry(id).or_default().push(turn);
            }
        }
        result_index
    }

    /// Whether a call has its result in time, or may still get it.
    fn is_answered(&mut self, work: &Work<'_>, call: &PairBlock, call_index: usize) -> bool {
        let cutoff = self.cutoff(work, call);
        let until = cutoff.unwrap_or(work.turns().len());
        let blocks = self.foreign.get(&*call.id).map_or(&[][..], Vec::as_slice);
        let next = blocks.partition_point(|(index, _)| *index <= call_index);
        if blocks.get(next).is_some_and(|(_, turn)| *turn < until) {
            return true;
        }
        match call.pair.runner {
            ToolRunner::Provider => {
                cutoff.is_none() && can_provider_continue(work) && is_offered(work, &call.tool)
            }
            ToolRunner::Client => {
                let turns = self.plain.get(&call.id).map_or(&[][..], Vec::as_slice);
                let next = turns.partition_point(|turn| *turn < call.spot.0);
                turns.get(next).is_some_and(|turn| *turn < until)
            }
        }
    }

    fn cutoff(&mut self, work: &Work<'_>, call: &PairBlock) -> Option<usize> {
        let turn = call.spot.0;
        let cached = &mut self.cutoffs[usize::from(call.pair.runner == ToolRunner::Client)];
        if !cached.is_some_and(|cached| (cached.valid_for.0..=cached.valid_for.1).contains(&turn)) {
            *cached = Some(compute_cutoff(work, call));
        }
        cached.and_then(|cached| cached.turn)
    }
}

/// Whether no other turn follows, so that the provider can continue the tool run.
fn can_provider_continue(work: &Work<'_>) -> bool {
    let last = work.last_dialogue_turn();
    last.is_none_or(|last| {
        work.turns()[last].role != Role::Assistant || conversation::may_be_last(work, last)
    })
}

fn compute_cutoff(work: &Work<'_>, call: &PairBlock) -> Cutoff {
    let turns = work.turns();
    let from = call.spot.0;
    match call.pair.runner {
        // User content other than results.
        ToolRunner::Provider => {
            let mut later_turns = turns.iter().enumerate().skip(from);
            let with_input = later_turns.find(|(at, turn)| {
                let is_other = |block: &Block| as_result(block).is_none();
                let has_other = turn.blocks.iter().any(|inner| is_other(inner));
                match turn.role {
                    Role::User => has_other || empty_turn::will_be_filled(work, *at),
                    Role::Assistant => false,
                    // Instructions become user text.
                    Role::System | Role::Developer => {
                        turn.blocks.iter().any(|inner| !work.is_text_rejected(inner))
                    }
                }
            });
            let at = with_input.map(|(at, _)| at);
            Cutoff { turn: at, valid_for: (from, at.unwrap_or(turns.len())) }
        }
        // The next run of assistant turns.
        ToolRunner::Client => {
            let is_assistant = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
            let run = turns[from + 1..].iter().take_while(is_assistant).count();
            let mut rest = turns.iter().enumerate().skip(from + 1 + run);
            let at = rest.find(|(_, turn)| is_assistant(turn)).map(|(at, _)| at);
            Cutoff { turn: at, valid_for: (from, from + run) }
        }
    }
}

/// Whether the request offers the provider's tool of a call, by the prefix of its type.
fn is_offered(work: &Work<'_>, tool: &str) -> bool {
    let family =
        TOOL_FAMILY_PREFIXES.iter().find_map(|prefix| tool.strip_prefix(prefix)).unwrap_or(tool);
    work.conversation().tools.iter().any(|tool_offered| match &tool_offered.kind {
        interlingua_model::ToolKind::Foreign { kind, .. } => kind.unescape().starts_with(family),
        interlingua_model::ToolKind::Function { .. }
        | interlingua_model::ToolKind::Freeform { .. } => false,
    })
}

/// Prefixes of calls of one tool with several call names.
const TOOL_FAMILY_PREFIXES: &[&str] = &["bash_", "text_editor_"];
