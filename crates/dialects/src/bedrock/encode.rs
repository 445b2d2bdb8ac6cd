//! Blocks, written.

use interlingua_model::{
    Block, Body, Cache, Extras, Form, Ledger, MediaKind, Place, Seal, ToolCall, ToolResult,
    Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text, Writer};

use super::{ID, ISSUER, cite, media};
use crate::{arguments, note};

/// For whom blocks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A request that came in this dialect.
    Own,
    /// A request that came in another one.
    Cross,
    /// A reply, for a client to read.
    Reply,
}

/// Why a block has no place here, if it has none: the name of the note and a sentence.
pub(super) fn refusal(block: &Verbatim<Block>, way: Way) -> Option<(&'static str, String)> {
    if block.text_for(ID).is_some() { None } else { refusal_of(block, way) }
}

/// As [`refusal`], of a block that has no text.
pub(super) fn refusal_of(block: &Block, way: Way) -> Option<(&'static str, String)> {
    let no_block = |what: String| Some((note::NO_SUCH_BLOCK, what));
    match &block.body {
        Body::Thinking(thinking) => {
            let carried = match block.seal.as_deref() {
                Some(seal) => {
                    let shows = thinking.form != Form::Redacted && !thinking.text.is_empty();
                    is_ours(seal) || (way == Way::Reply && shows)
                }
                None => way != Way::Cross && thinking.form != Form::Redacted,
            };
            let what = "left out reasoning that its provider cannot vouch for here";
            (!carried).then(|| (note::FOREIGN_SEAL, what.into()))
        }
        Body::Media(media) => media::refusal(media, &block.extras, way).and_then(no_block),
        Body::Foreign { dialect, kind, .. } if *dialect != ID => {
            no_block(format!("left out a `{kind}` block of {dialect}"))
        }
        Body::ToolResult(_) if way == Way::Reply => {
            no_block("left out a tool's result inside a reply".into())
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::Foreign { .. } => None,
    }
}

pub(super) fn is_ours(seal: &Seal) -> bool {
    seal.origin.issuer == ISSUER
}

/// Writes a block for which there is no [`refusal`], and the cache point after it.
pub(super) fn write(
    block: &Verbatim<Block>,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    out: &mut Array<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
    } else {
        note_extras(&block.extras, place, ledger);
        let is_thinking = matches!(block.body, Body::Thinking(_));
        if block.seal.as_deref().is_some_and(|seal| !is_thinking || !is_ours(seal)) {
            let what = "a seal stays behind: only its issuer can read it";
            ledger.loss(note::FOREIGN_SEAL, place, what);
        }
        body(block, way, place, ledger, out.item());
    }
    if let Some(cache) = &block.cache {
        cache_point(cache, place, ledger, out);
    }
}

fn body(block: &Block, way: Way, place: Place, ledger: &mut Ledger, out: &mut Writer) {
    match &block.body {
        Body::Text { text, citations } if citations.is_empty() => plain(text, out),
        Body::Text { text, citations } => {
            let own = citations.iter().any(|one| cite::written(one).is_some());
            if own || way == Way::Reply {
                cite::note_reduced(citations, place, ledger);
                out.object(|o| {
                    o.object("citationsContent", |o| {
                        cite::encode(text, citations, o);
                        block.extras.write(ID, o);
                    });
                });
            } else {
                ledger.loss(note::CITATION_REDUCED, place, "left out the citations of a text");
                plain(text, out);
            }
        }
        Body::Refusal(text) => {
            ledger.change(note::NO_SUCH_BLOCK, place, "a refusal is said as text");
            plain(text, out);
        }
        Body::Thinking(thinking) => {
            let seal = block.seal.as_deref().filter(|seal| is_ours(seal));
            out.object(|o| {
                o.object("reasoningContent", |o| match (thinking.form, seal) {
                    (Form::Redacted, Some(seal)) => o.text("redactedContent", &seal.data),
                    _ => o.object("reasoningText", |o| {
                        o.text("text", &thinking.text);
                        o.text_if("signature", seal.map(|seal| &seal.data));
                        block.extras.write(ID, o);
                    }),
                });
            });
        }
        Body::Media(media) => {
            out.object(|o| media::encode(media, &block.extras, place, ledger, o));
        }
        Body::Data(json) => {
            ledger.change(note::NO_SUCH_BLOCK, place, "data outside a result is said as text");
            plain(&Text::new(json.as_str()), out);
        }
        Body::ToolCall(call) => out.object(|o| {
            o.object("toolUse", |o| write_call(call, &block.extras, way, place, ledger, o));
        }),
        Body::ToolResult(result) => out.object(|o| {
            o.object("toolResult", |o| write_result(result, &block.extras, way, place, ledger, o));
        }),
        Body::Foreign { json, .. } => out.json(json),
    }
}

