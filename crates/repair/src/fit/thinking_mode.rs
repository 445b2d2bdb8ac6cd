//! Thinking is asked for in the way that the model knows: by a budget, by an effort, or not at all.
//!
//! Each generation of models has its own way, and refuses that of the others. A budget becomes an
//! effort and the other way round; a model that always thinks is not told to stop.
//!
//! ## Why
//! > "thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and
//! > "output_config.effort" to control thinking behavior.
//!
//! > adaptive thinking is not supported on this model
//!
//! > Budget 0 is invalid. This model only works in thinking mode.
//!
//! > Failed to deserialize the JSON body into the target type: thinking: unknown field thinking,
//! > expected one of messages, model, store, reasoning_effort, …
//!
//! > Thinking level MINIMAL is not supported for this model.
//!
//! ## Example
//! ```text
//! before   thinking: a budget of 20000     model: one that decides itself
//! after    thinking: adaptive, effort high
//! ```

use interlingua_model::{Place, Reasoning, ReasoningMode};
use interlingua_wire::{Json, Text};

use crate::profile::params::Spelling;
use crate::profile::thinking::{Asked, Budget, Measure, Off, asked, is_apart};
use crate::{Work, measure, number};

pub fn apply(work: &mut Work<'_>) {
    let Some(said) = &work.conversation().settings.reasoning else { return };
    let row = &work.profile.thinking;
    let nothing = *said == Reasoning::default();
    if nothing && !work.is_own() {
        work.settings().reasoning = None;
        return;
    }
    if !row.asked {
        if nothing && work.is_own() {
            return;
        }
        if !nothing {
            work.loss(Place::SETTINGS, "left out how to think: the model is not asked");
        }
        work.settings().reasoning = None;
        return;
    }
    let only_effort = row.only_effort || row.foreign_effort && !work.is_own();
    if only_effort && said.effort.as_ref().is_some_and(|effort| effort == "none") {
        work.change(Place::SETTINGS, "nothing is said of thinking: only an effort is taken");
        work.settings().reasoning = None;
        return;
    }
    if only_effort && (said.mode.is_some() || said.budget.is_some() || said.display.is_some()) {
        work.loss(Place::SETTINGS, "left out how to think: only an effort is taken");
        let said = edit(work);
        *said = Reasoning { effort: said.effort.take(), ..Reasoning::default() };
    }
    match asked(&work.conversation().settings) {
        Asked::Unsaid => unsaid(work),
        Asked::Off => off(work),
        Asked::BetweenTools => between_tools(work),
        Asked::Budget => budget(work),
        Asked::Adaptive => adaptive(work),
    }
    one_measure(work);
}

fn edit<'a>(work: &'a mut Work<'_>) -> &'a mut Reasoning {
    work.settings().reasoning.get_or_insert_default()
}

/// Elsewhere an effort, or what is to be shown, asks for thinking by itself.
fn unsaid(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    let Some(said) = &work.conversation().settings.reasoning else { return };
    if row.said_asks && !work.is_own() {
        edit(work).mode = Some(ReasoningMode::On);
        return work.change(Place::SETTINGS, "thinking is asked for: it can only be on or off");
    }
    if work.is_own() || !row.placed {
        return;
    }
    let asks = said.effort.is_some();
    let shown = said.display.as_ref().is_some_and(|display| !HIDDEN.iter().any(|w| display == w));
    // Without being asked, the model would not think at all.
    let waits = asks && !row.unasked && !is_apart(work.conversation().source);
    if row.adaptive && shown {
        edit(work).mode = Some(ReasoningMode::Adaptive);
        work.change(Place::SETTINGS, "thinking that is to be shown is asked for");
    } else if row.adaptive && waits {
        edit(work).mode = Some(ReasoningMode::Adaptive);
        work.change(Place::SETTINGS, "the effort asks for thinking: it is adaptive");
    } else if waits || asks && row.efforts.is_some_and(<[_]>::is_empty) {
        adaptive(work);
    } else if shown && !row.adaptive {
        edit(work).display = None;
        work.loss(Place::SETTINGS, "left out how thinking is shown: none is asked for");
    }
}

fn off(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    say_off(work);
    match row.off {
        Off::Taken => {}
        Off::Never => {
            let said = edit(work);
            said.mode = None;
            said.budget = None;
            if said.effort.as_ref().is_some_and(|effort| effort == "none") {
                said.effort = None;
            }
            work.change(Place::SETTINGS, "thinking cannot be turned off: nothing is said of it");
        }
        Off::BetweenTools => {
            let said = edit(work);
            said.mode = Some(ReasoningMode::BetweenTools);
            said.budget = None;
            work.change(Place::SETTINGS, "thinking is turned off but for notes between tools");
        }
        Off::Effort => {
            let effort = work.conversation().settings.reasoning.as_ref();
            let effort = effort.and_then(|said| said.effort.as_ref());
            if effort.is_some_and(|effort| *effort != "none") {
                edit(work).effort = None;
                work.loss(Place::SETTINGS, "left out the effort: thinking is off");
            }
            let Some(known) = row.efforts.filter(|known| !known.contains(&"none")) else { return };
            let Some(least) = known.first() else { return };
            let said = edit(work);
            said.mode = None;
            said.budget = None;
            said.effort = Some(Text::word(least));
            let what = format!("thinking cannot be turned off: the effort is `{least}`");
            work.change(Place::SETTINGS, what);
        }
        Off::Least => {
            let said = edit(work);
            said.budget = None;
            said.mode = None;
            said.effort = None;
            // Nobody asks to see it.
            if let Budget::Within { least, .. } = row.budget {
                said.budget = Some(Json::number(least));
            } else {
                let least = row.efforts.and_then(|known| known.first()).unwrap_or(&"low");
                said.effort = Some(Text::word(least));
            }
            work.change(Place::SETTINGS, "thinking cannot be turned off: it is asked for least");
        }
    }
}

