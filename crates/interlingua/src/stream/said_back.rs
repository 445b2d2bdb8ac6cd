//! Calls of a stream, said in the client's terms as they come.

use std::mem;

use interlingua_model::{Args, Body, Delta, Event, Exchange, Keys, ToolCall};
use interlingua_wire::Text;

#[derive(Debug)]
pub(super) struct SaidBack {
    exchange: Exchange,
    /// What says the arguments of the call that is open.
    keys: Option<Keys>,
}

impl SaidBack {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self { exchange: exchange.clone(), keys: None }
    }

    /// Says the events that come next in the client's terms.
    pub(super) fn take(&mut self, events: &mut Vec<Event>) {
        for mut event in mem::take(events) {
            match &mut event {
                Event::Open { block, .. } => {
                    self.keys = None;
                    if let Body::ToolCall(call) = &mut block.body {
                        self.open(call);
                    }
                }
                Event::Delta { delta: Delta::Args(text), .. } => {
                    if let Some(keys) = &mut self.keys {
                        *text = keys.push(text);
                        if text.is_empty() {
                            continue;
                        }
                    }
                }
                Event::Close { index } => {
                    let rest = self.keys.take().map_or(Text::EMPTY, |mut keys| keys.finish());
                    if !rest.is_empty() {
                        events.push(Event::Delta { index: *index, delta: Delta::Args(rest) });
                    }
                }
                _ => {}
            }
            events.push(event);
        }
    }

    fn open(&mut self, call: &mut ToolCall) {
        let Args::Malformed(start) = &mut call.args else {
            self.exchange.say_back(call);
            return;
        };
        // More of it may come.
        let mut start = mem::take(start);
        self.keys = self.exchange.keys_of(&call.name);
        if let Some(keys) = &mut self.keys {
            start = keys.push(&start);
        }
        self.exchange.say_back(call);
        call.args = Args::Malformed(start);
    }
}
