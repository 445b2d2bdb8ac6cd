//! Tools that come in the middle of a conversation are those that the target takes.
//!
//! Some dialects bring tools along among the items. One that could not stand in the list of tools is
//! left out there, too.
//!
//! ## Why
//! > Invalid 'input\[0\].tools\[0\].name': string does not match pattern. Expected a string that matches
//! > the pattern '^[a-zA-Z0-9_-]+$'.
//!
//! ## Example
//! ```text
//! before   additional tools: `a:b`, `c`
//! after    additional tools: `c`
//! ```

use interlingua_model::{Body, Place};
use interlingua_wire::{Json, Node};

use crate::Work;
use crate::tools;

pub fn apply(work: &mut Work<'_>) {
    let Some(added) = work.profile.tools.added else { return };
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if let Some(json) = sifted(work, turn, at, added) {
                let what = "left out tools among those added: the target does not take them";
                work.loss(Place::block(turn, at), what);
                if let Body::Foreign { json: written, .. } = &mut work.edit(turn, at).body {
                    *written = json;
                }
            }
        }
    }
}

/// The block with the tools that may stand there, if some may not.
fn sifted(work: &Work<'_>, turn: usize, at: usize, added: &str) -> Option<Json> {
    let Body::Foreign { kind, json, .. } = &work.block(turn, at).body else { return None };
    let doc = json.doc();
    let list = doc.root().get("tools").filter(|list| kind == added && list.is_array())?;
    let mut known = Vec::new();
    let mut fits = |tool: Node<'_>| {
        let name = tool.get("name").map(Node::word).unwrap_or_default();
        let kind = tool.get("type").map(Node::word).unwrap_or_default();
        let again = work.profile.tools.unique
            && matches!(&*kind, "function" | "custom")
            && known.iter().any(|one: &String| *one == *name);
        known.push(name.into_owned());
        !again && tools::fits(tool, work.profile)
    };
    let kept: Vec<Node<'_>> = list.items().filter(|tool| fits(*tool)).collect();
    if kept.len() == list.len() {
        return None;
    }
    let kept = Json::array(|out| kept.iter().for_each(|tool| out.item().json(&tool.json())));
    Some(Json::object(|object| {
        for field in doc.root().fields() {
            let written = field.value.json();
            object.key_text(&field.key()).json(if field.is("tools") { &kept } else { &written });
        }
    }))
}
