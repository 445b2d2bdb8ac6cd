//! One item of a streamed reply: its pieces as they come, and what they left out when it is done.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Form, Ledger, Place, Thinking, unfold_block,
};
use interlingua_wire::{Json, Node, Text};

use super::super::output::{self, MESSAGE, Seat};
use super::super::parts::{self, Side};
use super::super::{ID, items};
use super::pieces::Piece;
use super::queue::Steps;
use crate::note;

pub(super) struct Item {
    id: Option<Text>,
    index: Option<u64>,
    kind: Text,
    done: bool,
    /// It goes on with an item that was said to be done.
    pub(super) goes_on: bool,
    /// The block that is open.
    open: Option<Open>,
    /// Parts told of a message.
    parts: u64,
    /// What a message says of itself, until its first part carries it; an id, for reasoning.
    head: Option<Json>,
}

/// A block that is being told.
struct Open {
    /// Which part of a message, or of a summary.
    part: u64,
    /// What was told of its text or arguments, as written.
    told: String,
    citations: usize,
    /// Reasoning in full, or a refusal: the other of the two kinds of text an item may hold.
    other: bool,
}

impl Item {
    pub(super) fn new(id: Option<Text>, index: Option<u64>, kind: &str) -> Self {
        let kind = Text::new(if kind.is_empty() { "message" } else { kind });
        let (done, goes_on) = (false, false);
        Self { id, index, kind, done, goes_on, open: None, parts: 0, head: None }
    }

    /// The part of a message that is open.
    pub(super) fn open_part_index(&self) -> Option<u64> {
        self.open.as_ref().filter(|open| self.is_of("message") && !open.other).map(|open| open.part)
    }

    pub(super) fn kind(&self) -> &str {
        self.kind.raw()
    }

