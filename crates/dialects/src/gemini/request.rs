//! The body of a request, both ways.

use bytes::Bytes;
use interlingua_model::{Conversation, Ledger, Place, Target, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node, Text, Writer};

use super::encode_settings::Context;
use super::{ID, content, contents, names, settings, tools};
use crate::{body, note};

pub(super) fn decode(body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let mut conversation = Conversation::new(ID);
    let root = body.root();
    if !root.is_object() {
        ledger.change(note::ODD_INPUT, Place::BODY, "the body is not an object: read as empty");
        return Verbatim::read(conversation, ID, body.whole());
    }
    let inner = wrapped(root);
    let known = if inner.is_some() { WRAPPER } else { KNOWN };
    conversation.fields =
        body::read_fields(body, |name| names::one_of(name, known).is_some(), ledger);
    let request = inner.unwrap_or(root);
    let prefix = if inner.is_some() { "request." } else { "" };
    if inner.is_some() {
        for field in request.fields().filter(|field| !field.value.is_null()) {
            if names::one_of(&field.name(), KNOWN).is_none() {
                let key = Text::new(&format!("{prefix}{}", field.name()));
                let value = field.value.json();
                let field = interlingua_model::TopField { key, value, known: false };
                conversation.fields.push(field);
            }
        }
    }
    let model = names::get(root, "model").or_else(|| names::get(request, "model"));
    conversation.model = model.and_then(Node::text).map(bare);
    if let Some(system) = names::get(request, "systemInstruction") {
        conversation.system = content::decode_system(system, ledger);
    }
    if let Some(contents) = names::get(request, "contents") {
        conversation.turns = content::decode_list(contents, ledger);
    }
    if let Some(tools) = names::get(request, "tools") {
        conversation.tools = tools::decode_list(tools, ledger);
    }
    let settings = settings::decode(request, prefix, &mut conversation.fields);
    conversation.settings = Verbatim::read(settings, ID, body.whole());
    Verbatim::read(conversation, ID, body.whole())
}

/// The request inside the wrapper that the provider's own agent puts around it.
fn wrapped(root: Node<'_>) -> Option<Node<'_>> {
    let inner = names::get(root, "request").filter(|inner| inner.is_object());
    inner.filter(|_| names::get(root, "contents").is_none())
}

fn bare(model: Text) -> Text {
    model.strip_prefix("models/").unwrap_or(model)
}

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let renamed = renamed(conversation, target);
    if let Some(text) = conversation.text_for(ID).filter(|_| renamed.is_none()) {
        return text.to_bytes();
    }
    let mut out = Writer::with_capacity(body::room(conversation));
    if conversation.source == ID {
        let again = Again { conversation, target, renamed };
        out.object(|object| {
            let written = conversation.fields.iter().filter(|field| !settings::is_inner(field));
            let mut written = written.map(|field| (field.key.clone(), field.value.clone()));
            again.write(&mut written, object, ledger);
        });
    } else {
        body::note_left_out(conversation, ID, ledger);
        out.object(|object| write_afresh(conversation, target, object, ledger));
    }
    out.into_bytes().into()
}

/// The model to write, if the body names one and it is to be another.
fn renamed<'t>(conversation: &Conversation, target: &'t Target) -> Option<&'t Text> {
    let model = target.model.as_ref()?;
    (*conversation.model.as_ref()? != bare(model.clone())).then_some(model)
}

/// Writing a request in the dialect it came in.
struct Again<'c> {
    conversation: &'c Conversation,
    target: &'c Target,
    renamed: Option<&'c Text>,
}

