//! What a simulated model says to what it hears.

pub mod agent;
pub mod arguments;
mod pattern;
mod phrase;
pub mod script;

use crate::hear::Heard;
use crate::turn::{Block, Stop, Turn, Usage};

pub use phrase::{MISDEEDS, Misdeed};

/// Says what a model of this name says: `sim/echo` repeats, every other name is the agent.
pub fn speak(model: &str, heard: &Heard) -> Turn {
    let turn = if heard.compact {
        summary(heard)
    } else if model.ends_with("sim/echo") {
        echo(heard)
    } else {
        agent::answer(heard)
    };
    finished(turn, heard)
}

fn summary(heard: &Heard) -> Turn {
    let (turns, calls) = (heard.turn.saturating_sub(1), heard.calls);
    let text =
        format!("So far: {turns} turns and {calls} calls. The user last said: {}", heard.prompt);
    Turn::new(vec![Block::Summary(text)])
}

fn echo(heard: &Heard) -> Turn {
    let results = heard.results.iter().map(|result| result.text.as_str());
    let said = if heard.results.is_empty() {
        heard.prompt.clone()
    } else {
        results.collect::<Vec<_>>().join("\n")
    };
    Turn::new(vec![Block::Text(said)])
}

/// Counts what was read, and ends the turn where the request's limit is.
fn finished(mut turn: Turn, heard: &Heard) -> Turn {
    turn.stop_at(&heard.stops);
    if let Some(most) = heard.max_tokens {
        turn.limit(most);
    }
    if turn.stop == Stop::Length && heard.max_tokens.is_none() {
        turn.usage.output = turn.usage.output.max(1);
    }
    turn.usage = Usage { input: heard.usage.input, cached: heard.usage.cached, ..turn.usage };
    turn
}
