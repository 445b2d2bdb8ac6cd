//! Settings, both ways.

use interlingua_model::{Choice, Format, Ledger, Place, Reasoning, Settings};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::{names, read_blocks, unread};

pub(super) fn encode(settings: &Settings, o: &mut Object<'_>) {
    for (name, value) in numbers(settings) {
        o.json_if(name, value.as_ref());
    }
    if !settings.stop.is_empty() {
        o.array("stop", |a| settings.stop.iter().for_each(|stop| a.item().text(stop)));
    }
    let flags = [
        ("stream", settings.stream),
        ("stream_usage", settings.stream_usage),
        ("parallel", settings.parallel),
        ("store", settings.store),
    ];
    for (name, flag) in flags {
        o.json_if(name, flag.map(Json::boolean).as_ref());
    }
    if let Some(choice) = &settings.choice {
        encode_choice(choice, o);
    }
    if let Some(reasoning) = &settings.reasoning {
        o.object("reasoning", |o| encode_reasoning(reasoning, o));
    }
    if let Some(format) = &settings.format {
        encode_format(format, o);
    }
    o.text_if("verbosity", settings.verbosity.as_ref());
    o.text_if("user", settings.user.as_ref());
    o.text_if("service_tier", settings.service_tier.as_ref());
    o.text_if("cache_key", settings.cache_key.as_ref());
}

