//! A setting that the target knows by another name is said under that name.
//!
//! Servers that speak one dialect have different words for the same thing, such as the length of the
//! answer or whether to think. What the target has no word for at all is left out.
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

use interlingua_model::{Place, TopField};
use interlingua_wire::{Json, Node};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    rivals(work);
    shadowed(work);
    switches(work);
    let strange = work.profile.params.respelled;
    if strange.is_empty() || !work.is_own() {
        return;
    }
    while let Some(at) =
        work.conversation().fields.iter().position(|field| {
            field.value != Json::NULL && strange.contains(&&*field.key.contents())
        })
    {
        let field = work.fields().remove(at);
        // Without its field, what it says is said anew.
        work.settings();
        let what = format!("`{}` is not known here: what it says is said otherwise", field.key);
        work.change(Place::SETTINGS, what);
    }
}

/// Leaves out an effort that the target hears and does not know, where another field is taken at its word.
fn shadowed(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    let Some(known) = row.efforts.filter(|_| work.is_own()) else { return };
    let conversation = work.conversation();
    let held = conversation.settings.reasoning.as_ref().and_then(|said| said.effort.as_ref());
    let is_odd = |field: &TopField| {
        let word = field.value.text().filter(|word| held.is_some_and(|held| held != word));
        row.heard_in.iter().any(|(key, _)| field.key == *key)
            && word.is_some_and(|word| !known.contains(&&*word.contents()))
    };
    if let Some(at) = conversation.fields.iter().position(is_odd) {
        let field = work.fields().remove(at);
        let what = format!("left out `{}`: another field says otherwise", field.key);
        work.loss(Place::SETTINGS, what);
    }
}

/// Of two switches that say different things, the last one counts, and the other is left out.
fn switches(work: &mut Work<'_>) {
    let heard = work.profile.thinking.heard_in;
    // Elsewhere either will do.
    if heard.len() < 2 || !work.is_own() || !work.profile.params.streams_thinking {
        return;
    }
    let says = |field: &TopField| {
        heard.iter().find(|(key, kind)| field.key == *key && field.value.kind() == *kind)?;
        let doc = field.value.doc();
        let kind = doc.root().get("type").map(Node::word).unwrap_or_default();
        match (field.value.boolean_value(), &*kind) {
            (Some(on), _) => Some(on),
            (None, "enabled") => Some(true),
            (None, "disabled") => Some(false),
            (None, _) => None,
        }
    };
    let fields = work.conversation().fields.iter().enumerate();
    let said: Vec<_> = fields.filter_map(|(at, field)| Some((at, says(field)?))).collect();
    if let [(at, one), (_, other)] = said[..]
        && one != other
    {
        let field = work.fields().remove(at);
        let what = format!("left out `{}`: another field says otherwise", field.key);
        work.loss(Place::SETTINGS, what);
    }
}

/// Of two fields that say different things, the one with more to say stays.
fn rivals(work: &mut Work<'_>) {
    let Some((lesser, greater)) = work.profile.thinking.rivals.filter(|_| work.is_own()) else {
        return;
    };
    let fields = &work.conversation().fields;
    let of = |key: &str| fields.iter().position(|field| field.key == *key);
    let (Some(lesser), Some(greater)) = (of(lesser), of(greater)) else { return };
    let doc = fields[greater].value.doc();
    let effort = doc.root().get("effort").and_then(Node::text);
    let said = fields[lesser].value.text();
    if effort.is_some() && said.is_some() && effort != said {
        let field = work.fields().remove(lesser);
        work.settings().reasoning.get_or_insert_default().effort = effort;
        work.loss(
            Place::SETTINGS,
            format!("left out `{}`: another field says otherwise", field.key),
        );
    }
}
