//! What one delta adds.

use interlingua_model::{Block, Body, Delta, Ledger, Place};
use interlingua_wire::{Kind, Node, Text};

use super::anew::Read;
use super::queue::{Call, CallKind, What};
use super::{Once, Reader};
use crate::note;
use crate::openai_chat::calls::{self, Nameless};
use crate::openai_chat::{annotations, parts, reasoning as entries};

impl Reader {
    pub(super) fn delta(&mut self, delta: Node<'_>, ledger: &mut Ledger) {
        let [details, reasoning_content, reasoning, content, refusal, tool_calls, function_call] =
            delta.pick([
                "reasoning_details",
                "reasoning_content",
                "reasoning",
                "content",
                "refusal",
                "tool_calls",
                "function_call",
            ]);
        let [blocks, annotations, images, audio, extra, reasoning_text, opaque] = delta.pick([
            "thinking_blocks",
            "annotations",
            "images",
            "audio",
            "extra_content",
            "reasoning_text",
            "reasoning_opaque",
        ]);
        let plain = [reasoning_content, reasoning, reasoning_text];
        let is_list = |node: &Node<'_>| node.is_array() && !node.is_empty();
        match details.filter(is_list).or(blocks.filter(is_list)) {
            Some(list) => {
                // The plain text beside the entries says the same, if they show any.
                if !list.items().any(entries::is_shown) {
                    self.plain_reasoning(plain);
                }
                self.entries(list);
            }
            None => self.plain_reasoning(plain),
        }
        if opaque.is_some_and(Node::is_string) && !self.passed.on {
            self.note_opaque(ledger);
        }
        if let Some(content) = content {
            self.content(content, ledger);
        }
        if let Some(text) = refusal.and_then(Node::text) {
            let refusal = || Block::new(Body::Refusal(Text::EMPTY));
            if !text.is_empty() {
                self.queue.add(What::Refusal, Delta::Text(text), refusal);
            }
        }
        if let Some(list) = tool_calls {
            self.tool_calls(list, ledger);
        }
        if let Some(legacy) = function_call.filter(|call| call.is_object()) {
            self.function_call(legacy, ledger);
        }
        self.annotations(annotations, ledger);
        for image in images.into_iter().flat_map(Node::items) {
            let block = parts::part(image, Place::REPLY, ledger).into_value();
            self.queue.begin(What::Whole, block);
        }
        if let Some(seal) = extra.and_then(|_| calls::signature(delta)) {
            let seal = Delta::Seal(Box::new(seal));
            self.queue.add(What::Text, seal, || Block::text(Text::EMPTY));
        }
        // The words of streamed sound; the sound itself has no place among blocks.
        let transcript = audio.and_then(|audio| audio.get("transcript")?.text());
        if let Some(text) = transcript.filter(|text| !text.is_empty()) {
            self.said(&text);
        }
    }

    /// The first of the plain fields that says something.
    fn plain_reasoning(&mut self, fields: [Option<Node<'_>>; 3]) {
        let mut texts = fields.into_iter().flatten().filter_map(Node::text);
        let text = texts.find(|text| !text.is_empty());
        if let Some(text) = text {
            self.queue.add(What::Thought, Delta::Text(text), super::thinking::plain);
        }
    }

    fn note_opaque(&mut self, ledger: &mut Ledger) {
        if self.noted.first(Once::Opaque) {
            ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, "left out `reasoning_opaque`");
        }
    }

    fn content(&mut self, content: Node<'_>, ledger: &mut Ledger) {
        match content.kind() {
            Kind::Null => {}
            Kind::String => {
                if let Some(text) = content.text().filter(|text| !text.is_empty()) {
                    self.said(&text);
                }
            }
            Kind::Array => content.items().for_each(|part| self.part(part, ledger)),
            Kind::Object => self.part(content, ledger),
            Kind::Bool | Kind::Number => self.said(&Text::new(content.raw())),
        }
    }

    /// A part of a content that is a list.
    fn part(&mut self, node: Node<'_>, ledger: &mut Ledger) {
        if let Some(text) = node.text() {
            return self.said(&text);
        }
        let block = parts::part(node, Place::REPLY, ledger).into_value();
        match &block.body {
            Body::Text { text, .. } if !text.is_empty() => self.said(text),
            Body::Text { .. } => {}
            Body::Thinking(thinking) => {
                let text = Delta::Text(thinking.text.clone());
                self.queue.add(What::Thought, text, super::thinking::plain);
                if let (Some(seal), Some(last)) = (block.seal.clone(), self.queue.last()) {
                    last.push(Delta::Seal(seal));
                }
            }
            Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {
                self.queue.begin(What::Whole, block);
            }
        }
    }

    fn annotations(&mut self, list: Option<Node<'_>>, ledger: &mut Ledger) {
        for node in list.into_iter().flat_map(Node::items) {
            if let Some(text) = self.queue.find(What::Text) {
                text.push(Delta::Citation(Box::new(annotations::citation(node))));
            } else {
                let what = "an annotation comes without its text";
                ledger.loss(note::CITATION_REDUCED, Place::REPLY, what);
            }
        }
    }

