//! Renames a setting that the target has under another name.
//!
//! Servers of one dialect use different names for the same setting, for example for the length of
//! the reply or for reasoning. A setting that the target does not have at all is removed.
//!
//! ## Why
//! > Unsupported parameter: 'max_tokens' is not supported with this model. Use
//! > 'max_completion_tokens' instead.
//!
//! ## Example
//! ```text
//! before   max_tokens: 1024
//! after    max_completion_tokens: 1024
//! ```

use interlingua_model::LedgerPath;
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    drop_conflicting_effort(work);
    let renamed_fields = work.profile.settings.renamed_fields;
    if renamed_fields.is_empty() || !work.is_same_dialect() {
        return;
    }
    while let Some(at) = work.conversation().top_level_fields.iter().position(|field| {
        field.value != RawJson::NULL && renamed_fields.contains(&&*field.key.unescape())
    }) {
        let field = work.edit_top_level_fields().remove(at);
        // The decoded setting is encoded under the target's name.
        work.discard_settings_text();
        let message = format!(
            "the target does not know `{}`: the setting is sent in the target's form",
            field.key
        );
        work.record_change(LedgerPath::SETTINGS, message);
    }
}

/// Of two effort fields with different values, the more general one stays.
fn drop_conflicting_effort(work: &mut Work<'_>) {
    let Some((lesser, greater)) =
        work.profile.reasoning.conflicting_effort_fields.filter(|_| work.is_same_dialect())
    else {
        return;
    };
    let fields = &work.conversation().top_level_fields;
    let index_of = |key: &str| fields.iter().position(|field| field.key == *key);
    let (Some(lesser), Some(greater)) = (index_of(lesser), index_of(greater)) else { return };
    let doc = fields[greater].value.to_doc();
    let effort = doc.root().get("effort").and_then(JsonNode::json_string);
    let lesser_effort = fields[lesser].value.json_string();
    if effort.is_some() && lesser_effort.is_some() && effort != lesser_effort {
        let field = work.edit_top_level_fields().remove(lesser);
        work.edit_settings().reasoning.get_or_insert_default().effort = effort;
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out `{}`: another field has a different value", field.key),
        );
    }
}
