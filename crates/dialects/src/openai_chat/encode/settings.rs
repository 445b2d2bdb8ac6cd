//! Encodes the settings as a flavor accepts them.

use interlingua_model::{
    Conversation, Ledger, LedgerPath, ReasoningSettings, ResponseFormat, Settings, ToolChoice,
    ToolKind, derive_id,
};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor, ReasoningControl};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use super::tool;
use crate::note;

/// Encoder context for the settings.
pub(super) struct SettingsCx<'c, 'o> {
    pub(super) conversation: &'c Conversation,
    pub(super) flavor: &'c Flavor,
    pub(super) o: &'c mut ObjectWriter<'o>,
    pub(super) ledger: &'c mut Ledger,
}

impl SettingsCx<'_, '_> {
    /// Writes a JSON value if the server has the setting.
    pub(super) fn write_json(
        &mut self,
        key: &'static str,
        get: fn(&Settings) -> &Option<RawJson>,
        capability: Capability,
    ) {
        let Some(value) = get(&self.conversation.settings) else { return };
        if self.flavor.has(capability) {
            self.o.json(key, value);
        } else {
            note_dropped_setting(self.ledger, key);
        }
    }

    /// Writes a string if the server has the setting.
    pub(super) fn write_text(
        &mut self,
        key: &'static str,
        value: Option<&JsonString>,
        capability: Capability,
    ) {
        match value {
            Some(value) if self.flavor.has(capability) => self.o.json_string(key, value),
            Some(_) => note_dropped_setting(self.ledger, key),
            None => {}
        }
    }

    pub(super) fn write_stop(&mut self) {
        let stops = &self.conversation.settings.stop_sequences;
        if !stops.is_empty() {
            self.o.array("stop", |a| stops.iter().for_each(|stop| a.item().json_string(stop)));
        }
    }

    pub(super) fn write_stream(&mut self) {
        encode_stream(&self.conversation.settings, self.flavor, self.o);
    }

    pub(super) fn write_tool_choice(&mut self) {
        encode_tool_choice(self.conversation, self.flavor, self.o, self.ledger);
    }

    pub(super) fn write_reasoning(&mut self) {
        if let Some(requested) = &self.conversation.settings.reasoning {
            encode_reasoning(requested, self.flavor, self.o, self.ledger);
        }
    }

    pub(super) fn write_response_format(&mut self) {
        if let Some(requested) = &self.conversation.settings.response_format {
            encode_response_format(requested, self.o, self.ledger);
        }
    }

    pub(super) fn write_user(&mut self) {
        let user = self.conversation.settings.user.as_ref();
        let long_user = user.filter(|user| user.unescape().chars().count() > MAX_USER_CHARS);
        let short_user = long_user.map(|user| derive_id("user_", user, 0));
        if short_user.is_some() && self.flavor.has(Capability::User) {
            note_converted_setting(
                self.ledger,
                "the user id is too long: a derived shorter id is sent",
            );
        }
        self.write_text("user", short_user.as_ref().or(user), Capability::User);
    }

    pub(super) fn write_service_tier(&mut self) {
        let tier = self.conversation.settings.service_tier.as_ref().map(|tier| {
            let entry = SERVICE_TIER_ALIASES.iter().find(|(foreign_name, _)| tier == foreign_name);
            entry.map_or(tier.clone(), |(_, converted)| {
                let message = format!("the service tier `{tier}` is sent as `{converted}`");
                note_converted_setting(self.ledger, message);
                JsonString::from_static(converted)
            })
        });
        self.write_text("service_tier", tier.as_ref(), Capability::ServiceTier);
    }

    pub(super) fn write_store(&mut self) {
        match self.conversation.settings.store {
            Some(store) if self.flavor.has(Capability::Store) => self.o.boolean("store", store),
            Some(true) => note_dropped_setting(self.ledger, "store"),
            Some(false) | None => {}
        }
    }
}

/// Requests usage unless the client declined it: other dialects always send it.
fn encode_stream(settings: &Settings, flavor: &Flavor, o: &mut ObjectWriter<'_>) {
    let Some(stream) = settings.stream else { return };
    o.boolean("stream", stream);
    if stream && flavor.has(Capability::StreamOptions) {
        let usage = settings.stream_usage.unwrap_or(true);
        o.object("stream_options", |o| o.boolean("include_usage", usage));
    }
}

