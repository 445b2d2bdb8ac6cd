//! The request that the agent would send next, in the dialect of its provider.

use std::collections::BTreeSet;

use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Json, Text, find};

use super::Opencode;
use super::parts::{Kind, Part, word};
use crate::{Note, Origin, Source, Transcript, Unit, unit};

/// What a provider's dialect calls things.
struct Spelling {
    dialect: &'static str,
    /// A part of the request, for a part of the export. None where the provider is not told.
    part: fn(&Part<'_>) -> Option<Json>,
    /// The result of a tool's run; none while it has none.
    result: fn(&Part<'_>, &Text, bool) -> Json,
    /// Parts of one speaker are one message, and the model must not be the last who spoke.
    messages: bool,
}

pub(super) fn read(parts: &[Part<'_>], messages: Node<'_>, source: &Source) -> Option<Transcript> {
    let (provider, model) = spoken_to(messages);
    let named =
        |names: &&[&str]| names.iter().any(|name| provider.contains(name) || model.contains(name));
    let spelling = if named(&ANTHROPIC_NAMES) { &BLOCKS } else { &ITEMS };
    let mut units: Vec<Unit> = Vec::new();
    let mut notes = Vec::new();
    let mut stands_in = false;
    let mut lines = source.lines_of(parts.iter().map(|part| part.node.range().start)).into_iter();
    for step in parts.chunk_by(|a, b| a.step == b.step) {
        let lines: Vec<usize> = lines.by_ref().take(step.len()).collect();
        spell_step(step, &lines, spelling, &mut units);
    }
    if spelling.messages {
        join(&mut units);
        stands_in = units.last().is_some_and(|unit| unit.role == "assistant");
        if stands_in {
            let turn = units.last().map_or(0, |unit| unit.turn + 1);
            let json = text_block(&Text::word("Continue."));
            units.push(Unit { turn, ..new_unit("user", json, None) });
            notes.push(Note::of_file(Note::SPOKEN_LAST));
        }
        units = numbered(units);
    } else {
        for (turn, unit) in units.iter_mut().enumerate() {
            unit.turn = turn;
            unit.role = word(unit.json.doc().root(), "role").into_owned();
        }
    }
    let body = body(&units, spelling, &model);
    let body = interlingua::wire::Json::to_bytes(&body);
    let dialect = find(spelling.dialect)?;
    let model = (!model.is_empty()).then(|| Text::new(&model));
    Some(Transcript { format: &Opencode, dialect, body, units, notes, model, stands_in })
}

/// The parts of one step, then the results of its calls.
fn spell_step(step: &[Part<'_>], lines: &[usize], spelling: &Spelling, units: &mut Vec<Unit>) {
    let role = if step.iter().any(|part| part.from_user) { "user" } else { "assistant" };
    let origin = |part: &Part<'_>, line: usize, result: usize| {
        Some(Origin { line, record: part.message, slot: part.at * 2 + result })
    };
    for (part, line) in step.iter().zip(lines) {
        if let Some(json) = (spelling.part)(part) {
            units.push(new_unit(role, json, origin(part, *line, 0)));
        }
    }
    for (part, line) in step.iter().zip(lines).filter(|(part, _)| part.kind == Kind::Tool) {
        let Some(state) = part.node.get("state") else { continue };
        let (key, is_error) = match &*word(state, "status") {
            "completed" => ("output", false),
            "error" => ("error", true),
            _ => continue,
        };
        let text = state.get(key).and_then(Node::text).unwrap_or_default();
        let json = (spelling.result)(part, &text, is_error);
        units.push(new_unit("user", json, origin(part, *line, 1)));
    }
}

fn new_unit(role: &str, json: Json, origin: Option<Origin>) -> Unit {
    Unit { turn: 0, block: None, role: role.to_owned(), json, at: 0, origin }
}

/// Gives neighbours of one role the same turn; a user's results come first.
fn join(units: &mut [Unit]) {
    let mut turn = 0;
    for at in 1..units.len() {
        if units[at].role != units[at - 1].role {
            turn += 1;
        }
        units[at].turn = turn;
    }
    units.sort_by_key(|unit| {
        let doc = unit.json.doc();
        (unit.turn, word(doc.root(), "type") != "tool_result" && unit.role == "user")
    });
}

fn numbered(mut units: Vec<Unit>) -> Vec<Unit> {
    for turn in units.chunk_by_mut(|a, b| a.turn == b.turn) {
        for (at, unit) in turn.iter_mut().enumerate() {
            unit.block = Some(at);
        }
    }
    units
}

fn body(units: &[Unit], spelling: &Spelling, model: &str) -> Json {
    Json::object(|o| {
        o.word("model", model);
        if !spelling.messages {
            o.array("input", |a| units.iter().for_each(|unit| a.item().json(&unit.json)));
            o.boolean("store", false);
            return;
        }
        o.array("messages", |a| {
            for turn in units.chunk_by(|a, b| a.turn == b.turn) {
                a.object(|o| {
                    o.word("role", &turn[0].role);
                    o.array("content", |a| turn.iter().for_each(|unit| a.item().json(&unit.json)));
                });
            }
        });
        write_tools(units, o);
        o.number("max_tokens", 32_000);
    })
}

/// The file does not hold the tools; ones with the names that were called stand in for them.
fn write_tools(units: &[Unit], o: &mut Object<'_>) {
    let name = |unit: &Unit| {
        let doc = unit.json.doc();
        let name = doc.root().get("name").filter(|_| word(doc.root(), "type") == "tool_use");
        name.map(|name| name.word().into_owned())
    };
    let names: BTreeSet<String> =
        units.iter().filter_map(name).filter(|name| unit::is_name(name)).collect();
    if !names.is_empty() {
        unit::write_tools(names.iter(), o);
    }
}

/// The provider and the model of the last reply, or of the last prompt.
fn spoken_to(messages: Node<'_>) -> (String, String) {
    let mut found = (String::new(), String::new());
    for info in messages.items().filter_map(|message| message.get("info")) {
        let node = info.get("model").filter(|model| model.is_object()).unwrap_or(info);
        let (provider, model) = (word(node, "providerID"), word(node, "modelID"));
        if !model.is_empty() {
            found = (provider.into_owned(), model.into_owned());
        }
    }
    found
}

fn text_block(text: &Text) -> Json {
    Json::object(|o| {
        o.word("type", "text");
        o.text("text", text);
    })
}

fn said(part: &Part<'_>) -> Text {
    match part.kind {
        Kind::Compaction => Text::word("What did we do so far?"),
        _ => part.node.get("text").and_then(Node::text).unwrap_or_default(),
    }
}

/// Of a data URL: the media type, and the base64 behind it.
fn data(part: &Part<'_>) -> Option<(Text, Text)> {
    let url = part.node.get("url").and_then(Node::text)?;
    let (_, data) = url.split_once(";base64,")?;
    Some((part.node.get("mime").and_then(Node::text)?, data))
}

fn call(part: &Part<'_>, key: &'static str, o: &mut Object<'_>) {
    o.text(key, &part.node.get("callID").and_then(Node::text).unwrap_or_default());
    o.text("name", &part.node.get("tool").and_then(Node::text).unwrap_or_default());
}

fn input(part: &Part<'_>) -> Json {
    let input = part.node.get("state").and_then(|state| state.get("input"));
    input.map_or(Json::EMPTY_OBJECT, Node::json)
}

/// What a provider keeps with a part, under whichever name.
fn kept<'s>(part: &Part<'s>, key: &str) -> Option<Node<'s>> {
    let metadata = part.node.get("metadata")?;
    metadata.fields().find_map(|field| field.value.get(key))
}

fn block(part: &Part<'_>) -> Option<Json> {
    Some(match part.kind {
        Kind::Text | Kind::Compaction => text_block(&said(part)),
        Kind::Reasoning => thinking(part),
        Kind::File => {
            let (kind, data) = data(part)?;
            let is_image = kind.raw().starts_with("image");
            Json::object(|o| {
                o.word("type", if is_image { "image" } else { "document" });
                o.object("source", |o| {
                    o.word("type", "base64");
                    o.text("media_type", &kind);
                    o.text("data", &data);
                });
            })
        }
        Kind::Tool => Json::object(|o| {
            o.word("type", "tool_use");
            call(part, "id", o);
            o.json("input", &input(part));
        }),
    })
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
        o.text("content", text);
        if is_error {
            o.boolean("is_error", true);
        }
    })
}

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
        Kind::File => {
            let url = part.node.get("url").and_then(Node::text)?;
            let is_image = data(part)?.0.raw().starts_with("image");
            let content = Json::object(|o| {
                o.word("type", if is_image { "input_image" } else { "input_file" });
                if !is_image {
                    let name = part.node.get("filename").and_then(Node::text);
                    o.text("filename", &name.unwrap_or_else(|| Text::word("file")));
                }
                o.text(if is_image { "image_url" } else { "file_data" }, &url);
            });
            message(role, content)
        }
        Kind::Tool => Json::object(|o| {
            o.word("type", "function_call");
            call(part, "call_id", o);
            o.word("arguments", input(part).as_str());
        }),
    })
}

fn item_result(part: &Part<'_>, text: &Text, _: bool) -> Json {
    Json::object(|o| {
        o.word("type", "function_call_output");
        o.text("call_id", &part.node.get("callID").and_then(Node::text).unwrap_or_default());
        o.text("output", text);
    })
}

const BLOCKS: Spelling =
    Spelling { dialect: "anthropic", part: block, result: block_result, messages: true };
const ITEMS: Spelling =
    Spelling { dialect: "openai-responses", part: item, result: item_result, messages: false };

/// Parts of the names of providers and models that speak in blocks.
const ANTHROPIC_NAMES: &[&str] = &["anthropic", "claude"];
