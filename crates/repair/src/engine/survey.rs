//! Collects in one pass which features a conversation has, so that rules about absent features are
//! skipped.

use interlingua_model::{
    Block, BlockContent, Conversation, MediaSource, Role, ToolArgs, ToolResult, Turn, Verbatim,
};
use interlingua_providers::profile::calls::IdLengths;
use interlingua_wire::JsonString;

use crate::values::block::is_sealed;

/// A feature that a rule requires; without it the rule is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    CacheBreakpoints,
    /// Extras of turns or blocks.
    Extras,
    /// Blocks of one dialect only.
    ForeignBlocks,
    Media,
    /// Blank texts, and results without text.
    BlankText,
    /// Results with content other than text.
    NonTextResult,
    ResultWithoutId,
    /// Arguments that are not an object.
    NonObjectArgs,
    /// Calls of freeform tools.
    FreeformCall,
    ReasoningBlock,
    /// Reasoning, seals, and fields that may have either.
    ReasoningOrSeal,
    UnsealedReasoning,
    /// Reasoning anywhere but at the start of a single assistant turn with other content.
    MisplacedReasoning,
    /// Turns with nothing but reasoning or blocks of one dialect.
    TurnWithoutContent,
}

/// Features and statistics of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// Bit set of [`Feature`].
    features: u16,
    id_lengths: Option<IdLengths>,
    /// Distinct names of called tools, at most one more than [`MAX_CALLED_TOOLS`].
    called_tools: Vec<JsonString>,
}

/// Contribution of a block to the content of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contribution {
    Content,
    Reasoning,
    DialectOnly,
    Nothing,
}

