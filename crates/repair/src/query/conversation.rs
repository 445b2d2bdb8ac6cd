//! Predicates on blocks and turns that several rules share.

use interlingua_model::{Block, BlockContent, MediaSource, ReasoningForm, Role, Turn, Verbatim};
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::profile::reasoning::is_reasoning_enabled;
use crate::values::base64;
use crate::values::block::{is_call, is_instruction, is_reasoning_or_entry, plain_text};
use interlingua_providers::profile::calls::ResultPlacement;
use interlingua_providers::profile::roles::{InstructionPlacement, LastRole, MergePolicy};
use interlingua_providers::profile::texts::TextMinimum;

impl Work<'_> {
    /// Whether a turn, or one of its blocks, leaves as written in the target's dialect. In a stored
    /// conversation each turn may have come in a different dialect.
    pub fn is_turn_in_target_dialect(&self, turn: usize) -> bool {
        let (turn, dialect) = (&self.turns()[turn], self.profile.dialect);
        self.is_same_dialect()
            || turn.text_for(dialect).is_some()
            || turn.blocks.iter().any(|block| block.text_for(dialect).is_some())
    }

    /// Whether the target rejects the block because its text is too short.
    pub fn is_text_rejected(&self, block: &Block) -> bool {
        self.is_text_below(block, self.profile.texts.min_text)
    }

    /// As [`is_text_rejected`](Self::is_text_rejected), for a block where it is. Only a text that is
    /// sent as it came may be blank.
    pub fn is_text_rejected_at(&self, turn: usize, at: usize) -> bool {
        let (block, turn) = (self.block(turn, at), &self.turns()[turn]);
        let is_cited = |block: &Block| matches!(&block.content, BlockContent::Text { citations, .. } if !citations.is_empty());
        let may_be_blank = self.profile.texts.accepts_blank_beside_call
            && self.is_same_dialect()
            && turn.role == Role::Assistant
            && plain_text(block).is_some_and(|text| !text.is_empty())
            && turn.blocks.iter().any(|block| is_call(block) || is_cited(block));
        !may_be_blank && self.is_text_rejected(block)
    }

    /// Whether the text of a block has less than the minimum, and no seal of the target protects
    /// it.
    pub fn is_text_below(&self, block: &Block, minimum: TextMinimum) -> bool {
        let text = match &block.content {
            // Where blank texts are accepted, reasoning counts as text.
            BlockContent::Reasoning(reasoning)
                if minimum == TextMinimum::NonEmpty && !self.profile.texts.checks_whole_message =>
            {
                Some(&reasoning.text)
            }
            // Text documents are encoded as text.
            BlockContent::Media(media) if minimum == TextMinimum::NonEmpty => match &media.source {
                MediaSource::Text(text) => Some(text),
                MediaSource::Blocks(inner) => {
                    return inner.iter().all(|block| self.is_text_below(block, minimum));
                }
                MediaSource::Base64 { .. } | MediaSource::Url { .. } | MediaSource::File { .. } => {
                    None
                }
            },
            _ => plain_text(block),
        };
        text.is_some_and(|text| minimum.rejects(text)) && !self.is_sealed_by_target(block)
    }

    /// Whether the target itself sealed the text.
    pub fn is_sealed_by_target(&self, block: &Block) -> bool {
        let issuer = self.profile.texts.empty_text_sealer;
        let allows_any_text = !self.profile.reasoning.base64_seals;
        block.seal.as_ref().is_some_and(|seal| {
            issuer.is_some_and(|target_issuer| seal.origin.issuer == target_issuer)
                && (allows_any_text || base64::is_valid(&seal.data.unescape(), true))
        })
    }

    /// Whether the block is reasoning that is sent to the target.
    pub fn is_replayed_reasoning(&self, block: &Verbatim<Block>) -> bool {
        let issuer = self.profile.texts.reasoning_issuer;
        let is_sealed = |block: &Block| {
            block
                .seal
                .as_ref()
                .is_some_and(|seal| issuer.is_none_or(|issuer| seal.origin.issuer == issuer))
        };
        is_reasoning_or_entry(block)
            && (block.text_for(self.profile.dialect).is_some() || is_sealed(block))
    }

    /// Whether the block is between two blocks of reasoning that are sent to the target; `next` is
    /// the second one.
    pub(crate) fn is_between_reasoning(&self, turn: usize, block: usize, next: usize) -> bool {
        let blocks = self.blocks(turn);
        // A cache breakpoint block behind the reasoning separates them already.
        let cache = &self.profile.cache;
        let has_breakpoint =
            block.checked_sub(1).is_some_and(|at| blocks[at].cache_breakpoint.is_some());
        if has_breakpoint && cache.breakpoint_block_kind.is_some() && !cache.not_on_reasoning {
            return false;
        }
        let is_replayed = |at: Option<usize>| {
            at.and_then(|at| blocks.get(at)).is_some_and(|block| self.is_replayed_reasoning(block))
        };
        is_replayed(block.checked_sub(1)) && is_replayed(Some(next))
    }

    /// Whether the block is part of the target's encoding.
    pub fn is_encoded(&self, block: &Verbatim<Block>) -> bool {
        match &block.content {
            BlockContent::Foreign { dialect, .. } => {
                *dialect == self.profile.dialect && !is_reasoning_or_entry(block)
            }
            // Where reasoning is part of the content, only a text counts.
            BlockContent::Reasoning(reasoning) if self.profile.texts.reasoning_in_content => {
                reasoning.form != ReasoningForm::Redacted && !reasoning.text.is_empty()
            }
            BlockContent::Reasoning(_) => {
                self.is_same_dialect()
                    || self.profile.texts.reasoning_issuer.is_some()
                        && self.is_replayed_reasoning(block)
            }
            BlockContent::Text { .. }
            | BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_) => true,
        }
    }

    /// Whether the target accepts a user turn without blocks, and encoding writes one.
    pub fn accepts_empty_user_turn(&self) -> bool {
        let roles = &self.profile.roles;
        roles.allows_empty_user && (roles.encodes_empty || self.is_same_dialect())
    }

    /// The same for an assistant turn.
    pub fn accepts_empty_assistant_turn(&self) -> bool {
        let roles = &self.profile.roles;
        roles.allows_empty_assistant && (roles.encodes_empty || self.is_same_dialect())
    }

    /// Whether the turn is part of the target's encoding.
    pub fn is_turn_encoded(&self, turn: &Turn) -> bool {
        let roles = &self.profile.roles;
        let is_empty_user_turn =
            turn.blocks.is_empty() && self.accepts_empty_user_turn() && !roles.has_items;
        is_empty_user_turn
            || self.is_same_dialect()
            || turn.blocks.iter().any(|block| self.is_encoded(block))
    }

    /// Whether these mid-conversation instructions end up as user text.
    pub fn becomes_user_text(&self, turn: usize) -> bool {
        let (source, roles) = (&self.turns()[turn], &self.profile.roles);
        let must_move = roles.instruction_placement.must_move(!self.is_same_dialect());
        let has_text =
            |block: &Verbatim<Block>| !self.is_text_rejected(block) && self.is_encoded(block);
        let merges = !self.is_same_dialect() || roles.merge_policy == MergePolicy::All;
        is_instruction(source) && must_move && (merges || source.blocks.iter().any(has_text))
    }

    /// Whether the target skips these instructions when it looks for results.
    pub fn is_skipped_before_results(&self, turn: &Turn) -> bool {
        let anywhere = self.profile.roles.instruction_placement == InstructionPlacement::Anywhere;
        is_instruction(turn)
            && anywhere
            && self.profile.calls.result_placement == ResultPlacement::FirstAfterRun
    }

    /// Number of instruction turns at the head of the conversation.
    pub fn leading_instructions(&self) -> usize {
        self.turns().iter().take_while(|turn| is_instruction(turn)).count()
    }

    /// The first turn that is not an instruction.
    pub fn first_dialogue_turn(&self) -> Option<usize> {
        self.turns().iter().position(|turn| !is_instruction(turn) && self.is_turn_encoded(turn))
    }

    pub fn is_reasoning_enabled(&self) -> bool {
        is_reasoning_enabled(&self.profile.reasoning, &self.conversation().settings)
    }

    /// Whether the target accepts the turn as it is written and checks nothing else of it.
    pub fn is_accepted_verbatim(&self, turn: usize) -> bool {
        let Some(accepts) = self.profile.fields.accepts_item.filter(|_| self.is_same_dialect())
        else {
            return false;
        };
        let text = self.turns()[turn].text_for(self.profile.dialect);
        text.is_some_and(|text| text.is_object() && accepts(self.json_ref(text).root()))
    }

    /// Whether only this turn separates the instructions behind it from those at the head, for a
    /// target with a separate field for instructions.
    pub fn separates_instructions(&self, turn: usize) -> bool {
        self.separates_instructions_at(turn, turn + 1)
    }

    /// As [`Work::separates_instructions`], where every turn before `next` is about to be removed.
    pub(crate) fn separates_instructions_at(&self, turn: usize, next: usize) -> bool {
        let (turns, instructions) = (self.turns(), self.profile.roles.instruction_placement);
        (instructions.must_move(false) || !self.is_same_dialect())
            && turns[turn].role == Role::Assistant
            && turns.get(next).is_some_and(|next| is_instruction(next))
            && turns[..turn].iter().all(|turn| is_instruction(turn))
    }

    /// The last turn that is not an instruction.
    pub fn last_dialogue_turn(&self) -> Option<usize> {
        self.turns().iter().rposition(|turn| !is_instruction(turn) && self.is_turn_encoded(turn))
    }

    /// Whether the turn ends with a block of the provider's hosted tools, so that the provider
    /// resumes it.
    pub fn ends_resumable(&self, turn: &Turn) -> bool {
        let Some(last) = turn.blocks.last() else { return false };
        match &last.content {
            BlockContent::Foreign { dialect, kind, .. } if *dialect == self.profile.dialect => {
                let kind = kind.unescape();
                self.profile
                    .roles
                    .resumable_block_suffixes
                    .iter()
                    .any(|suffix| kind.ends_with(suffix))
                    && !kind.starts_with("mcp_")
            }
            _ => false,
        }
    }
}

/// Whether an assistant turn may be the last one.
pub(crate) fn may_be_last(work: &Work<'_>, last: usize) -> bool {
    let turn = &work.turns()[last];
    match work.profile.roles.last_role {
        LastRole::Any => true,
        LastRole::PrefillUnlessReasoning => {
            !work.is_reasoning_enabled() || work.ends_resumable(turn)
        }
        LastRole::User => work.ends_resumable(turn),
        LastRole::UserUnlessField(field) => {
            last + 1 == work.turns().len()
                && turn
                    .extras
                    .get(work.profile.dialect, field)
                    .is_some_and(|value| *value == RawJson::TRUE)
        }
    }
}
