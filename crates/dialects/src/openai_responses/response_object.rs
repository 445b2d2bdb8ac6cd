//! Writes the response object of complete replies and of the first and last events of a stream.

use bytestring::ByteString;
use interlingua_model::{Extras, ReplyContext, Usage};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson};

use super::id::ID;
use super::stop::ResponseStatus;
use super::usage;

/// The fields that are the same in every response object of a reply.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    pub(super) id: JsonString,
    pub(super) model: JsonString,
    pub(super) created_at: u64,
    /// Extras of a reply decoded from this dialect, and echoed request fields.
    pub(super) extras: Extras,
}

/// The state of the reply.
pub(super) struct ResponseState<'s> {
    pub(super) status: &'s ResponseStatus,
    pub(super) error: Option<&'s RawJson>,
    pub(super) output: &'s [RawJson],
    /// `None` before the end.
    pub(super) usage: Option<&'s Usage>,
}

impl Envelope {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            id: cx.fallback_id.clone().unwrap_or(JsonString::from_static("resp_interlingua")),
            model: cx.client_model.clone().unwrap_or_default(),
            created_at: cx.created_unix_secs,
            extras: cx.echoed_fields.clone(),
        }
    }

    /// Copies `created_at` from an event that was forwarded to the client.
    pub(super) fn observe_passthrough(&mut self, event: &ByteString) {
        let Ok(doc) = JsonDoc::parse(event.clone(), JsonLimits::default()) else { return };
        let response = doc.root().get("response");
        if let Some(created) = response.and_then(|response| response.get("created_at")) {
            self.extras.push(ID, JsonString::from_static("created_at"), created.json());
        }
    }

    /// Writes all fields that the clients' types require, and the reply's own extras.
    pub(super) fn write(&self, state: &ResponseState<'_>, o: &mut ObjectWriter<'_>) {
        o.json_string("id", &self.id);
        o.static_str("object", "response");
        self.write_field("created_at", &RawJson::number(self.created_at), o);
        o.json_string("status", &state.status.status);
        o.json("error", state.error.unwrap_or(&RawJson::NULL));
        match &state.status.incomplete_reason {
            Some(reason) => o.object("incomplete_details", |o| o.json_string("reason", reason)),
            None => o.null("incomplete_details"),
        }
        o.json_string("model", &self.model);
        o.array("output", |a| state.output.iter().for_each(|item| a.item().json(item)));
        match state.usage {
            Some(usage) => usage::encode(usage, o),
            None => o.null("usage"),
        }
        match self.extras.get(ID, "tool_choice") {
            Some(choice) => o.json("tool_choice", choice),
            None => o.static_str("tool_choice", "auto"),
        }
        for (key, value) in &DEFAULT_FIELDS {
            self.write_field(key, value, o);
        }
        for (key, value) in self.extras.fields_for(ID) {
            let is_key = |name: &str| *key == *name;
            if !is_key("created_at")
                && !is_key("tool_choice")
                && !DEFAULT_FIELDS.iter().any(|field| is_key(field.0))
            {
                o.key_json_string(key).json(value);
            }
        }
    }

    fn write_field(&self, key: &'static str, default: &RawJson, o: &mut ObjectWriter<'_>) {
        o.json(key, self.extras.get(ID, key).unwrap_or(default));
    }
}

/// Returns whether the field has its default value.
pub(super) fn is_default(key: &str, value: &RawJson) -> bool {
    (key == "tool_choice" && value.as_str() == "\"auto\"")
        || DEFAULT_FIELDS.iter().any(|(name, default)| *name == key && default == value)
}

/// Fields that the model does not have, with their default values.
static DEFAULT_FIELDS: [(&str, RawJson); 8] = [
    ("instructions", RawJson::NULL),
    ("max_output_tokens", RawJson::NULL),
    ("metadata", RawJson::EMPTY_OBJECT),
    ("parallel_tool_calls", RawJson::TRUE),
    ("previous_response_id", RawJson::NULL),
    ("temperature", RawJson::NULL),
    ("tools", RawJson::EMPTY_ARRAY),
    ("top_p", RawJson::NULL),
];
