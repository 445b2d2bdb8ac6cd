//! Lists, sets and passes on the cache breakpoints of a conversation, in the order in which providers
//! process them.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, LedgerPath, Role, Spelling, SpellingSet, ToolKind,
    ToolResult, Verbatim,
};
use interlingua_wire::{JsonString, RawJson};

use crate::engine::Work;
use crate::values::block::{is_reasoning_or_entry, plain_text};

/// Position of a cache breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheBreakpointPos {
    Tool(usize),
    System(usize),
    Block(usize, usize),
    /// Inside a result.
    ResultContent(usize, usize, usize),
}

impl CacheBreakpointPos {
    pub(crate) fn ledger_path(self) -> LedgerPath {
        match self {
            Self::Tool(tool) => LedgerPath::tool(tool),
            Self::System(block) => LedgerPath::system(block),
            Self::Block(turn, block) | Self::ResultContent(turn, block, _) => {
                LedgerPath::block(turn, block)
            }
        }
    }

    pub(crate) fn is_in_turns(self) -> bool {
        matches!(self, Self::Block(..) | Self::ResultContent(..))
    }
}

/// All cache breakpoints with their lifetimes.
pub(crate) fn list_breakpoints(work: &Work<'_>) -> Vec<(CacheBreakpointPos, Option<JsonString>)> {
    let mut breakpoints = Vec::new();
    let mut add = |pos, cache: Option<&CacheBreakpoint>| {
        if let Some(cache) = cache {
            breakpoints.push((pos, cache.ttl.clone()));
        }
    };
    let conversation = work.conversation();
    for (at, tool) in conversation.tools.iter().enumerate() {
        add(CacheBreakpointPos::Tool(at), tool.cache_breakpoint.as_deref());
    }
    for (at, block) in conversation.system.iter().enumerate() {
        add(CacheBreakpointPos::System(at), block.cache_breakpoint.as_deref());
    }
    for (turn, at) in blocks_with_breakpoint(work) {
        let block = &conversation.turns[turn].blocks[at];
        for (inner, block) in result_content(block).iter().enumerate() {
            add(
                CacheBreakpointPos::ResultContent(turn, at, inner),
                block.cache_breakpoint.as_deref(),
            );
        }
        add(CacheBreakpointPos::Block(turn, at), block.cache_breakpoint.as_deref());
    }
    breakpoints
}

fn result_content(block: &Block) -> &[Verbatim<Block>] {
    match &block.content {
        BlockContent::ToolResult(ToolResult { content, .. }) => content,
        _ => &[],
    }
}

/// Every block with a cache breakpoint, in the order of encoding: for another dialect, results come
/// before the other blocks of the same run of user turns.
fn blocks_with_breakpoint(work: &Work<'_>) -> Vec<(usize, usize)> {
    let mut positions = Vec::new();
    let is_assistant = |turn: usize| work.turns()[turn].role == Role::Assistant;
    let has_breakpoint = |block: &Block| {
        block.cache_breakpoint.is_some()
            || result_content(block).iter().any(|block| block.cache_breakpoint.is_some())
    };
    let marked_blocks = |turn: usize| {
        let blocks = work.blocks(turn).iter().enumerate();
        blocks.filter(move |(_, block)| has_breakpoint(block)).map(move |(at, _)| (turn, at))
    };
    let mut start = 0;
    while start < work.turns().len() {
        let run =
            (start..work.turns().len()).take_while(|at| is_assistant(*at) == is_assistant(start));
        let end = start + run.count();
        let from = positions.len();
        positions.extend((start..end).flat_map(marked_blocks));
        if !work.is_same_dialect() && !is_assistant(start) {
            let is_result = |(turn, at): &(usize, usize)| {
                matches!(work.block(*turn, *at).content, BlockContent::ToolResult(_))
            };
            positions[from..].sort_by_key(|pos| !is_result(pos));
        }
        start = end;
    }
    positions
}

/// The body field with a breakpoint for the whole request: its index and lifetime.
pub(crate) fn request_breakpoint(work: &Work<'_>, field: &str) -> Option<(usize, Option<String>)> {
    let conversation = work.conversation();
    let same_dialect = conversation.dialect == work.profile.dialect;
    let at = conversation
        .top_level_fields
        .iter()
        .position(|entry| same_dialect && entry.key == *field)?;
    let doc = conversation.top_level_fields[at].value.to_doc();
    let ttl = doc.root().get("ttl").map(|ttl| ttl.str_or_empty().into_owned());
    doc.root().is_object().then_some((at, ttl.filter(|ttl| !ttl.is_empty())))
}

