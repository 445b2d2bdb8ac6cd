//! How the reply is to be made: the fields of the body beside input, instructions and tools.

use interlingua_model::{
    Conversation, Format, Ledger, Place, Reasoning, ReasoningMode, Settings, TopField,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Kind, Node, Text};

use super::{ID, choice};
use crate::note;

/// Reads all settings. A field whose value the model cannot hold is marked as one that cannot cross.
pub(super) fn decode(body: Node<'_>, fields: &mut [TopField], ledger: &mut Ledger) -> Settings {
    let said = |key: &str| body.get(key).filter(|value| !value.is_null());
    let json = |key: &str| said(key).map(Node::json);
    let text = |key: &str| said(key).and_then(Node::text);
    let format = said("text").and_then(|text| text.get("format"));
    let choice = said("tool_choice").map(choice::decode);
    if choice == Some(None) {
        forget(fields, "tool_choice");
    }
    if text("safety_identifier").is_some() && text("user") != text("safety_identifier") {
        forget(fields, "user");
    }
    let mut boolean = |key: &str| {
        let value = said(key)?;
        if value.boolean().is_none() {
            let what = format!("`{key}` is neither true nor false");
            ledger.change(note::ODD_INPUT, Place::SETTINGS, what);
        }
        value.boolean().or_else(|| Some(value.word() == "true"))
    };
    Settings {
        max_tokens: json("max_output_tokens"),
        temperature: json("temperature"),
        top_p: json("top_p"),
        presence_penalty: json("presence_penalty"),
        frequency_penalty: json("frequency_penalty"),
        stream: boolean("stream"),
        parallel: boolean("parallel_tool_calls"),
        store: boolean("store"),
        choice: choice.flatten(),
        reasoning: said("reasoning").and_then(decode_reasoning),
        format: format.and_then(decode_format),
        verbosity: said("text").and_then(|text| text.get("verbosity")).and_then(Node::text),
        user: text("safety_identifier").or_else(|| text("user")),
        metadata: json("metadata"),
        service_tier: text("service_tier"),
        cache_key: text("prompt_cache_key"),
        ..Settings::default()
    }
}

/// The keys the model holds of a field that has more.
pub(super) fn held_inside(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "reasoning" => Some(&["effort", "summary", "generate_summary"]),
        "text" => Some(&["format", "verbosity"]),
        _ => None,
    }
}

fn forget(fields: &mut [TopField], key: &str) {
    for field in fields.iter_mut().filter(|field| field.key == *key) {
        field.known = false;
    }
}

fn decode_reasoning(node: Node<'_>) -> Option<Reasoning> {
    let effort = node.get("effort").and_then(Node::text);
    let display = node.get("summary").or_else(|| node.get("generate_summary"));
    let reasoning = Reasoning {
        mode: effort.as_ref().filter(|effort| **effort == "none").map(|_| ReasoningMode::Off),
        effort,
        budget: None,
        display: display.and_then(Node::text),
    };
    (reasoning != Reasoning::default()).then_some(reasoning)
}

fn decode_format(node: Node<'_>) -> Option<Format> {
    match &*node.get("type").map(Node::word).unwrap_or_default() {
        "text" => Some(Format::Text),
        "json_object" => Some(Format::Json),
        "json_schema" => Some(Format::Schema {
            name: node.get("name").and_then(Node::text),
            description: node.get("description").and_then(Node::text),
            schema: node
                .get("schema")
                .filter(|schema| schema.is_object())
                .map_or(Json::EMPTY_OBJECT, Node::json),
            strict: node.get("strict").and_then(Node::boolean),
        }),
        _ => None,
    }
}

/// Writes the settings that stand under `key`, if there are any to say. `written` is the value the
/// client gave that field; what the model has no name for in it stays.
pub(super) fn write_field(
    key: &str,
    written: Option<&Json>,
    conversation: &Conversation,
    o: &mut Object<'_>,
) {
    let settings = &*conversation.settings;
    match key {
        "max_output_tokens" => o.json_if("max_output_tokens", settings.max_tokens.as_ref()),
        "temperature" => o.json_if("temperature", settings.temperature.as_ref()),
        "top_p" => o.json_if("top_p", settings.top_p.as_ref()),
        "presence_penalty" => o.json_if("presence_penalty", settings.presence_penalty.as_ref()),
        "frequency_penalty" => o.json_if("frequency_penalty", settings.frequency_penalty.as_ref()),
        "tool_choice" => match (&settings.choice, written) {
            (Some(choice), _) => choice::encode(choice, &conversation.tools, o),
            (None, Some(hosted)) if choice::decode(hosted.doc().root()).is_none() => {
                o.json("tool_choice", hosted);
            }
            (None, _) => {}
        },
        "parallel_tool_calls" => boolean("parallel_tool_calls", settings.parallel, o),
        "reasoning" => write_reasoning(settings.reasoning.as_ref(), written, o),
        "text" => write_text(settings, written, o),
        "safety_identifier" => o.text_if("safety_identifier", settings.user.as_ref()),
        "user" => o.text_if("user", settings.user.as_ref()),
        "metadata" => o.json_if("metadata", settings.metadata.as_ref()),
        "service_tier" => {
            let same = conversation.source == ID;
            let tier = if same { settings.service_tier.clone() } else { tier(settings) };
            o.text_if("service_tier", tier.as_ref());
        }
        "prompt_cache_key" => o.text_if("prompt_cache_key", settings.cache_key.as_ref()),
        "store" => boolean("store", settings.store, o),
        "stream" => boolean("stream", settings.stream, o),
        _ => {}
    }
}

