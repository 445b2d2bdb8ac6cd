//! A request body, both ways.

use std::collections::HashSet;

use bytes::Bytes;
use interlingua_model::{Block, Conversation, Ledger, Place, Settings, Target, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Text, Writer};

use super::encode::{self, Cx, Spot};
use super::{ID, decode, flavor, messages, settings, tools};
use crate::{body, note, run};

pub(super) fn decode(doc: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        decode::odd(ledger, Place::BODY, "the body is not an object: there is no conversation");
    }
    conversation.fields = body::read_fields(doc, |_| true, ledger);
    let mut read = Box::<Settings>::default();
    let mut unknown = HashSet::new();
    for field in root.fields() {
        let (name, value) = (field.name(), field.value);
        match &*name {
            "model" => conversation.model = value.text(),
            "messages" => conversation.turns = decode::turns(value, ledger),
            "system" => conversation.system = decode_system(value, ledger),
            "tools" => conversation.tools = tools::decode_list(value, ledger),
            key => settings::decode(&mut read, key, value, ledger),
        }
        if !settings::is_known(&name, value) {
            unknown.insert(name);
        }
    }
    if !unknown.is_empty() {
        for field in &mut conversation.fields {
            field.known &= !unknown.contains(&*field.key.contents());
        }
    }
    conversation.settings = Verbatim::read(read, ID, doc.whole());
    Verbatim::read(conversation, ID, doc.whole())
}

pub(super) fn decode_system(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Block>>> {
    let blocks = if node.is_null() {
        Vec::new()
    } else {
        decode::content(Some(node), Place::SYSTEM, ledger)
    };
    Verbatim::read(blocks, ID, node.json())
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let model = target.model.as_ref().or(conversation.model.as_ref());
    if let Some(text) = conversation.text_for(ID).filter(|_| model == conversation.model.as_ref()) {
        return text.to_bytes();
    }
    let mut out = Writer::with_capacity(body::room(conversation));
    let unsigned = flavor::find(target.flavor).unsigned;
    let mut cx = Cx { ledger, own: conversation.source == ID, unsigned };
    out.object(|o| {
        if cx.own {
            encode_own(conversation, model, &mut cx, o);
        } else {
            encode_other(conversation, model, &mut cx, o);
        }
    });
    out.into_bytes().into()
}

/// A body of this dialect: its fields in their order, as written where nothing was edited.
fn encode_own(
    conversation: &Conversation,
    model: Option<&Text>,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    let edited = conversation.settings.text_for(ID).is_none();
    let mut original = Settings::default();
    if edited {
        for field in &conversation.fields {
            let key = field.key.contents();
            let doc = field.value.doc();
            settings::decode(&mut original, &key, doc.root(), &mut Ledger::default());
        }
    }
    let setting = |key: &str, value: Option<&Json>, cx: &mut Cx<'_>, o: &mut Object<'_>| {
        edited && settings::encode_edited(key, value, conversation, &original, cx, o)
    };
    body::write_fields(conversation, o, |key, value, o| match key {
        "model" => {
            o.text_if("model", model);
            model.is_some()
        }
        "messages" => {
            o.array("messages", |a| messages::write_each(conversation, cx, a));
            true
        }
        "system" => {
            write_system(conversation, 0, cx, o);
            true
        }
        "tools" => {
            write_tools(conversation, cx, o);
            true
        }
        key => setting(key, Some(value), cx, o),
    });
    let is_new = |key: &str| !conversation.fields.iter().any(|field| field.key == *key);
    if is_new("model") {
        o.text_if("model", model);
    }
    if is_new("messages") {
        o.array("messages", |a| messages::write_each(conversation, cx, a));
    }
    if is_new("system") && !conversation.system.is_empty() {
        write_system(conversation, 0, cx, o);
    }
    if is_new("tools") && !conversation.tools.is_empty() {
        write_tools(conversation, cx, o);
    }
    for key in settings::KEYS.iter().filter(|key| is_new(key)) {
        setting(key, None, cx, o);
    }
}

/// A body from another dialect, in the order this one's own clients write.
fn encode_other(
    conversation: &Conversation,
    model: Option<&Text>,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    body::note_left_out(conversation, ID, cx.ledger);
    let leading = run::leading_instructions(conversation);
    o.text_if("model", model);
    write_system(conversation, leading, cx, o);
    o.array("messages", |a| messages::write_joined(conversation, leading, cx, a));
    write_tools(conversation, cx, o);
    settings::encode_all(conversation, cx, o);
}

/// The instructions: this dialect's own place for them, then the turns of instructions that the
/// conversation begins with.
fn write_system(conversation: &Conversation, leading: usize, cx: &mut Cx<'_>, o: &mut Object<'_>) {
    if let Some(text) = conversation.system.text_for(ID).filter(|_| leading == 0) {
        o.json("system", text);
        return;
    }
    let turns = conversation.turns.get(..leading).unwrap_or_default();
    if conversation.system.is_empty() && turns.iter().all(|turn| turn.blocks.is_empty()) {
        return;
    }
    o.array("system", |a| {
        for (at, block) in conversation.system.iter().enumerate() {
            encode::block(block, Spot::System, Place::system(at), cx, a);
        }
        for (at, turn) in turns.iter().enumerate() {
            encode::note_extras(&turn.extras, Place::turn(at), cx.ledger);
            for (of, block) in turn.blocks.iter().enumerate() {
                encode::block(block, Spot::System, Place::block(at, of), cx, a);
            }
        }
    });
}

fn write_tools(conversation: &Conversation, cx: &mut Cx<'_>, o: &mut Object<'_>) {
    let allowed = messages::allowed(conversation);
    if let Some(text) = conversation.tools.text_for(ID).filter(|_| allowed.is_none()) {
        o.json("tools", text);
        return;
    }
    if conversation.tools.is_empty() {
        return;
    }
    o.array("tools", |a| {
        for (at, tool) in conversation.tools.iter().enumerate() {
            if allowed.is_none_or(|names| names.contains(&tool.name)) {
                tools::encode(tool, at, cx, a);
            } else {
                let what = format!("left out `{}`: it may not be called this time", tool.name);
                cx.ledger.loss(note::SETTING_CONVERTED, Place::tool(at), what);
            }
        }
    });
}
