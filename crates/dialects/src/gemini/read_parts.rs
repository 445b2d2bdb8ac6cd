//! The parts of a stream's chunks as blocks that open, grow and close.

use interlingua_model::{Args, Block, Body, Delta, Event, Extras, Ledger, Place, ToolCall};
use interlingua_wire::{Node, Pieces, Text};

use super::pairing::{NO_ID, Pairing};
use super::part;
use super::partial::Tree;
use super::{ID, names, reply};

pub(super) struct Parts {
    freeform: Vec<Text>,
    pairing: Pairing,
    open: Option<Open>,
    partial: Option<Partial>,
    /// The index of the next block.
    next: u32,
    has_calls: bool,
}

/// A text or thought that may go on.
struct Open {
    thought: bool,
    said: Pieces,
}

/// A call whose arguments come in pieces.
struct Partial {
    block: Block,
    args: Tree,
}

/// Where a part stands in its chunk.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) first: bool,
    /// The only part of the chunk that ends the reply.
    pub(super) last_word: bool,
}

impl Parts {
    pub(super) fn new(freeform: Vec<Text>) -> Self {
        Self {
            freeform,
            pairing: Pairing::default(),
            open: None,
            partial: None,
            next: 0,
            has_calls: false,
        }
    }

    /// The reply has this id, on which new ids depend.
    pub(super) fn start(&mut self, id: Option<Text>) {
        self.pairing = Pairing::of_reply(id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next == 0
    }

    pub(super) fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// Whether a call comes in pieces and has not come to its end.
    pub(super) fn goes_on(&self) -> bool {
        self.partial.is_some()
    }

    /// The text that is still open, with its index.
    pub(super) fn open_text(&self) -> Option<(u32, Text)> {
        let open = self.open.as_ref().filter(|open| !open.thought)?;
        Some((self.next - 1, open.said.text()))
    }

    pub(super) fn read(
        &mut self,
        part: Node<'_>,
        standing: Standing,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        if self.partial_call(part, events, ledger) {
            return;
        }
        let place = Place::reply(self.next as usize);
        let mut block = part::decode_block(part, &mut self.pairing, place, ledger);
        if reply::is_wrapped_freeform(&block, &self.freeform) {
            reply::unwrap_freeform(&mut block);
        }
        match &block.body {
            Body::Text { .. } | Body::Thinking(_) => self.text(block, standing, events),
            Body::ToolCall(_) => self.call(block, events),
            Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {
                self.close(events);
                self.open_block(block, events);
                self.close_block(events);
            }
        }
    }

    fn text(&mut self, mut block: Block, standing: Standing, events: &mut Vec<Event>) {
        let (text, thought) = match &mut block.body {
            Body::Text { text, .. } => (std::mem::take(text), false),
            Body::Thinking(thinking) => (std::mem::take(&mut thinking.text), true),
            _ => return,
        };
        let plain = block.seal.is_none() && block.extras.is_empty();
        // An empty part at the beginning or the end of a chunk says nothing about what goes on.
        let goes_by = standing.last_word && self.next > 0 || standing.first && self.open.is_some();
        if plain && text.is_empty() && goes_by {
            return;
        }
        let goes_on = self.open.as_ref().is_some_and(|open| open.thought == thought);
        if !(plain && standing.first && goes_on) {
            self.close(events);
            // A thought's signature comes at its end, as it does elsewhere.
            let seal = if thought { block.seal.take() } else { None };
            self.open_block(block, events);
            self.push_text(text.clone(), events);
            if let Some(seal) = seal {
                events.push(Event::Delta { index: self.next - 1, delta: Delta::Seal(seal) });
            }
            if plain {
                let mut said = Pieces::default();
                said.push(&text);
                self.open = Some(Open { thought, said });
            } else {
                self.close_block(events);
            }
            return;
        }
        if let Some(open) = &mut self.open {
            open.said.push(&text);
        }
        self.push_text(text, events);
    }

    fn push_text(&self, text: Text, events: &mut Vec<Event>) {
        if !text.is_empty() {
            let delta = Delta::Text(text);
            events.push(Event::Delta { index: self.next - 1, delta });
        }
    }

    fn call(&mut self, mut block: Block, events: &mut Vec<Event>) {
        self.close(events);
        self.has_calls = true;
        let Body::ToolCall(call) = &mut block.body else { return };
        let args = call.args.to_text();
        call.args = match &call.args {
            Args::Freeform(_) => Args::Freeform(Text::EMPTY),
            Args::Json(_) | Args::Malformed(_) => Args::Malformed(Text::EMPTY),
        };
        self.open_block(block, events);
        if !args.is_empty() {
            events.push(Event::Delta { index: self.next - 1, delta: Delta::Args(args) });
        }
        self.close_block(events);
    }

    /// Takes a piece of a call's arguments; whether the part was one.
    fn partial_call(
        &mut self,
        part: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) -> bool {
        let call = names::get(part, "functionCall").filter(|call| call.is_object());
        let Some(call) = call else { return false };
        let pieces = names::get(call, "partialArgs");
        let named = names::get(call, "name").is_some();
        let goes_on = names::get(call, "willContinue").and_then(Node::boolean) == Some(true);
        if named && pieces.is_none() && !goes_on || !named && self.partial.is_none() {
            return false;
        }
        if named {
            self.close(events);
            let place = Place::reply(self.next as usize);
            let block = part::decode_block(part, &mut self.pairing, place, ledger);
            let mut extras = Extras::default();
            if let Some(id) = block.extras.find(ID, "written id") {
                extras.put(ID, NO_ID, id.clone());
            }
            let block = Block { extras, ..block };
            self.partial = Some(Partial { block, args: Tree::default() });
        }
        if let Some(partial) = &mut self.partial {
            for piece in pieces.into_iter().flat_map(Node::items) {
                partial.args.take(piece);
            }
            if let Some(args) = names::get(call, "args").filter(|args| !args.is_empty()) {
                partial.args.replace(args.json());
            }
        }
        if !goes_on {
            self.close(events);
        }
        true
    }

    fn open_block(&mut self, block: Block, events: &mut Vec<Event>) {
        events.push(Event::Open { index: self.next, block: Box::new(block) });
        self.next += 1;
    }

    fn close_block(&self, events: &mut Vec<Event>) {
        events.push(Event::Close { index: self.next - 1 });
    }

    /// Ends whatever is still going on.
    pub(super) fn close(&mut self, events: &mut Vec<Event>) {
        if self.open.take().is_some() {
            self.close_block(events);
        }
        if let Some(Partial { mut block, args }) = self.partial.take() {
            if let Body::ToolCall(ToolCall { args: written, .. }) = &mut block.body {
                *written = Args::Json(args.json());
            }
            if reply::is_wrapped_freeform(&block, &self.freeform) {
                reply::unwrap_freeform(&mut block);
            }
            self.call(block, events);
        }
    }
}
