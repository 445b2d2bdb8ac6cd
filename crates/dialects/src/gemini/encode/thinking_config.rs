//! Encodes the reasoning settings: a budget in tokens, or a level.

use interlingua_model::{Ledger, LedgerPath, ReasoningMode, ReasoningSettings};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use crate::gemini::decode::settings::DISPLAY_HIDDEN;
use crate::note;

/// Which of the two a model family accepts; the other is rejected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThinkingParam {
    Budget,
    Level,
    /// Unknown model: the client's setting is sent unchanged if possible.
    Either,
}

pub(super) fn encode_thinking_config(
    reasoning: &ReasoningSettings,
    model: Option<&JsonString>,
    same_dialect: bool,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let mode = reasoning.mode;
    let include_thoughts = match &reasoning.display {
        Some(display) => Some(!HIDDEN_DISPLAYS.iter().any(|hidden| display == hidden)),
        // In other dialects, requesting reasoning also returns it.
        None => (!same_dialect
            && matches!(mode, Some(ReasoningMode::On | ReasoningMode::Adaptive)))
        .then_some(true),
    };
    if let Some(include_thoughts) =
        include_thoughts.filter(|include_thoughts| *include_thoughts || !reasoning.is_off())
    {
        object.boolean("includeThoughts", include_thoughts);
    }
    let param = if same_dialect { ThinkingParam::Either } else { thinking_param(model) };
    if reasoning.is_off() || reasoning.effort.as_ref().is_some_and(|e| e == "none") {
        return encode_disabled(param, object, ledger);
    }
    match (&reasoning.budget_tokens, &reasoning.effort) {
        (Some(budget), None) => object.json("thinkingBudget", budget),
        (Some(budget), Some(effort)) if param != ThinkingParam::Level => {
            let message = format!(
                "left out the effort `{effort}`: a budget is set, and the API accepts only one of them"
            );
            ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
            object.json("thinkingBudget", budget);
        }
        (budget, Some(effort)) => {
            if let Some(budget) = budget {
                let message =
                    format!("left out the budget {}: a level is sent instead", budget.as_str());
                ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
            }
            encode_effort(effort, param, object, ledger);
        }
        (None, None) if mode == Some(ReasoningMode::Adaptive) && param != ThinkingParam::Level => {
            object.json("thinkingBudget", &dynamic_budget());
        }
        (None, None) => {}
    }
}

fn encode_disabled(param: ThinkingParam, object: &mut ObjectWriter<'_>, ledger: &mut Ledger) {
    if param == ThinkingParam::Level {
        let message = "thinking is set to the lowest level: the model cannot disable it";
        ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
        object.static_str("thinkingLevel", "MINIMAL");
    } else {
        object.number("thinkingBudget", 0);
    }
}

fn encode_effort(
    effort: &JsonString,
    param: ThinkingParam,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let effort_name = effort.unescape().to_ascii_lowercase();
    let entry = EFFORT_TABLE.iter().find(|(name, _, _)| *name == effort_name);
    let Some((name, level, budget)) = entry else {
        let message = format!("left out the effort `{effort}`: there is no such level");
        return ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    };
    if param == ThinkingParam::Budget {
        let message = format!("the effort `{effort}` is sent as a budget of {budget} tokens");
        ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
        return object.number("thinkingBudget", *budget);
    }
    if !level.eq_ignore_ascii_case(name) {
        let message = format!("the effort `{effort}` is sent as the level {level}");
        ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
    }
    object.str("thinkingLevel", level);
}

fn thinking_param(model: Option<&JsonString>) -> ThinkingParam {
    let Some(model) = model else { return ThinkingParam::Either };
    let model = model.unescape();
    let name = model.rsplit('/').next().unwrap_or_default();
    let family = MODEL_FAMILIES.iter().find(|(family, _)| name.starts_with(family));
    family.map_or(ThinkingParam::Either, |(_, param)| *param)
}

/// The model decides the budget.
fn dynamic_budget() -> RawJson {
    RawJson::parse("-1").unwrap_or(RawJson::NULL)
}

const HIDDEN_DISPLAYS: &[&str] = &[DISPLAY_HIDDEN, "none", "hidden", "off", "false"];

/// "You can only set only one of thinking budget and thinking level."; Gemini 2.5 also answers a
/// level with a 400.
const MODEL_FAMILIES: &[(&str, ThinkingParam)] =
    &[("gemini-2.", ThinkingParam::Budget), ("gemini-3", ThinkingParam::Level)];

/// Efforts with their level and a budget that all models with budgets accept.
const EFFORT_TABLE: &[(&str, &str, u64)] = &[
    ("minimal", "MINIMAL", 512),
    ("low", "LOW", 1024),
    ("medium", "MEDIUM", 8192),
    ("high", "HIGH", 24_576),
    ("xhigh", "HIGH", 24_576),
    ("max", "HIGH", 24_576),
];
