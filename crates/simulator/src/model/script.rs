//! Scripted turns of the model, read from a TOML or JSON file.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::parse::ModelInput;
use crate::turn::{Block, Call, StopReason, Turn, Usage};

/// A script. The first turn with a matching condition answers a request; without one, the agent
/// does.
#[derive(Debug)]
pub struct Script {
    turns: Vec<ScriptedTurn>,
}

/// A turn of a script, and the condition on the requests that it answers.
#[derive(Debug)]
struct ScriptedTurn {
    condition: TurnCondition,
    /// `None` leaves the turn to the agent.
    turn: Option<Turn>,
    usage_override: UsageSpec,
    faults: Vec<Fault>,
    /// How often it may still be used; `None` is without limit.
    remaining_plays: Option<AtomicU32>,
}

/// The turn and faults of a script for a request.
#[derive(Debug)]
pub struct ScriptedReply {
    pub turn: Option<Turn>,
    pub faults: Vec<Fault>,
}

/// The format of a script file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    /// Applies to every turn.
    #[serde(default)]
    fault: Option<String>,
    #[serde(default)]
    turn: Vec<TurnSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnSpec {
    #[serde(default)]
    when: TurnCondition,
    blocks: Option<Vec<BlockSpec>>,
    stop: Option<StopSpec>,
    #[serde(default)]
    usage: UsageSpec,
    fault: Option<String>,
    times: Option<u32>,
}

/// All fields that are set must match.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnCondition {
    /// The number of the model's turn, from 1.
    turn: Option<usize>,
    /// The number of the model's turn since the last prompt, from 1.
    step: Option<usize>,
    /// A substring of the user's last messages.
    prompt: Option<String>,
    /// A substring of a tool result that the turn answers.
    result: Option<String>,
    /// A substring of the model's name.
    model: Option<String>,
    /// The name of a declared tool.
    tool: Option<String>,
    /// The dialect of the API, such as `anthropic`.
    dialect: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockSpec {
    text: Option<String>,
    thinking: Option<String>,
    redacted: Option<String>,
    /// The name of a tool.
    call: Option<String>,
    /// Arguments as JSON.
    arguments: Option<Value>,
    /// Arguments as exactly this text, valid or not.
    raw: Option<String>,
    id: Option<String>,
    namespace: Option<String>,
    #[serde(default)]
    custom: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StopSpec {
    End,
    Calls,
    Length,
    Refusal,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageSpec {
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Script {
    /// Reads a script: JSON if it begins with a brace, TOML otherwise.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: ScriptFile = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| error.to_string())?
        } else {
            toml::from_str(text).map_err(|error| error.to_string())?
        };
        let common_faults =
            file.fault.as_deref().map(Fault::parse_list).transpose()?.unwrap_or_default();
        let build_turn = |(at, spec): (usize, TurnSpec)| {
            ScriptedTurn::new(spec, &common_faults)
                .map_err(|error| format!("turn {}: {error}", at + 1))
        };
        let turns = file.turn.into_iter().enumerate().map(build_turn).collect::<Result<_, _>>()?;
        Ok(Self { turns })
    }

    /// The first turn for this request; `None` without a match.
    pub fn match_request(
        &self,
        dialect: &str,
        model: &str,
        model_input: &ModelInput,
    ) -> Option<ScriptedReply> {
        let scripted = self.turns.iter().find(|turn| turn.try_play(dialect, model, model_input))?;
        let turn = scripted.turn.clone().map(|mut turn| {
            turn.usage = scripted.usage_override.apply_to(Usage {
                input: model_input.usage.input,
                cached: model_input.usage.cached,
                ..turn.usage
            });
            turn
        });
        Some(ScriptedReply { turn, faults: scripted.faults.clone() })
    }
}

impl ScriptedTurn {
    fn new(spec: TurnSpec, common_faults: &[Fault]) -> Result<Self, String> {
        let turn = spec.blocks.map(|blocks| {
            let blocks = blocks.into_iter().enumerate();
            let block = |(at, block): (usize, BlockSpec)| {
                block.into_block().map_err(|error| format!("block {}: {error}", at + 1))
            };
            let mut turn = Turn::new(blocks.map(block).collect::<Result<_, String>>()?);
            if let Some(stop) = spec.stop {
                turn.stop_reason = stop.into();
            }
            Ok::<_, String>(turn)
        });
        let mut faults = common_faults.to_vec();
        if let Some(text) = &spec.fault {
            faults.extend(Fault::parse_list(text)?);
        }
        Ok(Self {
            condition: spec.when,
            turn: turn.transpose()?,
            usage_override: spec.usage,
            faults,
            remaining_plays: spec.times.map(AtomicU32::new),
        })
    }

    /// Whether the turn answers this request; a match uses up one play.
    fn try_play(&self, dialect: &str, model: &str, model_input: &ModelInput) -> bool {
        self.condition.matches(dialect, model, model_input)
            && self.remaining_plays.as_ref().is_none_or(|left| {
                let decrement = |left: u32| left.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, decrement).is_ok()
            })
    }
}

