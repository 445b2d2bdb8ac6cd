//! The guard: what it finds, what it says, what it mends, and that nothing stops it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod anything;
mod cache;
mod finds;
mod hostile;
mod mends;
mod schemas;

use std::sync::Arc;

use interlingua_guard::{Done, Finding, Limits, Mode, Modes, Offer, Schemas, Takes, Watch};
use interlingua_model::{Args, ToolCall};
use interlingua_wire::{Json, Text};

/// A watch over tools with these schemas.
fn watch(mode: Mode, tools: &[(&str, &str)]) -> Watch {
    let tools = tools.iter().map(|(name, schema)| {
        (Text::new(name), Takes::Object(Some(Json::parse(*schema).unwrap())))
    });
    Watch {
        offer: Offer { tools: tools.collect(), open: false },
        modes: Modes { mode, tools: Vec::new() },
        limits: Limits::default(),
        schemas: Arc::new(Schemas::default()),
    }
}

/// A call as a stream leaves it: its arguments are whatever text came.
fn call(name: &str, arguments: &str) -> ToolCall {
    let args = Args::from_text(&Text::new(arguments));
    ToolCall { id: Text::new("call_1"), name: Text::new(name), args }
}

fn found(watch: &Watch, name: &str, arguments: &str) -> Option<Finding> {
    watch.check(&call(name, arguments))
}

/// The name of what is found, "" for nothing.
fn kind(watch: &Watch, name: &str, arguments: &str) -> &'static str {
    found(watch, name, arguments).map_or("", |finding| finding.kind.name())
}

fn answer(watch: &Watch, name: &str, arguments: &str) -> String {
    let finding = found(watch, name, arguments).unwrap();
    finding.answer().unwrap().to_owned()
}

/// The name and arguments of the call that takes the place of this one.
fn mended(watch: &Watch, name: &str, arguments: &str) -> Option<(String, String)> {
    match found(watch, name, arguments)?.done {
        Done::Mended(call) => {
            Some((call.name.contents().into_owned(), call.args.to_text().contents().into_owned()))
        }
        Done::Observed | Done::Answered(_) => None,
    }
}

const READ_FILE: &str = r#"{"type":"object","properties":{
    "target_file":{"type":"string"},"limit":{"type":"integer","minimum":1},
    "encoding":{"enum":["utf-8","latin-1"]},"ranges":{"type":"array","items":{"type":"integer"}}},
    "required":["target_file"],"additionalProperties":false}"#;
const NOW: &str = r#"{"type":"object","properties":{"zone":{"type":"string"}}}"#;
