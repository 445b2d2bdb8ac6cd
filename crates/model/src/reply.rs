//! A complete reply: its turn, token usage and stop reason.

use interlingua_wire::{JsonString, RawJson};

use crate::{DialectId, Role, Turn};

/// A reply in no dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The reply's id.
    pub id: Option<JsonString>,
    /// The model that replied, by the provider's name for it.
    pub model: Option<JsonString>,
    /// What the model produced.
    pub turn: Turn,
    /// Token counts.
    pub usage: Usage,
    /// Why the reply ended.
    pub stop: Stop,
    /// Fields that the model does not represent, of the dialect that encoded them.
    pub extras: crate::Extras,
}

/// Token counts in disjoint buckets, so that each dialect can sum those that it counts together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Input tokens that were not read from a cache.
    pub input: Option<u64>,
    /// Input tokens that were read from a prompt cache.
    pub cache_read: Option<u64>,
    /// Input tokens that were written to a prompt cache.
    pub cache_write: Option<u64>,
    /// The part of `cache_write` with a lifetime of one hour, if the provider reports it.
    pub cache_write_1h: Option<u64>,
    /// Input of the provider's own tools, if it is counted separately.
    pub tool_input: Option<u64>,
    /// Output tokens, without reasoning if that is reported separately.
    pub output: Option<u64>,
    /// Output tokens of reasoning, if they are reported separately.
    pub reasoning: Option<u64>,
    /// Counters that only one dialect has, as JSON of that dialect.
    pub original: Option<(DialectId, RawJson)>,
}

/// Why the reply ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The reason.
    pub reason: StopReason,
    /// The stop sequence that was produced, if the provider reports it.
    pub sequence: Option<JsonString>,
    /// The dialect's own stop reason.
    pub original_reason: Option<(DialectId, JsonString)>,
    /// The provider's explanation, for people.
    pub message: Option<JsonString>,
}

/// Dialect-neutral stop reasons. Unknown reasons are decoded as `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished its turn.
    EndTurn,
    /// The model produced a stop sequence.
    StopSequence,
    /// The reply reached the requested maximum of tokens.
    MaxTokens,
    /// The model waits for the results of its tool calls.
    ToolUse,
    /// The context window is full.
    ContextFull,
    /// The model, or the provider's filter, refused.
    Refusal,
    /// The provider paused a long turn; sending the turn back continues it.
    Pause,
    /// The provider could not parse the model's tool call.
    MalformedCall,
    /// The provider failed during the reply.
    Error,
    /// Another reason.
    Other,
}

impl Reply {
    /// An empty reply that ended normally.
    pub fn new() -> Self {
        Self {
            id: None,
            model: None,
            turn: Turn::new(Role::Assistant),
            usage: Usage::default(),
            stop: Stop::new(StopReason::EndTurn),
            extras: crate::Extras::default(),
        }
    }

    /// Whether the provider continues the reply if it is sent back.
    pub fn is_paused(&self) -> bool {
        self.stop.reason == StopReason::Pause && !self.has_tool_calls()
    }

    /// Appends the reply that continues this one.
    pub fn append_continuation(&mut self, next: Reply) {
        self.turn.blocks.extend(next.turn.blocks);
        self.usage.add(&next.usage);
        self.stop = next.stop;
    }

    /// Whether the model called a tool.
    pub fn has_tool_calls(&self) -> bool {
        self.turn
            .blocks
            .iter()
            .any(|block| matches!(block.content, crate::BlockContent::ToolCall(_)))
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::new()
    }
}

impl Stop {
    /// This reason without details.
    pub fn new(reason: StopReason) -> Self {
        Self { reason, sequence: None, original_reason: None, message: None }
    }

    /// The dialect's own stop reason, if this dialect encoded the reply.
    pub fn original_reason_for(&self, dialect: DialectId) -> Option<&JsonString> {
        self.original_reason.as_ref().filter(|(from, _)| *from == dialect).map(|(_, reason)| reason)
    }

    /// Sets the reason to `ToolUse` if the reply has tool calls: some providers report `stop`.
    #[must_use]
    pub fn adjusted_for_tool_calls(mut self, has_tool_calls: bool) -> Self {
        if has_tool_calls && matches!(self.reason, StopReason::EndTurn | StopReason::Other) {
            self.reason = StopReason::ToolUse;
            self.original_reason = None;
        }
        self
    }
}

impl Usage {
    /// Updates the counts; later ones replace earlier ones.
    pub fn update(&mut self, later: &Usage) {
        fn replace<T: Clone>(earlier: &mut Option<T>, later: Option<&T>) {
            if let Some(later) = later {
                *earlier = Some(later.clone());
            }
        }
        replace(&mut self.input, later.input.as_ref());
        replace(&mut self.cache_read, later.cache_read.as_ref());
        replace(&mut self.cache_write, later.cache_write.as_ref());
        replace(&mut self.cache_write_1h, later.cache_write_1h.as_ref());
        replace(&mut self.tool_input, later.tool_input.as_ref());
        replace(&mut self.output, later.output.as_ref());
        replace(&mut self.reasoning, later.reasoning.as_ref());
        replace(&mut self.original, later.original.as_ref());
    }

    /// Adds the usage of another part of the same reply.
    pub fn add(&mut self, other: &Usage) {
        fn add(sum: &mut Option<u64>, other: Option<u64>) {
            *sum = match (*sum, other) {
                (Some(sum), Some(other)) => Some(sum.saturating_add(other)),
                (sum, other) => sum.or(other),
            };
        }
        add(&mut self.input, other.input);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
        add(&mut self.cache_write_1h, other.cache_write_1h);
        add(&mut self.tool_input, other.tool_input);
        add(&mut self.output, other.output);
        add(&mut self.reasoning, other.reasoning);
        // The original counters cover only one part.
        self.original = None;
    }

    /// All input tokens: uncached, cached, written to the cache, and by tools.
    pub fn total_input(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write, self.tool_input]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    }

    /// All output tokens, with reasoning.
    pub fn total_output(&self) -> u64 {
        self.output.unwrap_or(0).saturating_add(self.reasoning.unwrap_or(0))
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
