//! Tools that take free text, offered as a function with one string: what a model puts into it.

use interlingua_wire::{Json, Node, Text};

/// The free text within the arguments of such a call. Models that know the tool by heart put it under
/// the name they learnt; then it must be the only field.
pub(crate) fn unwrapped(args: &Json) -> Option<Text> {
    let doc = args.doc();
    let args = doc.root();
    let learnt = || LEARNT.iter().find_map(|key| args.get(key)).filter(|_| args.len() == 1);
    args.get("input").or_else(learnt).and_then(Node::text)
}

const LEARNT: &[&str] = &["patch", "command"];
