//! How to sample is brought within what the model takes, or left to it.
//!
//! A number beyond its limits becomes the limit. What a model does not let anybody set, or not while it
//! thinks, is left out: its own default counts. Of temperature and `top_p`, temperature stays.
//!
//! ## Why
//! > `temperature` is deprecated for this model.
//!
//! > `temperature` and `top_p` cannot both be specified for this model. Please use only one.
//!
//! > Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value
//! > is supported.
//!
//! ## Example
//! ```text
//! before   temperature: 1.4   top_p: 0.9
//! after    temperature: 1
//! ```

use interlingua_model::{Place, Settings};
use interlingua_wire::Json;

use crate::profile::params::{Sampling, Span};
use crate::{Work, number};

/// One parameter.
struct Named {
    name: &'static str,
    look: fn(&Settings) -> Option<&Json>,
    slot: fn(&mut Settings) -> &mut Option<Json>,
    span: fn(&Sampling) -> Span,
}

pub fn apply(work: &mut Work<'_>) {
    let params = &work.profile.params;
    let thinks = work.thinks();
    for one in SLOTS {
        let Some(value) = (one.look)(&work.conversation().settings) else { continue };
        let Some(said) = number::said(value) else { continue };
        let span = (one.span)(&params.sampling);
        if !span.holds(said) {
            limit(work, one, said, span);
        }
        let span = (one.span)(&params.while_thinking);
        if thinks
            && let Some(said) = (one.look)(&work.conversation().settings).and_then(number::said)
            && !span.holds(said)
        {
            let what = format!("left out `{}`: it cannot be {said} while thinking", one.name);
            work.loss(Place::SETTINGS, what);
            *(one.slot)(work.settings()) = None;
        }
    }
    let settings = &work.conversation().settings;
    if !params.both && settings.temperature.is_some() && settings.top_p.is_some() {
        work.loss(Place::SETTINGS, "left out `top_p`: it does not go with a temperature");
        work.settings().top_p = None;
    }
}

/// Puts the nearest number that may be set, or nothing where there is no choice.
fn limit(work: &mut Work<'_>, one: &Named, said: f64, span: Span) {
    if span.least >= span.most {
        work.loss(Place::SETTINGS, format!("left out `{}`: it cannot be set", one.name));
        *(one.slot)(work.settings()) = None;
        return;
    }
    let nearest = said.clamp(span.least, span.most);
    work.change(Place::SETTINGS, format!("`{}` is {nearest}, and not {said}", one.name));
    *(one.slot)(work.settings()) = Some(number::spelled(nearest));
}

macro_rules! slot {
    ($name:ident, $span:ident) => {
        Named {
            name: stringify!($name),
            look: |settings| settings.$name.as_ref(),
            slot: |settings| &mut settings.$name,
            span: |sampling| sampling.$span,
        }
    };
}

const SLOTS: &[Named] = &[
    slot!(temperature, temperature),
    slot!(top_p, top_p),
    slot!(top_k, top_k),
    slot!(presence_penalty, penalties),
    slot!(frequency_penalty, penalties),
];
