//! How much the model shall think, both ways: a budget in tokens, or a level.

use interlingua_model::{Ledger, Place, Reasoning, ReasoningMode};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::names;
use crate::note;

/// Which of the two a family of models takes; the other is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Budget,
    Level,
    /// A model nobody knows here: whatever the client said, if it can be said.
    Either,
}

pub(super) fn decode(config: Node<'_>) -> Reasoning {
    let mut reasoning = Reasoning::default();
    if let Some(budget) = names::get(config, "thinkingBudget") {
        match budget.raw() {
            "0" => reasoning.mode = Some(ReasoningMode::Off),
            "-1" => reasoning.mode = Some(ReasoningMode::Adaptive),
            _ => {
                reasoning.mode = Some(ReasoningMode::On);
                reasoning.budget = Some(budget.json());
            }
        }
    }
    if let Some(level) = names::get(config, "thinkingLevel") {
        reasoning.effort = Some(Text::new(&level.word().to_ascii_lowercase()));
    }
    reasoning.display = names::get(config, "includeThoughts")
        .and_then(flag)
        .map(|shown| Text::word(if shown { SHOWN } else { HIDDEN }));
    reasoning
}

/// A truth value, also as a string, which is taken for one there.
fn flag(node: Node<'_>) -> Option<bool> {
    match &*node.word() {
        "true" => Some(true),
        "false" => Some(false),
        _ => node.boolean(),
    }
}

/// Writes the fields of a thinking config.
pub(super) fn encode(
    reasoning: &Reasoning,
    model: Option<&Text>,
    ours: bool,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    let mode = reasoning.mode;
    let shown = match &reasoning.display {
        Some(display) => Some(!HIDDEN_WORDS.iter().any(|word| display == word)),
        // Who asks for thinking elsewhere also gets to see it.
        None => (!ours && matches!(mode, Some(ReasoningMode::On | ReasoningMode::Adaptive)))
            .then_some(true),
    };
    if let Some(shown) = shown.filter(|shown| *shown || !reasoning.is_off()) {
        object.boolean("includeThoughts", shown);
    }
    let takes = if ours { Takes::Either } else { takes(model) };
    if reasoning.is_off() || reasoning.effort.as_ref().is_some_and(|e| e == "none") {
        return encode_off(takes, object, ledger);
    }
    match (&reasoning.budget, &reasoning.effort) {
        (Some(budget), None) => object.json("thinkingBudget", budget),
        (Some(budget), Some(effort)) if takes != Takes::Level => {
            let what =
                format!("left out the effort `{effort}`: only one of it and a budget may stand");
            ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
            object.json("thinkingBudget", budget);
        }
        (budget, Some(effort)) => {
            if let Some(budget) = budget {
                let what = format!("left out the budget {}: a level says it", budget.as_str());
                ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
            }
            encode_effort(effort, takes, object, ledger);
        }
        (None, None) if mode == Some(ReasoningMode::Adaptive) && takes != Takes::Level => {
            object.json("thinkingBudget", &dynamic());
        }
        (None, None) => {}
    }
}

fn encode_off(takes: Takes, object: &mut Object<'_>, ledger: &mut Ledger) {
    if takes == Takes::Level {
        let what = "no thinking at all is said as the least: the model cannot do without";
        ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
        object.known("thinkingLevel", "MINIMAL");
    } else {
        object.number("thinkingBudget", 0);
    }
}

fn encode_effort(effort: &Text, takes: Takes, object: &mut Object<'_>, ledger: &mut Ledger) {
    let word = effort.contents().to_ascii_lowercase();
    let known = EFFORTS.iter().find(|(name, _, _)| *name == word);
    let Some((name, level, budget)) = known else {
        let what = format!("left out the effort `{effort}`: there is no such level");
        return ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    };
    if takes == Takes::Budget {
        let what = format!("the effort `{effort}` is said as a budget of {budget} tokens");
        ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
        return object.number("thinkingBudget", *budget);
    }
    if !level.eq_ignore_ascii_case(name) {
        let what = format!("the effort `{effort}` is said as the level {level}");
        ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
    }
    object.word("thinkingLevel", level);
}

fn takes(model: Option<&Text>) -> Takes {
    let Some(model) = model else { return Takes::Either };
    let model = model.contents();
    let name = model.rsplit('/').next().unwrap_or_default();
    let family = FAMILIES.iter().find(|(family, _)| name.starts_with(family));
    family.map_or(Takes::Either, |(_, takes)| *takes)
}

/// Let the model decide.
fn dynamic() -> Json {
    Json::parse("-1").unwrap_or(Json::NULL)
}

/// The fields whose meaning the model holds.
pub(super) const KNOWN: &[&str] = &["includeThoughts", "thinkingBudget", "thinkingLevel"];

const SHOWN: &str = "summarized";
const HIDDEN: &str = "omitted";
const HIDDEN_WORDS: &[&str] = &[HIDDEN, "none", "hidden", "off", "false"];

/// "You can only set only one of thinking budget and thinking level."; a level on 2.5 is a 400 too.
const FAMILIES: &[(&str, Takes)] = &[("gemini-2.", Takes::Budget), ("gemini-3", Takes::Level)];

/// An effort, its level, and a budget that all models with budgets take.
const EFFORTS: &[(&str, &str, u64)] = &[
    ("minimal", "MINIMAL", 512),
    ("low", "LOW", 1024),
    ("medium", "MEDIUM", 8192),
    ("high", "HIGH", 24_576),
    ("xhigh", "HIGH", 24_576),
    ("max", "HIGH", 24_576),
];
