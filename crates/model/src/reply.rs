//! A whole reply.

use interlingua_wire::{Json, Text};

use crate::{DialectId, Role, Turn};

#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub id: Option<Text>,
    pub model: Option<Text>,
    pub turn: Turn,
    pub usage: Usage,
    pub stop: Stop,
    /// Fields of the reply the model has no name for, of the dialect that wrote them.
    pub extras: crate::Extras,
}

/// Token counts in disjoint buckets, so that each dialect can add up what it counts together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Read and not from a cache.
    pub input: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
    /// The part of `cache_write` that is kept for an hour, where that is told.
    pub cache_write_hour: Option<u64>,
    /// Read by the provider's own tools, where that is counted apart.
    pub tool_input: Option<u64>,
    /// Written, without reasoning where that is told apart.
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
    /// Counts only one dialect has, as written there.
    pub written: Option<(DialectId, Json)>,
}

/// Why the reply ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub reason: StopReason,
    /// The stop sequence that was met, where that is told.
    pub sequence: Option<Text>,
    /// The dialect's own word for it.
    pub word: Option<(DialectId, Text)>,
    /// What the provider says about it, for people.
    pub message: Option<Text>,
}

/// Words nobody knows yet come in as `Other`; every dialect has a word for each of these on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    End,
    Sequence,
    MaxTokens,
    ToolUse,
    ContextFull,
    Refusal,
    /// The provider paused a long turn; sending it back goes on.
    Pause,
    /// The model's call could not be read by the provider.
    MalformedCall,
    Error,
    Other,
}

impl Reply {
    pub fn new() -> Self {
        Self {
            id: None,
            model: None,
            turn: Turn::new(Role::Assistant),
            usage: Usage::default(),
            stop: Stop::new(StopReason::End),
            extras: crate::Extras::default(),
        }
    }

    /// Whether the provider goes on if this is sent back to it.
    pub fn is_paused(&self) -> bool {
        self.stop.reason == StopReason::Pause && !self.has_calls()
    }

    /// What its provider said when it went on.
    pub fn goes_on(&mut self, next: Reply) {
        self.turn.blocks.extend(next.turn.blocks);
        self.usage.add(&next.usage);
        self.stop = next.stop;
    }

    pub fn has_calls(&self) -> bool {
        self.turn.blocks.iter().any(|block| matches!(block.body, crate::Body::ToolCall(_)))
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    pub fn new(reason: StopReason) -> Self {
        Self { reason, sequence: None, word: None, message: None }
    }

    /// The dialect's own word, if it was this dialect that ended the reply.
    pub fn word_for(&self, dialect: DialectId) -> Option<&Text> {
        self.word.as_ref().filter(|(from, _)| *from == dialect).map(|(_, word)| word)
    }

    /// A reply with calls ended for the calls, whatever its provider says; some say `stop`.
    #[must_use]
    pub fn with_calls(mut self, has_calls: bool) -> Self {
        if has_calls && matches!(self.reason, StopReason::End | StopReason::Other) {
            self.reason = StopReason::ToolUse;
            self.word = None;
        }
        self
    }
}

impl Usage {
    /// Later counts replace earlier ones.
    pub fn update(&mut self, later: &Usage) {
        fn replace<T: Clone>(earlier: &mut Option<T>, later: Option<&T>) {
            if let Some(later) = later {
                *earlier = Some(later.clone());
            }
        }
        replace(&mut self.input, later.input.as_ref());
        replace(&mut self.cache_read, later.cache_read.as_ref());
        replace(&mut self.cache_write, later.cache_write.as_ref());
        replace(&mut self.cache_write_hour, later.cache_write_hour.as_ref());
        replace(&mut self.tool_input, later.tool_input.as_ref());
        replace(&mut self.output, later.output.as_ref());
        replace(&mut self.reasoning, later.reasoning.as_ref());
        replace(&mut self.written, later.written.as_ref());
    }

    /// What another part of the same reply has cost, too.
    pub fn add(&mut self, other: &Usage) {
        fn add(one: &mut Option<u64>, other: Option<u64>) {
            *one = match (*one, other) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            };
        }
        add(&mut self.input, other.input);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
        add(&mut self.cache_write_hour, other.cache_write_hour);
        add(&mut self.tool_input, other.tool_input);
        add(&mut self.output, other.output);
        add(&mut self.reasoning, other.reasoning);
        // What is written is of one part alone.
        self.written = None;
    }

    /// Everything read: uncached, cached, written to the cache, and by tools.
    pub fn all_input(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write, self.tool_input]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    }

    /// Everything written, with reasoning.
    pub fn all_output(&self) -> u64 {
        self.output.unwrap_or(0).saturating_add(self.reasoning.unwrap_or(0))
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
