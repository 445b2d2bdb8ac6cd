//! A number that is written as something else is read as the number, or left out.
//!
//! A string that holds a number is that number; a whole number with a fraction is written without.
//! What is no number at all is left out, and the provider's own default counts.
//!
//! ## Why
//! > temperature: Input should be a valid number
//!
//! > Invalid type for 'max_output_tokens': expected an integer, but got a string instead.
//!
//! ## Example
//! ```text
//! before   temperature: "0.5"   top_p: "high"
//! after    temperature: 0.5
//! ```

use interlingua_model::{Place, Settings, TopField};
use interlingua_wire::{Json, Kind};

use crate::profile::params::Spelling;
use crate::{Work, number};

/// One number of the settings.
struct Named {
    name: &'static str,
    whole: bool,
    look: Look,
    slot: fn(&mut Settings) -> &mut Option<Json>,
}

pub fn apply(work: &mut Work<'_>) {
    let spelling = work.profile.params.spelling;
    if spelling == Spelling::Free && work.is_own() {
        return;
    }
    if work.is_own() {
        shadowed(work, spelling);
    }
    let unread = work.is_own() && !work.profile.params.reads_all;
    for Named { name, whole, look, slot } in SLOTS {
        let Some(value) = look(&work.conversation().settings) else { continue };
        let elsewhere = *name == SEED && is_elsewhere(work);
        if unread && (*name == UNREAD || elsewhere) {
            continue;
        }
        // Where numbers may be strings, this one may have a fraction.
        let whole = *whole && !(*name == FRACTION && spelling == Spelling::Loose && work.is_own());
        let Some(better) = better(value, whole, spelling) else { continue };
        let value = value.clone();
        if let Some(better) = &better {
            let what = format!("`{name}` is {}, and not {}", better.as_str(), value.as_str());
            work.change(Place::SETTINGS, what);
        } else {
            let what = format!("left out `{name}`: {} is no number", short(&value));
            work.loss(Place::SETTINGS, what);
        }
        *slot(work.settings()) = better;
    }
    if !unread
        && work
            .conversation()
            .settings
            .reasoning
            .as_ref()
            .is_some_and(|asked| asked.budget.is_some())
    {
        budget(work, spelling);
    }
}

/// Whether the seed stands in a field that only a relative of the target reads.
fn is_elsewhere(work: &Work<'_>) -> bool {
    let has = |key: &str| work.conversation().fields.iter().any(|field| field.key == key);
    // Without its field, it is said anew.
    has(RELATIVES_SEED) && !has(SEED) && !work.profile.params.respelled.contains(&SEED)
}

/// Leaves out fields of which another one holds the meaning, and which are no numbers.
fn shadowed(work: &mut Work<'_>, spelling: Spelling) {
    for (name, held) in SHADOWED {
        let settings = &work.conversation().settings;
        let odd = |field: &TopField| {
            field.key == *name
                && field.value != Json::NULL
                && Some(&field.value) != held(settings)
                && better(&field.value, true, spelling).is_some()
        };
        if let Some(at) = work.conversation().fields.iter().position(odd) {
            let value = work.fields().remove(at).value;
            let what = format!(
                "left out `{name}`: {} is no number, and another field says it",
                short(&value)
            );
            work.loss(Place::SETTINGS, what);
        }
    }
}

fn budget(work: &mut Work<'_>, spelling: Spelling) {
    let Some(asked) = &work.conversation().settings.reasoning else { return };
    let Some(value) = asked.budget.clone() else { return };
    let Some(better) = better(&value, true, spelling) else { return };
    let what = format!("the budget for thinking is {}", short(&value));
    match &better {
        Some(better) => {
            work.change(Place::SETTINGS, format!("{what}: read as {}", better.as_str()));
        }
        None => work.loss(Place::SETTINGS, format!("{what}: left out, it is no number")),
    }
    if let Some(asked) = &mut work.settings().reasoning {
        asked.budget = better;
    }
}

/// What is to be written instead, if anything is: a number, or nothing.
#[expect(clippy::option_option, reason = "whether to change it, and then to what")]
fn better(value: &Json, whole: bool, spelling: Spelling) -> Option<Option<Json>> {
    let kind = value.kind();
    let Some(said) = number::said(value) else { return Some(None) };
    let fraction = whole && said.fract() != 0.0;
    let spelled = match spelling {
        Spelling::Loose => value.text().is_none_or(|text| is_bare(&text.contents())),
        Spelling::Free | Spelling::Numbers => kind == Kind::Number,
        Spelling::Exact => kind == Kind::Number && (!whole || number::is_exact(value)),
    };
    if spelled && !fraction {
        return None;
    }
    Some(Some(number::spelled(if whole { number::whole(said) } else { said })))
}

/// Nothing stands around the number in its string.
fn is_bare(text: &str) -> bool {
    text.trim() == text
}

fn short(value: &Json) -> String {
    value.as_str().chars().take(40).collect()
}

macro_rules! slot {
    ($name:ident, $whole:literal) => {
        Named {
            name: stringify!($name),
            whole: $whole,
            look: |settings| settings.$name.as_ref(),
            slot: |settings| &mut settings.$name,
        }
    };
}

type Look = fn(&Settings) -> Option<&Json>;

const SEED: &str = "seed";
const RELATIVES_SEED: &str = "random_seed";
const FRACTION: &str = "top_k";

/// What not everybody knows.
const UNREAD: &str = "top_k";

/// Fields that have a rival, and what the settings hold of the two.
const SHADOWED: &[(&str, Look)] = &[
    ("max_tokens", |settings| settings.max_tokens.as_ref()),
    ("seed", |settings| settings.seed.as_ref()),
];

const SLOTS: &[Named] = &[
    slot!(max_tokens, true),
    slot!(temperature, false),
    slot!(top_p, false),
    slot!(top_k, true),
    slot!(seed, true),
    slot!(presence_penalty, false),
    slot!(frequency_penalty, false),
    slot!(answers, true),
];
