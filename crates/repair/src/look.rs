//! Questions that several rules ask of a conversation.

use interlingua_model::{Block, Body, DialectId, Form, Role, Source, Turn, Verbatim};
use interlingua_wire::{Node, Text};

use crate::Work;
use crate::media::base64;
use crate::profile::calls::Answers;
use crate::profile::roles::{Instructions, Joined};
use crate::profile::texts::Least;

impl Least {
    /// Whether a text holds less.
    pub fn refuses(self, text: &Text) -> bool {
        match self {
            Self::Nothing => false,
            Self::Something => text.is_empty(),
            Self::Words => text.is_blank(),
        }
    }
}

impl Work<'_> {
    /// Whether the request leaves in the dialect it came in: each turn is then a message of its own,
    /// as its client wrote it. For other dialects neighbours are joined as they are written.
    pub fn is_own(&self) -> bool {
        self.conversation().source.is(self.profile.dialect)
    }

    /// Whether a turn, or a block of it, leaves as it was written in the target's dialect. In a stored
    /// conversation each turn may have come in another one.
    pub fn is_own_turn(&self, turn: usize) -> bool {
        let (turn, dialect) = (&self.turns()[turn], self.profile.dialect);
        self.is_own()
            || turn.text_for(dialect).is_some()
            || turn.blocks.iter().any(|block| block.text_for(dialect).is_some())
    }

    /// Whether the target refuses the block for what its text does not hold.
    pub fn is_refused(&self, block: &Block) -> bool {
        self.holds_less(block, self.profile.texts.least)
    }

    /// Whether the text of a block holds less than this, and nobody vouches for it.
    pub fn holds_less(&self, block: &Block, least: Least) -> bool {
        let text = match &block.body {
            // Where blank texts are taken, reasoning is a text as any other.
            Body::Thinking(thinking)
                if least == Least::Something && !self.profile.texts.as_a_whole =>
            {
                Some(&thinking.text)
            }
            // And documents of text are said as texts.
            Body::Media(media) if least == Least::Something => match &media.source {
                Source::Text(text) => Some(text),
                Source::Blocks(inner) => {
                    return inner.iter().all(|block| self.holds_less(block, least));
                }
                Source::Base64 { .. } | Source::Url { .. } | Source::File { .. } => None,
            },
            _ => words(block),
        };
        text.is_some_and(|text| least.refuses(text)) && !self.is_sealed(block)
    }

    /// Whether the target itself vouches for the text.
    pub fn is_sealed(&self, block: &Block) -> bool {
        let issuer = self.profile.texts.sealed_by;
        let plain = !self.profile.thinking.base64_seals;
        block.seal.as_ref().is_some_and(|seal| {
            issuer.is_some_and(|own| seal.origin.issuer == own)
                && (plain || base64::is_valid(&seal.data.contents(), true))
        })
    }

    /// Whether the block is reasoning that goes to the target.
    pub fn is_kept_reasoning(&self, block: &Verbatim<Block>) -> bool {
        let issuer = self.profile.texts.reasoning_of;
        let sealed = |block: &Block| {
            block
                .seal
                .as_ref()
                .is_some_and(|seal| issuer.is_none_or(|issuer| seal.origin.issuer == issuer))
        };
        is_reasoning(block) && (block.text_for(self.profile.dialect).is_some() || sealed(block))
    }

    /// Whether the block stands between two blocks of reasoning that go to the target; the second is
    /// `next`.
    pub(crate) fn is_between_reasoning(&self, turn: usize, block: usize, next: usize) -> bool {
        let blocks = self.blocks(turn);
        // A mark that stays with the reasoning stands between them.
        let cache = self.profile.cache;
        let marked = block.checked_sub(1).is_some_and(|at| blocks[at].cache.is_some());
        if marked && cache.beside.is_some() && !cache.not_on_reasoning {
            return false;
        }
        let kept = |at: Option<usize>| {
            at.and_then(|at| blocks.get(at)).is_some_and(|block| self.is_kept_reasoning(block))
        };
        kept(block.checked_sub(1)) && kept(Some(next))
    }

    /// Whether anything of the block is written for the target.
    pub fn is_said(&self, block: &Verbatim<Block>) -> bool {
        match &block.body {
            Body::Foreign { dialect, .. } => {
                *dialect == self.profile.dialect && !is_reasoning(block)
            }
            // Where reasoning is part of the content, it says something if there is a text.
            Body::Thinking(one) if self.profile.texts.reasoning_in_content => {
                one.form != Form::Redacted && !one.text.is_empty()
            }
            Body::Thinking(_) => {
                self.is_own()
                    || self.profile.texts.reasoning_of.is_some() && self.is_kept_reasoning(block)
            }
            Body::Text { .. }
            | Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_) => true,
        }
    }

    /// Whether a turn of the user's goes to the target that has nothing in it.
    pub fn takes_empty(&self) -> bool {
        let roles = self.profile.roles;
        roles.empty_turns && (roles.writes_empty || self.is_own())
    }

    /// The same of the assistant's.
    pub fn takes_silence(&self) -> bool {
        let roles = self.profile.roles;
        roles.silent_assistant && (roles.writes_empty || self.is_own())
    }

    /// Whether anything of the turn is written for the target.
    pub fn is_spoken(&self, turn: &Turn) -> bool {
        let roles = self.profile.roles;
        let silent = turn.blocks.is_empty() && self.takes_empty() && !roles.items;
        silent || self.is_own() || turn.blocks.iter().any(|block| self.is_said(block))
    }

    /// Whether instructions between what the model says are said by the user in the end.
    pub fn is_reminder(&self, turn: usize) -> bool {
        let (this, roles) = (&self.turns()[turn], self.profile.roles);
        let apart = roles.instructions.are_apart(!self.is_own());
        let words = |block: &Verbatim<Block>| !self.is_refused(block) && self.is_said(block);
        let joins = !self.is_own() || roles.joined == Joined::All;
        instructs(this) && apart && (joins || this.blocks.iter().any(words))
    }

    /// Whether the target looks for results behind these instructions as if they were not there.
    pub fn is_passed_over(&self, turn: &Turn) -> bool {
        let anywhere = self.profile.roles.instructions == Instructions::Anywhere;
        instructs(turn) && anywhere && self.profile.calls.answers == Answers::FirstAfterRun
    }

    /// Where the turns begin that are not instructions at the head of the conversation.
    pub fn leading(&self) -> usize {
        self.turns().iter().take_while(|turn| instructs(turn)).count()
    }

    /// The first turn that is no instruction.
    pub fn first_speaker(&self) -> Option<usize> {
        self.turns().iter().position(|turn| !instructs(turn) && self.is_spoken(turn))
    }

    /// Whether the model thinks before it answers.
    pub fn thinks(&self) -> bool {
        self.profile.thinking.thinks(&self.conversation().settings)
    }

    /// Whether the target takes the turn as it is written, and looks at no more of it.
    pub fn stands_as_written(&self, turn: usize) -> bool {
        let Some(takes) = self.profile.fields.takes.filter(|_| self.is_own()) else { return false };
        let text = self.turns()[turn].text_for(self.profile.dialect);
        text.is_some_and(|text| text.is_object() && takes(self.inside(text).root()))
    }

    /// Whether the turn is all that keeps instructions after it from being those at the head, for a
    /// target that writes these apart.
    pub fn is_threshold(&self, turn: usize) -> bool {
        self.is_threshold_to(turn, turn + 1)
    }

    /// As [`Work::is_threshold`], where all that stands before `next` is about to go.
    pub(crate) fn is_threshold_to(&self, turn: usize, next: usize) -> bool {
        let (turns, instructions) = (self.turns(), self.profile.roles.instructions);
        (instructions.are_apart(false) || !self.is_own())
            && turns[turn].role == Role::Assistant
            && turns.get(next).is_some_and(|next| instructs(next))
            && turns[..turn].iter().all(|turn| instructs(turn))
    }

    /// The last turn that is no instruction.
    pub fn last_speaker(&self) -> Option<usize> {
        self.turns().iter().rposition(|turn| !instructs(turn) && self.is_spoken(turn))
    }
}

