//! How the request asks for thinking, as the target hears it.
//!
//! Servers of one dialect have fields of their own for whether to think. Decoding reads all of them, as
//! it does not know whose they are; a target listens to its own. Where the two readings differ, that of
//! the target counts; the request leaves as it came until its settings are written anew, and then
//! without the fields that nobody listens to.

use interlingua_model::{Place, Reasoning, ReasoningMode, TopField};
use interlingua_wire::{Json, Kind, Node, Text};

use crate::Work;
use crate::profile::thinking::Thinking;

/// What one field says to the target.
enum Said {
    Effort(Text),
    /// Whether to think, and with which budget.
    Switch(bool, Option<Json>),
}

/// Takes the target's reading for that of the dialect; whether they differ.
pub(crate) fn listen(work: &mut Work<'_>) -> bool {
    let row = &work.profile.thinking;
    if row.heard_in.is_empty() || !work.is_own() {
        return false;
    }
    let held = work.conversation().settings.reasoning.clone();
    let fields = &work.conversation().fields;
    let said: Vec<Said> = fields.iter().filter_map(|field| says(row, field)).collect();
    // What the target has another word for is still to be said to it.
    let respelled = work.profile.params.respelled;
    let is_respelled =
        |field: &TopField| respelled.contains(&&*field.key.contents()) && field.value != Json::NULL;
    if said.is_empty() && fields.iter().any(is_respelled) {
        return false;
    }
    let heard = reading(said, row.unasked);
    let is_same = match &held {
        None => heard == Reasoning::default(),
        // How much and what is shown may be said beside a switch.
        Some(held) => {
            held.mode == heard.mode
                && (heard.effort == held.effort || is_switched(work))
                && (heard.budget == held.budget || heard.mode == Some(ReasoningMode::On))
        }
    };
    if !is_same {
        work.hear((heard != Reasoning::default()).then_some(heard));
    }
    !is_same
}

/// Leaves out what the target does not listen to, if the settings are written anew.
pub(crate) fn settle(work: &mut Work<'_>) {
    let (row, dialect) = (&work.profile.thinking, work.profile.dialect);
    if work.conversation().settings.text_for(dialect).is_some() {
        return;
    }
    let asks = |field: &TopField| {
        let key = field.key.contents();
        let heard = row.heard_in.iter().any(|(heard, _)| *heard == key);
        (heard || row.unheard_in.contains(&&*key)) && field.value != Json::NULL
    };
    let mode = work.conversation().settings.reasoning.as_ref().and_then(|said| said.mode);
    // Of two switches, one may say what is not so.
    let is_true = |said: &Said| match said {
        Said::Effort(_) => true,
        Said::Switch(on, _) => *on == (mode != Some(ReasoningMode::Off)),
    };
    let is_unheard =
        |field: &TopField| asks(field) && !says(row, field).is_some_and(|said| is_true(&said));
    while let Some(at) = work.conversation().fields.iter().position(is_unheard) {
        let field = work.fields().remove(at);
        let what = format!("left out `{}`: the target does not listen to it", field.key);
        work.loss(Place::SETTINGS, what);
    }
}

/// Whether thinking is a switch, beside which an effort may stand.
fn is_switched(work: &Work<'_>) -> bool {
    work.profile.thinking.heard_in.iter().any(|(_, kind)| *kind != Kind::String)
}

/// What a field says, if the target listens to it.
fn says(row: &Thinking, field: &TopField) -> Option<Said> {
    let kind = field.value.kind();
    let mut heard = row.heard_in.iter();
    heard.find(|(key, of)| field.key == *key && *of == kind)?;
    if let Some(word) = field.value.text() {
        return Some(Said::Effort(word));
    }
    let doc = field.value.doc();
    let word = doc.root().get("type").map(Node::word).unwrap_or_default();
    let budget = doc.root().get("budget_tokens").filter(|budget| !budget.is_null());
    let on = match (field.value.boolean_value(), &*word) {
        (Some(on), _) => on,
        (None, "enabled") => true,
        (None, "disabled") => false,
        (None, _) => return None,
    };
    Some(Said::Switch(on, budget.map(Node::json)))
}

/// All of it together: of two switches, the one that changes what the model does by itself counts.
fn reading(said: Vec<Said>, unasked: bool) -> Reasoning {
    let mut heard = Reasoning::default();
    for one in said {
        match one {
            Said::Effort(word) if word == "none" => heard.mode = Some(ReasoningMode::Off),
            Said::Effort(word) => heard.effort = Some(word),
            Said::Switch(on, budget) => {
                let mode = if on { ReasoningMode::On } else { ReasoningMode::Off };
                if heard.mode.is_none() || on != unasked {
                    heard.mode = Some(mode);
                }
                heard.budget = heard.budget.or(budget);
            }
        }
    }
    heard
}
