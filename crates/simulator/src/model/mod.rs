//! Simulated models: generate a turn from a parsed request.

pub mod agent;
pub mod arguments;
mod directives;
mod pattern;
pub mod script;
mod tool_selection;

use crate::parse::ModelInput;
use crate::turn::{Block, StopReason, Turn, Usage};

pub use directives::{MISBEHAVIORS, Misbehavior};
pub use tool_selection::ToolUse;

/// Generates a turn: `sim/echo` repeats its input, every other model is the agent.
pub fn generate_turn(model: &str, model_input: &ModelInput, tool_use: ToolUse) -> Turn {
    let turn = if model_input.wants_summary {
        summary_turn(model_input)
    } else if model.ends_with("sim/echo") {
        echo_turn(model_input)
    } else {
        agent::reply(model_input, tool_use)
    };
    apply_limits(turn, model_input)
}

fn summary_turn(model_input: &ModelInput) -> Turn {
    let (turns, calls) = (model_input.turn_number.saturating_sub(1), model_input.call_count);
    let text = format!(
        "So far: {turns} turns and {calls} calls. The user last said: {}",
        model_input.last_user_text
    );
    Turn::new(vec![Block::Summary(text)])
}

fn echo_turn(model_input: &ModelInput) -> Turn {
    let results = model_input.tool_results.iter().map(|result| result.text.as_str());
    let text = if model_input.tool_results.is_empty() {
        model_input.last_user_text.clone()
    } else {
        results.collect::<Vec<_>>().join("\n")
    };
    Turn::new(vec![Block::Text(text)])
}

/// Applies the stop sequences and the token limit of the request, and its input counts.
fn apply_limits(mut turn: Turn, model_input: &ModelInput) -> Turn {
    turn.apply_stop_sequences(&model_input.stop_sequences);
    if let Some(max_tokens) = model_input.max_tokens {
        turn.apply_token_limit(max_tokens);
    }
    if turn.stop_reason == StopReason::MaxTokens && model_input.max_tokens.is_none() {
        turn.usage.output = turn.usage.output.max(1);
    }
    turn.usage =
        Usage { input: model_input.usage.input, cached: model_input.usage.cached, ..turn.usage };
    turn
}
