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

use interlingua_model::Place;
use interlingua_wire::{Json, Node};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    rivals(work);
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
