//! Encodes settings.

use interlingua_model::{
    Conversation, Ledger, LedgerPath, ReasoningMode, ReasoningSettings, ResponseFormat, Settings,
    ToolChoice,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::bedrock::decode::settings::{
    self, ADDITIONAL_KEYS, INFERENCE_KEYS, OUTPUT_KEYS, decode_tool_choice,
};
use crate::note;

/// The current settings, and those decoded from the original body, for comparison.
pub(crate) struct SettingsEncoder<'c> {
    pub(crate) current: &'c Settings,
    pub(crate) original: Box<Settings>,
}

impl<'c> SettingsEncoder<'c> {
    pub(crate) fn new(conversation: &'c Conversation, same_dialect: bool) -> Self {
        let holds_settings = |key: &JsonString| {
            same_dialect && (key == "toolConfig" || SETTING_FIELDS.iter().any(|field| key == field))
        };
        let fields =
            conversation.top_level_fields.iter().filter(|field| holds_settings(&field.key));
        let docs: Vec<_> = fields.map(|field| (&field.key, field.value.to_doc())).collect();
        let find_field =
            |key: &str| docs.iter().find(|(name, _)| *name == key).map(|(_, doc)| doc.root());
        let original = settings::decode_settings(find_field, &mut Ledger::default());
        Self { current: &conversation.settings, original }
    }

    /// Writes one field unless it is empty. An unedited field keeps its text, and unknown subfields
    /// are kept.
    pub(crate) fn encode_field(
        &self,
        key: &'static str,
        original: Option<&RawJson>,
        ledger: &mut Ledger,
        o: &mut ObjectWriter<'_>,
    ) {
        if let Some(original) = original.filter(|_| self.is_unedited(key)) {
            o.json(key, original);
            return;
        }
        let settings = self.current;
        let value = match key {
            "inferenceConfig" => {
                merge_unknown_fields(original, INFERENCE_KEYS, |o| write_inference(settings, o))
            }
            "additionalModelRequestFields" => {
                merge_unknown_fields(original, ADDITIONAL_KEYS, |o| {
                    write_additional(settings, ledger, o);
                })
            }
            "outputConfig" => {
                merge_unknown_fields(original, OUTPUT_KEYS, |o| write_output(settings, ledger, o))
            }
            "requestMetadata" => {
                merge_unknown_fields(None, &[], |o| write_metadata(settings, ledger, o))
            }
            "serviceTier" => {
                merge_unknown_fields(original, &["type"], |o| write_tier(settings, ledger, o))
            }
            _ => RawJson::EMPTY_OBJECT,
        };
        if value != RawJson::EMPTY_OBJECT {
            o.json(key, &value);
        }
    }

    fn is_unedited(&self, key: &str) -> bool {
        let (current, original) = (self.current, &self.original);
        match key {
            "inferenceConfig" => {
                current.max_tokens == original.max_tokens
                    && current.temperature == original.temperature
                    && current.top_p == original.top_p
                    && current.stop_sequences == original.stop_sequences
            }
            "additionalModelRequestFields" => {
                current.top_k == original.top_k && current.reasoning == original.reasoning
            }
            "outputConfig" => {
                current.response_format == original.response_format
                    && current.reasoning == original.reasoning
            }
            "requestMetadata" => current.metadata == original.metadata,
            "serviceTier" => current.service_tier == original.service_tier,
            _ => false,
        }
    }
}