impl Again<'_> {
    /// Fields in their order, as written or anew, then those that were not there before.
    fn write(
        &self,
        fields: &mut dyn Iterator<Item = (Text, Json)>,
        object: &mut Object<'_>,
        ledger: &mut Ledger,
    ) {
        let mut missing = ADDABLE.to_vec();
        for (key, value) in fields {
            let name = key.contents();
            let known = names::one_of(&name, WRAPPER).or_else(|| names::one_of(&name, KNOWN));
            missing.retain(|add| Some(*add) != known);
            match known {
                Some("request") if value.is_object() => {
                    missing.clear();
                    let doc = value.doc();
                    let inner = doc.root().fields();
                    let mut inner = inner.map(|field| (field.key(), field.value.json()));
                    object.key_text(&key).object(|object| self.write(&mut inner, object, ledger));
                }
                Some(known) => self.field(known, &key, Some(&value), object, ledger),
                None => object.key_text(&key).json(&value),
            }
        }
        for key in missing {
            self.field(key, &Text::word(key), None, object, ledger);
        }
    }

    fn field(
        &self,
        known: &'static str,
        key: &Text,
        written: Option<&Json>,
        object: &mut Object<'_>,
        ledger: &mut Ledger,
    ) {
        let conversation = self.conversation;
        let settings = Context::new(conversation, self.target.model.as_ref());
        let untouched = conversation.settings.text_for(ID).is_some();
        let json = match known {
            "model" => self.renamed.map(|model| match written.and_then(Json::text) {
                Some(old) if old.strip_prefix("models/").is_some() => {
                    Json::string(&Text::concat([&Text::word("models/"), &bare(model.clone())]))
                }
                _ => Json::string(model),
            }),
            "contents" => {
                Some(Json::array(|list| contents::write_again(conversation, list, ledger)))
            }
            "systemInstruction" if conversation.system.text_for(ID).is_some() => None,
            "systemInstruction" if conversation.system.is_empty() => return,
            "systemInstruction" => Some(Json::object(|object| {
                object.array("parts", |list| contents::write_system(conversation, 0, list, ledger));
            })),
            "tools" if conversation.tools.text_for(ID).is_some() => None,
            "tools" if !tools::any(conversation) => return,
            "tools" => {
                Some(Json::array(|list| tools::encode_list(&conversation.tools, list, ledger)))
            }
            // What a wrapper held is written where there is no wrapper.
            _ if untouched && written.is_some() => None,
            "generationConfig" => Some(settings.config(written, ledger)),
            "toolConfig" => Some(settings.tool_config(written)),
            "serviceTier" => match settings.service_tier(ledger) {
                None => return,
                Some(tier) => Some(Json::string(&tier)),
            },
            "store" => match conversation.settings.store {
                None => return,
                Some(store) => Some(Json::boolean(store)),
            },
            _ => None,
        };
        match (json, written) {
            (Some(json), None) if json == Json::EMPTY_OBJECT => {}
            (Some(json), _) => object.key_text(key).json(&json),
            (None, Some(written)) => object.key_text(key).json(written),
            (None, None) => {}
        }
    }
}

/// Contents come last, so that a longer history begins with the bytes of the shorter one.
fn write_afresh(
    conversation: &Conversation,
    target: &Target,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    let settings = Context::new(conversation, target.model.as_ref());
    let (turns, instructed) = contents::leading(conversation);
    if instructed {
        object.object("systemInstruction", |object| {
            object.array("parts", |list| contents::write_system(conversation, turns, list, ledger));
        });
    } else {
        // Nothing is written; what is left out is still noted.
        Json::array(|list| contents::write_system(conversation, turns, list, ledger));
    }
    if tools::any(conversation) {
        object.array("tools", |list| tools::encode_list(&conversation.tools, list, ledger));
    } else {
        // Nothing is written; what is left out is still noted.
        Json::array(|list| tools::encode_list(&conversation.tools, list, ledger));
    }
    for (key, json) in [
        ("toolConfig", settings.tool_config(None)),
        ("generationConfig", settings.config(None, ledger)),
    ] {
        if json != Json::EMPTY_OBJECT {
            object.json(key, &json);
        }
    }
    object.text_if("serviceTier", settings.service_tier(ledger).as_ref());
    if let Some(store) = conversation.settings.store {
        object.boolean("store", store);
    }
    settings.note_left_out(ledger);
    object.array("contents", |list| contents::write_afresh(conversation, turns, list, ledger));
}

/// Fields whose meaning the model holds.
const KNOWN: &[&str] = &[
    "model",
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "serviceTier",
    "store",
];

/// Fields of the wrapper whose meaning the model holds.
const WRAPPER: &[&str] = &["model", "request"];

/// Fields that an edit may bring into a body that had none.
const ADDABLE: &[&str] = &[
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "serviceTier",
    "store",
    "contents",
];
