//! Encodes blocks.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, Citation, DialectId, Extras, Media, MediaSource,
    ReasoningForm, Seal, ToolArgs, ToolCall, ToolResult, Verbatim, WrittenForm,
};
use interlingua_wire::RawJson;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};

use crate::native::enum_names;
use crate::native::id::ID;

/// Whether values with an original text include it. Nothing inside such a value needs its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawPolicy {
    Include,
    Omit,
}

pub(crate) fn encode_blocks(blocks: &[Verbatim<Block>], raw: RawPolicy, out: &mut ArrayWriter<'_>) {
    for block in blocks {
        out.object(|o| encode_block(block, raw, o));
    }
}

pub(crate) fn encode_block(block: &Verbatim<Block>, policy: RawPolicy, o: &mut ObjectWriter<'_>) {
    let inner_policy = if has_raw(block.original()) { RawPolicy::Omit } else { policy };
    encode_body(&block.content, inner_policy, o);
    encode_seal(block.seal.as_deref(), o);
    encode_cache(block.cache_breakpoint.as_deref(), o);
    encode_extras(&block.extras, o);
    if policy == RawPolicy::Include {
        encode_raw(block.original(), o);
    }
}

fn encode_body(body: &BlockContent, policy: RawPolicy, o: &mut ObjectWriter<'_>) {
    match body {
        BlockContent::Text { text, citations } => {
            o.json_string("text", text);
            if !citations.is_empty() {
                o.array("citations", |a| {
                    for citation in citations {
                        encode_citation(citation, a);
                    }
                });
            }
        }
        BlockContent::Refusal(text) => o.json_string("refusal", text),
        BlockContent::Reasoning(thinking) => {
            o.json_string("thinking", &thinking.text);
            if thinking.form != ReasoningForm::Full {
                o.str("form", enum_names::name_of(enum_names::REASONING_FORMS, thinking.form));
            }
        }
        BlockContent::Media(media) => {
            o.object(enum_names::name_of(enum_names::MEDIA_KINDS, media.kind), |o| {
                encode_media(media, policy, o);
            });
        }
        BlockContent::Json(json) => o.json("data", json),
        BlockContent::ToolCall(call) => o.object("call", |o| encode_tool_call(call, o)),
        BlockContent::ToolResult(result) => {
            o.object("result", |o| encode_tool_result(result, policy, o));
        }
        BlockContent::Foreign { dialect, kind, json } => o.object("foreign", |o| {
            o.str("dialect", dialect.0);
            o.json_string("kind", kind);
            o.json("json", json);
        }),
    }
}

fn encode_tool_call(call: &ToolCall, o: &mut ObjectWriter<'_>) {
    o.json_string("id", &call.id);
    o.json_string("name", &call.name);
    match &call.args {
        ToolArgs::Json(json) => o.json("args", json),
        ToolArgs::Malformed(text) => o.json_string("malformed", text),
        ToolArgs::Freeform(text) => o.json_string("freeform", text),
    }
}

fn encode_tool_result(result: &ToolResult, policy: RawPolicy, o: &mut ObjectWriter<'_>) {
    o.json_string("call", &result.call_id);
    o.json_string_opt("name", result.name.as_ref());
    o.array("content", |a| encode_blocks(&result.content, policy, a));
    if result.is_error {
        o.boolean("is_error", true);
    }
}

fn encode_media(media: &Media, policy: RawPolicy, o: &mut ObjectWriter<'_>) {
    match &media.source {
        MediaSource::Base64 { mime, data } => {
            o.json_string("base64", data);
            o.json_string_opt("mime", mime.as_ref());
        }
        MediaSource::Url { mime, url } => {
            o.json_string("url", url);
            o.json_string_opt("mime", mime.as_ref());
        }
        MediaSource::File { mime, id } => {
            o.json_string("file", id);
            o.json_string_opt("mime", mime.as_ref());
        }
        MediaSource::Text(text) => o.json_string("plain", text),
        MediaSource::Blocks(inner) => o.array("blocks", |a| encode_blocks(inner, policy, a)),
    }
    o.json_string_opt("name", media.name.as_ref());
    o.json_string_opt("detail", media.detail.as_ref());
}

pub(crate) fn encode_citation(citation: &Citation, out: &mut ArrayWriter<'_>) {
    out.object(|o| {
        o.json_string_opt("url", citation.url.as_ref());
        o.json_string_opt("title", citation.title.as_ref());
        o.json_string_opt("quote", citation.quote.as_ref());
        if let Some((from, to)) = citation.span {
            o.array("span", |a| {
                a.item().number(from);
                a.item().number(to);
            });
        }
        if let Some((dialect, json)) = &citation.original {
            o.object("written", |o| o.json(dialect.0, json));
        }
    });
}

pub(crate) fn encode_seal(seal: Option<&Seal>, o: &mut ObjectWriter<'_>) {
    let Some(seal) = seal else { return };
    o.object("seal", |o| {
        o.json_string("issuer", &seal.origin.issuer);
        o.json_string("data", &seal.data);
        o.json_string_opt("id", seal.id.as_ref());
        o.json_string_opt("model", seal.origin.model.as_ref());
    });
}

pub(super) fn encode_cache(cache: Option<&CacheBreakpoint>, o: &mut ObjectWriter<'_>) {
    if let Some(cache) = cache {
        o.object("cache", |o| o.json_string_opt("ttl", cache.ttl.as_ref()));
    }
}

/// Extras belong to one dialect; its name is written next to them. Spellings are a list of names,
/// and a written form with a value stands among the extras.
pub(crate) fn encode_extras(extras: &Extras, o: &mut ObjectWriter<'_>) {
    let Some((dialect, fields)) = extras.as_parts() else { return };
    let written = extras.written(dialect).map(WrittenForm::to_named);
    let with_value = written.as_ref().filter(|(_, value)| *value != RawJson::NULL);
    let name_alone = written.as_ref().filter(|_| with_value.is_none()).map(|(name, _)| name);
    if !fields.is_empty() || with_value.is_some() {
        o.object("extras", |o| {
            for (key, value) in fields.iter().chain(with_value) {
                o.key_json_string(key).json(value);
            }
        });
        o.str("extras_of", dialect.0);
    }
    let spellings = extras.spellings(dialect);
    if !spellings.is_empty() || name_alone.is_some() {
        o.object("remembered", |o| {
            o.array(dialect.0, |a| {
                for spelling in spellings.iter() {
                    a.item().str(spelling.name());
                }
                if let Some(name) = name_alone {
                    a.item().json_string(name);
                }
            });
        });
    }
}

pub(super) fn encode_raw(original: Option<(DialectId, &RawJson)>, o: &mut ObjectWriter<'_>) {
    if let Some((dialect, json)) = original.filter(|(dialect, _)| *dialect != ID) {
        o.object("raw", |o| o.json(dialect.0, json));
    }
}

pub(crate) fn has_raw(original: Option<(DialectId, &RawJson)>) -> bool {
    original.is_some_and(|(dialect, _)| dialect != ID)
}
