//! Blocks, written.

use interlingua_model::{
    Block, Body, Cache, Citation, Extras, Form, Ledger, Place, Thinking, ToolCall, ToolResult,
    Verbatim,
};
use interlingua_wire::Text;
use interlingua_wire::json::{Array, Object};

use super::{ID, ISSUER, media};
use crate::{arguments, note};

/// What writing needs besides the thing written.
pub(super) struct Cx<'l> {
    pub(super) ledger: &'l mut Ledger,
    /// What is written came from this dialect.
    pub(super) own: bool,
    /// Thinking that nobody signed is taken.
    pub(super) unsigned: bool,
}

/// Where a block stands: not every block may stand everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    System,
    User,
    Assistant,
    /// Inside a tool's result, or inside a document.
    Result,
    /// In a reply, which shows what no request may claim.
    Reply,
}

/// Writes a block, or notes that it is left out.
pub(super) fn block(
    block: &Verbatim<Block>,
    spot: Spot,
    place: Place,
    cx: &mut Cx<'_>,
    out: &mut Array<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
        return;
    }
    note_extras(&block.extras, place, cx.ledger);
    if !matches!(block.body, Body::Thinking(_)) {
        note_seal(block, place, cx.ledger);
    }
    match &block.body {
        // In a reply, a text that only carries somebody's seal says nothing.
        Body::Text { text, citations }
            if spot == Spot::Reply
                && block.seal.is_some()
                && text.is_empty()
                && citations.is_empty() => {}
        Body::Text { text, citations } => {
            out.object(|o| text_block(text, citations, block, place, cx, o));
        }
        Body::Refusal(text) => {
            cx.ledger.change(note::NO_SUCH_BLOCK, place, "the refusal is said as text");
            out.object(|o| text_block(text, &[], block, place, cx, o));
        }
        Body::Data(json) => {
            out.object(|o| text_block(&Text::new(json.as_str()), &[], block, place, cx, o));
        }
        Body::Thinking(one) => thinking(one, block, spot, place, cx, out),
        Body::Media(one) => match media::said(one, spot, place, cx) {
            Ok(said) => out.object(|o| {
                said.write(&block.extras, place, cx, o);
                tail(block, place, cx, o);
            }),
            Err(what) => leave_out(&what, place, cx.ledger),
        },
        Body::ToolCall(call) => match spot {
            Spot::User | Spot::Assistant | Spot::Reply => {
                let is_reply = spot == Spot::Reply;
                out.object(|o| tool_use(call, block, is_reply, place, cx, o));
            }
            Spot::System | Spot::Result => leave_out("a call", place, cx.ledger),
        },
        Body::ToolResult(result) => match spot {
            Spot::User | Spot::Assistant => {
                out.object(|o| tool_result(result, block, place, cx, o));
            }
            Spot::System | Spot::Result | Spot::Reply => {
                leave_out("a tool's result", place, cx.ledger);
            }
        },
        Body::Foreign { dialect, json, .. } if *dialect == ID => {
            foreign(json, block.cache.as_deref(), out);
        }
        Body::Foreign { dialect, kind, .. } => {
            leave_out(&format!("the `{kind}` of {dialect}"), place, cx.ledger);
        }
    }
}

fn text_block(
    text: &Text,
    citations: &[Citation],
    block: &Block,
    place: Place,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    o.known("type", "text");
    o.text("text", text);
    let own = |mark: &&Citation| matches!(mark.written, Some((ID, _)));
    let lost = citations.iter().filter(|mark| !own(mark)).count();
    if lost > 0 {
        let what = format!("left out {lost} citations: their form is another dialect's");
        cx.ledger.loss(note::CITATION_REDUCED, place, what);
    }
    if lost < citations.len() {
        o.array("citations", |a| {
            for (_, json) in citations.iter().filter(own).filter_map(|mark| mark.written.as_ref()) {
                a.item().json(json);
            }
        });
    }
    tail(block, place, cx, o);
}

/// Only thinking that this provider signed may go back to it. A reply shows all thinking there is
/// to see; unsigned, as other providers give it.
fn thinking(
    thinking: &Thinking,
    block: &Block,
    spot: Spot,
    place: Place,
    cx: &mut Cx<'_>,
    out: &mut Array<'_>,
) {
    let seal = block.seal.as_deref().filter(|seal| seal.origin.issuer == ISSUER);
    let may_stand = matches!(spot, Spot::User | Spot::Assistant | Spot::Reply);
    if let Some(seal) = seal.filter(|_| may_stand) {
        out.object(|o| {
            if thinking.form == Form::Redacted {
                o.known("type", "redacted_thinking");
                o.text("data", &seal.data);
            } else {
                o.known("type", "thinking");
                o.text("thinking", &thinking.text);
                o.text("signature", &seal.data);
            }
            tail(block, place, cx, o);
        });
        return;
    }
    let has_seal = block.seal.is_some();
    if spot == Spot::Reply && !has_seal && thinking.text.is_empty() {
        return;
    }
    let goes = cx.unsigned && matches!(spot, Spot::User | Spot::Assistant);
    if goes && !has_seal && thinking.form != Form::Redacted {
        out.object(|o| {
            o.known("type", "thinking");
            o.text("thinking", &thinking.text);
            tail(block, place, cx, o);
        });
        return;
    }
    let shown = spot == Spot::Reply
        && thinking.form != Form::Redacted
        && !(has_seal && thinking.text.is_empty());
    if shown {
        if has_seal {
            note_seal(block, place, cx.ledger);
        }
        out.object(|o| {
            o.known("type", "thinking");
            o.text("thinking", &thinking.text);
            o.known("signature", "");
            tail(block, place, cx, o);
        });
    } else {
        let what = "left out thinking that this provider did not sign";
        cx.ledger.loss(note::FOREIGN_SEAL, place, what);
    }
}

