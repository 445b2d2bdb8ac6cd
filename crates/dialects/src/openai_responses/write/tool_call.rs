//! Writes a call item: of a function, or of a custom tool that takes free text.

use std::collections::HashMap;

use interlingua_model::{Block, Extras, Ledger, LedgerPath, ReplyContext, ToolArgs, ToolCall};
use interlingua_wire::{JsonString, JsonStringBuilder, RawJson};

use super::event::{EventWriter, ItemRef};
use crate::common::freeform;
use crate::common::name_set::NameSet;
use crate::note;
use crate::openai_responses::decode::output_item::ItemPosition;
use crate::openai_responses::id::ID;
use crate::openai_responses::namespace;

pub(super) struct CallItem {
    item_ref: ItemRef,
    call_id: JsonString,
    name: JsonString,
    namespace: Option<JsonString>,
    input_kind: InputKind,
    /// Arguments of the start event, written as the first delta.
    initial_args: JsonString,
    args: JsonStringBuilder,
    extras: Extras,
}

/// How the input arrives and is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InputKind {
    /// JSON, for a function.
    Arguments,
    /// Free text, for a custom tool.
    Freeform,
    /// Free text inside JSON, because the provider only has functions. It is unwrapped when it is
    /// complete.
    WrappedFreeform,
}

/// The tools of the request by name: a scan of them for each call would be quadratic.
#[derive(Debug)]
pub(super) struct CalledTools {
    freeform: NameSet,
    namespaces: HashMap<String, JsonString>,
}

impl CalledTools {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        let mut namespaces = HashMap::new();
        for (name, namespace) in &cx.tool_namespaces {
            namespaces.entry(name.unescape().into_owned()).or_insert_with(|| namespace.clone());
        }
        Self { freeform: NameSet::new(&cx.freeform_tools), namespaces }
    }

    fn find_namespace(&self, name: &JsonString) -> Option<JsonString> {
        self.namespaces.get(&*name.unescape()).cloned()
    }
}

impl CallItem {
    pub(super) fn new(
        call: &ToolCall,
        block: &Block,
        position: ItemPosition<'_>,
        tools: &CalledTools,
    ) -> Self {
        let input_kind = match &call.args {
            ToolArgs::Freeform(_) => InputKind::Freeform,
            _ if tools.freeform.contains(&call.name) => InputKind::WrappedFreeform,
            ToolArgs::Json(_) | ToolArgs::Malformed(_) => InputKind::Arguments,
        };
        let original_namespace = block.extras.get(ID, "namespace").and_then(RawJson::json_string);
        let namespace = original_namespace.or_else(|| tools.find_namespace(&call.name));
        let prefix = if input_kind == InputKind::Arguments { "fc_" } else { "ctc_" };
        let id = block.extras.get(ID, "id").and_then(RawJson::json_string);
        let id = id.unwrap_or_else(|| position.derive_item_id(prefix));
        Self {
            item_ref: ItemRef { id, output_index: position.index },
            call_id: call.id.clone(),
            name: namespace::local_name(namespace.as_ref(), &call.name),
            namespace,
            input_kind,
            initial_args: call.args.to_json_string(),
            args: JsonStringBuilder::default(),
            extras: block.extras.clone(),
        }
    }

    pub(super) fn write_start(&mut self, writer: &mut EventWriter, out: &mut Vec<u8>) {
        let item = self.to_item(&JsonString::EMPTY, "in_progress");
        writer.write_item_event(
            "response.output_item.added",
            self.item_ref.output_index,
            &item,
            out,
        );
        let start = std::mem::take(&mut self.initial_args);
        self.write_args(&start, writer, out);
    }

    pub(super) fn write_args(
        &mut self,
        text: &JsonString,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        if text.is_empty() {
            return;
        }
        self.args.push(text);
        if self.input_kind != InputKind::WrappedFreeform {
            self.write_delta(text, writer, out);
        }
    }

    pub(super) fn note_missing_args(&self, path: LedgerPath, ledger: &mut Ledger) {
        if self.input_kind == InputKind::Arguments && self.args.to_json_string().is_blank() {
            ledger.record_change(note::ARGS_WRAPPED, path, "missing arguments are written as {}");
        }
    }

    pub(super) fn finish(&mut self, writer: &mut EventWriter, out: &mut Vec<u8>) -> RawJson {
        let mut text = self.args.to_json_string();
        match self.input_kind {
            // Clients parse the arguments as JSON.
            InputKind::Arguments if text.is_blank() => {
                text = JsonString::from_static("{}");
                self.write_delta(&text, writer, out);
            }
            InputKind::WrappedFreeform => {
                text = freeform::unwrap_text(&text);
                self.write_delta(&text, writer, out);
            }
            InputKind::Arguments | InputKind::Freeform => {}
        }
        let (item_ref, is_custom, name) = (&self.item_ref, self.is_custom(), &self.name);
        let event = if is_custom {
            "response.custom_tool_call_input.done"
        } else {
            "response.function_call_arguments.done"
        };
        writer.write_event(event, out, |o| {
            item_ref.write(o);
            if is_custom {
                o.json_string("input", &text);
            } else {
                o.json_string("name", name);
                o.json_string("arguments", &text);
            }
        });
        self.to_item(&text, "completed")
    }

    fn write_delta(&self, text: &JsonString, writer: &mut EventWriter, out: &mut Vec<u8>) {
        let event = if self.is_custom() {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        writer.write_event(event, out, |o| {
            self.item_ref.write(o);
            o.json_string("delta", text);
        });
    }

    fn to_item(&self, input: &JsonString, status: &str) -> RawJson {
        let is_custom = self.is_custom();
        RawJson::object(|o| {
            o.json_string("id", &self.item_ref.id);
            o.str("type", if is_custom { "custom_tool_call" } else { "function_call" });
            o.str("status", status);
            o.json_string("call_id", &self.call_id);
            o.json_string("name", &self.name);
            o.json_string_opt("namespace", self.namespace.as_ref());
            o.json_string(if is_custom { "input" } else { "arguments" }, input);
            for (key, value) in self.extras.fields_for(ID) {
                if *key != "id" && *key != "namespace" {
                    o.key_json_string(key).json(value);
                }
            }
        })
    }

    fn is_custom(&self) -> bool {
        self.input_kind != InputKind::Arguments
    }
}
