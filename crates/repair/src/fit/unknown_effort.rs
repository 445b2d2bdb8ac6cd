//! An effort that the model does not know becomes the nearest that it knows.
//!
//! Rather less than more. Where the model takes no effort at all, it is left out. Function tools do
//! not go with an effort everywhere: there the tools stay.
//!
//! ## Why
//! > Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are:
//! > 'minimal', 'low', 'medium', and 'high'.
//!
//! > This model does not support the effort parameter.
//!
//! > Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions.
//!
//! ## Example
//! ```text
//! before   effort: xhigh     a model that knows low, medium and high
//! after    effort: high
//! ```

use interlingua_model::{Place, ReasoningMode, ToolKind};
use interlingua_wire::Text;

use crate::profile::thinking::{Asked, WithTools, asked};
use crate::{Work, measure};

pub fn apply(work: &mut Work<'_>) {
    with_tools(work);
    let row = &work.profile.thinking;
    let Some(effort) = effort(work) else { return };
    let word = effort.contents().into_owned();
    let is_known = row.efforts.is_none_or(|known| known.contains(&word.as_str()));
    // A level that is a number says no word.
    let numbered = word.is_empty() && work.is_own() && row.one_measure.is_some();
    if !is_known && !numbered {
        let nearest = measure::nearest(&word, row.efforts.unwrap_or_default());
        set(work, nearest);
        match nearest {
            Some(nearest) => {
                let what = format!("the effort `{word}` is not known: it is `{nearest}`");
                work.change(Place::SETTINGS, what);
            }
            None => {
                work.loss(
                    Place::SETTINGS,
                    format!("left out the effort `{word}`: it is not taken"),
                );
            }
        }
    }
    let is_off = matches!(asked(&work.conversation().settings), Asked::Off | Asked::BetweenTools);
    if is_off && row.calm_when_off && (word == "xhigh" || word == "max") {
        set(work, Some("high"));
        let what = format!("the effort `{word}` needs thinking: it is `high`");
        work.change(Place::SETTINGS, what);
    }
}

fn effort(work: &Work<'_>) -> Option<Text> {
    work.conversation().settings.reasoning.as_ref()?.effort.clone()
}

fn set(work: &mut Work<'_>, word: Option<&'static str>) {
    let said = work.settings().reasoning.get_or_insert_default();
    said.effort = word.map(Text::word);
}

fn with_tools(work: &mut Work<'_>) {
    let rule = work.profile.thinking.with_tools;
    let functions = || {
        let function = |kind: &ToolKind| matches!(kind, ToolKind::Function { .. });
        work.conversation().tools.iter().any(|tool| function(&tool.kind))
    };
    if rule == WithTools::Any || !functions() {
        return;
    }
    let settings = &work.conversation().settings;
    let is_off = asked(settings) == Asked::Off;
    let effort = effort(work);
    match rule {
        WithTools::NoEffort if !is_off && effort.is_some() => {
            set(work, None);
            work.loss(Place::SETTINGS, "left out the effort: it does not go with functions here");
        }
        WithTools::EffortNone if !is_off => {
            let said = work.settings().reasoning.get_or_insert_default();
            said.effort = None;
            said.budget = None;
            said.mode = Some(ReasoningMode::Off);
            let what = "the effort is `none`: nothing else goes with functions here";
            work.change(Place::SETTINGS, what);
        }
        WithTools::Any | WithTools::NoEffort | WithTools::EffortNone => {}
    }
}