fn numbers(settings: &Settings) -> [(&'static str, &Option<Json>); 9] {
    [
        ("max_tokens", &settings.max_tokens),
        ("temperature", &settings.temperature),
        ("top_p", &settings.top_p),
        ("top_k", &settings.top_k),
        ("seed", &settings.seed),
        ("presence_penalty", &settings.presence_penalty),
        ("frequency_penalty", &settings.frequency_penalty),
        ("answers", &settings.answers),
        ("metadata", &settings.metadata),
    ]
}

fn encode_choice(choice: &Choice, o: &mut Object<'_>) {
    match choice {
        Choice::Auto => o.known("choice", "auto"),
        Choice::None => o.known("choice", "none"),
        Choice::Required => o.known("choice", "required"),
        Choice::Named(name) => o.object("choice", |o| o.text("named", name)),
        Choice::Allowed { names, required } => o.object("choice", |o| {
            o.array("allowed", |a| names.iter().for_each(|name| a.item().text(name)));
            o.boolean("required", *required);
        }),
    }
}

fn encode_reasoning(reasoning: &Reasoning, o: &mut Object<'_>) {
    if let Some(mode) = reasoning.mode {
        o.word("mode", names::word(names::MODES, mode));
    }
    o.text_if("effort", reasoning.effort.as_ref());
    o.json_if("budget", reasoning.budget.as_ref());
    o.text_if("display", reasoning.display.as_ref());
}

fn encode_format(format: &Format, o: &mut Object<'_>) {
    match format {
        Format::Text => o.known("format", "text"),
        Format::Json => o.known("format", "json"),
        Format::Schema { name, description, schema, strict } => o.object("format", |o| {
            o.json("schema", schema);
            o.text_if("name", name.as_ref());
            o.text_if("description", description.as_ref());
            o.json_if("strict", strict.map(Json::boolean).as_ref());
        }),
    }
}

pub(super) fn decode(node: Node<'_>) -> Settings {
    let number = |key: &str| node.get(key).filter(|node| !node.is_null()).map(Node::json);
    let text = |key: &str| node.get(key).and_then(Node::text);
    let flag = |key: &str| node.get(key).and_then(Node::boolean);
    Settings {
        max_tokens: number("max_tokens"),
        temperature: number("temperature"),
        top_p: number("top_p"),
        top_k: number("top_k"),
        seed: number("seed"),
        presence_penalty: number("presence_penalty"),
        frequency_penalty: number("frequency_penalty"),
        answers: number("answers"),
        stop: texts(node.get("stop")),
        stream: flag("stream"),
        stream_usage: flag("stream_usage"),
        choice: node.get("choice").and_then(decode_choice),
        parallel: flag("parallel"),
        reasoning: node.get("reasoning").map(decode_reasoning),
        format: node.get("format").and_then(decode_format),
        verbosity: text("verbosity"),
        user: text("user"),
        metadata: number("metadata"),
        service_tier: text("service_tier"),
        cache_key: text("cache_key"),
        store: flag("store"),
        sealed: false,
        betas: Vec::new(),
    }
}

/// Notes what is said there and not read.
pub(super) fn note_unread(node: Node<'_>, ledger: &mut Ledger) {
    let known: Vec<&str> = [NUMBERS, TEXTS, FLAGS, GROUPS].into_iter().flatten().copied().collect();
    unread::fields(node, &known, Place::BODY, ledger);
    unread::values(node, TEXTS, Node::is_string, Place::BODY, ledger);
    unread::values(node, FLAGS, unread::is_boolean, Place::BODY, ledger);
    unread::values(node, &["stop"], Node::is_array, Place::BODY, ledger);
    unread::values(node, &["reasoning"], Node::is_object, Place::BODY, ledger);
    unread::values(node, &["choice"], |one| decode_choice(one).is_some(), Place::BODY, ledger);
    unread::values(node, &["format"], |one| decode_format(one).is_some(), Place::BODY, ledger);
    let inside: [(&str, &[&str]); 3] = [
        ("reasoning", &["mode", "effort", "budget", "display"]),
        ("choice", &["named", "allowed", "required"]),
        ("format", &["schema", "name", "description", "strict"]),
    ];
    for (key, known) in inside {
        if let Some(group) = node.get(key).filter(|group| group.is_object()) {
            unread::fields(group, known, Place::BODY, ledger);
            let words = ["mode", "effort", "display", "name", "description"];
            unread::values(group, &words, Node::is_string, Place::BODY, ledger);
        }
    }
}

fn texts(list: Option<Node<'_>>) -> Vec<Text> {
    list.into_iter().flat_map(Node::items).map(|item| read_blocks::text(Some(item))).collect()
}

fn decode_choice(node: Node<'_>) -> Option<Choice> {
    if let Some(name) = node.get("named") {
        return Some(Choice::Named(read_blocks::text(Some(name))));
    }
    if let Some(allowed) = node.get("allowed") {
        let required = node.get("required").and_then(Node::boolean).unwrap_or(false);
        return Some(Choice::Allowed { names: texts(Some(allowed)), required });
    }
    match &*node.word() {
        "auto" => Some(Choice::Auto),
        "none" => Some(Choice::None),
        "required" => Some(Choice::Required),
        _ => None,
    }
}

fn decode_reasoning(node: Node<'_>) -> Reasoning {
    Reasoning {
        mode: names::value(names::MODES, node.get("mode")),
        effort: node.get("effort").and_then(Node::text),
        budget: node.get("budget").map(Node::json),
        display: node.get("display").and_then(Node::text),
    }
}

fn decode_format(node: Node<'_>) -> Option<Format> {
    match &*node.word() {
        "text" => return Some(Format::Text),
        "json" => return Some(Format::Json),
        _ => {}
    }
    Some(Format::Schema {
        name: node.get("name").and_then(Node::text),
        description: node.get("description").and_then(Node::text),
        schema: node.get("schema")?.json(),
        strict: node.get("strict").and_then(Node::boolean),
    })
}

/// Kept whatever they are.
const NUMBERS: &[&str] = &[
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "answers",
    "metadata",
];
const TEXTS: &[&str] = &["verbosity", "user", "service_tier", "cache_key"];
const FLAGS: &[&str] = &["stream", "stream_usage", "parallel", "store", "as_written"];
const GROUPS: &[&str] = &["stop", "choice", "reasoning", "format"];
