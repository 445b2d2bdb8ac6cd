//! Encodes settings.

use std::collections::HashMap;

use interlingua_model::{
    Conversation, Ledger, LedgerPath, ReasoningSettings, ResponseFormat, Settings, Tool,
    ToolChoice, ToolKind, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use crate::note;
use crate::openai_responses::decode::settings;
use crate::openai_responses::id::ID;
use crate::openai_responses::namespace;

fn encode_tool_choice(choice: &ToolChoice, tools: &[Verbatim<Tool>], o: &mut ObjectWriter<'_>) {
    match choice {
        ToolChoice::Auto => o.static_str("tool_choice", "auto"),
        ToolChoice::None => o.static_str("tool_choice", "none"),
        ToolChoice::Required => o.static_str("tool_choice", "required"),
        ToolChoice::Named(name) => {
            let tool = tools.iter().find(|tool| tool.name == *name && can_choose(tool));
            o.object("tool_choice", |o| write_tool_reference(name, tool, o));
        }
        ToolChoice::Allowed { names, required } => o.object("tool_choice", |o| {
            o.static_str("type", "allowed_tools");
            o.str("mode", if *required { "required" } else { "auto" });
            let mut by_name = HashMap::new();
            for tool in tools.iter().filter(|tool| can_choose(tool)) {
                by_name.entry(tool.name.unescape()).or_insert(tool);
            }
            o.array("tools", |a| {
                for name in names {
                    let tool = by_name.get(&*name.unescape()).copied();
                    a.object(|o| write_tool_reference(name, tool, o));
                }
            });
        }),
    }
}

/// Foreign tools of other dialects are not encoded, so they cannot be chosen.
fn can_choose(tool: &Tool) -> bool {
    !matches!(tool.kind, ToolKind::Foreign { dialect, .. } if dialect != ID)
}

fn write_tool_reference(
    name: &JsonString,
    tool: Option<&Verbatim<Tool>>,
    o: &mut ObjectWriter<'_>,
) {
    // The provider's own tools are chosen by type, an MCP server's tools also by label.
    if let Some(ToolKind::Foreign { kind, json, .. }) = tool.map(|tool| &tool.kind) {
        o.json_string("type", kind);
        o.json_string_opt(
            "server_label",
            json.to_doc().root().get("server_label").and_then(JsonNode::json_string).as_ref(),
        );
        return;
    }
    let freeform = tool.is_some_and(|tool| matches!(tool.kind, ToolKind::Freeform { .. }));
    let namespace = tool.and_then(|tool| tool.namespace.as_ref());
    o.str("type", if freeform { "custom" } else { "function" });
    o.json_string("name", &namespace::local_name(namespace, name));
    o.json_string_opt("namespace", namespace);
}

/// Encodes the settings of the field `key`, unless they are empty. Unknown subfields of `original`,
/// the client's value, are kept.
pub(crate) fn encode_field(
    key: &str,
    original: Option<&RawJson>,
    conversation: &Conversation,
    o: &mut ObjectWriter<'_>,
) {
    let settings = &*conversation.settings;
    match key {
        "max_output_tokens" => o.json_opt("max_output_tokens", settings.max_tokens.as_ref()),
        "temperature" => o.json_opt("temperature", settings.temperature.as_ref()),
        "top_p" => o.json_opt("top_p", settings.top_p.as_ref()),
        "presence_penalty" => o.json_opt("presence_penalty", settings.presence_penalty.as_ref()),
        "frequency_penalty" => o.json_opt("frequency_penalty", settings.frequency_penalty.as_ref()),
        "tool_choice" => match (&settings.tool_choice, original) {
            (Some(choice), _) => encode_tool_choice(choice, &conversation.tools, o),
            (None, Some(original_choice))
                if settings::decode_tool_choice(original_choice.to_doc().root()).is_none() =>
            {
                o.json("tool_choice", original_choice);
            }
            (None, _) => {}
        },
        "parallel_tool_calls" => write_bool("parallel_tool_calls", settings.parallel_tool_calls, o),
        "reasoning" => encode_reasoning(settings.reasoning.as_ref(), original, o),
        "text" => encode_text_settings(settings, original, o),
        "safety_identifier" => o.json_string_opt("safety_identifier", settings.user.as_ref()),
        "user" => o.json_string_opt("user", settings.user.as_ref()),
        "metadata" => o.json_opt("metadata", settings.metadata.as_ref()),
        "service_tier" => {
            let same_dialect = conversation.dialect == ID;
            let tier = if same_dialect {
                settings.service_tier.clone()
            } else {
                convert_service_tier(settings)
            };
            o.json_string_opt("service_tier", tier.as_ref());
        }
        "prompt_cache_key" => o.json_string_opt("prompt_cache_key", settings.cache_key.as_ref()),
        "store" => write_bool("store", settings.store, o),
        "stream" => write_bool("stream", settings.stream, o),
        _ => {}
    }
}

fn write_bool(key: &'static str, value: Option<bool>, o: &mut ObjectWriter<'_>) {
    if let Some(value) = value {
        o.boolean(key, value);
    }
}

fn convert_service_tier(settings: &Settings) -> Option<JsonString> {
    let tier = settings.service_tier.as_ref()?;
    let tier_name = tier.unescape();
    match &*tier_name {
        "standard_only" | "standard" => Some(JsonString::from_static("default")),
        tier_name => SERVICE_TIERS.contains(&tier_name).then(|| tier.clone()),
    }
}

fn encode_reasoning(
    reasoning: Option<&ReasoningSettings>,
    original: Option<&RawJson>,
    o: &mut ObjectWriter<'_>,
) {
    let effort = reasoning.and_then(to_effort);
    let summary = reasoning.and_then(to_summary);
    let doc = original.map(RawJson::to_doc);
    let unknown = unknown_fields(
        doc.as_ref().map(interlingua_wire::JsonDoc::root),
        &["effort", "summary", "generate_summary"],
    );
    if effort.is_none() && summary.is_none() && unknown.is_empty() {
        return;
    }
    o.object("reasoning", |o| {
        o.json_string_opt("effort", effort.as_ref());
        o.json_string_opt("summary", summary.as_ref());
        for (key, value) in &unknown {
            o.key_json_string(key).json(value);
        }
    });
}

/// The fields of a compound setting that the model does not have.
fn unknown_fields(node: Option<JsonNode<'_>>, known: &[&str]) -> Vec<(JsonString, RawJson)> {
    let fields = node.into_iter().flat_map(JsonNode::fields);
    fields
        .filter(|field| !known.iter().any(|name| field.key_is(name)))
        .map(|field| (field.key_json_string(), field.value.json()))
        .collect()
}

/// The effort, or the one that corresponds to a token budget.
fn to_effort(reasoning: &ReasoningSettings) -> Option<JsonString> {
    if let Some(effort) = &reasoning.effort {
        return Some(effort.clone());
    }
    if reasoning.is_off() {
        return Some(JsonString::from_static("none"));
    }
    Some(match reasoning.budget_tokens.as_ref()?.as_u64()? {
        0 => JsonString::from_static("none"),
        1..4_096 => JsonString::from_static("low"),
        4_096..16_384 => JsonString::from_static("medium"),
        _ => JsonString::from_static("high"),
    })
}

fn to_summary(reasoning: &ReasoningSettings) -> Option<JsonString> {
    let display = reasoning.display.as_ref()?;
    match &*display.unescape() {
        "auto" | "concise" | "detailed" => Some(display.clone()),
        "omitted" | "hidden" | "none" | "false" => None,
        _ => Some(JsonString::from_static("auto")),
    }
}

fn encode_text_settings(settings: &Settings, original: Option<&RawJson>, o: &mut ObjectWriter<'_>) {
    let doc = original.map(RawJson::to_doc);
    let unknown =
        unknown_fields(doc.as_ref().map(interlingua_wire::JsonDoc::root), &["format", "verbosity"]);
    if settings.response_format.is_none() && settings.verbosity.is_none() && unknown.is_empty() {
        return;
    }
    o.object("text", |o| {
        if let Some(format) = &settings.response_format {
            o.object("format", |o| encode_format(format, o));
        }
        o.json_string_opt("verbosity", settings.verbosity.as_ref());
        for (key, value) in &unknown {
            o.key_json_string(key).json(value);
        }
    });
}

fn encode_format(format: &ResponseFormat, o: &mut ObjectWriter<'_>) {
    match format {
        ResponseFormat::Text => o.static_str("type", "text"),
        ResponseFormat::Json => o.static_str("type", "json_object"),
        ResponseFormat::Schema { name, description, schema, strict } => {
            o.static_str("type", "json_schema");
            o.json_string("name", name.as_ref().unwrap_or(&JsonString::from_static("response")));
            o.json_string_opt("description", description.as_ref());
            let empty_schema = RawJson::EMPTY_OBJECT;
            o.json("schema", if schema.is_object() { schema } else { &empty_schema });
            write_bool("strict", *strict, o);
        }
    }
}

/// Notes settings that are converted or that this dialect does not have.
pub(crate) fn note_changed_settings(conversation: &Conversation, ledger: &mut Ledger) {
    let settings = &*conversation.settings;
    let path = LedgerPath::SETTINGS;
    let mut note_dropped = |name: &str| {
        let message = format!("left out `{name}`: this dialect does not have it");
        ledger.record_loss(note::NO_SUCH_SETTING, path, message);
    };
    let numbers = [("top_k", &settings.top_k), ("seed", &settings.seed)];
    for (name, value) in numbers {
        if value.as_ref().is_some_and(|value| value.kind() != JsonKind::Null) {
            note_dropped(name);
        }
    }
    if settings.candidate_count.as_ref().and_then(RawJson::as_u64).is_some_and(|count| count != 1) {
        note_dropped("answers");
    }
    if !settings.stop_sequences.is_empty() {
        note_dropped("stop");
    }
    let is_cross_dialect = conversation.dialect != ID;
    if is_cross_dialect
        && settings.service_tier.is_some()
        && convert_service_tier(settings).is_none()
    {
        note_dropped("service_tier");
    }
    if is_cross_dialect
        && convert_service_tier(settings) != settings.service_tier
        && convert_service_tier(settings).is_some()
    {
        let message = "the standard service tier is sent as `default`";
        ledger.record_change(note::SETTING_CONVERTED, path, message);
    }
    let reasoning = settings.reasoning.as_ref();
    if reasoning.is_some_and(|reasoning| reasoning.budget_tokens.is_some()) {
        let message = "the reasoning budget is sent as an effort";
        ledger.record_change(note::SETTING_CONVERTED, path, message);
    }
    if matches!(&settings.response_format, Some(ResponseFormat::Schema { name: None, .. })) {
        let message = "the response schema gets the required name `response`";
        ledger.record_change(note::REQUIRED_ADDED, path, message);
    }
}

/// The settings in the order in which they are written.
pub(crate) const SETTING_KEYS: &[&str] = &[
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

const SERVICE_TIERS: &[&str] =
    &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];