/// Without tools a tool choice is rejected: "When using `tool_choice`, `tools` must be set."
fn encode_tool_choice(
    conversation: &Conversation,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let settings = &*conversation.settings;
    if !tool::has_encodable(&conversation.tools) {
        if matches!(settings.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_))) {
            note_dropped_setting(ledger, "tool_choice");
        }
        return;
    }
    match &settings.tool_choice {
        None => {}
        Some(ToolChoice::Auto) => o.static_str("tool_choice", "auto"),
        Some(ToolChoice::None) => o.static_str("tool_choice", "none"),
        Some(ToolChoice::Required) => o.str("tool_choice", flavor.required_choice),
        Some(ToolChoice::Named(name)) => {
            o.object("tool_choice", |o| write_tool_reference(name, conversation, flavor, o));
        }
        Some(ToolChoice::Allowed { names, required }) => {
            o.object("tool_choice", |o| {
                o.static_str("type", "allowed_tools");
                o.object("allowed_tools", |o| {
                    o.str("mode", if *required { "required" } else { "auto" });
                    o.array("tools", |a| {
                        for name in names {
                            a.object(|o| write_tool_reference(name, conversation, flavor, o));
                        }
                    });
                });
            });
        }
    }
    match settings.parallel_tool_calls {
        Some(parallel) if flavor.has(Capability::ParallelToolCalls) => {
            o.boolean("parallel_tool_calls", parallel);
        }
        Some(false) => note_dropped_setting(ledger, "parallel_tool_calls"),
        Some(true) | None => {}
    }
}

fn write_tool_reference(
    name: &JsonString,
    conversation: &Conversation,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
) {
    let is_custom = flavor.has(Capability::CustomTools)
        && conversation
            .tools
            .iter()
            .any(|tool| tool.name == *name && matches!(tool.kind, ToolKind::Freeform { .. }));
    let kind = if is_custom { "custom" } else { "function" };
    o.str("type", kind);
    o.object(kind, |o| o.json_string("name", name));
}

fn encode_reasoning(
    requested: &ReasoningSettings,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    match flavor.reasoning_control {
        ReasoningControl::None => note_dropped_setting(ledger, "reasoning"),
        ReasoningControl::Effort => {
            if is_reasoning_off(requested) {
                o.static_str("reasoning_effort", "none");
            } else {
                encode_effort(requested, flavor, o, ledger);
            }
        }
        ReasoningControl::Object => {
            o.object("reasoning", |o| encode_reasoning_object(requested, flavor, o, ledger));
        }
        ReasoningControl::Thinking | ReasoningControl::ThinkingAndEffort => {
            let is_off = is_reasoning_off(requested);
            let kind = if is_off { "disabled" } else { "enabled" };
            o.object("thinking", |o| o.str("type", kind));
            if flavor.reasoning_control == ReasoningControl::ThinkingAndEffort && !is_off {
                encode_effort(requested, flavor, o, ledger);
            } else if requested.effort.is_some() || requested.budget_tokens.is_some() {
                note_converted_setting(
                    ledger,
                    "the amount of reasoning is left out: the server can only turn it on or off",
                );
            }
        }
        ReasoningControl::EnableThinking => {
            o.boolean("enable_thinking", !is_reasoning_off(requested));
            o.json_opt("thinking_budget", requested.budget_tokens.as_ref());
            if requested.effort.is_some() && requested.budget_tokens.is_none() {
                note_converted_setting(
                    ledger,
                    "the effort is left out: the server can only turn reasoning on or off",
                );
            }
        }
    }
    if requested.display.is_some() && flavor.reasoning_control != ReasoningControl::Object {
        note_dropped_setting(ledger, "display of reasoning");
    }
}

/// Without a mode, the effort `none` also turns reasoning off.
fn is_reasoning_off(requested: &ReasoningSettings) -> bool {
    requested.is_off()
        || requested.mode.is_none()
            && requested.effort.as_ref().is_some_and(|effort| effort == "none")
}

