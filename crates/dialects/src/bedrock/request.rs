//! The body of a request, both ways.

use bytes::Bytes;
use interlingua_model::{Block, Conversation, Ledger, Place, Target, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Kind, Node, Writer};

use super::encode::Way;
use super::options::{self, Options};
use super::{ID, decode, messages, settings, tools};
use crate::{body, note};

pub(super) fn decode(doc: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation> {
    let root = doc.root();
    let mut conversation = Conversation::new(ID);
    if !root.is_object() {
        ledger.loss(note::ODD_INPUT, Place::BODY, "the body is not an object");
        return Verbatim::read(conversation, ID, doc.whole());
    }
    // The model is named in the path; some clients repeat it in the body.
    conversation.model =
        ["modelId", "model"].iter().find_map(|key| root.get(key).and_then(Node::text));
    if let Some(node) = root.get("messages") {
        conversation.turns = turns(node, ledger);
    }
    if let Some(node) = root.get("system") {
        conversation.system = system(node, ledger);
    }
    let config = root.get("toolConfig").filter(|config| !config.is_null());
    if config.is_some_and(|config| config.get("tools").is_none_or(Node::is_null)) {
        ledger.change(note::ODD_INPUT, Place::BODY, "`toolConfig` without tools is none");
    } else if let Some(config) = config
        && let Some(list) = config.get("tools")
    {
        if !list.is_array() {
            ledger.change(note::ODD_INPUT, Place::tool(0), "`tools` is not a list");
        }
        // The choice stands in the same field, which leaves as written if neither was edited.
        conversation.tools = Verbatim::read(tools::decode_list(list, ledger), ID, config.json());
    }
    let decoded = settings::decode(|key| root.get(key), ledger);
    conversation.settings = Verbatim::read(decoded, ID, doc.whole());
    conversation.fields = body::read_fields(doc, settings::is_known, ledger);
    Verbatim::read(conversation, ID, doc.whole())
}

fn turns(node: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<interlingua_model::Turn>> {
    match node.kind() {
        Kind::Array => {
            let messages = body::messages(node, ledger).enumerate();
            messages.map(|(at, item)| decode::turn(item, at, ledger)).collect()
        }
        Kind::Null => Vec::new(),
        Kind::Object | Kind::String | Kind::Number | Kind::Bool => {
            ledger.change(note::ODD_INPUT, Place::BODY, "`messages` is one message, not a list");
            vec![decode::turn(node, 0, ledger)]
        }
    }
}

pub(super) fn system(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Block>>> {
    let known = |item: Node<'_>| {
        let set = |key: &&str| item.get(key).is_some_and(|value| !value.is_null());
        INSTRUCTIONS.iter().any(set)
    };
    if node.items().any(|item| item.is_object() && !known(item)) {
        let what = "a block of the instructions is none that they have";
        ledger.change(note::ODD_INPUT, Place::SYSTEM, what);
    }
    if node.is_null() {
        return Verbatim::read(Vec::new(), ID, node.json());
    }
    Verbatim::read(decode::blocks(node, Place::SYSTEM, ledger), ID, node.json())
}

/// What a block of the instructions may be.
const INSTRUCTIONS: &[&str] = &["text", "guardContent", "cachePoint"];

pub(super) fn encode(
    conversation: &Verbatim<Conversation>,
    target: &Target,
    ledger: &mut Ledger,
) -> Bytes {
    let asked = target.model.as_ref().filter(|_| conversation.model.is_some());
    let same_model = asked.is_none() || asked == conversation.model.as_ref();
    if let Some(text) = conversation.text_for(ID).filter(|_| same_model) {
        return text.to_bytes();
    }
    let mut out = Writer::with_capacity(body::room(conversation));
    if conversation.source == ID {
        out.object(|o| write_own(conversation, target, ledger, o));
    } else {
        body::note_left_out(conversation, ID, ledger);
        out.object(|o| write_cross(conversation, ledger, o));
    }
    out.into_bytes().into()
}

/// The fields in their order, each as written unless it holds something edited.
fn write_own(
    conversation: &Conversation,
    target: &Target,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    let unedited = conversation.settings.text_for(ID).is_some();
    let options = (!unedited).then(|| Options::new(conversation, true));
    body::write_fields(conversation, o, |key, value, o| match key {
        "modelId" | "model" => match &target.model {
            Some(model) => {
                o.key_text(&key.into()).text(model);
                true
            }
            None => false,
        },
        "messages" => {
            o.array("messages", |a| messages::write_own(&conversation.turns, ledger, a));
            true
        }
        "system" if conversation.system.text_for(ID).is_none() => {
            write_system(conversation, Way::Own, ledger, o);
            true
        }
        "toolConfig" if !unedited || conversation.tools.text_for(ID).is_none() => {
            tools::write_config(conversation, Some(value), ledger, o);
            true
        }
        key => match (&options, options::FIELDS.iter().find(|field| **field == key)) {
            (Some(options), Some(field)) => {
                options.write(field, Some(value), ledger, o);
                true
            }
            _ => false,
        },
    });
    let missing = |key: &str| conversation.fields.iter().all(|field| field.key != key);
    if missing("messages") && !conversation.turns.is_empty() {
        o.array("messages", |a| messages::write_own(&conversation.turns, ledger, a));
    }
    if missing("system") {
        write_system(conversation, Way::Own, ledger, o);
    }
    if missing("toolConfig") {
        tools::write_config(conversation, None, ledger, o);
    }
    if let Some(options) = &options {
        for field in options::FIELDS.iter().filter(|field| missing(field)) {
            options.write(field, None, ledger, o);
        }
        options::note_left_out(conversation, ledger);
    }
}

fn write_cross(conversation: &Conversation, ledger: &mut Ledger, o: &mut Object<'_>) {
    o.array("messages", |a| messages::write_cross(conversation, ledger, a));
    write_system(conversation, Way::Cross, ledger, o);
    tools::write_config(conversation, None, ledger, o);
    let options = Options::new(conversation, false);
    for field in options::FIELDS {
        options.write(field, None, ledger, o);
    }
    options::note_left_out(conversation, ledger);
}

/// Nothing, if there are no instructions.
fn write_system(conversation: &Conversation, way: Way, ledger: &mut Ledger, o: &mut Object<'_>) {
    let list = Json::array(|a| messages::write_system(conversation, way, ledger, a));
    if list != Json::EMPTY_ARRAY {
        o.json("system", &list);
    }
}
