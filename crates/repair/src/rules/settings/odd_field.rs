//! Rewrites or removes a setting if its field does not have the shape that the dialect defines.
//!
//! The parts that can be decoded are sent in the form that the provider accepts. The rest is
//! removed, and the provider's default applies.
//!
//! ## Why
//! > tool_choice: Input should be an object
//!
//! > Invalid type for 'stream': expected a boolean, but got a string instead.
//!
//! > thinking.disabled.display: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   tool_choice: "auto"
//! after    tool_choice: {"type": "auto"}
//! ```

use interlingua_model::LedgerPath;

use crate::engine::Work;
use crate::shape::Verdict;

pub(super) fn apply(work: &mut Work<'_>) {
    let shapes = work.profile.settings.fields;
    if shapes.is_empty() || !work.is_same_dialect() {
        return;
    }
    let checker = work.profile.setting_checker();
    let mut at = 0;
    while at < work.conversation().top_level_fields.len() {
        let field = &work.conversation().top_level_fields[at];
        let key = field.key.unescape();
        let verdict = match shapes.iter().find(|shape| checker.is_same_name(&key, shape.name)) {
            Some(shape) => {
                let value = work.json_ref(&field.value);
                checker.check_node(value.root(), shape.shape)
            }
            None => Verdict::Keep,
        };
        match verdict {
            Verdict::Keep => at += 1,
            Verdict::Replace(json) => {
                let key = key.into_owned();
                work.edit_top_level_fields()[at].value = json;
                rewrite_setting(work, &key);
                at += 1;
            }
            Verdict::Drop => {
                let key = key.into_owned();
                work.edit_top_level_fields().remove(at);
                rewrite_setting(work, &key);
            }
        }
    }
}

fn rewrite_setting(work: &mut Work<'_>, key: &str) {
    // The decoded setting is encoded again.
    work.discard_settings_text();
    let message = format!("`{key}` has an invalid shape: only the decoded part is sent");
    work.record_change(LedgerPath::SETTINGS, message);
}
