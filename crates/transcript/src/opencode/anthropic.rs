//! Encodes parts as Anthropic blocks.

use std::collections::BTreeSet;

use interlingua::{JsonString, RawJson};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::encoder::{MessageLayout, RequestEncoder};
use super::parts::{ExportPart, PartKind, str_field};
use super::request::{attachments, call_input, data_url, part_text, provider_metadata, write_call};
use crate::request_part;

fn encode_part(part: &ExportPart<'_>) -> Option<RawJson> {
    Some(match part.kind {
        PartKind::Text | PartKind::Compaction => text_block(&part_text(part)),
        PartKind::Reasoning => encode_reasoning(part),
        PartKind::File => encode_file(part.node)?,
        PartKind::Tool => RawJson::object(|o| {
            o.str("type", "tool_use");
            write_call(part, "id", o);
            o.json("input", &call_input(part));
        }),
    })
}

fn encode_file(file: JsonNode<'_>) -> Option<RawJson> {
    let (media_type, data) = data_url(file)?;
    let is_image = media_type.raw().starts_with("image");
    Some(RawJson::object(|o| {
        o.str("type", if is_image { "image" } else { "document" });
        o.object("source", |o| {
            o.str("type", "base64");
            o.json_string("media_type", &media_type);
            o.json_string("data", &data);
        });
    }))
}

fn encode_reasoning(part: &ExportPart<'_>) -> RawJson {
    RawJson::object(|o| {
        if let Some(data) = provider_metadata(part, "redactedData").and_then(JsonNode::json_string)
        {
            o.str("type", "redacted_thinking");
            o.json_string("data", &data);
        } else {
            o.str("type", "thinking");
            o.json_string("thinking", &part_text(part));
            let signature = provider_metadata(part, "signature")
                .and_then(JsonNode::json_string)
                .unwrap_or_default();
            o.json_string("signature", &signature);
        }
    })
}

fn encode_result(part: &ExportPart<'_>, text: &JsonString, is_error: bool) -> RawJson {
    RawJson::object(|o| {
        o.str("type", "tool_result");
        o.json_string(
            "tool_use_id",
            &part.node.get("callID").and_then(JsonNode::json_string).unwrap_or_default(),
        );
        let files = attachments(part, encode_file);
        if files.is_empty() {
            o.json_string("content", text);
        } else {
            o.array("content", |a| {
                a.item().json(&text_block(text));
                for file in &files {
                    a.item().json(file);
                }
            });
        }
        if is_error {
            o.boolean("is_error", true);
        }
    })
}

fn write_rest(tools: &BTreeSet<String>, o: &mut ObjectWriter<'_>) {
    if !tools.is_empty() {
        request_part::write_tools(tools.iter(), o);
    }
    o.number("max_tokens", 32_000);
}

fn text_block(text: &JsonString) -> RawJson {
    RawJson::object(|o| {
        o.str("type", "text");
        o.json_string("text", text);
    })
}

pub(super) const ANTHROPIC: RequestEncoder = RequestEncoder {
    dialect: "anthropic",
    encode_part,
    encode_result,
    allows_result_files: true,
    messages: Some(MessageLayout {
        list_key: "messages",
        content_key: "content",
        assistant_role: "assistant",
        encode_text: text_block,
        is_result: |part| str_field(part, "type") == "tool_result",
        called_tool: |part| {
            let is_call = str_field(part, "type") == "tool_use";
            part.get("name").filter(|_| is_call).map(|name| name.str_or_empty().into_owned())
        },
        write_rest,
    }),
};
