//! Reasoning and its seals: what each target takes.

mod elsewhere;
mod open;
mod rows;
mod words;

use interlingua_model::{DialectId, Reasoning, ReasoningMode, Settings};
use interlingua_wire::Kind;

pub(super) use rows::ROWS;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Thinking {
    /// The model thinks where nothing is said of it.
    pub unasked: bool,
    /// It thinks whatever is said.
    pub always: bool,
    /// Nothing but the switch turns it off: neither a budget nor an effort does.
    pub only_switch: bool,
    /// It does not think, whatever is said.
    pub never: bool,
    /// An effort other than `none` asks for thinking by itself.
    pub effort_asks: bool,
    /// Whether to think, and how much, can be said at all.
    pub asked: bool,
    /// The fields in which thinking is asked for; none where there is but one way to say it.
    pub heard_in: &'static [(&'static str, Kind)],
    /// Fields in which others are asked for it, to which the target does not listen.
    pub unheard_in: &'static [&'static str],
    /// Whatever is said of thinking in another dialect, but that it be off, asks for it here.
    pub said_asks: bool,
    /// Only an effort can be said.
    pub only_effort: bool,
    /// What others say of thinking is not understood, but for an effort.
    pub foreign_effort: bool,
    pub budget: Budget,
    /// The beginning of a beta with which a budget may be as large as it likes.
    pub unbounded_beta: &'static str,
    /// The model can be told to decide itself.
    pub adaptive: bool,
    pub off: Off,
    /// The efforts the model knows; none where it takes no effort, `None` where it takes any word.
    pub efforts: Option<&'static [&'static str]>,
    /// The highest efforts are refused while thinking is off.
    pub calm_when_off: bool,
    /// A budget and an effort cannot be said together; which of them stays.
    pub one_measure: Option<Measure>,
    /// What functions among the tools do to the effort.
    pub with_tools: WithTools,
    pub replay: Replay,
    /// Who made the seals that the target can open.
    pub issuers: &'static [&'static str],
    /// Whatever thinking it takes back, seals that it cannot open stay behind.
    pub refuses_strangers: bool,
    /// Seals are base64.
    pub base64_seals: bool,
    pub sealed_calls: SealedCalls,
    /// Thinking stands in the assistant's words only, and never at their end.
    pub placed: bool,
    /// Seals tell where in a loop of calls thinking stood: words of the user's would end the loop.
    pub in_loop: bool,
    /// What holds thinking begins with it.
    pub comes_first: bool,
    /// While there is a budget, an open tool loop begins with thinking.
    pub opens_loop: bool,
    /// What an answer that called tools must bring back while the model thinks.
    pub echo: Echo,
    /// The field in which it comes back.
    pub echo_field: &'static str,
    /// Fields of reasoning that others have and the target refuses.
    pub strange_fields: &'static [&'static str],
    /// Formats of reasoning that must be sealed, where its entries say their format.
    pub sealed_formats: &'static [&'static str],
    /// Two fields that ask for an effort, and may not differ.
    pub rivals: Option<(&'static str, &'static str)>,
    /// Reasoning is an item that goes back with what it led to.
    pub items: bool,
}

/// Which budgets are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Never,
    Any,
    Within {
        least: u64,
        most: u64,
        /// And less than all that may be written.
        below_max_tokens: bool,
    },
    /// None is: an effort says it.
    AsEffort,
}

/// How thinking is turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    Taken,
    /// It cannot be: saying nothing is all that is taken.
    Never,
    /// It thinks between tools instead.
    BetweenTools,
    /// By the effort `none`, where that is known.
    Effort,
    /// It cannot be: the least there is comes nearest.
    Least,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Budget,
    Effort,
}

/// Whether functions go with an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithTools {
    Any,
    /// Only where no effort is asked for.
    NoEffort,
    /// Only where the effort is `none`.
    EffortNone,
}

/// Which thinking of the history goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// None: there is no place for it.
    Nothing,
    /// What the target's own issuers sealed.
    Sealed,
    /// That, and unsealed thinking that came in the target's own dialect.
    SealedOrOwn,
    /// That, and what the provider keeps under an id.
    SealedOrKept,
    /// What is redacted.
    Redacted,
    /// What was thought aloud and in full, and came in the target's own dialect.
    Aloud,
    /// Any.
    All,
}

/// Whether calls of the current turn must be sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedCalls {
    Free,
    /// The first call of each step.
    First,
    /// That, and the seal is a field of the call as it stands in its message.
    InCalls,
    /// The first call of each step, or the thinking before it.
    Step,
}

/// Reasoning that must come back with the calls it led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    Free,
    /// It may be empty.
    Empty,
    /// As that, and answers without calls need not.
    WithCalls,
    /// It may not be empty.
    Said,
}

/// How a request asks for thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Unsaid,
    Off,
    BetweenTools,
    Budget,
    Adaptive,
}

impl Thinking {
    /// Whether the model thinks before it answers, as far as is known.
    pub fn thinks(&self, settings: &Settings) -> bool {
        match asked(settings) {
            _ if self.never => false,
            _ if self.always => true,
            _ if self.only_switch => {
                let mode = settings.reasoning.as_ref().and_then(|said| said.mode);
                mode != Some(ReasoningMode::Off)
            }
            Asked::Off | Asked::BetweenTools => false,
            Asked::Budget | Asked::Adaptive => true,
            Asked::Unsaid => {
                let effort = settings.reasoning.as_ref().and_then(|said| said.effort.as_ref());
                self.unasked || self.effort_asks && effort.is_some()
            }
        }
    }
}

/// Whether an effort asks for nothing by itself in a dialect: thinking is asked for beside it.
pub fn is_apart(dialect: DialectId) -> bool {
    APART.contains(&dialect.0)
}

/// How the settings ask for thinking, by mode, budget and effort together.
pub fn asked(settings: &Settings) -> Asked {
    let Some(Reasoning { mode, effort, budget, .. }) = &settings.reasoning else {
        return Asked::Unsaid;
    };
    let none = effort.as_ref().is_some_and(|effort| effort == "none");
    let budget = budget.as_ref().map(crate::number::said);
    match mode {
        Some(ReasoningMode::Off) => Asked::Off,
        Some(ReasoningMode::BetweenTools) => Asked::BetweenTools,
        None if none => Asked::Off,
        _ if budget == Some(Some(0.0)) => Asked::Off,
        Some(ReasoningMode::Adaptive) => Asked::Adaptive,
        _ if budget.flatten().is_some() => Asked::Budget,
        Some(ReasoningMode::On) => Asked::Adaptive,
        None if budget.is_some() => Asked::Adaptive,
        None => Asked::Unsaid,
    }
}

const APART: &[&str] = &["anthropic", "bedrock"];