    pub(super) fn tool_calls(&mut self, list: Node<'_>, ledger: &mut Ledger) {
        let one = Some(list).filter(|list| list.is_object());
        if one.is_some() {
            self.passed.chunk.odd = true;
            if self.noted.first(Once::Calls) {
                let what = "tool calls that are no list are read as one call";
                parts::odd(ledger, Place::REPLY, what);
            }
        }
        let several = list.is_array() && list.len() > 1;
        for (position, node) in list.items().chain(one).enumerate() {
            let [index, id, custom, function] = node.pick(["index", "id", "custom", "function"]);
            let said = index.and_then(Node::count);
            let id = id.and_then(Node::text).unwrap_or_default();
            let custom = custom.filter(|custom| custom.is_object());
            let payload = custom.or(function).unwrap_or(node);
            let name = payload.get("name").and_then(Node::text).unwrap_or_default();
            // Without index and id, several in one list are told apart by their place in it.
            let by_place = said.is_none() && id.is_empty() && several;
            let index = said.or(by_place.then_some(position as u64));
            let piece = payload.get(if custom.is_some() { "input" } else { "arguments" });
            let piece = piece.filter(|piece| !piece.is_null());
            let found = self.which(index, &id, &name, piece);
            let at = found.unwrap_or_else(|| {
                let kind = if custom.is_some() { CallKind::Freeform } else { CallKind::Function };
                self.queue.begin_call(Call { index, kind, ..Call::default() })
            });
            let news = self.passed.on.then(|| self.news(at, found.is_none(), &id, &name));
            self.fill(at, &id, &name, ledger);
            let fresh = match piece {
                Some(piece) if piece.is_object() => {
                    self.queue.call_object(at, piece.json(), ledger);
                    None
                }
                Some(piece) => self.queue.call_args(at, &parts::text_of(piece), ledger),
                None => None,
            };
            if let Some([new_id, new_name]) = news {
                self.passed.entry(Read {
                    at,
                    begins: found.is_none(),
                    custom: custom.is_some(),
                    index: said,
                    id: &id,
                    name: &name,
                    piece,
                    new_id,
                    new_name,
                    fresh,
                    nested: custom.or(function).is_some_and(Node::is_object),
                });
            }
            if let Some(seal) = calls::signature(node)
                && let Some(building) = self.queue.find(What::Call(at))
            {
                building.push(Delta::Seal(Box::new(seal)));
            }
        }
    }

    /// What of id and name clients do not have yet. A call that has no id gets one.
    fn news(&mut self, at: usize, begins: bool, id: &Text, name: &Text) -> [Option<Text>; 2] {
        let reply = self.queue.reply.as_ref();
        let Some(call) = self.queue.calls.get_mut(at) else { return [None, None] };
        let is_new = !name.is_empty() && (begins || !call.opened && call.name != *name);
        let new_name = is_new.then(|| name.clone());
        if begins && id.is_empty() && is_new {
            call.id = Nameless { reply, number: at }.id(name);
            return [Some(call.id.clone()), new_name];
        }
        let new_id = (!id.is_empty() && call.id.is_empty()).then(|| id.clone());
        [new_id, new_name]
    }

    /// A call as it was said before there could be several.
    fn function_call(&mut self, call: Node<'_>, ledger: &mut Ledger) {
        let name = call.get("name").and_then(Node::text).unwrap_or_default();
        let current = self.queue.calls.len().checked_sub(1);
        let at = current.unwrap_or_else(|| self.queue.begin_call(Call::default()));
        self.fill(at, &Text::EMPTY, &name, ledger);
        if let Some(piece) = call.get("arguments").filter(|piece| !piece.is_null()) {
            self.queue.call_args(at, &parts::text_of(piece), ledger);
        }
    }

    /// The call an entry goes on with; `None` begins one.
    fn which(
        &self,
        index: Option<u64>,
        id: &Text,
        name: &Text,
        piece: Option<Node<'_>>,
    ) -> Option<usize> {
        let calls = &self.queue.calls;
        let named = !name.is_empty();
        let by_id = || calls.iter().rposition(|call| call.id == *id);
        let is_done = |at: usize| calls.get(at).is_some_and(Call::is_done);
        if index.is_some() {
            let Some(at) = calls.iter().rposition(|call| call.index == index) else {
                // The number moves on within a call.
                return by_id().filter(|at| !id.is_empty() && !named && !is_done(*at));
            };
            let call = calls.get(at)?;
            if id.is_empty() || call.id.is_empty() {
                let anew = named && is_done(at) && begins_anew(call, name, piece);
                return (!anew).then_some(at);
            }
            // The numbering begins again for each call; or the id changes from piece to piece.
            return if call.id != *id && (named || is_done(at)) { by_id() } else { Some(at) };
        }
        if !id.is_empty() {
            return by_id();
        }
        let last = calls.len().checked_sub(1)?;
        let begun = calls.get(last).is_some_and(Call::has_arguments);
        (!(named && begun)).then_some(last)
    }

    /// Id and name, each of which may come late, again, or in pieces.
    fn fill(&mut self, at: usize, id: &Text, name: &Text, ledger: &mut Ledger) {
        self.queue.name_call(at, name, ledger);
        if let Some(call) = self.queue.calls.get_mut(at) {
            if call.id.is_empty() && !id.is_empty() {
                call.id = id.clone();
            }
            if call.kind == CallKind::Function && self.freeform.contains(&call.name) {
                call.kind = CallKind::Wrapped;
            }
        }
    }
}

/// Whether an entry with a name is another call than the complete one it is numbered like.
fn begins_anew(call: &Call, name: &Text, piece: Option<Node<'_>>) -> bool {
    let Some(piece) = piece else { return call.name != *name };
    let text = parts::text_of(piece);
    let starts = text.raw().starts_with(['{', '[']);
    call.name != *name || call.object.is_some() || (starts && call.args.whole() != text)
}
