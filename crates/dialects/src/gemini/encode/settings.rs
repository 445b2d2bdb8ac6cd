//! Encodes settings.

use interlingua_model::{Conversation, Ledger, LedgerPath, ResponseFormat, Settings, ToolChoice};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::thinking_config;
use crate::gemini::decode::settings::{
    self, FUNCTION_CALLING_KEYS, GENERATION_CONFIG_KEYS, decode_format,
};
use crate::gemini::id::ID;
use crate::gemini::{field_name, schema};
use crate::note;

/// The settings, and what their encoding depends on.
pub(crate) struct SettingsEncoder<'c> {
    pub(crate) settings: &'c Settings,
    pub(crate) model: Option<&'c JsonString>,
    /// The request arrived in this dialect.
    pub(crate) same_dialect: bool,
}

impl<'c> SettingsEncoder<'c> {
    pub(crate) fn new(conversation: &'c Conversation, model: Option<&'c JsonString>) -> Self {
        let model = model.or(conversation.model.as_ref());
        Self { settings: &conversation.settings, model, same_dialect: conversation.dialect == ID }
    }

    /// Encodes the generation config. Unknown fields of `original`, the client's object, are kept.
    pub(crate) fn encode_generation_config(
        &self,
        original: Option<&RawJson>,
        ledger: &mut Ledger,
    ) -> RawJson {
        let doc = original.map(RawJson::to_doc);
        let original = doc.as_ref().map(|doc| doc.root());
        let keeps_format = original.is_some_and(|original| decode_format(original).is_none());
        RawJson::object(|object| {
            for field in original.iter().flat_map(|original| original.fields()) {
                let is_kept = match field_name::find_known(&field.key(), GENERATION_CONFIG_KEYS) {
                    Some("responseMimeType" | "responseSchema" | "responseJsonSchema") => {
                        keeps_format
                    }
                    Some(_) => false,
                    None => true,
                };
                if is_kept {
                    object.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
            self.encode_sampling(object);
            if let Some(format) = &self.settings.response_format {
                encode_response_format(format, original, self.same_dialect, object, ledger);
            }
            self.encode_thinking_config(original, object, ledger);
        })
    }

    fn encode_sampling(&self, object: &mut ObjectWriter<'_>) {
        let settings = self.settings;
        object.json_opt("temperature", settings.temperature.as_ref());
        object.json_opt("topP", settings.top_p.as_ref());
        object.json_opt("topK", settings.top_k.as_ref());
        object.json_opt("candidateCount", settings.candidate_count.as_ref());
        object.json_opt("maxOutputTokens", settings.max_tokens.as_ref());
        if !settings.stop_sequences.is_empty() {
            object.array("stopSequences", |list| {
                settings.stop_sequences.iter().for_each(|stop| list.item().json_string(stop));
            });
        }
        object.json_opt("seed", settings.seed.as_ref());
        object.json_opt("presencePenalty", settings.presence_penalty.as_ref());
        object.json_opt("frequencyPenalty", settings.frequency_penalty.as_ref());
    }

    fn encode_thinking_config(
        &self,
        original: Option<JsonNode<'_>>,
        object: &mut ObjectWriter<'_>,
        ledger: &mut Ledger,
    ) {
        let original = original.and_then(|config| field_name::get(config, "thinkingConfig"));
        let unknown_fields =
            original.and_then(|config| field_name::unknown_fields(config, settings::KNOWN_KEYS));
        let Some(reasoning) = &self.settings.reasoning else { return };
        let config = RawJson::object(|object| {
            thinking_config::encode_thinking_config(
                reasoning,
                self.model,
                self.same_dialect,
                object,
                ledger,
            );
            field_name::write_unknown_fields(unknown_fields.as_ref(), object);
        });
        if config != RawJson::EMPTY_OBJECT || self.same_dialect {
            object.json("thinkingConfig", &config);
        }
    }

    /// Encodes the tool config. Unknown fields of `original` are kept.
    pub(crate) fn encode_tool_config(&self, original: Option<&RawJson>) -> RawJson {
        let doc = original.map(RawJson::to_doc);
        let original = doc.as_ref().map(|doc| doc.root());
        let calling_config =
            original.and_then(|config| field_name::get(config, "functionCallingConfig"));
        let mode = calling_config
            .and_then(|calling_config| field_name::get(calling_config, "mode"))
            .map(JsonNode::str_or_empty);
        let is_validated = mode.is_some_and(|mode| mode.eq_ignore_ascii_case("VALIDATED"));
        RawJson::object(|object| {
            for field in original.iter().flat_map(|original| original.fields()) {
                if !field_name::matches(&field.key(), "functionCallingConfig") {
                    object.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
            let unknown_fields = calling_config.and_then(|calling_config| {
                field_name::unknown_fields(calling_config, FUNCTION_CALLING_KEYS)
            });
            if let Some(choice) = &self.settings.tool_choice {
                object.object("functionCallingConfig", |object| {
                    encode_tool_choice(choice, is_validated, object);
                    field_name::write_unknown_fields(unknown_fields.as_ref(), object);
                });
            }
        })
    }

    /// Converts the service tier to a value of this dialect.
    pub(crate) fn encode_service_tier(&self, ledger: &mut Ledger) -> Option<JsonString> {
        let tier = self.settings.service_tier.as_ref()?;
        if self.same_dialect || SERVICE_TIERS.iter().any(|supported_tier| tier == supported_tier) {
            return Some(tier.clone());
        }
        if tier == "default" {
            let message = "the service tier `default` is sent as `standard`";
            ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
            return Some(JsonString::from_static("standard"));
        }
        let message = format!("left out the service tier `{tier}`: this dialect does not have it");
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
        None
    }

    /// Notes the settings that this dialect does not have.
    pub(crate) fn note_dropped_settings(&self, ledger: &mut Ledger) {
        let settings = self.settings;
        let unsupported = [
            (settings.parallel_tool_calls == Some(false), "the limit to one tool call at a time"),
            (settings.verbosity.is_some(), "the verbosity"),
            (settings.user.is_some(), "the end user"),
            (settings.metadata.is_some(), "the metadata"),
            (settings.cache_key.is_some(), "the cache key"),
        ];
        for (_, setting) in unsupported.iter().filter(|(is_set, _)| *is_set) {
            let message = format!("left out {setting}: this dialect does not have it");
            ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
        }
    }
}

fn encode_response_format(
    format: &ResponseFormat,
    original: Option<JsonNode<'_>>,
    same_dialect: bool,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    match format {
        ResponseFormat::Text if same_dialect => object.static_str("responseMimeType", "text/plain"),
        ResponseFormat::Text => {}
        ResponseFormat::Json => object.static_str("responseMimeType", "application/json"),
        ResponseFormat::Schema { name, description, schema, strict } => {
            let has_field =
                |key| original.is_some_and(|config| field_name::get(config, key).is_some());
            let has_openapi_schema = has_field("responseSchema");
            // A client that sent a schema without a MIME type gets none added.
            match original.and_then(|config| field_name::get(config, "responseMimeType")) {
                Some(mime) if same_dialect => object.json("responseMimeType", &mime.json()),
                None if has_openapi_schema || has_field("responseJsonSchema") => {}
                _ => object.static_str("responseMimeType", "application/json"),
            }
            let original_with_both = original
                .filter(|_| same_dialect && has_openapi_schema && has_field("responseJsonSchema"));
            match original_with_both.and_then(|config| field_name::get(config, "responseSchema")) {
                // `responseJsonSchema` takes precedence, so `responseSchema` is kept unchanged.
                Some(openapi_schema) => {
                    object.json("responseSchema", &openapi_schema.json());
                    object.json("responseJsonSchema", schema);
                }
                None if has_openapi_schema => {
                    object.json("responseSchema", &schema::to_openapi_schema(schema));
                }
                None => object.json("responseJsonSchema", schema),
            }
            let dropped = [
                (name.is_some(), "name"),
                (description.is_some(), "description"),
                (*strict == Some(true), "strictness"),
            ];
            let dropped: Vec<_> =
                dropped.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
            if !dropped.is_empty() {
                let message = format!("left out the response schema's {}", dropped.join(", "));
                ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
            }
        }
    }
}

/// Writes the mode and the allowed names; `is_validated` if the client used the mode `VALIDATED`.
fn encode_tool_choice(choice: &ToolChoice, is_validated: bool, object: &mut ObjectWriter<'_>) {
    let auto = if is_validated { "VALIDATED" } else { "AUTO" };
    let (mode, names): (&str, &[JsonString]) = match choice {
        ToolChoice::Auto => (auto, &[]),
        ToolChoice::None => ("NONE", &[]),
        ToolChoice::Required => ("ANY", &[]),
        ToolChoice::Named(name) => ("ANY", std::slice::from_ref(name)),
        ToolChoice::Allowed { names, required: true } => ("ANY", names),
        // A list of names without a required call is only accepted in this mode.
        ToolChoice::Allowed { names, required: false } => ("VALIDATED", names),
    };
    object.str("mode", mode);
    if !names.is_empty() {
        object.array("allowedFunctionNames", |list| {
            for name in names {
                list.item().json_string(name);
            }
        });
    }
}

const SERVICE_TIERS: &[&str] = &["standard", "flex", "priority"];
