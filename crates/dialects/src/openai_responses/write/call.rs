//! A call: of a function, or of a tool that takes free text.

use interlingua_model::{Args, Block, Exchange, Extras, Ledger, Place, ToolCall};
use interlingua_wire::{Json, Pieces, Text};

use super::super::output::Seat;
use super::super::{ID, names};
use super::pen::{Pen, Spot};
use crate::{freeform, note};

pub(super) struct Call {
    spot: Spot,
    id: Text,
    name: Text,
    namespace: Option<Text>,
    input: Input,
    /// What the call began with, to be said when it is begun.
    start: Text,
    said: Pieces,
    extras: Extras,
}

/// How the input comes, and how it is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// JSON, for a function.
    Arguments,
    /// Free text, for a custom tool.
    Free,
    /// Free text within JSON, because the provider knows only functions; it is known when it is all
    /// there.
    Wrapped,
}

impl Call {
    pub(super) fn new(call: &ToolCall, block: &Block, seat: Seat<'_>, exchange: &Exchange) -> Self {
        let input = match &call.args {
            Args::Freeform(_) => Input::Free,
            _ if exchange.freeform.contains(&call.name) => Input::Wrapped,
            Args::Json(_) | Args::Malformed(_) => Input::Arguments,
        };
        let grouped = exchange.namespaces.iter().find(|(name, _)| *name == call.name);
        let said = block.extras.find(ID, "namespace").and_then(Json::text);
        let namespace = said.or_else(|| grouped.map(|(_, space)| space.clone()));
        let prefix = if input == Input::Arguments { "fc_" } else { "ctc_" };
        let id = block.extras.find(ID, "id").and_then(Json::text);
        let id = id.unwrap_or_else(|| seat.id(prefix));
        Self {
            spot: Spot { id, index: seat.index },
            id: call.id.clone(),
            name: names::short(namespace.as_ref(), &call.name),
            namespace,
            input,
            start: call.args.to_text(),
            said: Pieces::default(),
            extras: block.extras.clone(),
        }
    }

    pub(super) fn write_start(&mut self, pen: &mut Pen, out: &mut Vec<u8>) {
        let item = self.item(&Text::EMPTY, "in_progress");
        pen.item("response.output_item.added", self.spot.index, &item, out);
        let start = std::mem::take(&mut self.start);
        self.write_args(&start, pen, out);
    }

    pub(super) fn write_args(&mut self, text: &Text, pen: &mut Pen, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.said.push(text);
        if self.input != Input::Wrapped {
            self.delta(text, pen, out);
        }
    }

    pub(super) fn note(&self, place: Place, ledger: &mut Ledger) {
        if self.input == Input::Arguments && self.said.text().is_blank() {
            ledger.change(note::ARGS_WRAPPED, place, "a call without arguments gets none: `{}`");
        }
    }

    pub(super) fn finish(&mut self, pen: &mut Pen, out: &mut Vec<u8>) -> Json {
        let mut text = self.said.text();
        match self.input {
            // Clients read the arguments as JSON.
            Input::Arguments if text.is_blank() => {
                text = Text::word("{}");
                self.delta(&text, pen, out);
            }
            Input::Wrapped => {
                text = unwrap(&text);
                self.delta(&text, pen, out);
            }
            Input::Arguments | Input::Free => {}
        }
        let (spot, custom, name) = (&self.spot, self.is_custom(), &self.name);
        let event = if custom {
            "response.custom_tool_call_input.done"
        } else {
            "response.function_call_arguments.done"
        };
        pen.event(event, out, |o| {
            spot.write(o);
            if custom {
                o.text("input", &text);
            } else {
                o.text("name", name);
                o.text("arguments", &text);
            }
        });
        self.item(&text, "completed")
    }

    fn delta(&self, text: &Text, pen: &mut Pen, out: &mut Vec<u8>) {
        let event = if self.is_custom() {
            "response.custom_tool_call_input.delta"
        } else {
            "response.function_call_arguments.delta"
        };
        pen.event(event, out, |o| {
            self.spot.write(o);
            o.text("delta", text);
        });
    }

    fn item(&self, input: &Text, status: &str) -> Json {
        let custom = self.is_custom();
        Json::object(|o| {
            o.text("id", &self.spot.id);
            o.word("type", if custom { "custom_tool_call" } else { "function_call" });
            o.word("status", status);
            o.text("call_id", &self.id);
            o.text("name", &self.name);
            o.text_if("namespace", self.namespace.as_ref());
            o.text(if custom { "input" } else { "arguments" }, input);
            for (key, value) in self.extras.of(ID) {
                if *key != "id" && *key != "namespace" {
                    o.key_text(key).json(value);
                }
            }
        })
    }

    fn is_custom(&self) -> bool {
        self.input != Input::Arguments
    }
}

/// The free text within `{"input": "…"}`; anything else is taken as it is.
fn unwrap(text: &Text) -> Text {
    let args = Json::parse(text.contents().into_owned()).ok();
    args.and_then(|args| freeform::unwrapped(&args)).unwrap_or_else(|| text.clone())
}
