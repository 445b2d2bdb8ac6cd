//! Parts as items that stand alone.

use interlingua::wire::Node;
use interlingua::{Json, Text};

use super::parts::{Kind, Part};
use super::spell::{Spelling, call, data, given, input, kept, said};

fn item(part: &Part<'_>) -> Option<Json> {
    let message = |role: &str, content: Json| {
        Json::object(|o| {
            o.word("type", "message");
            o.word("role", role);
            o.array("content", |a| a.item().json(&content));
        })
    };
    let (role, kind) =
        if part.from_user { ("user", "input_text") } else { ("assistant", "output_text") };
    Some(match part.kind {
        Kind::Text | Kind::Compaction => {
            let content = Json::object(|o| {
                o.word("type", kind);
                o.text("text", &said(part));
            });
            message(role, content)
        }
        Kind::Reasoning => {
            let sealed = kept(part, "reasoningEncryptedContent").and_then(Node::text)?;
            Json::object(|o| {
                o.word("type", "reasoning");
                o.text_if("id", kept(part, "itemId").and_then(Node::text).as_ref());
                o.array("summary", |a| {
                    if !said(part).is_empty() {
                        a.object(|o| {
                            o.word("type", "summary_text");
                            o.text("text", &said(part));
                        });
                    }
                });
                o.text("encrypted_content", &sealed);
            })
        }
        Kind::File => message(role, file_item(part.node)?),
        Kind::Tool => Json::object(|o| {
            o.word("type", "function_call");
            call(part, "call_id", o);
            o.word("arguments", input(part).as_str());
        }),
    })
}

fn file_item(file: Node<'_>) -> Option<Json> {
    let url = file.get("url").and_then(Node::text)?;
    let is_image = data(file)?.0.raw().starts_with("image");
    Some(Json::object(|o| {
        o.word("type", if is_image { "input_image" } else { "input_file" });
        if !is_image {
            let name = file.get("filename").and_then(Node::text);
            o.text("filename", &name.unwrap_or_else(|| Text::word("file")));
        }
        o.text(if is_image { "image_url" } else { "file_data" }, &url);
    }))
}

fn item_result(part: &Part<'_>, text: &Text, _: bool) -> Json {
    Json::object(|o| {
        o.word("type", "function_call_output");
        o.text("call_id", &part.node.get("callID").and_then(Node::text).unwrap_or_default());
        let files = given(part, file_item);
        if files.is_empty() {
            o.text("output", text);
            return;
        }
        o.array("output", |a| {
            a.object(|o| {
                o.word("type", "input_text");
                o.text("text", text);
            });
            for file in &files {
                a.item().json(file);
            }
        });
    })
}

pub(super) const ITEMS: Spelling = Spelling {
    dialect: "openai-responses",
    part: item,
    result: item_result,
    files: true,
    messages: None,
};
