//! Requests: the body, both ways.

use bytes::Bytes;
use interlingua_model::{Conversation, Ledger, Place, Target, Tool, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Text, Writer};

use super::encode::Pen;
use super::flavor::Flavor;
use super::{ID, decode, settings, tools};
use crate::{body, note};

pub(super) fn decode(body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = body.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.change(note::ODD_INPUT, Place::BODY, "the body is no object");
        return Verbatim::read(conversation, ID, body.whole());
    }
    conversation.fields = body::read_fields(body, is_known, ledger);
    conversation.model = root.get("model").and_then(Node::text);
    match root.get("messages") {
        Some(list) if list.is_array() => conversation.turns = decode::messages(list, ledger),
        Some(_) => ledger.change(note::ODD_INPUT, Place::BODY, "`messages` is no list"),
        None if root.get("input").is_some() => {
            let what = "the body has `input` and no `messages`: it is of another dialect";
            ledger.change(note::ODD_INPUT, Place::BODY, what);
        }
        None => ledger.change(note::ODD_INPUT, Place::BODY, "the body has no `messages`"),
    }
    conversation.tools = tools::decode_all(root, ledger);
    let mut unread = Vec::new();
    let settings = settings::decode(root, &mut unread);
    // What is not read stays behind where dialects are crossed.
    for field in conversation.fields.iter_mut().filter(|field| unread.contains(&field.key)) {
        field.known = false;
    }
    conversation.settings = Verbatim::read(settings, ID, body.whole());
    Verbatim::read(conversation, ID, body.whole())
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let same_model = target.model.is_none() || target.model == conversation.model;
    if let Some(text) = conversation.text_for(ID).filter(|_| same_model) {
        return text.to_bytes();
    }
    let flavor = Flavor::find(target.flavor);
    let model = target.model.as_ref().or(conversation.model.as_ref());
    let mut pen = Pen::new(flavor, conversation, ledger);
    let mut out = Writer::with_capacity(body::room(conversation));
    out.object(|o| {
        if conversation.source == ID {
            rewrite(model, o, &mut pen);
        } else {
            fresh(model, o, &mut pen);
        }
    });
    out.into_bytes().into()
}

fn fresh(model: Option<&Text>, o: &mut Object<'_>, pen: &mut Pen<'_>) {
    body::note_left_out(pen.conversation, ID, pen.ledger);
    o.text_if("model", model);
    o.array("messages", |a| pen.messages(a));
    write_tools(o, pen);
    settings::encode(pen.conversation, pen.flavor, o, pen.ledger);
}

/// Writes a body of this dialect again, field by field in its order: what was not edited as it was.
fn rewrite(model: Option<&Text>, o: &mut Object<'_>, pen: &mut Pen<'_>) {
    let conversation = pen.conversation;
    let now = &*conversation.settings;
    let mut edited =
        settings::Edited::of(conversation, conversation.settings.text_for(ID).is_some());
    let chosen_anew = edited.is_stale("tool_choice", now);
    let only = only(pen).filter(|_| chosen_anew);
    let offered = conversation.tools.text_for(ID).is_some() && only.is_none();
    let says = |key: &str| {
        conversation.fields.iter().any(|field| field.key == key && field.value != Json::NULL)
    };
    if !offered && says("function_call") {
        edited.choose_anew(says("tool_choice"));
    }
    let mut missing = (model, !conversation.turns.is_empty(), !offered);
    body::write_fields(conversation, o, |key, _, o| match key {
        "model" => {
            o.text_if("model", missing.0.take());
            true
        }
        "messages" => {
            missing.1 = false;
            o.array("messages", |a| pen.messages(a));
            true
        }
        "tools" | "functions" if !offered => {
            if std::mem::take(&mut missing.2) {
                write_tools(o, pen);
            }
            true
        }
        key => edited.is_stale(key, now),
    });
    o.text_if("model", missing.0);
    if missing.1 {
        o.array("messages", |a| pen.messages(a));
    }
    if missing.2 {
        write_tools(o, pen);
    }
    edited.write(conversation, pen.flavor, o, pen.ledger);
}

/// The only tools to be offered, unless there is none of them.
fn only<'c>(pen: &Pen<'c>) -> Option<&'c [Text]> {
    let conversation = pen.conversation;
    let only = settings::only(&conversation.settings, pen.flavor)?;
    let offered = |tool: &Verbatim<Tool>| only.contains(&tool.name) && tools::is_sayable(tool);
    conversation.tools.iter().any(offered).then_some(only)
}

/// "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely."
fn write_tools(o: &mut Object<'_>, pen: &mut Pen<'_>) {
    let conversation = pen.conversation;
    let only = only(pen);
    if tools::any(&conversation.tools) {
        o.array("tools", |a| tools::encode_all(&conversation.tools, only, a, pen));
    } else {
        // Nothing is written; what is left out is noted all the same.
        let mut aside = Writer::default();
        aside.array(|a| tools::encode_all(&conversation.tools, only, a, pen));
    }
}

fn is_known(key: &str) -> bool {
    matches!(key, "model" | "messages" | "tools" | "functions") || settings::is_setting(key)
}
