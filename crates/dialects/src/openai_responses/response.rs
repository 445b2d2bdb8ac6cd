//! The response object that whole replies are and that streams begin and end with.

use bytestring::ByteString;
use interlingua_model::{Exchange, Extras, Usage};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Limits, Text};

use super::stop::Ending;
use super::{ID, usage};

/// What every form of the response object says alike.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    pub(super) id: Text,
    pub(super) model: Text,
    pub(super) created: u64,
    /// Fields of a reply that was read in this dialect, and of the request that it repeats.
    pub(super) extras: Extras,
}

/// What it says of how far the reply is.
pub(super) struct State<'s> {
    pub(super) ending: &'s Ending,
    pub(super) error: Option<&'s Json>,
    pub(super) output: &'s [Json],
    /// `None` while the reply is being made.
    pub(super) usage: Option<&'s Usage>,
}

impl Envelope {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            id: exchange.id.clone().unwrap_or(Text::word("resp_interlingua")),
            model: exchange.model.clone().unwrap_or_default(),
            created: exchange.created,
            extras: exchange.repeats.clone(),
        }
    }

    /// The response that the client has heard of in this event was made when it says.
    pub(super) fn follow(&mut self, event: &ByteString) {
        let Ok(doc) = Doc::parse(event.clone(), Limits::default()) else { return };
        let response = doc.root().get("response");
        if let Some(created) = response.and_then(|response| response.get("created_at")) {
            self.extras.put(ID, Text::word("created_at"), created.json());
        }
    }

    /// All fields that the types of clients require, and those the reply came with.
    pub(super) fn write(&self, state: &State<'_>, o: &mut Object<'_>) {
        o.text("id", &self.id);
        o.known("object", "response");
        self.field("created_at", &Json::number(self.created), o);
        o.text("status", &state.ending.status);
        o.json("error", state.error.unwrap_or(&Json::NULL));
        match &state.ending.reason {
            Some(reason) => o.object("incomplete_details", |o| o.text("reason", reason)),
            None => o.null("incomplete_details"),
        }
        o.text("model", &self.model);
        o.array("output", |a| state.output.iter().for_each(|item| a.item().json(item)));
        match state.usage {
            Some(usage) => usage::encode(usage, o),
            None => o.null("usage"),
        }
        match self.extras.find(ID, "tool_choice") {
            Some(choice) => o.json("tool_choice", choice),
            None => o.known("tool_choice", "auto"),
        }
        for (key, value) in &DEFAULTS {
            self.field(key, value, o);
        }
        for (key, value) in self.extras.of(ID) {
            let said = |name: &str| *key == *name;
            if !said("created_at") && !said("tool_choice") && !DEFAULTS.iter().any(|d| said(d.0)) {
                o.key_text(key).json(value);
            }
        }
    }

    fn field(&self, key: &'static str, usual: &Json, o: &mut Object<'_>) {
        o.json(key, self.extras.find(ID, key).unwrap_or(usual));
    }
}

/// Whether a field of a response says no more than its absence would.
pub(super) fn is_default(key: &str, value: &Json) -> bool {
    (key == "tool_choice" && value.as_str() == "\"auto\"")
        || DEFAULTS.iter().any(|(name, usual)| *name == key && usual == value)
}

/// The fields the model has no place for, with the values of a reply that does not have them.
static DEFAULTS: [(&str, Json); 8] = [
    ("instructions", Json::NULL),
    ("max_output_tokens", Json::NULL),
    ("metadata", Json::EMPTY_OBJECT),
    ("parallel_tool_calls", Json::TRUE),
    ("previous_response_id", Json::NULL),
    ("temperature", Json::NULL),
    ("tools", Json::EMPTY_ARRAY),
    ("top_p", Json::NULL),
];