fn boolean(key: &'static str, value: Option<bool>, o: &mut Object<'_>) {
    if let Some(value) = value {
        o.boolean(key, value);
    }
}

fn tier(settings: &Settings) -> Option<Text> {
    let tier = settings.service_tier.as_ref()?;
    let word = tier.contents();
    match &*word {
        "standard_only" | "standard" => Some(Text::word("default")),
        word => TIERS.contains(&word).then(|| tier.clone()),
    }
}

fn write_reasoning(reasoning: Option<&Reasoning>, written: Option<&Json>, o: &mut Object<'_>) {
    let effort = reasoning.and_then(effort);
    let summary = reasoning.and_then(summary);
    let doc = written.map(Json::doc);
    let others = others(
        doc.as_ref().map(interlingua_wire::Doc::root),
        &["effort", "summary", "generate_summary"],
    );
    if effort.is_none() && summary.is_none() && others.is_empty() {
        return;
    }
    o.object("reasoning", |o| {
        o.text_if("effort", effort.as_ref());
        o.text_if("summary", summary.as_ref());
        for (key, value) in &others {
            o.key_text(key).json(value);
        }
    });
}

/// The fields of a compound setting that the model has no name for.
fn others(node: Option<Node<'_>>, known: &[&str]) -> Vec<(Text, Json)> {
    let fields = node.into_iter().flat_map(Node::fields);
    fields
        .filter(|field| !known.iter().any(|name| field.is(name)))
        .map(|field| (field.key(), field.value.json()))
        .collect()
}

/// The effort, or what a budget in tokens amounts to.
fn effort(reasoning: &Reasoning) -> Option<Text> {
    if let Some(effort) = &reasoning.effort {
        return Some(effort.clone());
    }
    if reasoning.is_off() {
        return Some(Text::word("none"));
    }
    Some(match reasoning.budget.as_ref()?.count()? {
        0 => Text::word("none"),
        1..4_096 => Text::word("low"),
        4_096..16_384 => Text::word("medium"),
        _ => Text::word("high"),
    })
}

fn summary(reasoning: &Reasoning) -> Option<Text> {
    let display = reasoning.display.as_ref()?;
    match &*display.contents() {
        "auto" | "concise" | "detailed" => Some(display.clone()),
        "omitted" | "hidden" | "none" | "false" => None,
        _ => Some(Text::word("auto")),
    }
}

fn write_text(settings: &Settings, written: Option<&Json>, o: &mut Object<'_>) {
    let doc = written.map(Json::doc);
    let others = others(doc.as_ref().map(interlingua_wire::Doc::root), &["format", "verbosity"]);
    if settings.format.is_none() && settings.verbosity.is_none() && others.is_empty() {
        return;
    }
    o.object("text", |o| {
        if let Some(format) = &settings.format {
            o.object("format", |o| write_format(format, o));
        }
        o.text_if("verbosity", settings.verbosity.as_ref());
        for (key, value) in &others {
            o.key_text(key).json(value);
        }
    });
}

fn write_format(format: &Format, o: &mut Object<'_>) {
    match format {
        Format::Text => o.known("type", "text"),
        Format::Json => o.known("type", "json_object"),
        Format::Schema { name, description, schema, strict } => {
            o.known("type", "json_schema");
            o.text("name", name.as_ref().unwrap_or(&Text::word("response")));
            o.text_if("description", description.as_ref());
            let none = Json::EMPTY_OBJECT;
            o.json("schema", if schema.is_object() { schema } else { &none });
            boolean("strict", *strict, o);
        }
    }
}

/// Notes what is said in other terms or has no place here.
pub(super) fn note_differences(conversation: &Conversation, ledger: &mut Ledger) {
    let settings = &*conversation.settings;
    let place = Place::SETTINGS;
    let mut missing = |name: &str| {
        let what = format!("left out `{name}`: there is no such setting here");
        ledger.loss(note::NO_SUCH_SETTING, place, what);
    };
    let numbers = [("top_k", &settings.top_k), ("seed", &settings.seed)];
    for (name, value) in numbers {
        if value.as_ref().is_some_and(|value| value.kind() != Kind::Null) {
            missing(name);
        }
    }
    if settings.answers.as_ref().and_then(Json::count).is_some_and(|answers| answers != 1) {
        missing("answers");
    }
    if !settings.stop.is_empty() {
        missing("stop");
    }
    let crosses = conversation.source != ID;
    if crosses && settings.service_tier.is_some() && tier(settings).is_none() {
        missing("service_tier");
    }
    if crosses && tier(settings) != settings.service_tier && tier(settings).is_some() {
        let what = "the standard service tier is called `default`";
        ledger.change(note::SETTING_CONVERTED, place, what);
    }
    let reasoning = settings.reasoning.as_ref();
    if reasoning.is_some_and(|reasoning| reasoning.budget.is_some()) {
        let what = "a budget for reasoning in tokens is said as an effort";
        ledger.change(note::SETTING_CONVERTED, place, what);
    }
    if matches!(&settings.format, Some(Format::Schema { name: None, .. })) {
        let what = "a schema for the answer must have a name: `response`";
        ledger.change(note::REQUIRED_ADDED, place, what);
    }
}

/// The settings in the order they are written.
pub(super) const KEYS: &[&str] = &[
    "max_output_tokens",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "text",
    "safety_identifier",
    "metadata",
    "service_tier",
    "prompt_cache_key",
    "store",
    "stream",
];

const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
