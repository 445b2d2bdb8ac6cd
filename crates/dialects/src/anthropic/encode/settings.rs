//! Encodes the settings of a request.

use interlingua_model::{
    Conversation, Ledger, LedgerPath, ReasoningMode, ReasoningSettings, ResponseFormat, Settings,
    ToolChoice,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use super::tool::has_tool_named;
use crate::anthropic::decode::settings::SETTING_KEYS;
use crate::common::name_set::NameSet;
use crate::note;

pub(crate) fn encode_settings(
    conversation: &Conversation,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    let settings = &*conversation.settings;
    let default_max_tokens = RawJson::number(DEFAULT_MAX_TOKENS);
    if settings.max_tokens.is_none() {
        let message = format!("`max_tokens` is required: it is {DEFAULT_MAX_TOKENS}");
        cx.ledger.record_change(note::REQUIRED_ADDED, LedgerPath::SETTINGS, message);
        o.json("max_tokens", &default_max_tokens);
    }
    for key in SETTING_KEYS {
        if let Some(value) = encode_value(key, conversation, None, cx) {
            o.json(key, &value);
        }
    }
    note_dropped_settings(settings, cx.ledger);
}

/// Encodes a field of a same-dialect conversation with edited settings. Returns `false` if the field
/// is unchanged or not a setting: the caller keeps its text.
pub(crate) fn encode_edited_setting(
    key: &str,
    original_json: Option<&RawJson>,
    conversation: &Conversation,
    original: &Settings,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) -> bool {
    let Some(key) = SETTING_KEYS.iter().find(|setting_key| **setting_key == key) else {
        return false;
    };
    if is_unchanged(key, original, &conversation.settings) {
        return false;
    }
    if let Some(value) = encode_value(key, conversation, original_json, cx) {
        o.json(key, &value);
    }
    true
}

fn is_unchanged(key: &str, a: &Settings, b: &Settings) -> bool {
    fn reasoning_part_eq<T: PartialEq>(
        a: &Settings,
        b: &Settings,
        part: impl Fn(&ReasoningSettings) -> T,
    ) -> bool {
        let default = ReasoningSettings::default();
        part(a.reasoning.as_ref().unwrap_or(&default))
            == part(b.reasoning.as_ref().unwrap_or(&default))
    }
    match key {
        "max_tokens" => a.max_tokens == b.max_tokens,
        "temperature" => a.temperature == b.temperature,
        "top_p" => a.top_p == b.top_p,
        "top_k" => a.top_k == b.top_k,
        "stop_sequences" => a.stop_sequences == b.stop_sequences,
        "stream" => a.stream == b.stream,
        "service_tier" => a.service_tier == b.service_tier,
        "metadata" => a.user == b.user,
        "tool_choice" => {
            a.tool_choice == b.tool_choice && a.parallel_tool_calls == b.parallel_tool_calls
        }
        "thinking" => {
            reasoning_part_eq(a, b, |r| (r.mode, r.budget_tokens.clone(), r.display.clone()))
        }
        "output_config" => {
            reasoning_part_eq(a, b, |r| r.effort.clone()) && a.response_format == b.response_format
        }
        "output_format" => a.response_format == b.response_format,
        _ => true,
    }
}

/// The current value of a field; `None` if it has none. Unknown subfields of `original_json`, the
/// client's value, are kept.
fn encode_value(
    key: &str,
    conversation: &Conversation,
    original_json: Option<&RawJson>,
    cx: &mut EncodeCx<'_>,
) -> Option<RawJson> {
    let settings = &*conversation.settings;
    match key {
        "max_tokens" => settings.max_tokens.clone(),
        "temperature" => settings.temperature.clone(),
        "top_p" => settings.top_p.clone(),
        "top_k" => settings.top_k.clone(),
        "stop_sequences" => (!settings.stop_sequences.is_empty()).then(|| {
            RawJson::array(|a| {
                settings.stop_sequences.iter().for_each(|stop| a.item().json_string(stop));
            })
        }),
        "stream" => settings.stream.map(RawJson::boolean),
        "service_tier" => encode_service_tier(settings.service_tier.as_ref()?, cx),
        "metadata" => settings.user.as_ref().map(|user| {
            RawJson::object(|o| {
                o.json_string("user_id", user);
                write_unknown_fields(original_json, &["user_id"], o);
            })
        }),
        "tool_choice" => encode_tool_choice(conversation),
        "thinking" => encode_thinking(settings.reasoning.as_ref()?, original_json, cx),
        "output_config" => encode_output_config(settings, original_json, cx),
        // `output_format` is the older field for the format: edits are written to `output_config`.
        _ => None,
    }
}

/// Writes the fields of the client's object except the known ones.
fn write_unknown_fields(
    original_json: Option<&RawJson>,
    known_keys: &[&str],
    o: &mut ObjectWriter<'_>,
) {
    let Some(doc) = original_json.map(RawJson::to_doc) else { return };
    for field in doc.root().fields().filter(|field| !known_keys.contains(&&*field.key())) {
        o.key_json_string(&field.key_json_string()).json(&field.value.json());
    }
}

fn encode_service_tier(tier: &JsonString, cx: &mut EncodeCx<'_>) -> Option<RawJson> {
    let converted = match &*tier.unescape() {
        "auto" | "standard_only" => return Some(RawJson::string(tier)),
        _ if cx.same_dialect => return Some(RawJson::string(tier)),
        "default" | "standard" => JsonString::from_static("standard_only"),
        _ => {
            note_dropped_setting(cx.ledger, &format!("the service tier `{tier}`"));
            return None;
        }
    };
    note_converted_setting(cx.ledger, format!("the service tier `{tier}` is `{converted}`"));
    Some(RawJson::string(&converted))
}

fn encode_tool_choice(conversation: &Conversation) -> Option<RawJson> {
    let settings = &*conversation.settings;
    let is_sequential =
        settings.parallel_tool_calls == Some(false) && !conversation.tools.is_empty();
    let choice = match &settings.tool_choice {
        Some(choice) => choice,
        None if is_sequential => &ToolChoice::Auto,
        None => return None,
    };
    // If none of the allowed tools exists, the tools are kept and `none` is sent.
    let choice = match choice {
        ToolChoice::Allowed { names, .. }
            if !has_tool_named(conversation, &NameSet::new(names)) =>
        {
            &ToolChoice::None
        }
        choice => choice,
    };
    Some(RawJson::object(|o| {
        match choice {
            ToolChoice::Auto | ToolChoice::Allowed { required: false, .. } => {
                o.static_str("type", "auto");
            }
            ToolChoice::Required | ToolChoice::Allowed { required: true, .. } => {
                o.static_str("type", "any");
            }
            ToolChoice::None => o.static_str("type", "none"),
            ToolChoice::Named(name) => {
                o.static_str("type", "tool");
                o.json_string("name", name);
            }
        }
        // `none` does not accept `disable_parallel_tool_use`.
        if settings.parallel_tool_calls == Some(false) && *choice != ToolChoice::None {
            o.boolean("disable_parallel_tool_use", true);
        }
    }))
}

/// The three thinking types are derived from mode, budget and effort.
fn encode_thinking(
    reasoning: &ReasoningSettings,
    original_json: Option<&RawJson>,
    cx: &mut EncodeCx<'_>,
) -> Option<RawJson> {
    let no_effort =
        !cx.same_dialect && reasoning.effort.as_ref().is_some_and(|effort| *effort == "none");
    let budget = reasoning.budget_tokens.as_ref();
    let display = reasoning.display.as_ref();
    let is_shown = display.is_some_and(|display| convert_display(display, cx) != "omitted");
    let kind = match reasoning.mode {
        Some(ReasoningMode::Off) => "disabled",
        Some(ReasoningMode::BetweenTools) => "between_tools",
        None if no_effort => "disabled",
        _ if budget.is_some_and(|budget| budget.as_u64() == Some(0)) => "disabled",
        Some(ReasoningMode::Adaptive) => "adaptive",
        _ if budget.is_some_and(|budget| budget.as_u64().is_some()) => "enabled",
        Some(ReasoningMode::On) => "adaptive",
        None if budget.is_some() || is_shown => "adaptive",
        None => return None,
    };
    if kind == "adaptive" && reasoning.mode == Some(ReasoningMode::On) && !cx.same_dialect {
        note_converted_setting(cx.ledger, "thinking without a budget is adaptive".to_owned());
    }
    if kind == "adaptive" && budget.is_some() && reasoning.mode == Some(ReasoningMode::Adaptive) {
        note_dropped_setting(cx.ledger, "the budget of adaptive thinking");
    }
    let display = display.filter(|_| !reasoning.is_off() && kind != "disabled").map(|display| {
        let converted = convert_display(display, cx);
        if converted != *display {
            note_converted_setting(
                cx.ledger,
                format!("the display `{display}` of thinking is `{converted}`"),
            );
        }
        converted
    });
    Some(RawJson::object(|o| {
        o.str("type", kind);
        if matches!(kind, "disabled" | "between_tools") {
            return;
        }
        if kind == "enabled" {
            o.json_opt("budget_tokens", budget);
        }
        o.json_string_opt("display", display.as_ref());
        write_unknown_fields(original_json, &["type", "budget_tokens", "display"], o);
    }))
}

/// Converts the display of thinking to a value of this dialect.
fn convert_display(display: &JsonString, cx: &EncodeCx<'_>) -> JsonString {
    match &*display.unescape() {
        "summarized" | "omitted" | "updates" => display.clone(),
        _ if cx.same_dialect => display.clone(),
        "none" | "off" | "false" | "hidden" => JsonString::from_static("omitted"),
        _ => JsonString::from_static("summarized"),
    }
}

fn encode_output_config(
    settings: &Settings,
    original_json: Option<&RawJson>,
    cx: &mut EncodeCx<'_>,
) -> Option<RawJson> {
    let effort = settings.reasoning.as_ref().and_then(|reasoning| reasoning.effort.as_ref());
    let effort = effort.and_then(|effort| convert_effort(effort, cx));
    let format = match &settings.response_format {
        Some(ResponseFormat::Schema { schema, description, .. }) => {
            if description.is_some() && !cx.same_dialect {
                note_dropped_setting(cx.ledger, "the description of the response format");
            }
            Some(schema)
        }
        Some(ResponseFormat::Json) => {
            note_dropped_setting(cx.ledger, "the format `json` without a schema");
            None
        }
        Some(ResponseFormat::Text) | None => None,
    };
    let has_unknown_fields = original_json.is_some_and(|original_json| {
        original_json
            .to_doc()
            .root()
            .fields()
            .any(|field| !field.key_is("effort") && !field.key_is("format"))
    });
    (effort.is_some() || format.is_some() || has_unknown_fields).then(|| {
        RawJson::object(|o| {
            o.json_string_opt("effort", effort.as_ref());
            if let Some(schema) = format {
                o.object("format", |o| {
                    o.static_str("type", "json_schema");
                    o.json("schema", schema);
                });
            }
            write_unknown_fields(original_json, &["effort", "format"], o);
        })
    })
}

fn convert_effort(effort: &JsonString, cx: &mut EncodeCx<'_>) -> Option<JsonString> {
    match &*effort.unescape() {
        "low" | "medium" | "high" | "xhigh" | "max" => Some(effort.clone()),
        _ if cx.same_dialect => Some(effort.clone()),
        "minimal" => {
            note_converted_setting(cx.ledger, "the effort `minimal` is `low`".to_owned());
            Some(JsonString::from_static("low"))
        }
        // Encoded by `thinking`.
        "none" => None,
        _ => {
            note_dropped_setting(cx.ledger, &format!("the effort `{effort}`"));
            None
        }
    }
}

/// Notes the settings that this dialect does not have.
fn note_dropped_settings(settings: &Settings, ledger: &mut Ledger) {
    let candidate_count =
        settings.candidate_count.as_ref().filter(|count| count.as_u64() != Some(1));
    let unsupported = [
        ("seed", settings.seed.is_some()),
        ("presence penalty", settings.presence_penalty.is_some()),
        ("frequency penalty", settings.frequency_penalty.is_some()),
        ("number of answers", candidate_count.is_some()),
        ("verbosity", settings.verbosity.is_some()),
        ("metadata", settings.metadata.is_some()),
        ("cache key", settings.cache_key.is_some()),
        ("`store` setting", settings.store == Some(true)),
    ];
    for (name, _) in unsupported.iter().filter(|(_, is_set)| *is_set) {
        note_dropped_setting(ledger, &format!("the {name}"));
    }
}

fn note_dropped_setting(ledger: &mut Ledger, setting: &str) {
    let message = format!("left out {setting}: no place for it");
    ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
}

fn note_converted_setting(ledger: &mut Ledger, message: String) {
    ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
}

/// The `max_tokens` that clients of this dialect send for models they do not know.
const DEFAULT_MAX_TOKENS: u64 = 32_000;
