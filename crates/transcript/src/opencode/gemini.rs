//! Encodes parts as Gemini parts: tool results name their tool, and a part may carry a thought
//! signature.

use std::collections::BTreeSet;

use interlingua::{JsonString, RawJson};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::encoder::{MessageLayout, RequestEncoder};
use super::parts::{ExportPart, PartKind, str_field};
use super::request::{call_input, data_url, part_text, provider_metadata, write_call};

fn encode_part(part: &ExportPart<'_>) -> Option<RawJson> {
    let file = if part.kind == PartKind::File { Some(data_url(part.node)?) } else { None };
    Some(RawJson::object(|o| {
        match (part.kind, &file) {
            (PartKind::Tool, _) => o.object("functionCall", |o| {
                write_call(part, "id", o);
                o.json("args", &call_input(part));
            }),
            (_, Some((kind, data))) => o.object("inlineData", |o| {
                o.json_string("mimeType", kind);
                o.json_string("data", data);
            }),
            _ => o.json_string("text", &part_text(part)),
        }
        if part.kind == PartKind::Reasoning {
            o.boolean("thought", true);
        }
        o.json_string_opt(
            "thoughtSignature",
            provider_metadata(part, "thoughtSignature").and_then(JsonNode::json_string).as_ref(),
        );
    }))
}

fn encode_result(part: &ExportPart<'_>, text: &JsonString, is_error: bool) -> RawJson {
    RawJson::object(|o| {
        o.object("functionResponse", |o| {
            write_call(part, "id", o);
            o.object("response", |o| {
                o.json_string(if is_error { "error" } else { "output" }, text);
            });
        });
    })
}

fn write_rest(tools: &BTreeSet<String>, o: &mut ObjectWriter<'_>) {
    if tools.is_empty() {
        return;
    }
    o.array("tools", |a| {
        a.object(|o| {
            o.array("functionDeclarations", |a| {
                for name in tools {
                    a.object(|o| o.str("name", name));
                }
            });
        });
    });
}

fn encode_text(text: &JsonString) -> RawJson {
    RawJson::object(|o| o.json_string("text", text))
}

pub(super) const GEMINI: RequestEncoder = RequestEncoder {
    dialect: "gemini",
    encode_part,
    encode_result,
    allows_result_files: false,
    messages: Some(MessageLayout {
        list_key: "contents",
        content_key: "parts",
        assistant_role: "model",
        encode_text,
        is_result: |part| part.get("functionResponse").is_some(),
        called_tool: |part| Some(str_field(part.get("functionCall")?, "name").into_owned()),
        write_rest,
    }),
};
