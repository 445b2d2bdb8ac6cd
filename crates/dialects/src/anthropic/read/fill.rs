//! What packages read in a frame without asking whether it is there.

use std::borrow::Cow;

use interlingua_model::{Exchange, Usage};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node};

use crate::anthropic::{reply, usage};

/// Whether counts are there that packages read without asking.
pub(super) fn has(counts: Option<Node<'_>>, keys: &[&str]) -> bool {
    let has = |counts: Node<'_>, key: &&str| counts.get(key).and_then(Node::count).is_some();
    counts.is_some_and(|counts| keys.iter().all(|key| has(counts, key)))
}

pub(super) fn is_whole(message: Option<Node<'_>>) -> bool {
    message.is_some_and(|message| {
        let [content, counts] = message.pick(["content", "usage"]);
        content.is_some_and(Node::is_array) && has(counts, &["input_tokens", "output_tokens"])
    })
}

pub(super) fn fill_message(message: Option<Node<'_>>, exchange: &Exchange, o: &mut Object<'_>) {
    o.object("message", |o| {
        let message = message.filter(|message| message.is_object());
        if message.is_none() {
            reply::head(None, None, exchange, o);
            o.null("stop_reason");
            o.null("stop_sequence");
        }
        others(message, &["content", "usage"], o);
        match message.and_then(|message| message.get("content")).filter(|list| list.is_array()) {
            Some(content) => o.json("content", &content.json()),
            None => o.array("content", |_| {}),
        }
        match message.and_then(|message| message.get("usage")).filter(|counts| counts.is_object()) {
            Some(counts) => o.object("usage", |o| {
                let missing = |key: &str| counts.get(key).and_then(Node::count).is_none();
                let lacks: Vec<&str> = ["input_tokens", "output_tokens"]
                    .into_iter()
                    .filter(|key| missing(key))
                    .collect();
                others(Some(counts), &lacks, o);
                for key in ["input_tokens", "output_tokens"] {
                    if missing(key) {
                        o.number(key, 0);
                    }
                }
            }),
            None => usage::write(&Usage::default(), o),
        }
    });
}

pub(super) fn fill_counts(counts: Option<Node<'_>>, so_far: Option<&Json>, o: &mut Object<'_>) {
    let count = |json: &Json| json.doc().root().get("output_tokens").and_then(Node::count);
    o.object("usage", |o| {
        others(counts.filter(|counts| counts.is_object()), &["output_tokens"], o);
        o.number("output_tokens", so_far.and_then(count).unwrap_or(0));
    });
}

/// The fields of an object but for some.
pub(super) fn others(node: Option<Node<'_>>, but: &[&str], o: &mut Object<'_>) {
    for field in node.into_iter().flat_map(Node::fields) {
        let name: Cow<'_, str> = field.name();
        if !but.contains(&&*name) {
            o.key_text(&field.key()).json(&field.value.json());
        }
    }
}
