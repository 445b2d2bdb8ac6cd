//! What the encoders of one body share.

use interlingua_model::{
    Block, Conversation, Extras, Ledger, LedgerPath, Media, ToolCallIndex, Turn, Verbatim,
};
use interlingua_providers::spelling::openai_chat::{
    CacheBreakpointSpelling, Flavor, ReasoningHistory,
};
use interlingua_wire::{JsonString, RawJson};

use crate::common::dropped_extras::dropped_names;
use crate::note;
use crate::openai_chat::id::ID;

/// Encoder context for the messages of one conversation.
#[derive(Debug)]
pub(crate) struct EncodeCx<'a> {
    pub(crate) flavor: &'static Flavor,
    pub(crate) joins_instructions: bool,
    pub(crate) conversation: &'a Conversation,
    pub(crate) calls: ToolCallIndex<'a>,
    pub(crate) ledger: &'a mut Ledger,
    /// Media of tool results, which are moved to a user message after the results.
    pub(crate) moved_media: Vec<(JsonString, &'a Media)>,
}

impl<'a> EncodeCx<'a> {
    pub(crate) fn new(
        flavor: &'static Flavor,
        joins_instructions: bool,
        conversation: &'a Conversation,
        ledger: &'a mut Ledger,
    ) -> Self {
        Self {
            flavor,
            joins_instructions,
            conversation,
            calls: ToolCallIndex::new(conversation),
            ledger,
            moved_media: Vec::new(),
        }
    }

    /// The role of a turn's message: the client's unknown role in a same-dialect request, else
    /// `default_role`.
    pub(crate) fn message_role(&self, turn: &Turn, default_role: &'static str) -> JsonString {
        let same_dialect = self.conversation.dialect == ID;
        let unknown_role = turn.extras.written_role(ID).filter(|_| same_dialect);
        unknown_role.cloned().unwrap_or(JsonString::from_static(default_role))
    }

    pub(crate) fn writes_cache_breakpoints(&self) -> bool {
        match self.flavor.cache_breakpoint {
            CacheBreakpointSpelling::None => false,
            CacheBreakpointSpelling::CacheControl => true,
            CacheBreakpointSpelling::PromptCacheBreakpoint => self.conversation.dialect == ID,
        }
    }

    pub(crate) fn writes_reasoning_details(&self) -> bool {
        self.flavor.reasoning_history == ReasoningHistory::ReasoningDetails
    }

    pub(crate) fn note_dropped_block(&mut self, path: LedgerPath, kind: &str) {
        let message = format!("left out {kind}: this dialect does not have it");
        self.ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
    }

    pub(crate) fn note_dropped_reasoning(&mut self, path: LedgerPath) {
        self.ledger.record_loss(
            note::FOREIGN_SEAL,
            path,
            "left out reasoning: the target does not accept it",
        );
    }

    pub(crate) fn note_dropped_seal(&mut self, path: LedgerPath) {
        self.ledger.record_loss(
            note::FOREIGN_SEAL,
            path,
            "left out a seal: the target does not accept it",
        );
    }

    pub(crate) fn note_dropped_cache(&mut self, path: LedgerPath) {
        self.ledger.record_loss(
            note::NO_SUCH_CACHE,
            path,
            "left out a cache breakpoint: the target does not support it",
        );
    }

    /// Notes a cache breakpoint on a block that is not a part, if parts support one.
    pub(crate) fn note_unwritable_cache(&mut self, block: &Block, path: LedgerPath) {
        if block.cache_breakpoint.is_some() && self.writes_cache_breakpoints() {
            self.note_dropped_cache(path);
        }
    }

    /// Notes dropped fields of another dialect, except those without meaning.
    pub(crate) fn note_dropped_extras(&mut self, extras: &Extras, path: LedgerPath) {
        note_dropped_extras(extras, path, self.ledger);
    }
}

pub(crate) fn note_dropped_extras(extras: &Extras, path: LedgerPath, ledger: &mut Ledger) {
    let is_ignored = |key: &JsonString, value: &RawJson| {
        key == "index" || key == "id" || key == "status" && value.as_str() == "\"completed\""
    };
    if let Some((dialect, names)) = dropped_names(extras, ID, is_ignored) {
        let message = format!("left out {names} of {dialect}");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}

/// The blocks of a turn with their ledger paths.
pub(super) fn blocks_with_paths(at: usize, turn: &Turn) -> Vec<(LedgerPath, &Verbatim<Block>)> {
    turn.blocks.iter().enumerate().map(|(nr, block)| (LedgerPath::block(at, nr), block)).collect()
}