/// Writes `reasoning_effort`, from the client's effort or budget.
fn encode_effort(
    requested: &ReasoningSettings,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    if let Some(effort) = &requested.effort {
        match flavor.effort_alias(&effort.unescape()) {
            Some(alias) => {
                note_converted_setting(
                    ledger,
                    format!("the effort `{effort}` is sent as `{alias}`"),
                );
                o.str("reasoning_effort", alias);
            }
            None => o.json_string("reasoning_effort", effort),
        }
        if requested.budget_tokens.is_some() {
            note_converted_setting(ledger, "the reasoning budget is left out: the effort is sent");
        }
    } else if let Some(budget) = &requested.budget_tokens {
        let effort = effort_of_budget(budget);
        let effort = flavor.effort_alias(effort).unwrap_or(effort);
        let budget = budget.as_str();
        note_converted_setting(
            ledger,
            format!("a budget of {budget} tokens is sent as the effort `{effort}`"),
        );
        o.str("reasoning_effort", effort);
    }
}

fn encode_reasoning_object(
    requested: &ReasoningSettings,
    flavor: &Flavor,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    match (is_reasoning_off(requested), &requested.effort, &requested.budget_tokens) {
        (true, ..) => o.boolean("enabled", false),
        (_, None, Some(budget)) => o.json("max_tokens", budget),
        (_, Some(effort), budget) => {
            match flavor.effort_alias(&effort.unescape()) {
                Some(alias) => o.str("effort", alias),
                None => o.json_string("effort", effort),
            }
            if budget.is_some() {
                note_converted_setting(
                    ledger,
                    "the reasoning budget is left out: the effort is sent",
                );
            }
        }
        (_, None, None) => o.boolean("enabled", true),
    }
    match &requested.display {
        Some(display) if display == "omitted" => o.boolean("exclude", true),
        Some(display) if SUMMARY_DISPLAYS.iter().any(|supported| display == supported) => {
            o.json_string("summary", display);
        }
        Some(_) | None => {}
    }
}

/// The effort that corresponds to a budget.
fn effort_of_budget(budget: &RawJson) -> &'static str {
    match budget.as_u64().unwrap_or(u64::MAX) {
        0..=4096 => "low",
        4097..=16384 => "medium",
        _ => "high",
    }
}

fn encode_response_format(
    requested: &ResponseFormat,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let kind = |kind: &'static str| RawJson::object(|o| o.str("type", kind));
    match requested {
        ResponseFormat::Text => o.json("response_format", &kind("text")),
        ResponseFormat::Json => o.json("response_format", &kind("json_object")),
        ResponseFormat::Schema { name, description, schema, strict } => {
            if name.is_none() {
                let message = "the response schema gets the required name";
                ledger.record_change(note::REQUIRED_ADDED, LedgerPath::SETTINGS, message);
            }
            write_json_schema_format(name.as_ref(), description.as_ref(), schema, *strict, o);
        }
    }
}

fn write_json_schema_format(
    name: Option<&JsonString>,
    description: Option<&JsonString>,
    schema: &RawJson,
    strict: Option<bool>,
    o: &mut ObjectWriter<'_>,
) {
    o.object("response_format", |o| {
        o.static_str("type", "json_schema");
        o.object("json_schema", |o| {
            o.json_string("name", name.unwrap_or(&JsonString::from_static("response")));
            o.json_string_opt("description", description);
            o.json("schema", schema);
            o.json_opt("strict", strict.map(RawJson::boolean).as_ref());
        });
    });
}

fn note_dropped_setting(ledger: &mut Ledger, key: &str) {
    let message = format!("left out `{key}`: the server does not have this setting");
    ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
}

fn note_converted_setting(ledger: &mut Ledger, message: impl Into<std::borrow::Cow<'static, str>>) {
    ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
}

const MAX_USER_CHARS: usize = 64;

/// Names of a tier in other dialects.
const SERVICE_TIER_ALIASES: &[(&str, &str)] =
    &[("standard_only", "default"), ("standard", "default")];

const SUMMARY_DISPLAYS: &[&str] = &["auto", "concise", "detailed"];
