//! Tools that take free text: offered as a function with one string, so their calls are unwrapped.

use interlingua_model::{Args, Body, Exchange, Turn, Verbatim};
use interlingua_wire::{Json, Text};

use crate::freeform;

/// Unwraps the calls of a whole reply.
pub(super) fn unwrap_calls(turn: &mut Turn, exchange: &Exchange) {
    if exchange.freeform.is_empty() {
        return;
    }
    for block in &mut turn.blocks {
        if let Body::ToolCall(call) = &block.body
            && exchange.freeform.contains(&call.name)
        {
            let text = match &call.args {
                Args::Json(json) => unwrap(json.as_str()),
                Args::Malformed(text) | Args::Freeform(text) => text.clone(),
            };
            edit_args(block, text);
        }
    }
}

fn edit_args(block: &mut Verbatim<interlingua_model::Block>, text: Text) {
    if let Body::ToolCall(call) = &mut block.edit().body {
        call.args = Args::Freeform(text);
    }
}

/// The free text in arguments that should be `{"input": "…"}`; any others stand for themselves.
pub(super) fn unwrap(args: &str) -> Text {
    let inner = Json::parse(args.to_owned()).ok().and_then(|args| freeform::unwrapped(&args));
    inner.unwrap_or_else(|| Text::new(args))
}