pub(super) fn plain(text: &Text, out: &mut Writer) {
    out.object(|o| o.text("text", text));
}

fn write_call(
    call: &ToolCall,
    extras: &Extras,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    o.text("toolUseId", &call.id);
    o.text("name", &call.name);
    let as_object = if way == Way::Reply { arguments::told } else { arguments::object };
    let (input, wrapped) = as_object(&call.args);
    o.json("input", &input);
    if let Some(what) = wrapped {
        ledger.change(note::ARGS_WRAPPED, place, what);
    }
    extras.write(ID, o);
}

fn write_result(
    result: &ToolResult,
    extras: &Extras,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    o.text("toolUseId", &result.call);
    o.array("content", |a| {
        for block in &result.content {
            write_content(block, way, place, ledger, a);
        }
    });
    if result.is_error {
        o.known("status", "error");
    }
    extras.write(ID, o);
}

/// One block of a result: text, JSON, an image, a document or a video.
fn write_content(
    block: &Verbatim<Block>,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    out: &mut Array<'_>,
) {
    if block.cache.is_some() {
        ledger.loss(note::NO_SUCH_CACHE, place, "left out a cache mark inside a result");
    }
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
        return;
    }
    let mut left_out = |what: &'static str| ledger.loss(note::NO_SUCH_BLOCK, place, what);
    match &block.body {
        // A field that is null is not set.
        Body::Data(json) if *json == Json::NULL => plain(&Text::new(json.as_str()), out.item()),
        Body::Data(json) => out.object(|o| o.json("json", json)),
        Body::Text { text, citations } => {
            if !citations.is_empty() {
                ledger.loss(note::CITATION_REDUCED, place, "left out the citations of a text");
            }
            plain(text, out.item());
            note_extras(&block.extras, place, ledger);
        }
        Body::Thinking(_) => left_out("left out reasoning inside a result"),
        Body::ToolCall(_) | Body::ToolResult(_) => left_out("left out a call inside a result"),
        Body::Media(media) if media.kind == MediaKind::Audio => {
            left_out("left out audio inside a result");
        }
        Body::Refusal(_) | Body::Media(_) | Body::Foreign { .. } => {
            if let Some((rule, what)) = refusal(block, way) {
                ledger.loss(rule, place, what);
                if let Body::Media(media) = &block.body {
                    plain(&media::words(media), out.item());
                }
            } else {
                note_extras(&block.extras, place, ledger);
                body(block, way, place, ledger, out.item());
            }
        }
    }
}

pub(super) fn cache_point(cache: &Cache, place: Place, ledger: &mut Ledger, out: &mut Array<'_>) {
    let ttl = cache.ttl.as_ref();
    let known = ttl.filter(|ttl| *ttl == "5m" || *ttl == "1h");
    if let (Some(ttl), None) = (ttl, known) {
        let what = format!("a cache mark for `{ttl}` lasts as long as the provider likes");
        ledger.change(note::SETTING_CONVERTED, place, what);
    }
    out.object(|o| {
        o.object("cachePoint", |o| {
            o.known("type", "default");
            o.text_if("ttl", known);
        });
    });
}

/// Notes the fields of another dialect that stay behind, if they say anything.
pub(super) fn note_extras(extras: &Extras, place: Place, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.all().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let says = |key: &Text, value: &Json| {
        *value != Json::NULL
            && key != "index"
            && !(key == "status" && value.as_str() == "\"completed\"")
    };
    let keys: Vec<String> = fields
        .iter()
        .filter(|(key, value)| says(key, value))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !keys.is_empty() {
        let what = format!("left out {} of {dialect}", keys.join(", "));
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
}
