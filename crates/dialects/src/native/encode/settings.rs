//! Encodes settings.

use interlingua_model::{ReasoningSettings, ResponseFormat, Settings, ToolChoice};
use interlingua_wire::RawJson;
use interlingua_wire::json::ObjectWriter;

use crate::native::enum_names;

pub(crate) fn encode_settings(settings: &Settings, o: &mut ObjectWriter<'_>) {
    for (name, value) in json_settings(settings) {
        o.json_opt(name, value.as_ref());
    }
    if !settings.stop_sequences.is_empty() {
        o.array("stop", |a| {
            settings.stop_sequences.iter().for_each(|stop| a.item().json_string(stop));
        });
    }
    let flags = [
        ("stream", settings.stream),
        ("stream_usage", settings.stream_usage),
        ("parallel", settings.parallel_tool_calls),
        ("store", settings.store),
    ];
    for (name, flag) in flags {
        o.json_opt(name, flag.map(RawJson::boolean).as_ref());
    }
    if let Some(choice) = &settings.tool_choice {
        encode_choice(choice, o);
    }
    if let Some(reasoning) = &settings.reasoning {
        o.object("reasoning", |o| encode_reasoning(reasoning, o));
    }
    if let Some(format) = &settings.response_format {
        encode_format(format, o);
    }
    o.json_string_opt("verbosity", settings.verbosity.as_ref());
    o.json_string_opt("user", settings.user.as_ref());
    o.json_string_opt("service_tier", settings.service_tier.as_ref());
    o.json_string_opt("cache_key", settings.cache_key.as_ref());
}

fn json_settings(settings: &Settings) -> [(&'static str, &Option<RawJson>); 9] {
    [
        ("max_tokens", &settings.max_tokens),
        ("temperature", &settings.temperature),
        ("top_p", &settings.top_p),
        ("top_k", &settings.top_k),
        ("seed", &settings.seed),
        ("presence_penalty", &settings.presence_penalty),
        ("frequency_penalty", &settings.frequency_penalty),
        ("answers", &settings.candidate_count),
        ("metadata", &settings.metadata),
    ]
}

fn encode_choice(choice: &ToolChoice, o: &mut ObjectWriter<'_>) {
    match choice {
        ToolChoice::Auto => o.static_str("choice", "auto"),
        ToolChoice::None => o.static_str("choice", "none"),
        ToolChoice::Required => o.static_str("choice", "required"),
        ToolChoice::Named(name) => o.object("choice", |o| o.json_string("named", name)),
        ToolChoice::Allowed { names, required } => o.object("choice", |o| {
            o.array("allowed", |a| names.iter().for_each(|name| a.item().json_string(name)));
            o.boolean("required", *required);
        }),
    }
}

fn encode_reasoning(reasoning: &ReasoningSettings, o: &mut ObjectWriter<'_>) {
    if let Some(mode) = reasoning.mode {
        o.str("mode", enum_names::name_of(enum_names::REASONING_MODES, mode));
    }
    o.json_string_opt("effort", reasoning.effort.as_ref());
    o.json_opt("budget", reasoning.budget_tokens.as_ref());
    o.json_string_opt("display", reasoning.display.as_ref());
}

fn encode_format(format: &ResponseFormat, o: &mut ObjectWriter<'_>) {
    match format {
        ResponseFormat::Text => o.static_str("format", "text"),
        ResponseFormat::Json => o.static_str("format", "json"),
        ResponseFormat::Schema { name, description, schema, strict } => o.object("format", |o| {
            o.json("schema", schema);
            o.json_string_opt("name", name.as_ref());
            o.json_string_opt("description", description.as_ref());
            o.json_opt("strict", strict.map(RawJson::boolean).as_ref());
        }),
    }
}
