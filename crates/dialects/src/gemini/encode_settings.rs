//! Settings, written.

use interlingua_model::{Conversation, Format, Ledger, Place, Settings};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::settings::{CALLING, CONFIG, read_format};
use super::{ID, names, reasoning, schema, tools};
use crate::note;

/// What the writing of settings depends on.
pub(super) struct Context<'c> {
    pub(super) settings: &'c Settings,
    /// The model the request goes to.
    pub(super) model: Option<&'c Text>,
    /// The request came in this dialect.
    pub(super) ours: bool,
}

impl<'c> Context<'c> {
    pub(super) fn new(conversation: &'c Conversation, model: Option<&'c Text>) -> Self {
        let model = model.or(conversation.model.as_ref());
        Self { settings: &conversation.settings, model, ours: conversation.source == ID }
    }

    /// The generation config; what is known of `written` is said anew, the rest as it was.
    pub(super) fn config(&self, written: Option<&Json>, ledger: &mut Ledger) -> Json {
        let doc = written.map(Json::doc);
        let written = doc.as_ref().map(|doc| doc.root());
        let odd_format = written.is_some_and(|written| read_format(written).is_none());
        Json::object(|object| {
            for field in written.iter().flat_map(|written| written.fields()) {
                let keep = match names::one_of(&field.name(), CONFIG) {
                    Some("responseMimeType" | "responseSchema" | "responseJsonSchema") => {
                        odd_format
                    }
                    Some(_) => false,
                    None => true,
                };
                if keep {
                    object.key_text(&field.key()).json(&field.value.json());
                }
            }
            self.sampling(object);
            if let Some(format) = &self.settings.format {
                encode_format(format, written, self.ours, object, ledger);
            }
            self.thinking(written, object, ledger);
        })
    }

    fn sampling(&self, object: &mut Object<'_>) {
        let settings = self.settings;
        object.json_if("temperature", settings.temperature.as_ref());
        object.json_if("topP", settings.top_p.as_ref());
        object.json_if("topK", settings.top_k.as_ref());
        object.json_if("candidateCount", settings.answers.as_ref());
        object.json_if("maxOutputTokens", settings.max_tokens.as_ref());
        if !settings.stop.is_empty() {
            object.array("stopSequences", |list| {
                settings.stop.iter().for_each(|stop| list.item().text(stop));
            });
        }
        object.json_if("seed", settings.seed.as_ref());
        object.json_if("presencePenalty", settings.presence_penalty.as_ref());
        object.json_if("frequencyPenalty", settings.frequency_penalty.as_ref());
    }

    fn thinking(&self, written: Option<Node<'_>>, object: &mut Object<'_>, ledger: &mut Ledger) {
        let written = written.and_then(|config| names::get(config, "thinkingConfig"));
        let kept = written.and_then(|config| names::others(config, reasoning::KNOWN));
        let Some(reasoning) = &self.settings.reasoning else { return };
        let config = Json::object(|object| {
            reasoning::encode(reasoning, self.model, self.ours, object, ledger);
            names::write_others(kept.as_ref(), object);
        });
        if config != Json::EMPTY_OBJECT || self.ours {
            object.json("thinkingConfig", &config);
        }
    }

    /// The tool config, likewise.
    pub(super) fn tool_config(&self, written: Option<&Json>) -> Json {
        let doc = written.map(Json::doc);
        let written = doc.as_ref().map(|doc| doc.root());
        let calling = written.and_then(|config| names::get(config, "functionCallingConfig"));
        let mode = calling.and_then(|calling| names::get(calling, "mode")).map(Node::word);
        let validated = mode.is_some_and(|mode| mode.eq_ignore_ascii_case("VALIDATED"));
        Json::object(|object| {
            for field in written.iter().flat_map(|written| written.fields()) {
                if !names::is(&field.name(), "functionCallingConfig") {
                    object.key_text(&field.key()).json(&field.value.json());
                }
            }
            let kept = calling.and_then(|calling| names::others(calling, CALLING));
            if let Some(choice) = &self.settings.choice {
                object.object("functionCallingConfig", |object| {
                    tools::encode_choice(choice, validated, object);
                    names::write_others(kept.as_ref(), object);
                });
            }
        })
    }

    /// The service tier in the provider's words.
    pub(super) fn service_tier(&self, ledger: &mut Ledger) -> Option<Text> {
        let tier = self.settings.service_tier.as_ref()?;
        if self.ours || TIERS.iter().any(|known| tier == known) {
            return Some(tier.clone());
        }
        if tier == "default" {
            let what = "the service tier `default` is said as `standard`";
            ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
            return Some(Text::word("standard"));
        }
        let what = format!("left out the service tier `{tier}`: there is no such tier");
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
        None
    }

    /// Notes what has no place here.
    pub(super) fn note_left_out(&self, ledger: &mut Ledger) {
        let settings = self.settings;
        let missing = [
            (settings.parallel == Some(false), "that calls come one by one"),
            (settings.verbosity.is_some(), "the verbosity"),
            (settings.user.is_some(), "the end user"),
            (settings.metadata.is_some(), "the metadata"),
            (settings.cache_key.is_some(), "the cache key"),
        ];
        for (_, what) in missing.iter().filter(|(is_set, _)| *is_set) {
            let what = format!("left out {what}: there is no such setting");
            ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
        }
    }
}

fn encode_format(
    format: &Format,
    written: Option<Node<'_>>,
    ours: bool,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    match format {
        Format::Text if ours => object.known("responseMimeType", "text/plain"),
        Format::Text => {}
        Format::Json => object.known("responseMimeType", "application/json"),
        Format::Schema { name, description, schema, strict } => {
            let has = |key| written.is_some_and(|config| names::get(config, key).is_some());
            let own = has("responseSchema");
            // Who gave a schema without asking for JSON still does not.
            match written.and_then(|config| names::get(config, "responseMimeType")) {
                Some(mime) if ours => object.json("responseMimeType", &mime.json()),
                None if own || has("responseJsonSchema") => {}
                _ => object.known("responseMimeType", "application/json"),
            }
            let both = written.filter(|_| ours && own && has("responseJsonSchema"));
            match both.and_then(|config| names::get(config, "responseSchema")) {
                // The other one is what is meant; this stays as it is.
                Some(kept) => {
                    object.json("responseSchema", &kept.json());
                    object.json("responseJsonSchema", schema);
                }
                None if own => object.json("responseSchema", &schema::to_own_schema(schema)),
                None => object.json("responseJsonSchema", schema),
            }
            let said = [
                (name.is_some(), "name"),
                (description.is_some(), "description"),
                (*strict == Some(true), "strictness"),
            ];
            let said: Vec<_> = said.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
            if !said.is_empty() {
                let what = format!("left out the answer schema's {}", said.join(", "));
                ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
            }
        }
    }
}

const TIERS: &[&str] = &["standard", "flex", "priority"];