impl Survey {
    #[inline(never)]
    pub(crate) fn new(conversation: &Conversation) -> Self {
        let mut survey = Self::default();
        survey.add(
            Feature::CacheBreakpoints,
            conversation.tools.iter().any(|tool| tool.cache_breakpoint.is_some()),
        );
        survey.scan_blocks(&conversation.system);
        let mut after_assistant = false;
        let mut after_reasoning = false;
        for turn in &conversation.turns {
            let has_reasoning = survey.scan_turn(turn);
            let is_assistant = turn.role == Role::Assistant;
            survey.add(Feature::MisplacedReasoning, has_reasoning && !is_assistant);
            // Several assistant turns in a row count as one.
            survey.add(
                Feature::MisplacedReasoning,
                after_assistant && is_assistant && (has_reasoning || after_reasoning),
            );
            if turn.role == Role::User {
                (after_assistant, after_reasoning) = (false, false);
            } else if is_assistant {
                (after_assistant, after_reasoning) = (true, has_reasoning);
            }
        }
        // The last assistant turn has reasoning: the rules decide whether it is a valid prefill.
        survey.add(Feature::MisplacedReasoning, after_reasoning);
        survey
    }

    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.features & feature.bit() != 0
    }

    /// Lengths of the ids of calls and results, if there are any.
    pub(crate) fn id_lengths(&self) -> Option<IdLengths> {
        self.id_lengths
    }

    /// Names of called tools, if there are at most [`MAX_CALLED_TOOLS`].
    pub(crate) fn called_tools(&self) -> Option<&[JsonString]> {
        (self.called_tools.len() <= MAX_CALLED_TOOLS).then_some(&self.called_tools)
    }

    fn add(&mut self, feature: Feature, is_present: bool) {
        if is_present {
            self.features |= feature.bit();
        }
    }

    fn add_id(&mut self, id: &JsonString) {
        let length = id.raw().len();
        let ids = self.id_lengths.get_or_insert(IdLengths { min: length, max: length });
        ids.min = ids.min.min(length);
        ids.max = ids.max.max(length);
    }

    fn add_called_tool(&mut self, name: &JsonString) {
        if self.called_tools.len() <= MAX_CALLED_TOOLS && !self.called_tools.contains(name) {
            self.called_tools.push(name.clone());
        }
    }

    /// Scans a turn; returns whether it has reasoning.
    fn scan_turn(&mut self, turn: &Turn) -> bool {
        self.add_extras(!turn.extras.is_empty());
        let is_assistant = turn.role == Role::Assistant;
        let (mut has_content, mut has_reasoning, mut has_dialect_only) = (false, false, false);
        let mut last = Contribution::Nothing;
        for (at, block) in turn.blocks.iter().enumerate() {
            let contribution = self.scan_block(block);
            // Blocks without content may be removed later.
            if contribution != Contribution::Nothing {
                last = contribution;
            }
            match contribution {
                // Only assistants make calls, and only users send results.
                Contribution::Content => {
                    has_content |= match block.content {
                        BlockContent::ToolCall(_) => is_assistant,
                        BlockContent::ToolResult(_) => turn.role == Role::User,
                        _ => true,
                    }
                }
                Contribution::Reasoning => {
                    self.add(Feature::MisplacedReasoning, at > 0 && !has_reasoning);
                    has_reasoning = true;
                }
                Contribution::DialectOnly => has_dialect_only = true,
                Contribution::Nothing => {}
            }
        }
        self.add(Feature::TurnWithoutContent, !has_content);
        self.add(
            Feature::MisplacedReasoning,
            has_reasoning && (has_dialect_only || last == Contribution::Reasoning),
        );
        has_reasoning
    }

    fn add_extras(&mut self, is_present: bool) {
        self.add(Feature::Extras, is_present);
        self.add(Feature::ReasoningOrSeal, is_present);
    }

    fn scan_blocks(&mut self, blocks: &[Verbatim<Block>]) {
        for block in blocks {
            self.scan_block(block);
        }
    }

    fn scan_block(&mut self, block: &Block) -> Contribution {
        self.add(Feature::CacheBreakpoints, block.cache_breakpoint.is_some());
        self.add_extras(!block.extras.is_empty());
        self.add(Feature::ReasoningOrSeal, block.seal.is_some());
        match &block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => {
                if text.is_blank() {
                    self.add(Feature::BlankText, true);
                    return Contribution::Nothing;
                }
            }
            BlockContent::Media(media) => {
                self.add(Feature::Media, true);
                match &media.source {
                    MediaSource::Text(text) if text.is_blank() => {
                        self.add(Feature::BlankText, true);
                        return Contribution::DialectOnly;
                    }
                    MediaSource::Blocks(blocks) => {
                        self.add(Feature::BlankText, blocks.is_empty());
                        self.scan_blocks(blocks);
                        return Contribution::DialectOnly;
                    }
                    MediaSource::Text(_)
                    | MediaSource::Base64 { .. }
                    | MediaSource::Url { .. }
                    | MediaSource::File { .. } => {}
                }
            }
            BlockContent::Foreign { .. } => {
                self.add(Feature::ForeignBlocks, true);
                return Contribution::DialectOnly;
            }
            BlockContent::Reasoning(reasoning) => {
                self.add(Feature::ReasoningBlock, true);
                self.add(Feature::ReasoningOrSeal, true);
                self.add(Feature::BlankText, reasoning.text.is_empty());
                self.add(Feature::UnsealedReasoning, !is_sealed(block));
                return Contribution::Reasoning;
            }
            BlockContent::ToolCall(call) => {
                self.add_id(&call.id);
                self.add_called_tool(&call.name);
                match &call.args {
                    ToolArgs::Json(json) => self.add(Feature::NonObjectArgs, !json.is_object()),
                    ToolArgs::Malformed(_) => self.add(Feature::NonObjectArgs, true),
                    ToolArgs::Freeform(_) => self.add(Feature::FreeformCall, true),
                }
            }
            BlockContent::ToolResult(result) => self.scan_result(result),
            BlockContent::Json(_) => {}
        }
        Contribution::Content
    }

    fn scan_result(&mut self, result: &ToolResult) {
        self.add_id(&result.call_id);
        self.add(Feature::ResultWithoutId, result.call_id.is_empty());
        let text_count =
            result.content.iter().filter(|block| block.content.as_text().is_some()).count();
        self.add(Feature::BlankText, text_count == 0);
        self.add(Feature::NonTextResult, text_count < result.content.len());
        self.scan_blocks(&result.content);
    }
}

impl Feature {
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Limit of the list of called tool names.
const MAX_CALLED_TOOLS: usize = 8;
