//! Restores the client's tool names, call ids and argument keys in streamed tool calls.

use std::mem;

use interlingua_model::{
    BlockContent, Delta, KeyRenamer, ReplyContext, StreamEvent, ToolArgs, ToolCall,
};
use interlingua_wire::JsonString;

#[derive(Debug)]
pub(super) struct NameRestorer {
    exchange: ReplyContext,
    /// Renamer for the argument keys of the open call.
    key_renamer: Option<KeyRenamer>,
}

impl NameRestorer {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self { exchange: cx.clone(), key_renamer: None }
    }

    /// Rewrites a batch of events.
    pub(super) fn apply(&mut self, events: &mut Vec<StreamEvent>) {
        for mut event in mem::take(events) {
            match &mut event {
                StreamEvent::BlockStart { block, .. } => {
                    self.key_renamer = None;
                    if let BlockContent::ToolCall(call) = &mut block.content {
                        self.open_call(call);
                    }
                }
                StreamEvent::Delta { delta: Delta::Args(text), .. } => {
                    if let Some(key_renamer) = &mut self.key_renamer {
                        *text = key_renamer.push(text);
                        if text.is_empty() {
                            continue;
                        }
                    }
                }
                StreamEvent::BlockEnd { index } => {
                    let rest = self
                        .key_renamer
                        .take()
                        .map_or(JsonString::EMPTY, |mut key_renamer| key_renamer.finish());
                    if !rest.is_empty() {
                        events.push(StreamEvent::Delta { index: *index, delta: Delta::Args(rest) });
                    }
                }
                _ => {}
            }
            events.push(event);
        }
    }

    fn open_call(&mut self, call: &mut ToolCall) {
        let ToolArgs::Malformed(start) = &mut call.args else {
            self.exchange.restore_client_names(call);
            return;
        };
        // The rest of the arguments may follow in deltas.
        let mut start = mem::take(start);
        self.key_renamer = self.exchange.key_renamer(&call.name);
        if let Some(key_renamer) = &mut self.key_renamer {
            start = key_renamer.push(&start);
        }
        self.exchange.restore_client_names(call);
        call.args = ToolArgs::Malformed(start);
    }
}
