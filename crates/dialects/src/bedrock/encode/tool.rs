//! Encodes tools.

use interlingua_model::{Conversation, Extras, Ledger, LedgerPath, Tool, ToolChoice, ToolKind};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::fields;
use super::settings::{encode_tool_choice, note_choice_without_tools};
use crate::bedrock::id::ID;
use crate::common::name_set::NameSet;
use crate::note;

/// Writes `toolConfig`. The API rejects it without tools.
pub(crate) fn encode_tool_config(
    conversation: &Conversation,
    original: Option<&RawJson>,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let settings = &conversation.settings;
    let list = RawJson::array(|a| encode_tools(conversation, ledger, a));
    if list == RawJson::EMPTY_ARRAY {
        note_choice_without_tools(settings, ledger);
        return;
    }
    o.object("toolConfig", |o| {
        o.json("tools", &list);
        encode_tool_choice(settings, original, ledger, o);
        let original = original.map(RawJson::to_doc);
        for field in original.iter().flat_map(|doc| doc.root().fields()) {
            if !field.key_is("tools") && !field.key_is("toolChoice") {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    });
}

fn encode_tools(conversation: &Conversation, ledger: &mut Ledger, out: &mut ArrayWriter<'_>) {
    let allowed = match &conversation.settings.tool_choice {
        Some(ToolChoice::Allowed { names, .. }) => Some(NameSet::new(names)),
        _ => None,
    };
    let is_offered =
        |names: &NameSet| conversation.tools.iter().any(|tool| names.contains(&tool.name));
    let allowed = allowed.filter(is_offered);
    for (index, tool) in conversation.tools.iter().enumerate() {
        if allowed.as_ref().is_some_and(|names| !names.contains(&tool.name)) {
            continue;
        }
        let path = LedgerPath::tool(index);
        match (tool.text_for(ID), &tool.kind) {
            (Some(text), _) => out.item().json(text),
            (None, ToolKind::Foreign { dialect, json, .. }) if *dialect == ID => {
                out.item().json(json);
            }
            (None, ToolKind::Foreign { dialect, kind, .. }) => {
                let message = format!("left out the tool `{kind}` of {dialect}");
                ledger.record_loss(note::NO_SUCH_TOOL, path, message);
                continue;
            }
            (None, ToolKind::Function { .. } | ToolKind::Freeform { .. }) => {
                out.object(|o| o.object("toolSpec", |o| encode_tool_spec(tool, path, ledger, o)));
            }
        }
        if let Some(cache) = &tool.cache_breakpoint {
            fields::encode_cache_point(cache, path, ledger, out);
        }
    }
}

fn encode_tool_spec(tool: &Tool, path: LedgerPath, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    fields::note_dropped_extras(&tool.extras, path, ledger);
    if let Some(namespace) = &tool.namespace {
        let message = format!("the namespace `{namespace}` is encoded only in the tool's name");
        ledger.record_change(note::NO_SUCH_FIELD, path, message);
    }
    o.json_string("name", &tool.name);
    let description = tool.description.as_ref().filter(|text| !text.is_empty());
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.json_string_opt("description", description);
            o.object("inputSchema", |o| match schema {
                Some(schema) => o.json("json", schema),
                None => o.object("json", |o| {
                    o.static_str("type", "object");
                    o.object("properties", |_| {});
                }),
            });
        }
        ToolKind::Freeform { format } => {
            let message = "a tool for free text is offered as a function with one string";
            ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            encode_freeform_spec(description, format.as_ref(), o);
        }
        ToolKind::Foreign { .. } => {}
    }
    if let Some(strict) = tool.strict {
        o.boolean("strict", strict);
    }
    Extras::write(&tool.extras, ID, o);
}

/// The API cannot enforce a grammar, so it is added to the description.
fn encode_freeform_spec(
    description: Option<&JsonString>,
    format: Option<&RawJson>,
    o: &mut ObjectWriter<'_>,
) {
    let doc = format.map(RawJson::to_doc);
    let grammar = doc.as_ref().and_then(|doc| {
        let root = doc.root();
        let inner = root.get("grammar").filter(|inner| inner.is_object()).unwrap_or(root);
        ["definition", "grammar"].iter().find_map(|key| inner.get(key)?.json_string())
    });
    let grammar = grammar.filter(|grammar| !grammar.is_empty());
    let parts: Vec<&JsonString> = description.into_iter().chain(&grammar).collect();
    if !parts.is_empty() {
        o.key("description").join(parts, "\n\n");
    }
    o.object("inputSchema", |o| {
        o.object("json", |o| {
            o.static_str("type", "object");
            o.object("properties", |o| o.object("input", |o| o.static_str("type", "string")));
            o.array("required", |a| a.item().str("input"));
        });
    });
}