/// Writes the known keys with `fill`, then the unknown ones of the original.
fn merge_unknown_fields(
    original: Option<&RawJson>,
    known_keys: &[&str],
    fill: impl FnOnce(&mut ObjectWriter<'_>),
) -> RawJson {
    let original = original.map(RawJson::to_doc);
    RawJson::object(|o| {
        fill(o);
        for field in original.iter().flat_map(|doc| doc.root().fields()) {
            if !known_keys.contains(&&*field.key()) {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    })
}

fn write_inference(settings: &Settings, o: &mut ObjectWriter<'_>) {
    o.json_opt("maxTokens", settings.max_tokens.as_ref());
    o.json_opt("temperature", settings.temperature.as_ref());
    o.json_opt("topP", settings.top_p.as_ref());
    if !settings.stop_sequences.is_empty() {
        o.array("stopSequences", |a| {
            settings.stop_sequences.iter().for_each(|stop| a.item().json_string(stop));
        });
    }
}

fn write_additional(settings: &Settings, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    o.json_opt("top_k", settings.top_k.as_ref());
    if let Some(reasoning) = &settings.reasoning {
        write_thinking(reasoning, ledger, o);
    }
    if !settings.betas.is_empty() {
        o.array("anthropic_beta", |a| {
            settings.betas.iter().for_each(|beta| a.item().json_string(beta));
        });
    }
}

/// The three thinking types are derived from mode, budget and effort.
fn write_thinking(reasoning: &ReasoningSettings, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    let no_effort = reasoning.effort.as_ref().is_some_and(|effort| effort == "none");
    let budget = reasoning.budget_tokens.as_ref();
    let count = budget.map(RawJson::as_u64);
    let display = reasoning.display.as_ref().map(|display| convert_display(display, ledger));
    let is_shown = display.as_ref().is_some_and(|display| display != "omitted");
    let kind = match reasoning.mode {
        Some(ReasoningMode::Off) => "disabled",
        Some(ReasoningMode::BetweenTools) => "between_tools",
        None if no_effort => "disabled",
        _ if count == Some(Some(0)) => "disabled",
        Some(ReasoningMode::Adaptive) => "adaptive",
        _ if count.flatten().is_some() => "enabled",
        Some(ReasoningMode::On) => "adaptive",
        None if budget.is_some() || is_shown => "adaptive",
        None => return,
    };
    if kind == "adaptive" && reasoning.mode == Some(ReasoningMode::On) {
        let message = "reasoning without a budget is sent as adaptive";
        ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
    }
    if reasoning.mode == Some(ReasoningMode::Adaptive) && budget.is_some() {
        let message = "left out the budget of adaptive reasoning";
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
    o.object("thinking", |o| {
        o.str("type", kind);
        if kind == "enabled" {
            o.json_opt("budget_tokens", budget);
        }
        if !matches!(kind, "disabled" | "between_tools") {
            o.json_string_opt("display", display.as_ref());
        }
    });
}

/// Converts the display of reasoning to a value of this dialect.
fn convert_display(display: &JsonString, ledger: &mut Ledger) -> JsonString {
    let converted = match &*display.unescape() {
        "summarized" | "omitted" | "updates" => return display.clone(),
        "none" | "off" | "false" | "hidden" | "exclude" => "omitted",
        _ => "summarized",
    };
    let message = format!("the display `{display}` of reasoning is `{converted}`");
    ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
    JsonString::from_static(converted)
}

fn write_output(settings: &Settings, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    match &settings.response_format {
        None | Some(ResponseFormat::Text) => {}
        Some(ResponseFormat::Json) => {
            let message = "left out the JSON response format: the API accepts only a schema";
            ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
        }
        Some(ResponseFormat::Schema { name, description, schema, strict }) => {
            if *strict == Some(false) {
                let message = "`strict: false` is left out: the API always enforces the schema";
                ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
            }
            o.object("textFormat", |o| {
                o.static_str("type", "json_schema");
                o.object("structure", |o| {
                    o.object("jsonSchema", |o| {
                        o.str("schema", schema.as_str());
                        o.json_string_opt("name", name.as_ref());
                        o.json_string_opt("description", description.as_ref());
                    });
                });
            });
        }
    }
    let effort = settings.reasoning.as_ref().and_then(|reasoning| reasoning.effort.as_ref());
    match effort.map(JsonString::unescape).as_deref() {
        // Encoded by `thinking`.
        None | Some("none") => {}
        Some("minimal") => {
            let message = "the effort `minimal` is sent as `low`";
            ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
            o.static_str("effort", "low");
        }
        Some(effort) => o.str("effort", effort),
    }
}

/// The API accepts up to 16 short strings with a restricted character set.
fn write_metadata(settings: &Settings, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    let Some(metadata) = settings.metadata.as_ref().map(RawJson::to_doc) else { return };
    let (mut count, mut left_out) = (0, Vec::new());
    for field in metadata.root().fields() {
        let value = field.value.json_string().filter(|value| is_valid_metadata(&value.unescape()));
        match value.filter(|_| count < MAX_METADATA_ENTRIES && is_valid_metadata(&field.key())) {
            Some(value) => {
                count += 1;
                o.key_json_string(&field.key_json_string()).json_string(&value);
            }
            None => left_out.push(format!("`{}`", field.key())),
        }
    }
    if !left_out.is_empty() || !metadata.root().is_object() {
        let message =
            format!("left out metadata that the API does not accept: {}", left_out.join(", "));
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
}

fn is_valid_metadata(text: &str) -> bool {
    let is_allowed = |c: char| {
        c.is_ascii_alphanumeric() || c.is_whitespace() || METADATA_PUNCTUATION.contains(c)
    };
    text.chars().count() <= MAX_METADATA_CHARS && text.chars().all(is_allowed)
}

fn write_tier(settings: &Settings, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    let Some(tier) = &settings.service_tier else { return };
    if SERVICE_TIERS.iter().any(|supported_tier| tier == supported_tier) {
        o.json_string("type", tier);
    } else if tier == "standard_only" || tier == "standard" {
        ledger.record_change(
            note::SETTING_CONVERTED,
            LedgerPath::SETTINGS,
            "the standard tier is sent as `default`",
        );
        o.static_str("type", "default");
    } else if tier != "auto" {
        let message = format!("left out the service tier `{tier}`");
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
}

/// Notes the settings that this dialect does not have.
pub(crate) fn note_dropped_settings(conversation: &Conversation, ledger: &mut Ledger) {
    let settings = &*conversation.settings;
    let is_sequential =
        settings.parallel_tool_calls == Some(false) && !conversation.tools.is_empty();
    let candidate_count =
        settings.candidate_count.as_ref().filter(|count| count.as_u64() != Some(1));
    let unsupported = [
        ("seed", settings.seed.is_some()),
        ("presence_penalty", settings.presence_penalty.is_some()),
        ("frequency_penalty", settings.frequency_penalty.is_some()),
        ("answers", candidate_count.is_some()),
        ("parallel", is_sequential),
        ("verbosity", settings.verbosity.is_some()),
        ("user", settings.user.is_some()),
        ("cache_key", settings.cache_key.is_some()),
        ("store", settings.store == Some(true)),
    ];
    for (name, _) in unsupported.iter().filter(|(_, is_set)| *is_set) {
        let message = format!("left out `{name}`: no place for it");
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
}

pub(super) fn encode_tool_choice(
    settings: &Settings,
    original: Option<&RawJson>,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let choice_key = match &settings.tool_choice {
        // A choice of an unknown kind keeps its original JSON.
        None => {
            let original = original.map(RawJson::to_doc);
            let unknown = original.as_ref().and_then(|doc| doc.root().get("toolChoice"));
            let unknown = unknown
                .filter(|node| decode_tool_choice(*node, &mut Ledger::default()).is_none())
                .map(JsonNode::json);
            o.json_opt("toolChoice", unknown.as_ref());
            return;
        }
        Some(ToolChoice::None) => {
            let message = "left out the tool choice `none`: the API does not have it";
            ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
            return;
        }
        Some(ToolChoice::Named(name)) => {
            o.object("toolChoice", |o| o.object("tool", |o| o.json_string("name", name)));
            return;
        }
        Some(ToolChoice::Allowed { required, .. }) => {
            let message = "tools that the tool choice does not allow are left out";
            ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
            if *required { "any" } else { "auto" }
        }
        Some(ToolChoice::Auto) => "auto",
        Some(ToolChoice::Required) => "any",
    };
    o.object("toolChoice", |o| o.object(choice_key, |_| {}));
}

pub(super) fn note_choice_without_tools(settings: &Settings, ledger: &mut Ledger) {
    let requires_call = match &settings.tool_choice {
        None | Some(ToolChoice::Auto | ToolChoice::None) => false,
        Some(ToolChoice::Required | ToolChoice::Named(_)) => true,
        Some(ToolChoice::Allowed { required, .. }) => *required,
    };
    if requires_call {
        let message = "left out the required tool call: there are no tools";
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
}

/// Body fields that contain only settings.
pub(crate) const SETTING_FIELDS: &[&str] = &[
    "inferenceConfig",
    "additionalModelRequestFields",
    "outputConfig",
    "requestMetadata",
    "serviceTier",
];
const SERVICE_TIERS: &[&str] = &["priority", "default", "flex", "reserved"];
const METADATA_PUNCTUATION: &str = ":_@$#=/+,-.";
const MAX_METADATA_CHARS: usize = 256;
const MAX_METADATA_ENTRIES: usize = 16;
