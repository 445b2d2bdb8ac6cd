//! Encodes tools.

use interlingua_model::{Conversation, Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::RawJson;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};

use super::context;
use crate::note;
use crate::openai_responses::decode::tool::{NAMESPACE_FIELDS_KEY, decode_custom_format};
use crate::openai_responses::id::ID;
use crate::openai_responses::namespace;

/// Encodes the tools; consecutive tools of one namespace are written inside it.
pub(crate) fn encode_tools(
    conversation: &Conversation,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    let mut at = 0;
    for group in conversation.tools.chunk_by(|a, b| {
        let starts_namespace = b.extras.get(ID, NAMESPACE_FIELDS_KEY).is_some();
        a.namespace.is_some() && a.namespace == b.namespace && !starts_namespace
    }) {
        match group {
            [first, ..] if first.namespace.is_some() => a.object(|o| {
                o.static_str("type", "namespace");
                o.json_string_opt("name", first.namespace.as_ref());
                if let Some(namespace_fields) = first.extras.get(ID, NAMESPACE_FIELDS_KEY) {
                    for field in namespace_fields.to_doc().root().fields() {
                        o.key_json_string(&field.key_json_string()).json(&field.value.json());
                    }
                }
                o.array("tools", |a| encode_group(conversation, group, at, a, ledger));
            }),
            _ => encode_group(conversation, group, at, a, ledger),
        }
        at += group.len();
    }
}

fn encode_group(
    conversation: &Conversation,
    group: &[Verbatim<Tool>],
    first: usize,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    for (at, tool) in group.iter().enumerate() {
        let path = LedgerPath::tool(first + at);
        if let Some(text) = tool.text_for(ID) {
            a.item().json(text);
        } else if let ToolKind::Foreign { dialect, kind, json } = &tool.kind {
            if *dialect == ID {
                a.item().json(json);
            } else {
                let message = format!("left out the tool `{kind}`: only {dialect} has it");
                ledger.record_loss(note::NO_SUCH_TOOL, path, message);
            }
        } else {
            context::note_dropped_extras(&tool.extras, path, ledger);
            if tool.cache_breakpoint.is_some() {
                ledger.record_loss(
                    note::NO_SUCH_CACHE,
                    path,
                    "left out the cache breakpoint of a tool",
                );
            }
            if let ToolKind::Freeform { format: Some(format) } = &tool.kind
                && decode_custom_format(format.to_doc().root()).is_none()
            {
                let message = "left out the unknown format of a custom tool";
                ledger.record_loss(note::NO_SUCH_FIELD, path, message);
            }
            a.object(|o| encode_tool(tool, conversation.dialect == ID, o));
        }
    }
}

fn encode_tool(tool: &Tool, same_dialect: bool, o: &mut ObjectWriter<'_>) {
    let name = namespace::local_name(tool.namespace.as_ref(), &tool.name);
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.static_str("type", "function");
            o.json_string("name", &name);
            o.json_string_opt("description", tool.description.as_ref());
            o.json("parameters", schema.as_ref().unwrap_or(&RawJson::NULL));
            // Without `strict`, this dialect is strict and other dialects are not.
            match tool.strict {
                Some(strict) => o.boolean("strict", strict),
                None if !same_dialect => o.boolean("strict", false),
                None => {}
            }
        }
        ToolKind::Freeform { format } => {
            o.static_str("type", "custom");
            o.json_string("name", &name);
            o.json_string_opt("description", tool.description.as_ref());
            let format =
                format.as_ref().and_then(|format| decode_custom_format(format.to_doc().root()));
            o.json_opt("format", format.as_ref());
        }
        ToolKind::Foreign { .. } => {}
    }
    for (key, value) in
        tool.extras.fields_for(ID).iter().filter(|(key, _)| *key != NAMESPACE_FIELDS_KEY)
    {
        o.key_json_string(key).json(value);
    }
}
