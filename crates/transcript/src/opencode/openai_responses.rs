//! Encodes parts as items of `OpenAI` Responses.

use interlingua::{JsonString, RawJson};
use interlingua_wire::JsonNode;

use super::encoder::RequestEncoder;
use super::parts::{ExportPart, PartKind};
use super::request::{attachments, call_input, data_url, part_text, provider_metadata, write_call};

fn encode_part(part: &ExportPart<'_>) -> Option<RawJson> {
    let message = |role: &str, content: RawJson| {
        RawJson::object(|o| {
            o.str("type", "message");
            o.str("role", role);
            o.array("content", |a| a.item().json(&content));
        })
    };
    let (role, kind) =
        if part.from_user { ("user", "input_text") } else { ("assistant", "output_text") };
    Some(match part.kind {
        PartKind::Text | PartKind::Compaction => {
            let content = RawJson::object(|o| {
                o.str("type", kind);
                o.json_string("text", &part_text(part));
            });
            message(role, content)
        }
        PartKind::Reasoning => {
            let sealed = provider_metadata(part, "reasoningEncryptedContent")
                .and_then(JsonNode::json_string)?;
            RawJson::object(|o| {
                o.str("type", "reasoning");
                o.json_string_opt(
                    "id",
                    provider_metadata(part, "itemId").and_then(JsonNode::json_string).as_ref(),
                );
                o.array("summary", |a| {
                    if !part_text(part).is_empty() {
                        a.object(|o| {
                            o.str("type", "summary_text");
                            o.json_string("text", &part_text(part));
                        });
                    }
                });
                o.json_string("encrypted_content", &sealed);
            })
        }
        PartKind::File => message(role, encode_file(part.node)?),
        PartKind::Tool => RawJson::object(|o| {
            o.str("type", "function_call");
            write_call(part, "call_id", o);
            o.str("arguments", call_input(part).as_str());
        }),
    })
}

fn encode_file(file: JsonNode<'_>) -> Option<RawJson> {
    let url = file.get("url").and_then(JsonNode::json_string)?;
    let is_image = data_url(file)?.0.raw().starts_with("image");
    Some(RawJson::object(|o| {
        o.str("type", if is_image { "input_image" } else { "input_file" });
        if !is_image {
            let name = file.get("filename").and_then(JsonNode::json_string);
            o.json_string("filename", &name.unwrap_or_else(|| JsonString::from_static("file")));
        }
        o.json_string(if is_image { "image_url" } else { "file_data" }, &url);
    }))
}

fn encode_result(part: &ExportPart<'_>, text: &JsonString, _: bool) -> RawJson {
    RawJson::object(|o| {
        o.str("type", "function_call_output");
        o.json_string(
            "call_id",
            &part.node.get("callID").and_then(JsonNode::json_string).unwrap_or_default(),
        );
        let files = attachments(part, encode_file);
        if files.is_empty() {
            o.json_string("output", text);
            return;
        }
        o.array("output", |a| {
            a.object(|o| {
                o.str("type", "input_text");
                o.json_string("text", text);
            });
            for file in &files {
                a.item().json(file);
            }
        });
    })
}

pub(super) const OPENAI_RESPONSES: RequestEncoder = RequestEncoder {
    dialect: "openai-responses",
    encode_part,
    encode_result,
    allows_result_files: true,
    messages: None,
};