fn tool_use(
    call: &ToolCall,
    block: &Block,
    is_reply: bool,
    place: Place,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    o.known("type", "tool_use");
    o.text("id", &call.id);
    o.text("name", &call.name);
    let as_object = if is_reply { arguments::told } else { arguments::object };
    let (input, wrapped) = as_object(&call.args);
    o.json("input", &input);
    if let Some(what) = wrapped {
        cx.ledger.change(note::ARGS_WRAPPED, place, what);
    }
    tail(block, place, cx, o);
}

fn tool_result(
    result: &ToolResult,
    block: &Block,
    place: Place,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    o.known("type", "tool_result");
    o.text("tool_use_id", &result.call);
    match result.content.as_slice() {
        [] if block.extras.find(ID, "content").is_some() => o.null("content"),
        [] => {}
        [one] if is_plain(one) => o.text_if("content", one.body.as_text()),
        blocks => o.array("content", |a| {
            for one in blocks {
                self::block(one, Spot::Result, place, cx, a);
            }
        }),
    }
    if result.is_error {
        o.boolean("is_error", true);
    }
    tail(block, place, cx, o);
}

/// A text with nothing to it that a string cannot say.
fn is_plain(block: &Verbatim<Block>) -> bool {
    block.text_for(ID).is_none()
        && block.cache.is_none()
        && block.extras.is_empty()
        && block.seal.is_none()
        && matches!(&block.body, Body::Text { citations, .. } if citations.is_empty())
}

/// A block only this dialect knows; its cache mark may have been moved since.
pub(super) fn foreign(json: &interlingua_wire::Json, cache: Option<&Cache>, out: &mut Array<'_>) {
    let doc = json.doc();
    let written = doc.root().get("cache_control").and_then(super::decode::cache);
    if written.as_deref() == cache {
        out.item().json(json);
        return;
    }
    out.object(|o| {
        for field in doc.root().fields().filter(|field| !field.is("cache_control")) {
            o.key_text(&field.key()).json(&field.value.json());
        }
        if let Some(cache) = cache {
            write_cache(cache, o);
        }
    });
}

/// The fields that any block may have: its cache mark, and what only this dialect knows.
fn tail(block: &Block, place: Place, cx: &mut Cx<'_>, o: &mut Object<'_>) {
    cache_and_extras(block.cache.as_deref(), &block.extras, place, cx, o);
}

pub(super) fn cache_and_extras(
    cache: Option<&Cache>,
    extras: &Extras,
    place: Place,
    cx: &mut Cx<'_>,
    o: &mut Object<'_>,
) {
    match (cache, extras.find(ID, "cache_control")) {
        (Some(_), Some(written)) => o.json("cache_control", written),
        (Some(cache), None) if cx.own => write_cache(cache, o),
        (Some(cache), None) => write_cache(&known_cache(cache, place, cx.ledger), o),
        (None, _) => {}
    }
    // These have their own place.
    let apart = |key: &Text| ["cache_control", "content", "source"].iter().any(|own| key == own);
    for (key, value) in extras.of(ID).iter().filter(|(key, _)| !apart(key)) {
        o.key_text(key).json(value);
    }
}

fn write_cache(cache: &Cache, o: &mut Object<'_>) {
    o.object("cache_control", |o| {
        o.known("type", "ephemeral");
        o.text_if("ttl", cache.ttl.as_ref());
    });
}

/// A cache here lasts five minutes or an hour.
fn known_cache(cache: &Cache, place: Place, ledger: &mut Ledger) -> Cache {
    let ttl = match cache.ttl.as_ref() {
        None => None,
        Some(ttl) if *ttl == "5m" || *ttl == "1h" => Some(ttl.clone()),
        Some(ttl) => {
            let known = Text::word("1h");
            ledger.change(note::SETTING_CONVERTED, place, format!("the cache of {ttl} is of 1h"));
            Some(known)
        }
    };
    Cache { ttl }
}

fn leave_out(what: &str, place: Place, ledger: &mut Ledger) {
    ledger.loss(note::NO_SUCH_BLOCK, place, format!("left out {what}: no place for it"));
}

/// A seal on something that is said without one.
pub(super) fn note_seal(block: &Block, place: Place, ledger: &mut Ledger) {
    if let Some(seal) = &block.seal {
        let what = format!("left out the seal of {}", seal.origin.issuer);
        ledger.loss(note::FOREIGN_SEAL, place, what);
    }
}

/// Notes fields of another dialect, unless they say nothing.
pub(super) fn note_extras(extras: &Extras, place: Place, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.all().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let says = |key: &Text, value: &str| {
        !(matches!(value, "null" | "[]" | "{}" | "\"completed\"")
            || NOISE.iter().any(|noise| *key == **noise))
    };
    let mut keys = String::new();
    for (key, _) in fields.iter().filter(|(key, value)| says(key, value.as_str())) {
        keys.push_str(if keys.is_empty() { "`" } else { ", `" });
        keys.push_str(&key.contents());
        keys.push('`');
    }
    if !keys.is_empty() {
        let what = format!("left out {keys} of {dialect}");
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
}

/// Fields that only number or name a thing for its own dialect.
const NOISE: &[&str] = &["index", "id", "object"];
