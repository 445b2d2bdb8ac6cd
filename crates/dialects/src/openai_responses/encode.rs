//! Turns, written as items of the input.

use interlingua_model::{
    Args, Block, Body, Calls, Extras, Form, Ledger, Place, Thinking, ToolCall, ToolResult, Turn,
    Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Kind, Text, Writer};

use super::output::MESSAGE;
use super::{ID, OPENAI, XAI, encode_parts, items, names, parts, request};
use crate::note;

/// Where a block comes from: its place, and whether that is in this dialect.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) place: Place,
    pub(super) same: bool,
}

/// One turn as the items it needs: neighbouring parts are one message, anything else an item.
pub(super) fn write_turn(
    calls: &Calls<'_>,
    at: usize,
    turn: &Turn,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    note_extras(&turn.extras, Place::turn(at), ledger);
    let same = calls.conversation().source == ID;
    let mut extras = Some(&turn.extras);
    let mut first = 0;
    let head = |block: &Block| block.extras.find(ID, MESSAGE).cloned();
    let together = |a: &Block, b: &Block| {
        is_part(&a.body) && is_part(&b.body) && b.extras.find(ID, MESSAGE).is_none()
    };
    for group in turn.blocks.chunk_by(|a, b| together(a, b)) {
        if is_part(&group[0].body) {
            let content = |a: &mut Array<'_>| {
                for (offset, block) in group.iter().enumerate() {
                    let at = At { place: Place::block(at, first + offset), same };
                    encode_parts::write_part(block, turn.role, at, a, ledger);
                }
            };
            if same || group.iter().any(|block| is_lasting(&block.body)) {
                let said = (extras.take(), head(&group[0]));
                write_message(turn, said, a, |out| out.array(content));
            } else {
                // A message whose parts could not cross says nothing, and would be refused.
                let content = Json::array(content);
                if content != Json::EMPTY_ARRAY {
                    let said = (extras.take(), head(&group[0]));
                    write_message(turn, said, a, |out| out.json(&content));
                }
            }
        } else {
            let place = Place::block(at, first);
            write_item(calls, at, &group[0], At { place, same }, a, ledger);
        }
        first += group.len();
    }
    if turn.blocks.is_empty() && same {
        write_message(turn, (extras, None), a, |out| out.array(|_| {}));
    }
}

/// With what the turn says of it, and what its first part carries from the reply it came in.
fn write_message(
    turn: &Turn,
    (extras, head): (Option<&Extras>, Option<Json>),
    a: &mut Array<'_>,
    content: impl FnOnce(&mut Writer),
) {
    a.object(|o| {
        o.known("type", "message");
        o.word("role", request::role_word(turn.role));
        content(o.key("content"));
        if let Some(extras) = extras {
            extras.write(ID, o);
        }
        let head = head.map(|head| head.doc());
        for field in head.iter().flat_map(|head| head.root().fields()) {
            o.key_text(&field.key()).json(&field.value.json());
        }
    });
}

/// Whether a part is never left out.
fn is_lasting(body: &Body) -> bool {
    matches!(body, Body::Text { .. } | Body::Refusal(_) | Body::Data(_))
}

/// Whether a block stands inside a message; otherwise it is an item of its own.
fn is_part(body: &Body) -> bool {
    match body {
        Body::Text { .. } | Body::Refusal(_) | Body::Media(_) | Body::Data(_) => true,
        Body::Foreign { dialect, kind, .. } => {
            *dialect != ID || kind.raw().starts_with(parts::PART)
        }
        Body::Thinking(_) | Body::ToolCall(_) | Body::ToolResult(_) => false,
    }
}

fn write_item(
    calls: &Calls<'_>,
    turn: usize,
    block: &Verbatim<Block>,
    at: At,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return a.item().json(text);
    }
    match &block.body {
        Body::Thinking(thinking) => write_reasoning(thinking, block, at.place, a, ledger),
        Body::ToolCall(call) => {
            note_block(block, at, ledger);
            a.object(|o| write_call(call, &block.extras, o));
        }
        Body::ToolResult(result) => {
            note_block(block, at, ledger);
            let call = calls.call_of(turn, &result.call);
            let custom = call.is_some_and(|call| matches!(call.args, Args::Freeform(_)));
            a.object(|o| write_result(result, custom, &block.extras, at, o, ledger));
        }
        Body::Foreign { json, .. } => a.item().json(json),
        Body::Text { .. } | Body::Refusal(_) | Body::Media(_) | Body::Data(_) => {}
    }
}

/// Whether this dialect's providers can open the seal.
pub(super) fn is_ours(block: &Block) -> bool {
    block.seal.as_ref().is_some_and(|seal| {
        let issuer = &seal.origin.issuer;
        *issuer == OPENAI || *issuer == XAI
    })
}

