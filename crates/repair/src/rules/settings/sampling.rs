//! Brings sampling settings into the range that the model accepts, or removes them.
//!
//! A number out of range becomes the limit. A setting that the model does not accept, or not while
//! it reasons, is removed: the model's default applies. Of `temperature` and `top_p`, `temperature`
//! stays.
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

use interlingua_model::{LedgerPath, Settings};
use interlingua_providers::profile::settings::{SamplingRanges, ValueRange};
use interlingua_wire::RawJson;

use crate::engine::Work;
use crate::values::number;

/// One sampling setting and its accessors.
struct SamplingSetting {
    name: &'static str,
    get: fn(&Settings) -> Option<&RawJson>,
    get_mut: fn(&mut Settings) -> &mut Option<RawJson>,
    range: fn(&SamplingRanges) -> ValueRange,
}

pub(super) fn apply(work: &mut Work<'_>) {
    let settings_profile = &work.profile.settings;
    let is_reasoning = work.is_reasoning_enabled();
    for setting in SAMPLING_SETTINGS {
        let Some(value) = (setting.get)(&work.conversation().settings) else { continue };
        let Some(requested) = number::parse(value) else { continue };
        let range = (setting.range)(&settings_profile.sampling);
        if !range.contains(requested) {
            clamp_setting(work, setting, requested, range);
        }
        let range = (setting.range)(&settings_profile.sampling_while_reasoning);
        if is_reasoning
            && let Some(requested) =
                (setting.get)(&work.conversation().settings).and_then(number::parse)
            && !range.contains(requested)
        {
            let message =
                format!("left out `{}`: it cannot be {requested} while reasoning", setting.name);
            work.record_loss(LedgerPath::SETTINGS, message);
            *(setting.get_mut)(work.edit_settings()) = None;
        }
    }
    let settings = &work.conversation().settings;
    if !settings_profile.temperature_with_top_p
        && settings.temperature.is_some()
        && settings.top_p.is_some()
    {
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out `top_p`: the target cannot combine it with `temperature`",
        );
        work.edit_settings().top_p = None;
    }
}

/// Sets the nearest accepted number, or removes the setting if only one value is accepted.
fn clamp_setting(
    work: &mut Work<'_>,
    setting: &SamplingSetting,
    requested: f64,
    range: ValueRange,
) {
    if range.min >= range.max {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out `{}`: it cannot be set", setting.name),
        );
        *(setting.get_mut)(work.edit_settings()) = None;
        return;
    }
    let nearest = requested.clamp(range.min, range.max);
    work.record_change(
        LedgerPath::SETTINGS,
        format!("`{}` is {nearest} instead of {requested}", setting.name),
    );
    *(setting.get_mut)(work.edit_settings()) = Some(number::to_json(nearest));
}

macro_rules! sampling_setting {
    ($name:ident, $span:ident) => {
        SamplingSetting {
            name: stringify!($name),
            get: |settings| settings.$name.as_ref(),
            get_mut: |settings| &mut settings.$name,
            range: |sampling| sampling.$span,
        }
    };
}

const SAMPLING_SETTINGS: &[SamplingSetting] = &[
    sampling_setting!(temperature, temperature),
    sampling_setting!(top_p, top_p),
    sampling_setting!(top_k, top_k),
    sampling_setting!(presence_penalty, penalties),
    sampling_setting!(frequency_penalty, penalties),
];