/// A budget of nothing turns thinking off, and is said so.
fn say_off(work: &mut Work<'_>) {
    let Some(said) = &work.conversation().settings.reasoning else { return };
    let unread = work.profile.thinking.budget == Budget::Any;
    let spelled = work.is_own() && (work.profile.params.spelling == Spelling::Loose || unread);
    if said.budget.is_some() && !said.is_off() && !spelled {
        let said = edit(work);
        said.mode = Some(ReasoningMode::Off);
        said.budget = None;
        work.change(Place::SETTINGS, "a budget of nothing turns thinking off");
    }
}

fn between_tools(work: &mut Work<'_>) {
    let taken = work.profile.thinking.off == Off::BetweenTools;
    if !taken && !work.profile.params.any_off {
        edit(work).mode = Some(ReasoningMode::Off);
        work.change(Place::SETTINGS, "thinking between tools is not known: it is turned off");
        off(work);
    }
}

fn budget(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    if !matches!(row.budget, Budget::Never | Budget::AsEffort) {
        return;
    }
    let said = edit(work);
    let tokens = said.budget.take().as_ref().and_then(number::said).map_or(0, number::count);
    said.mode = row.adaptive.then_some(ReasoningMode::Adaptive);
    let word = measure::effort(tokens);
    if said.effort.is_none() && row.efforts.is_none_or(|known| !known.is_empty()) {
        said.effort = Some(Text::word(word));
        let what = format!("a budget of {tokens} tokens for thinking is an effort of `{word}`");
        work.change(Place::SETTINGS, what);
    } else {
        let what = format!("the budget of {tokens} tokens for thinking is left to the model");
        work.change(Place::SETTINGS, what);
    }
}

fn adaptive(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    let Some(said) = &work.conversation().settings.reasoning else { return };
    if row.adaptive {
        // On without a budget is said so only where nobody asks for one.
        if said.mode != Some(ReasoningMode::Adaptive) && row.budget != Budget::Any {
            let said = edit(work);
            said.mode = Some(ReasoningMode::Adaptive);
            said.budget = None;
            work.change(Place::SETTINGS, "thinking without a budget is adaptive");
        } else if said.budget.is_some() && row.placed {
            edit(work).budget = None;
            work.loss(Place::SETTINGS, "left out the budget of adaptive thinking");
        }
        return;
    }
    let tokens = measure::tokens(said.effort.as_ref());
    let said = edit(work);
    said.mode = Some(ReasoningMode::On);
    said.budget = Some(Json::number(tokens));
    if row.efforts.is_some_and(<[_]>::is_empty) {
        said.effort = None;
    }
    let what = format!("the model does not decide itself: thinking has {tokens} tokens");
    work.change(Place::SETTINGS, what);
}

/// Where a budget and an effort exclude each other, one of them goes, or becomes the other.
fn one_measure(work: &mut Work<'_>) {
    let Some(said) = &work.conversation().settings.reasoning else { return };
    let Some(effort) = &said.effort else { return };
    // That the model decides itself is a budget only where it is written as one.
    let has_budget = said.budget.is_some() || work.is_own() && said.mode.is_some();
    let effort = effort.clone();
    match work.profile.thinking.one_measure {
        None => {}
        Some(Measure::Effort) if !has_budget => {}
        Some(Measure::Effort) => {
            let said = edit(work);
            said.budget = None;
            said.mode = None;
            let what =
                format!("the effort `{effort}` stands, and no budget for thinking beside it");
            work.loss(Place::SETTINGS, what);
        }
        Some(Measure::Budget) if has_budget => {
            edit(work).effort = None;
            let what = format!("left out the effort `{effort}`: the budget for thinking says it");
            work.loss(Place::SETTINGS, what);
        }
        Some(Measure::Budget) => {
            let tokens = measure::tokens(Some(&effort));
            let said = edit(work);
            said.effort = None;
            said.mode = Some(ReasoningMode::On);
            said.budget = Some(Json::number(tokens));
            let what = format!("the effort `{effort}` is a budget of {tokens} tokens for thinking");
            work.change(Place::SETTINGS, what);
        }
    }
}

/// Words for thinking that is not to be shown.
const HIDDEN: &[&str] = &["omitted", "none", "off", "false", "hidden", "exclude"];
