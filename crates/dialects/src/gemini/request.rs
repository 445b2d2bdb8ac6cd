//! Decodes and encodes request bodies.

use bytes::Bytes;
use interlingua_model::{Conversation, Ledger, LedgerPath, Verbatim};
use interlingua_providers::Target;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, JsonWriter, RawJson};

use super::decode::{self, settings};
use super::encode::settings::SettingsEncoder;
use super::id::ID;
use super::{encode, field_name};
use crate::common::top_fields;
use crate::note;

pub(super) fn decode(body: &JsonDoc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let mut conversation = Conversation::new(ID);
    let root = body.root();
    if !root.is_object() {
        ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::BODY,
            "the body is not an object: read as empty",
        );
        return Verbatim::with_text(conversation, ID, body.to_json());
    }
    let inner = inner_request(root);
    let known_fields = if inner.is_some() { WRAPPER_FIELDS } else { KNOWN_FIELDS };
    conversation.top_level_fields = top_fields::decode(
        body,
        |name| field_name::find_known(name, known_fields).is_some(),
        |_| None,
        ledger,
    );
    let request = inner.unwrap_or(root);
    let prefix = if inner.is_some() { "request." } else { "" };
    if inner.is_some() {
        for field in request.fields().filter(|field| !field.value.is_null()) {
            if field_name::find_known(&field.key(), KNOWN_FIELDS).is_none() {
                let key = JsonString::new(&format!("{prefix}{}", field.key()));
                let value = field.value.json();
                let field = interlingua_model::TopLevelField {
                    key,
                    value,
                    is_modeled: false,
                    known_subfields: None,
                };
                conversation.top_level_fields.push(field);
            }
        }
    }
    let model = field_name::get(root, "model").or_else(|| field_name::get(request, "model"));
    conversation.model = model.and_then(JsonNode::json_string).map(strip_models_prefix);
    if let Some(system) = field_name::get(request, "systemInstruction") {
        conversation.system = decode::turn::decode_system(system, ledger);
    }
    if let Some(contents) = field_name::get(request, "contents") {
        conversation.turns = decode::turn::decode_contents(contents, ledger);
    }
    if let Some(tools) = field_name::get(request, "tools") {
        conversation.tools = decode::tool::decode_tools(tools, ledger);
    }
    let settings = settings::decode_settings(request, prefix, &mut conversation.top_level_fields);
    conversation.settings = Verbatim::with_text(settings, ID, body.to_json());
    Verbatim::with_text(conversation, ID, body.to_json())
}

/// The request inside the wrapper that the provider's own agent sends.
fn inner_request(root: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let inner = field_name::get(root, "request").filter(|inner| inner.is_object());
    inner.filter(|_| field_name::get(root, "contents").is_none())
}

fn strip_models_prefix(model: JsonString) -> JsonString {
    model.strip_prefix("models/").unwrap_or(model)
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let new_model = replacement_model(conversation, target);
    if let Some(text) = conversation.text_for(ID).filter(|_| new_model.is_none()) {
        return text.to_bytes();
    }
    let mut out = JsonWriter::with_capacity(top_fields::estimate_capacity(conversation));
    if conversation.dialect == ID {
        let same_dialect_encoder =
            SameDialectEncoder { conversation, target, replacement_model: new_model };
        out.object(|object| {
            let fields = conversation
                .top_level_fields
                .iter()
                .filter(|field| !settings::is_nested_field(field));
            let mut fields = fields.map(|field| (field.key.clone(), field.value.clone()));
            same_dialect_encoder.encode_fields(&mut fields, object, ledger);
        });
    } else {
        top_fields::note_dropped_fields(conversation, ID, ledger);
        out.object(|object| encode_cross_dialect(conversation, target, object, ledger));
    }
    out.into_bytes().into()
}

/// The model to write, if the body has one and the target's differs.
fn replacement_model<'t>(
    conversation: &Conversation,
    target: &'t Target,
) -> Option<&'t JsonString> {
    let model = target.model.as_ref()?;
    (*conversation.model.as_ref()? != strip_models_prefix(model.clone())).then_some(model)
}

/// Encodes a request in its own dialect.
struct SameDialectEncoder<'c> {
    conversation: &'c Conversation,
    target: &'c Target,
    replacement_model: Option<&'c JsonString>,
}

