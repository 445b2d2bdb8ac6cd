//! Parts as blocks of messages.

use std::collections::BTreeSet;

use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Json, Text};

use super::parts::{Kind, Part, word};
use super::spell::{Messages, Spelling, call, data, given, input, kept, said};
use crate::unit;

fn block(part: &Part<'_>) -> Option<Json> {
    Some(match part.kind {
        Kind::Text | Kind::Compaction => text_block(&said(part)),
        Kind::Reasoning => thinking(part),
        Kind::File => file_block(part.node)?,
        Kind::Tool => Json::object(|o| {
            o.word("type", "tool_use");
            call(part, "id", o);
            o.json("input", &input(part));
        }),
    })
}

fn file_block(file: Node<'_>) -> Option<Json> {
    let (kind, data) = data(file)?;
    let is_image = kind.raw().starts_with("image");
    Some(Json::object(|o| {
        o.word("type", if is_image { "image" } else { "document" });
        o.object("source", |o| {
            o.word("type", "base64");
            o.text("media_type", &kind);
            o.text("data", &data);
        });
    }))
}

fn thinking(part: &Part<'_>) -> Json {
    Json::object(|o| {
        if let Some(data) = kept(part, "redactedData").and_then(Node::text) {
            o.word("type", "redacted_thinking");
            o.text("data", &data);
        } else {
            o.word("type", "thinking");
            o.text("thinking", &said(part));
            let signature = kept(part, "signature").and_then(Node::text).unwrap_or_default();
            o.text("signature", &signature);
        }
    })
}

fn block_result(part: &Part<'_>, text: &Text, is_error: bool) -> Json {
    Json::object(|o| {
        o.word("type", "tool_result");
        o.text("tool_use_id", &part.node.get("callID").and_then(Node::text).unwrap_or_default());
        let files = given(part, file_block);
        if files.is_empty() {
            o.text("content", text);
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

fn block_rest(tools: &BTreeSet<String>, o: &mut Object<'_>) {
    if !tools.is_empty() {
        unit::write_tools(tools.iter(), o);
    }
    o.number("max_tokens", 32_000);
}

fn text_block(text: &Text) -> Json {
    Json::object(|o| {
        o.word("type", "text");
        o.text("text", text);
    })
}

pub(super) const BLOCKS: Spelling = Spelling {
    dialect: "anthropic",
    part: block,
    result: block_result,
    files: true,
    messages: Some(Messages {
        list: "messages",
        inside: "content",
        model: "assistant",
        text: text_block,
        is_result: |part| word(part, "type") == "tool_result",
        called: |part| {
            let is_call = word(part, "type") == "tool_use";
            part.get("name").filter(|_| is_call).map(|name| name.word().into_owned())
        },
        rest: block_rest,
    }),
};
