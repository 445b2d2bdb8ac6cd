//! The steps of blocks, one block at a time.

use std::borrow::Cow;

use bytestring::ByteString;
use interlingua_model::{Args, Block, Body, Delta, Event, Form, Ledger, Place, Thinking};
use interlingua_wire::{Doc, Limits, Node, Text};

use super::held::{Held, Open};
use super::{Reader, misplaced};
use crate::anthropic::decode;

/// A step of a block.
pub(super) struct Step<'d> {
    pub(super) kind: &'d str,
    pub(super) root: Node<'d>,
    /// The index on the wire.
    pub(super) index: Option<u64>,
    pub(super) block: Option<Node<'d>>,
    /// The piece, and its kind.
    pub(super) delta: Option<Node<'d>>,
    pub(super) word: Cow<'d, str>,
}

impl<'d> Step<'d> {
    pub(super) fn of(kind: &'d str, root: Node<'d>) -> Self {
        let [index, delta, block] = root.pick(["index", "delta", "content_block"]);
        let word = delta.and_then(|delta| delta.get("type")).map(Node::word).unwrap_or_default();
        Self { kind, root, index: index.and_then(Node::count), block, delta, word }
    }
}

impl Reader {
    pub(super) fn block_step(
        &mut self,
        step: &Step<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        self.begin(events, ledger);
        let open = self.open.as_ref().map(|open| open.wire);
        let wire = step.index.unwrap_or_else(|| open.unwrap_or(u64::from(self.count)));
        let begins = step.kind == "content_block_start";
        if self.waiting.is_empty() && begins && open == Some(wire) {
            misplaced(ledger, "a block had no end");
            self.close_block(true, events);
        }
        let open_elsewhere = self.open.as_ref().is_some_and(|open| open.wire != wire);
        let reopened = begins && self.open.is_some();
        if open_elsewhere || reopened || self.waiting.iter().any(|(at, _)| *at == wire) {
            if self.waiting.is_empty() {
                misplaced(ledger, "a block began before the one before it ended");
            }
            self.waiting.push((wire, ByteString::from(step.root.raw())));
            return;
        }
        match step.kind {
            "content_block_start" => match step.block {
                Some(block) => self.open_block(wire, block, events, ledger),
                None => misplaced(ledger, "a block began without itself"),
            },
            "content_block_delta" => match step.delta {
                Some(delta) => self.delta(wire, &step.word, delta, events, ledger),
                None => misplaced(ledger, "a piece came empty"),
            },
            _ if self.open.is_some() => self.close_block(true, events),
            _ => misplaced(ledger, "a block ended that had not begun"),
        }
    }

    /// Takes the steps that waited for the open block to be closed.
    pub(super) fn catch_up(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        while self.open.is_none() && !self.waiting.is_empty() {
            for (_, data) in std::mem::take(&mut self.waiting) {
                if let Ok(doc) = Doc::parse(data, Limits::default()) {
                    let kind = doc.root().get("type").map(Node::word).unwrap_or_default();
                    self.block_step(&Step::of(&kind, doc.root()), events, ledger);
                }
            }
        }
    }

    /// Closes whatever is open or waits.
    pub(super) fn settle(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        while self.open.is_some() || !self.waiting.is_empty() {
            if self.open.is_some() {
                misplaced(ledger, "a block had no end");
                self.close_block(true, events);
            }
            self.catch_up(events, ledger);
        }
    }

    pub(super) fn open_block(
        &mut self,
        wire: u64,
        node: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let index = self.count;
        self.count += 1;
        let place = Place::reply(index as usize);
        let mut block = decode::block(node, place, ledger).into_value();
        let held = match &mut block.body {
            Body::Text { .. } => Held::Text,
            Body::Thinking(thinking) => Held::of_thinking(thinking),
            Body::ToolCall(call) => {
                self.has_calls = true;
                let takes_text = self.freeform.contains(&call.name);
                let empty = if takes_text {
                    Args::Freeform(Text::EMPTY)
                } else {
                    Args::Malformed(Text::EMPTY)
                };
                Held::of_call(std::mem::replace(&mut call.args, empty), takes_text)
            }
            Body::Foreign { .. } => Held::foreign(block.clone()),
            Body::Refusal(_) | Body::Media(_) | Body::Data(_) | Body::ToolResult(_) => Held::Whole,
        };
        if !matches!(held, Held::Foreign { .. }) {
            events.push(Event::Open { index, block: Box::new(block) });
        }
        self.open = Some(Open { wire, index, held });
    }

    fn delta(
        &mut self,
        wire: u64,
        kind: &str,
        delta: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        if self.open.as_ref().is_some_and(|open| open.held.is_apart(kind, delta)) {
            if self.beside.is_empty() {
                misplaced(ledger, &format!("a `{kind}` in a block of another kind"));
            }
            if self.open.as_ref().is_some_and(|open| open.held.is_call()) {
                return self.keep_beside(kind, delta);
            }
            self.close_block(true, events);
            self.open_words(wire, kind, events, ledger);
        } else if self.open.is_none() {
            misplaced(ledger, &format!("a `{kind}` before its block began"));
            self.open_words(wire, kind, events, ledger);
        }
        if let Some(open) = &mut self.open {
            open.take(kind, delta, events, ledger);
        }
    }

    /// Opens the block that such a piece belongs to, if that can be known.
    fn open_words(&mut self, wire: u64, kind: &str, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let start = match kind {
            "text_delta" => r#"{"type":"text","text":""}"#,
            "thinking_delta" | "signature_delta" => r#"{"type":"thinking","thinking":""}"#,
            _ => return,
        };
        if let Ok(doc) = Doc::parse(ByteString::from_static(start), Limits::default()) {
            self.open_block(wire, doc.root(), events, ledger);
        }
    }

    /// Words among the arguments of a call wait until it is closed.
    fn keep_beside(&mut self, kind: &str, delta: Node<'_>) {
        let thought = kind == "thinking_delta";
        let words = delta.get(if thought { "thinking" } else { "text" }).and_then(Node::text);
        match self.beside.last_mut().filter(|(last, _)| *last == thought) {
            Some((_, pieces)) => pieces.extend(words),
            None => self.beside.push((thought, words.into_iter().collect())),
        }
    }

    pub(super) fn close_block(&mut self, is_complete: bool, events: &mut Vec<Event>) {
        if let Some(open) = self.open.take() {
            open.close(is_complete, events);
        }
        for (thought, words) in std::mem::take(&mut self.beside) {
            let (index, text) = (self.count, Text::EMPTY);
            self.count += 1;
            let block = if thought {
                Block::new(Body::Thinking(Thinking { text, form: Form::Full }))
            } else {
                Block::text(text)
            };
            events.push(Event::Open { index, block: Box::new(block) });
            events.extend(
                words.into_iter().map(Delta::Text).map(|delta| Event::Delta { index, delta }),
            );
            events.push(Event::Close { index });
        }
    }
}