impl SameDialectEncoder<'_> {
    /// Writes the original fields in order, edited or unchanged, then added ones.
    fn encode_fields(
        &self,
        fields: &mut dyn Iterator<Item = (JsonString, RawJson)>,
        object: &mut ObjectWriter<'_>,
        ledger: &mut Ledger,
    ) {
        let mut missing = ADDABLE_FIELDS.to_vec();
        for (key, value) in fields {
            let name = key.unescape();
            let known_name = field_name::find_known(&name, WRAPPER_FIELDS)
                .or_else(|| field_name::find_known(&name, KNOWN_FIELDS));
            missing.retain(|addable| Some(*addable) != known_name);
            match known_name {
                Some("request") if value.is_object() => {
                    missing.clear();
                    let doc = value.to_doc();
                    let inner = doc.root().fields();
                    let mut inner =
                        inner.map(|field| (field.key_json_string(), field.value.json()));
                    object
                        .key_json_string(&key)
                        .object(|object| self.encode_fields(&mut inner, object, ledger));
                }
                Some(known_name) => {
                    self.encode_field(known_name, &key, Some(&value), object, ledger);
                }
                None => object.key_json_string(&key).json(&value),
            }
        }
        for key in missing {
            self.encode_field(key, &JsonString::from_static(key), None, object, ledger);
        }
    }

    fn encode_field(
        &self,
        name: &'static str,
        key: &JsonString,
        original: Option<&RawJson>,
        object: &mut ObjectWriter<'_>,
        ledger: &mut Ledger,
    ) {
        let conversation = self.conversation;
        let settings = SettingsEncoder::new(conversation, self.target.model.as_ref());
        let has_original_settings = conversation.settings.text_for(ID).is_some();
        let json = match name {
            "model" => {
                self.replacement_model.map(|model| match original.and_then(RawJson::json_string) {
                    Some(old_model) if old_model.strip_prefix("models/").is_some() => {
                        RawJson::string(&JsonString::concat([
                            &JsonString::from_static("models/"),
                            &strip_models_prefix(model.clone()),
                        ]))
                    }
                    _ => RawJson::string(model),
                })
            }
            "contents" => Some(RawJson::array(|list| {
                encode::turn::encode_same_dialect(conversation, list, ledger);
            })),
            "systemInstruction" if conversation.system.text_for(ID).is_some() => None,
            "systemInstruction" if conversation.system.is_empty() => return,
            "systemInstruction" => Some(RawJson::object(|object| {
                object.array("parts", |list| {
                    encode::turn::encode_system(conversation, 0, list, ledger);
                });
            })),
            "tools" if conversation.tools.text_for(ID).is_some() => None,
            "tools" if !encode::tool::has_encodable(conversation) => return,
            "tools" => Some(RawJson::array(|list| {
                encode::tool::encode_tools(&conversation.tools, list, ledger);
            })),
            // Unedited settings keep their text, inside a wrapper or not.
            _ if has_original_settings && original.is_some() => None,
            "generationConfig" => Some(settings.encode_generation_config(original, ledger)),
            "toolConfig" => Some(settings.encode_tool_config(original)),
            "serviceTier" => match settings.encode_service_tier(ledger) {
                None => return,
                Some(tier) => Some(RawJson::string(&tier)),
            },
            "store" => match conversation.settings.store {
                None => return,
                Some(store) => Some(RawJson::boolean(store)),
            },
            _ => None,
        };
        match (json, original) {
            (Some(json), None) if json == RawJson::EMPTY_OBJECT => {}
            (Some(json), _) => object.key_json_string(key).json(&json),
            (None, Some(original)) => object.key_json_string(key).json(original),
            (None, None) => {}
        }
    }
}

/// Contents are written last, so that requests with a longer history share a byte prefix with
/// earlier ones.
fn encode_cross_dialect(
    conversation: &Conversation,
    target: &Target,
    object: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    let settings = SettingsEncoder::new(conversation, target.model.as_ref());
    let (turns, has_instructions) = encode::turn::leading_instructions(conversation);
    if has_instructions {
        object.object("systemInstruction", |object| {
            object.array("parts", |list| {
                encode::turn::encode_system(conversation, turns, list, ledger);
            });
        });
    } else {
        // Nothing is written, but the dropped blocks are noted.
        RawJson::array(|list| encode::turn::encode_system(conversation, turns, list, ledger));
    }
    if encode::tool::has_encodable(conversation) {
        object.array("tools", |list| encode::tool::encode_tools(&conversation.tools, list, ledger));
    } else {
        // Nothing is written, but the dropped tools are noted.
        RawJson::array(|list| encode::tool::encode_tools(&conversation.tools, list, ledger));
    }
    for (key, json) in [
        ("toolConfig", settings.encode_tool_config(None)),
        ("generationConfig", settings.encode_generation_config(None, ledger)),
    ] {
        if json != RawJson::EMPTY_OBJECT {
            object.json(key, &json);
        }
    }
    object.json_string_opt("serviceTier", settings.encode_service_tier(ledger).as_ref());
    if let Some(store) = conversation.settings.store {
        object.boolean("store", store);
    }
    settings.note_dropped_settings(ledger);
    object.array("contents", |list| {
        encode::turn::encode_cross_dialect(conversation, turns, list, ledger);
    });
}

/// Fields that are decoded.
const KNOWN_FIELDS: &[&str] = &[
    "model",
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "serviceTier",
    "store",
];

/// Fields of the wrapper that are decoded.
const WRAPPER_FIELDS: &[&str] = &["model", "request"];

/// Fields that an edit can add to a body.
const ADDABLE_FIELDS: &[&str] = &[
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "serviceTier",
    "store",
    "contents",
];