/// Reasoning goes back to who sealed it, or with the id under which the provider keeps it.
fn write_reasoning(
    thinking: &Thinking,
    block: &Block,
    place: Place,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    if !is_ours(block) && block.extras.find(ID, "id").is_none() {
        let what = match &block.seal {
            Some(seal) => format!("left out reasoning sealed by {}", seal.origin.issuer),
            None => "left out reasoning that nobody sealed".to_owned(),
        };
        ledger.loss(note::FOREIGN_SEAL, place, what);
        return;
    }
    let seal_id = block.seal.as_ref().and_then(|seal| seal.id.clone());
    let said = block.extras.find(ID, "id").and_then(Json::text);
    // An id that nobody gave is not made up: it would name something that the provider keeps.
    let id = seal_id.or(said);
    a.object(|o| {
        write_reasoning_fields(thinking, block, id.as_ref(), thinking.form == Form::Full, o);
    });
}

/// The fields of a reasoning item; `full` says whether the text is the reasoning itself.
pub(super) fn write_reasoning_fields(
    thinking: &Thinking,
    block: &Block,
    id: Option<&Text>,
    full: bool,
    o: &mut Object<'_>,
) {
    o.known("type", "reasoning");
    o.text_if("id", id);
    let summary = block.extras.find(ID, "summary");
    let still = |list: &&Json| items::joined(list.doc().root()) == thinking.text;
    match summary.filter(|list| full || still(list)) {
        Some(list) => o.json("summary", list),
        None => o.array("summary", |a| {
            if !full && !thinking.text.is_empty() {
                write_text(items::SUMMARY, &thinking.text, a);
            }
        }),
    }
    match block.extras.find(ID, "content").filter(still) {
        Some(list) => o.json("content", list),
        None if full => o.array("content", |a| write_text(items::THOUGHT, &thinking.text, a)),
        None => {}
    }
    if let Some(seal) = block.seal.as_ref().filter(|_| is_ours(block)) {
        o.text("encrypted_content", &seal.data);
    }
    for (key, value) in block.extras.of(ID) {
        if !["id", "summary", "content"].iter().any(|known| *key == **known) {
            o.key_text(key).json(value);
        }
    }
}

fn write_text(kind: &'static str, text: &Text, a: &mut Array<'_>) {
    a.object(|o| {
        o.word("type", kind);
        o.text("text", text);
    });
}

fn write_call(call: &ToolCall, extras: &Extras, o: &mut Object<'_>) {
    let namespace = extras.find(ID, "namespace").and_then(Json::text);
    let name = names::short(namespace.as_ref(), &call.name);
    match &call.args {
        Args::Freeform(input) => {
            o.known("type", "custom_tool_call");
            o.text("call_id", &call.id);
            o.text("name", &name);
            o.text("input", input);
        }
        Args::Json(_) | Args::Malformed(_) => {
            o.known("type", "function_call");
            o.text("call_id", &call.id);
            o.text("name", &name);
            o.text("arguments", &call.args.to_text());
        }
    }
    extras.write(ID, o);
}

fn write_result(
    result: &ToolResult,
    custom: bool,
    extras: &Extras,
    at: At,
    o: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    o.word("type", if custom { "custom_tool_call_output" } else { "function_call_output" });
    if extras.find(ID, items::BY_NAME.raw()).is_none() {
        o.text("call_id", &result.call);
    }
    encode_parts::write_output(result, at, o, ledger);
    // Clients of other dialects repeat the tool's name where this one has no need of it.
    if at.same {
        o.text_if("name", result.name.as_ref());
    }
    let marks = [items::CUSTOM, items::BY_NAME];
    for (key, value) in extras.of(ID).iter().filter(|(key, _)| !marks.contains(key)) {
        if custom && ONLY_FUNCTIONS.contains(&key.raw()) {
            let what = format!("left out `{key}`: what a custom tool came to has no such field");
            ledger.loss(note::NO_SUCH_FIELD, at.place, what);
        } else {
            o.key_text(key).json(value);
        }
    }
}

/// Notes what of a block stays behind beside its body.
pub(super) fn note_block(block: &Block, at: At, ledger: &mut Ledger) {
    let place = at.place;
    note_extras(&block.extras, place, ledger);
    if let Some(seal) = &block.seal {
        let what = format!("left out the seal of {} on a block that crosses", seal.origin.issuer);
        ledger.loss(note::FOREIGN_SEAL, place, what);
    }
    if block.cache.is_some() && !at.same {
        ledger.loss(note::NO_SUCH_CACHE, place, "left out a cache mark");
    }
}

/// Notes the fields of another dialect that stay behind.
pub(super) fn note_extras(extras: &Extras, place: Place, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.all().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let matters =
        |(key, value): &&(Text, Json)| value.kind() != Kind::Null && !NOISE.contains(&key.raw());
    let keys: Vec<String> =
        fields.iter().filter(matters).map(|(key, _)| format!("`{key}`")).collect();
    if !keys.is_empty() {
        let what = format!("left out {}: only {dialect} knows it", keys.join(", "));
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
}

/// Fields of what a function came to that what a custom tool came to does not have.
const ONLY_FUNCTIONS: &[&str] = &["status", "namespace", "caller"];

/// Fields that say nothing their place does not say.
const NOISE: &[&str] = &["index", "type"];