/// The words of a block that has nothing else.
pub(crate) fn words(block: &Block) -> Option<&Text> {
    match &block.body {
        Body::Text { text, .. } | Body::Refusal(text) => Some(text),
        Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::Foreign { .. } => None,
    }
}

/// Reasoning, or an entry of a list of it that nobody can read.
/// Whether content, as it is written, holds nothing; where `blanks`, empty texts in a list are nothing, too.
pub(crate) fn is_vacant(content: Node<'_>, blanks: bool) -> bool {
    let nothing = |text: Node<'_>| text.raw() == "\"\"";
    let blank = |part: Node<'_>| blanks && part.get("text").is_some_and(nothing);
    nothing(content) || content.is_array() && content.items().all(blank)
}

pub(crate) fn is_reasoning(block: &Block) -> bool {
    match &block.body {
        Body::Thinking(_) => true,
        Body::Foreign { kind, .. } => kind.raw().starts_with("reasoning"),
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_) => false,
    }
}

pub(crate) fn is_result(block: &Block) -> bool {
    matches!(block.body, Body::ToolResult(_))
}

pub(crate) fn is_call(block: &Block) -> bool {
    matches!(block.body, Body::ToolCall(_))
}

pub(crate) fn instructs(turn: &Turn) -> bool {
    matches!(turn.role, Role::System | Role::Developer)
}

pub(crate) fn is_assistants(turn: &Turn) -> bool {
    turn.role == Role::Assistant
}

/// Whether something of the message may stand in another field than its content: the words of what was
/// spoken, the place of a seal, or what should be an image.
pub(crate) fn speaks_elsewhere(turn: &Turn, dialect: DialectId) -> bool {
    ELSEWHERE.iter().any(|field| turn.extras.find(dialect, field).is_some())
}

const ELSEWHERE: &[&str] = &["audio", "held extra_content", "held images"];
