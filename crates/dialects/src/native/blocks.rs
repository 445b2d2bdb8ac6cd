//! Blocks, written.

use interlingua_model::{
    Args, Block, Body, Cache, Citation, DialectId, Extras, Form, Media, Seal, Source, ToolCall,
    ToolResult, Verbatim,
};
use interlingua_wire::Json;
use interlingua_wire::json::{Array, Object};

use super::{ID, names};

/// Whether values that still have their text carry it along. Below one that does, none need to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    Keep,
    Above,
}

pub(super) fn blocks(blocks: &[Verbatim<Block>], raw: Raw, out: &mut Array<'_>) {
    for block in blocks {
        out.object(|o| write_block(block, raw, o));
    }
}

pub(super) fn write_block(block: &Verbatim<Block>, keep: Raw, o: &mut Object<'_>) {
    let below = if has_raw(block.written()) { Raw::Above } else { keep };
    body(&block.body, below, o);
    seal(block.seal.as_deref(), o);
    cache(block.cache.as_deref(), o);
    extras(&block.extras, o);
    if keep == Raw::Keep {
        raw(block.written(), o);
    }
}

fn body(body: &Body, keep: Raw, o: &mut Object<'_>) {
    match body {
        Body::Text { text, citations } => {
            o.text("text", text);
            if !citations.is_empty() {
                o.array("citations", |a| citations.iter().for_each(|one| citation(one, a)));
            }
        }
        Body::Refusal(text) => o.text("refusal", text),
        Body::Thinking(thinking) => {
            o.text("thinking", &thinking.text);
            if thinking.form != Form::Full {
                o.word("form", names::word(names::FORMS, thinking.form));
            }
        }
        Body::Media(media) => o.object(names::word(names::MEDIA, media.kind), |o| {
            write_media(media, keep, o);
        }),
        Body::Data(json) => o.json("data", json),
        Body::ToolCall(call) => o.object("call", |o| write_call(call, o)),
        Body::ToolResult(result) => o.object("result", |o| write_result(result, keep, o)),
        Body::Foreign { dialect, kind, json } => o.object("foreign", |o| {
            o.word("dialect", dialect.0);
            o.text("kind", kind);
            o.json("json", json);
        }),
    }
}

fn write_call(call: &ToolCall, o: &mut Object<'_>) {
    o.text("id", &call.id);
    o.text("name", &call.name);
    match &call.args {
        Args::Json(json) => o.json("args", json),
        Args::Malformed(text) => o.text("malformed", text),
        Args::Freeform(text) => o.text("freeform", text),
    }
}

fn write_result(result: &ToolResult, keep: Raw, o: &mut Object<'_>) {
    o.text("call", &result.call);
    o.text_if("name", result.name.as_ref());
    o.array("content", |a| blocks(&result.content, keep, a));
    if result.is_error {
        o.boolean("is_error", true);
    }
}

fn write_media(media: &Media, keep: Raw, o: &mut Object<'_>) {
    match &media.source {
        Source::Base64 { mime, data } => {
            o.text("base64", data);
            o.text_if("mime", mime.as_ref());
        }
        Source::Url { mime, url } => {
            o.text("url", url);
            o.text_if("mime", mime.as_ref());
        }
        Source::File { mime, id } => {
            o.text("file", id);
            o.text_if("mime", mime.as_ref());
        }
        Source::Text(text) => o.text("plain", text),
        Source::Blocks(inner) => o.array("blocks", |a| blocks(inner, keep, a)),
    }
    o.text_if("name", media.name.as_ref());
    o.text_if("detail", media.detail.as_ref());
}

pub(super) fn citation(citation: &Citation, out: &mut Array<'_>) {
    out.object(|o| {
        o.text_if("url", citation.url.as_ref());
        o.text_if("title", citation.title.as_ref());
        o.text_if("quote", citation.quote.as_ref());
        if let Some((from, to)) = citation.span {
            o.array("span", |a| {
                a.item().number(from);
                a.item().number(to);
            });
        }
        if let Some((dialect, json)) = &citation.written {
            o.object("written", |o| o.json(dialect.0, json));
        }
    });
}

pub(super) fn seal(seal: Option<&Seal>, o: &mut Object<'_>) {
    let Some(seal) = seal else { return };
    o.object("seal", |o| {
        o.text("issuer", &seal.origin.issuer);
        o.text("data", &seal.data);
        o.text_if("id", seal.id.as_ref());
        o.text_if("model", seal.origin.model.as_ref());
    });
}

pub(super) fn cache(cache: Option<&Cache>, o: &mut Object<'_>) {
    if let Some(cache) = cache {
        o.object("cache", |o| o.text_if("ttl", cache.ttl.as_ref()));
    }
}

/// Extras are of one dialect; its name stands beside them. What that dialect only remembers about
/// how something was written stands apart.
pub(super) fn extras(extras: &Extras, o: &mut Object<'_>) {
    let Some((dialect, fields)) = extras.all() else { return };
    let (remembered, fields): (Vec<_>, Vec<_>) =
        fields.iter().partition(|(key, value)| Extras::is_memory(key) && *value == Json::NULL);
    if !fields.is_empty() {
        o.object("extras", |o| {
            for (key, value) in fields {
                o.key_text(key).json(value);
            }
        });
        o.word("extras_of", dialect.0);
    }
    if !remembered.is_empty() {
        o.object("remembered", |o| {
            o.array(dialect.0, |a| remembered.iter().for_each(|(key, _)| a.item().text(key)));
        });
    }
}

pub(super) fn raw(written: Option<(DialectId, &Json)>, o: &mut Object<'_>) {
    if let Some((dialect, json)) = written.filter(|(dialect, _)| *dialect != ID) {
        o.object("raw", |o| o.json(dialect.0, json));
    }
}

pub(super) fn has_raw(written: Option<(DialectId, &Json)>) -> bool {
    written.is_some_and(|(dialect, _)| dialect != ID)
}