impl TurnCondition {
    fn matches(&self, dialect: &str, model: &str, model_input: &ModelInput) -> bool {
        let holds = |wanted: &Option<String>, check: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(check)
        };
        self.turn.is_none_or(|turn| turn == model_input.turn_number)
            && self.step.is_none_or(|step| step == model_input.turns_since_prompt + 1)
            && holds(&self.prompt, &|part| model_input.recent_user_text.contains(part))
            && holds(&self.result, &|part| {
                model_input.tool_results.iter().any(|r| r.text.contains(part))
            })
            && holds(&self.model, &|part| model.contains(part))
            && holds(&self.tool, &|name| model_input.tools.iter().any(|tool| tool.name == name))
            && holds(&self.dialect, &|wanted| dialect == wanted)
    }
}

impl BlockSpec {
    fn into_block(self) -> Result<Block, String> {
        let Self { text, thinking, redacted, call, arguments, raw, id, namespace, custom } = self;
        let has_call_fields = arguments.is_some() || raw.is_some() || id.is_some() || custom;
        if call.is_none() && (has_call_fields || namespace.is_some()) {
            return Err("arguments, raw, id, namespace and custom belong to a `call`".to_owned());
        }
        if arguments.is_some() && raw.is_some() {
            return Err("give `arguments` or `raw`, not both".to_owned());
        }
        match (text, thinking, redacted, call) {
            (Some(text), None, None, None) => Ok(Block::Text(text)),
            (None, Some(text), None, None) => Ok(Block::Thinking(text)),
            (None, None, Some(text), None) => Ok(Block::Redacted(text)),
            (None, None, None, Some(name)) => {
                let encoded = arguments.map(|arguments| arguments.to_string());
                let arguments = raw.or(encoded).unwrap_or_else(|| "{}".to_owned());
                Ok(Block::Call(Call { name, namespace, arguments, is_custom: custom, id }))
            }
            _ => Err("a block is one of `text`, `thinking`, `redacted`, `call`".to_owned()),
        }
    }
}

impl UsageSpec {
    fn apply_to(self, counted: Usage) -> Usage {
        Usage {
            input: self.input.unwrap_or(counted.input),
            cached: self.cached.unwrap_or(counted.cached),
            output: self.output.unwrap_or(counted.output),
            thinking: self.thinking.unwrap_or(counted.thinking),
        }
    }
}

impl From<StopSpec> for StopReason {
    fn from(spec: StopSpec) -> Self {
        match spec {
            StopSpec::End => Self::End,
            StopSpec::Calls => Self::ToolCalls,
            StopSpec::Length => Self::MaxTokens,
            StopSpec::Refusal => Self::Refusal,
        }
    }
}
