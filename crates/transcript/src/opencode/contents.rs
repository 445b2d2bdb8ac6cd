//! Parts as Gemini has them: the call of a tool is named, and a part carries the signature of the
//! thinking that led to it.

use std::collections::BTreeSet;

use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Json, Text};

use super::parts::{Kind, Part, word};
use super::spell::{Messages, Spelling, call, data, input, kept, said};

fn part(part: &Part<'_>) -> Option<Json> {
    let file = if part.kind == Kind::File { Some(data(part.node)?) } else { None };
    Some(Json::object(|o| {
        match (part.kind, &file) {
            (Kind::Tool, _) => o.object("functionCall", |o| {
                call(part, "id", o);
                o.json("args", &input(part));
            }),
            (_, Some((kind, data))) => o.object("inlineData", |o| {
                o.text("mimeType", kind);
                o.text("data", data);
            }),
            _ => o.text("text", &said(part)),
        }
        if part.kind == Kind::Reasoning {
            o.boolean("thought", true);
        }
        o.text_if("thoughtSignature", kept(part, "thoughtSignature").and_then(Node::text).as_ref());
    }))
}

fn result(part: &Part<'_>, text: &Text, is_error: bool) -> Json {
    Json::object(|o| {
        o.object("functionResponse", |o| {
            call(part, "id", o);
            o.object("response", |o| o.text(if is_error { "error" } else { "output" }, text));
        });
    })
}

fn rest(tools: &BTreeSet<String>, o: &mut Object<'_>) {
    if tools.is_empty() {
        return;
    }
    o.array("tools", |a| {
        a.object(|o| {
            o.array("functionDeclarations", |a| {
                for name in tools {
                    a.object(|o| o.word("name", name));
                }
            });
        });
    });
}

fn text(text: &Text) -> Json {
    Json::object(|o| o.text("text", text))
}

pub(super) const CONTENTS: Spelling = Spelling {
    dialect: "gemini",
    part,
    result,
    files: false,
    messages: Some(Messages {
        list: "contents",
        inside: "parts",
        model: "model",
        text,
        is_result: |part| part.get("functionResponse").is_some(),
        called: |part| Some(word(part.get("functionCall")?, "name").into_owned()),
        rest,
    }),
};