/// Replaces or removes the cache breakpoint at a position.
pub(crate) fn set_breakpoint(
    work: &mut Work<'_>,
    pos: CacheBreakpointPos,
    cache: Option<CacheBreakpoint>,
) {
    let cache = cache.map(Box::new);
    let dialect = work.profile.dialect;
    if work.profile.cache.breakpoint_block_kind.is_some() {
        return set_keeping_text(work, pos, cache);
    }
    match pos {
        CacheBreakpointPos::Tool(tool) => {
            let tool = work.edit_tools()[tool].edit();
            if let ToolKind::Foreign { json, .. } = &mut tool.kind {
                *json = with_breakpoint(json, cache.as_deref());
            }
            tool.extras.retain(dialect, |key, _| *key != *CACHE_CONTROL);
            tool.cache_breakpoint = cache;
        }
        CacheBreakpointPos::System(block) => {
            set_on_block(work.edit_system()[block].edit(), cache, dialect);
        }
        CacheBreakpointPos::Block(turn, block) => {
            set_on_block(work.edit_block(turn, block), cache, dialect);
        }
        CacheBreakpointPos::ResultContent(turn, block, inner) => {
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, block).content {
                set_on_block(result.content[inner].edit(), cache, dialect);
            }
        }
    }
}

/// The same for dialects in which the breakpoint is not part of the block's text.
fn set_keeping_text(
    work: &mut Work<'_>,
    pos: CacheBreakpointPos,
    cache: Option<Box<CacheBreakpoint>>,
) {
    match pos {
        CacheBreakpointPos::Tool(tool) => {
            work.edit_tools()[tool].edit_keeping_text(|tool| tool.cache_breakpoint = cache);
        }
        CacheBreakpointPos::System(block) => {
            work.edit_system()[block].edit_keeping_text(|block| block.cache_breakpoint = cache);
        }
        CacheBreakpointPos::Block(turn, block) => {
            work.edit_turn(turn).blocks[block]
                .edit_keeping_text(|block| block.cache_breakpoint = cache);
        }
        CacheBreakpointPos::ResultContent(turn, block, inner) => {
            if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, block).content {
                result.content[inner].edit_keeping_text(|block| block.cache_breakpoint = cache);
            }
        }
    }
}

fn set_on_block(
    block: &mut Block,
    cache: Option<Box<CacheBreakpoint>>,
    dialect: interlingua_model::DialectId,
) {
    if let BlockContent::Foreign { json, .. } = &mut block.content {
        *json = with_breakpoint(json, cache.as_deref());
    }
    // Extras keep the client's breakpoint if it has fields that the model lacks.
    block.extras.retain(dialect, |key, _| *key != *CACHE_CONTROL);
    block.extras.remove_spellings(dialect, BREAKPOINT_FIELDS);
    block.cache_breakpoint = cache;
}

/// The JSON of a foreign block or tool with this breakpoint only.
fn with_breakpoint(json: &RawJson, cache: Option<&CacheBreakpoint>) -> RawJson {
    let doc = json.to_doc();
    if !doc.root().is_object() {
        return json.clone();
    }
    RawJson::object(|out| {
        for field in doc.root().fields().filter(|field| !field.key_is(CACHE_CONTROL)) {
            out.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        if let Some(cache) = cache {
            out.object(CACHE_CONTROL, |out| {
                out.str("type", "ephemeral");
                out.json_string_opt("ttl", cache.ttl.as_ref());
            });
        }
    })
}

impl Work<'_> {
    /// Passes the cache breakpoint of a block that is about to be removed to the nearest earlier
    /// block that can carry one, in this turn or the previous one. Returns whether the breakpoint
    /// is lost.
    pub fn pass_cache_breakpoint_back(&mut self, turn: usize, block: usize) -> bool {
        let Some(cache) = self.block(turn, block).cache_breakpoint.clone() else { return false };
        match self.previous_cacheable(turn, block) {
            Some((turn, block)) => {
                self.add_cache_breakpoint(turn, block, *cache);
                false
            }
            None => true,
        }
    }

    fn add_cache_breakpoint(&mut self, turn: usize, block: usize, cache: CacheBreakpoint) {
        if self.block(turn, block).cache_breakpoint.is_none() {
            set_breakpoint(self, CacheBreakpointPos::Block(turn, block), Some(cache));
        }
    }

    /// The nearest earlier block that can carry a breakpoint.
    fn previous_cacheable(&self, turn: usize, block: usize) -> Option<(usize, usize)> {
        let can_carry = |turn: usize, block: usize| {
            let block = self.block(turn, block);
            !is_reasoning_or_entry(block) && plain_text(block).is_none_or(|text| !text.is_blank())
        };
        let in_turn = (0..block).rev().find(|at| can_carry(turn, *at)).map(|at| (turn, at));
        in_turn.or_else(|| {
            let previous_turn = turn.checked_sub(1)?;
            let at = (0..self.blocks(previous_turn).len())
                .rev()
                .find(|at| can_carry(previous_turn, *at))?;
            Some((previous_turn, at))
        })
    }
}

/// How the client spelled a breakpoint.
const BREAKPOINT_FIELDS: SpellingSet =
    SpellingSet::new(&[Spelling::CacheControlField, Spelling::PromptCacheBreakpointField]);

/// The breakpoint field of the one dialect with foreign blocks that are passed verbatim and can
/// carry a breakpoint.
pub(crate) const CACHE_CONTROL: &str = "cache_control";