    /// The words of the open block so far; the first says whether they are of the other kind.
    pub(super) fn told(&self) -> Option<(bool, &str)> {
        self.open.as_ref().map(|open| (open.other, open.told.as_str()))
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether a piece names this item.
    pub(super) fn is_named_by(&self, piece: &Piece<'_>) -> bool {
        piece.is_of(self.id.as_ref())
    }

    pub(super) fn has_id(&self, id: Option<&Text>) -> bool {
        id.is_some() && self.id.as_ref() == id
    }

    pub(super) fn has_index(&self, index: Option<u64>) -> bool {
        index.is_some() && self.index == index
    }

    pub(super) fn is_of(&self, kind: &str) -> bool {
        self.kind == *kind
    }

    /// The same id; or, where one has none, the same place.
    pub(super) fn is(&self, id: Option<&Text>, index: Option<u64>) -> bool {
        match (id, &self.id) {
            (Some(id), Some(own)) => id == own,
            _ => self.has_index(index),
        }
    }

    /// The item as it begins: for a call all but its arguments is known.
    pub(super) fn added(&mut self, node: Node<'_>, seat: Seat<'_>, steps: &mut Steps) {
        match self.kind.raw() {
            "message" => self.head = output::head(node, seat),
            "reasoning" => {
                let block = Block::new(Body::Thinking(empty_summary()));
                let id = output::settle(block, node, seat).extras.find(ID, "id").cloned();
                self.head = id;
            }
            "function_call" | "custom_tool_call" => {
                let named = node.get("name").is_some() && node.get("call_id").is_some();
                if named {
                    let mut unnoted = Ledger::default();
                    let block = items::decode_item(node, seat.index, &mut unnoted);
                    self.open_call(output::settle(block, node, seat), steps);
                }
            }
            _ => {}
        }
    }

    /// Arguments that stand there before the first piece come again in pieces or at the end.
    fn open_call(&mut self, mut block: Block, steps: &mut Steps) {
        if let Body::ToolCall(call) = &mut block.body {
            call.args = match call.args {
                Args::Freeform(_) => Args::Freeform(Text::EMPTY),
                Args::Json(_) | Args::Malformed(_) => Args::Malformed(Text::EMPTY),
            };
        }
        self.begin(block, 0, false, steps);
    }

    fn begin(&mut self, block: Block, part: u64, other: bool, steps: &mut Steps) {
        self.close(steps);
        steps.push(Event::Open { index: 0, block: Box::new(block) });
        self.open = Some(Open { part, told: String::new(), citations: 0, other });
    }

    fn close(&mut self, steps: &mut Steps) {
        if self.open.take().is_some() {
            steps.push(Event::Close { index: 0 });
        }
    }

    fn tell(&mut self, delta: Delta, steps: &mut Steps) {
        let Some(open) = &mut self.open else { return };
        match &delta {
            Delta::Text(text) | Delta::Args(text) if text.is_empty() => return,
            Delta::Text(text) | Delta::Args(text) => open.told.push_str(text.raw()),
            Delta::Citation(_) => open.citations += 1,
            Delta::Seal(_) => {}
        }
        steps.push(Event::Delta { index: 0, delta });
    }

    /// Takes one piece.
    pub(super) fn piece(&mut self, piece: &Piece<'_>, steps: &mut Steps, ledger: &mut Ledger) {
        let text = || piece.text();
        match &*piece.kind {
            "response.output_text.delta" => {
                self.open_part(piece.part, false, steps, ledger);
                self.tell(Delta::Text(text()), steps);
            }
            "response.refusal.delta" => {
                self.open_part(piece.part, true, steps, ledger);
                self.tell(Delta::Text(text()), steps);
            }
            "response.output_text.done" => {
                self.open_part(piece.part, false, steps, ledger);
                self.tell_rest(&text(), Delta::Text, steps, ledger);
            }
            "response.refusal.done" => {
                self.open_part(piece.part, true, steps, ledger);
                self.tell_rest(&text(), Delta::Text, steps, ledger);
            }
            "response.output_text.annotation.added" => {
                self.open_part(piece.part, false, steps, ledger);
                if let Some(mark) = piece.whole {
                    self.tell(Delta::Citation(Box::new(parts::citation(mark))), steps);
                }
            }
            "response.content_part.done" => {
                if let (Some(node), "message") = (piece.whole, self.kind.raw()) {
                    self.finish_part(piece.part.unwrap_or(self.parts), node, steps, ledger);
                }
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let full = piece.kind == "response.reasoning_text.delta";
                if self.open_thought(full, piece.part.unwrap_or(0), steps, ledger) {
                    self.tell(Delta::Text(text()), steps);
                }
            }
            "response.reasoning_summary_text.done" | "response.reasoning_text.done" => {
                let full = piece.kind == "response.reasoning_text.done";
                let at = piece.part.unwrap_or(0);
                let untold = self.open.as_ref().is_none_or(|open| open.part < at);
                if untold && self.open_thought(full, at, steps, ledger) {
                    self.tell(Delta::Text(text()), steps);
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                // Before its name is known a call cannot begin; the whole item brings everything.
                self.tell(Delta::Args(text()), steps);
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                self.tell_rest(&text(), Delta::Args, steps, ledger);
            }
            // That a part or a summary begins or ends shows in what comes for it.
            _ => {}
        }
    }

    /// Makes sure that this part of a message is open.
    fn open_part(
        &mut self,
        part: Option<u64>,
        refusal: bool,
        steps: &mut Steps,
        ledger: &mut Ledger,
    ) {
        let current = self.open.as_ref().map(|open| (open.part, open.other));
        let part = part.unwrap_or_else(|| current.map_or(self.parts, |(part, _)| part));
        match current {
            Some((open, other)) if open == part && other == refusal => {}
            Some((open, _)) if part < open => {
                let what = "a piece of an earlier part is told in a later one";
                ledger.change(note::STREAM_ORDER, Place::REPLY, what);
            }
            _ => {
                let text = Text::EMPTY;
                let body = if refusal {
                    Body::Refusal(text)
                } else {
                    Body::Text { text, citations: Vec::new() }
                };
                let block = self.with_head(Block::new(body));
                self.begin(block, part, refusal, steps);
                self.parts = part + 1;
            }
        }
    }

    /// The first part of a message carries what the message says of itself.
    fn with_head(&mut self, mut block: Block) -> Block {
        if let Some(head) = self.head.take() {
            block.extras.put(ID, Text::word(MESSAGE), head);
        }
        block
    }

    /// Makes sure that reasoning of this kind is open; false where the other kind is.
    fn open_thought(
        &mut self,
        full: bool,
        part: u64,
        steps: &mut Steps,
        ledger: &mut Ledger,
    ) -> bool {
        if let Some(open) = &mut self.open {
            if open.other != full {
                let what = "reasoning comes both in full and in summary: the first is told";
                ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
                return false;
            }
            let next = part > open.part && !open.told.is_empty();
            open.part = part;
            if next {
                self.tell(Delta::Text(Text::new("\n\n")), steps);
            }
            return true;
        }
        let form = if full { Form::Full } else { Form::Summary };
        let mut block = Block::new(Body::Thinking(Thinking { form, ..empty_summary() }));
        if let Some(id) = self.head.take() {
            block.extras.put(ID, Text::word("id"), id);
        }
        self.begin(block, part, full, steps);
        true
    }

    /// Tells what of a whole text its pieces left out.
    fn tell_rest(
        &mut self,
        whole: &Text,
        delta: fn(Text) -> Delta,
        steps: &mut Steps,
        ledger: &mut Ledger,
    ) {
        let Some(open) = &self.open else { return };
        if let Some(rest) = rest(whole, &open.told) {
            self.tell(delta(rest), steps);
        } else {
            let what = "a text differs at its end from its pieces: the pieces count";
            ledger.change(note::STREAM_ORDER, Place::REPLY, what);
        }
    }

    /// A part of a message as a whole.
    fn finish_part(&mut self, part: u64, node: Node<'_>, steps: &mut Steps, ledger: &mut Ledger) {
        let mut unnoted = Ledger::default();
        let block = parts::decode_part(node, Place::REPLY, Side::Either, &mut unnoted);
        let is_open = self.open.as_ref().is_some_and(|open| open.part == part);
        if part < self.parts && !is_open {
            return;
        }
        match &block.body {
            Body::Text { text, citations } if is_open => {
                self.tell_rest(text, Delta::Text, steps, ledger);
                let told = self.open.as_ref().map_or(0, |open| open.citations);
                for citation in citations.iter().skip(told) {
                    self.tell(Delta::Citation(Box::new(citation.clone())), steps);
                }
            }
            Body::Refusal(text) if is_open => self.tell_rest(text, Delta::Text, steps, ledger),
            _ if is_open => {
                let what = "a part is of another kind at its end than at its beginning";
                ledger.change(note::STREAM_ORDER, Place::REPLY, what);
            }
            Body::Text { .. }
            | Body::Refusal(_)
            | Body::Thinking(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {
                self.close(steps);
                let block = self.with_head(block);
                unfold_block(0, &block, steps);
                self.parts = part + 1;
            }
        }
        self.close(steps);
    }

    /// The item is done. `whole` is the item as the provider says it at the end.
    pub(super) fn finish(
        &mut self,
        whole: Option<Node<'_>>,
        seat: Seat<'_>,
        steps: &mut Steps,
        ledger: &mut Ledger,
    ) {
        self.done = true;
        let Some(node) = whole else {
            self.close(steps);
            return;
        };
        if items::is_message(node) {
            if self.parts == 0 {
                self.head = output::head(node, seat);
            }
            let content = node.get("content").into_iter().flat_map(Node::items);
            for (part, node) in content.enumerate().filter(|(_, node)| node.is_object()) {
                self.finish_part(part as u64, node, steps, ledger);
            }
            self.close(steps);
            return;
        }
        let block = output::settle(items::decode_item(node, seat.index, ledger), node, seat);
        if self.open.is_none() {
            unfold_block(0, &block, steps);
            return;
        }
        match &block.body {
            Body::Thinking(thinking) => {
                let full = self.open.as_ref().is_some_and(|open| open.other);
                let summary = || node.get("summary").map(items::joined).unwrap_or_default();
                let text = if full { thinking.text.clone() } else { summary() };
                self.tell_rest(&text, Delta::Text, steps, ledger);
                if let Some(seal) = block.seal {
                    self.tell(Delta::Seal(seal), steps);
                }
            }
            Body::ToolCall(call) => {
                let said = node.get("arguments").or_else(|| node.get("input"));
                let text = said.and_then(Node::text).unwrap_or_else(|| call.args.to_text());
                self.tell_rest(&text, Delta::Args, steps, ledger);
            }
            Body::Text { .. }
            | Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {}
        }
        self.close(steps);
    }
}

/// What follows `told` in a text; `None` where the text does not begin with it. The two may be
/// spelled apart.
fn rest(whole: &Text, told: &str) -> Option<Text> {
    if let Some(rest) = whole.strip_prefix(told) {
        return Some(rest);
    }
    let told = Json::parse(format!("\"{told}\"")).ok()?.text()?;
    whole.contents().strip_prefix(&*told.contents()).map(Text::new)
}

fn empty_summary() -> Thinking {
    Thinking { text: Text::EMPTY, form: Form::Summary }
}
