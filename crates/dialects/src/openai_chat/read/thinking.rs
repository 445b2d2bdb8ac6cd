//! Entries of `reasoning_details` in a stream: text, then perhaps its seal, by index.

use interlingua_model::{Block, Body, Delta, Form as Shown, Seal, Thinking};
use interlingua_wire::{Node, Text};

use super::Reader;
use super::queue::{Form, What};
use crate::openai_chat::reasoning::{self, GOOGLE};

/// Reasoning that has just begun.
pub(super) fn plain() -> Block {
    Block::new(Body::Thinking(Thinking { text: Text::EMPTY, form: Shown::Full }))
}

impl Reader {
    pub(super) fn entries(&mut self, list: Node<'_>) {
        for (position, node) in list.items().enumerate() {
            let index = node.get("index").and_then(Node::count).unwrap_or(position as u64);
            let block = reasoning::entry(node).into_value();
            let Body::Thinking(thinking) = &block.body else {
                self.queue.begin(What::Entry(Form::Closed, index), block);
                continue;
            };
            let seal = block.seal.as_deref().cloned();
            match (thinking.form, seal) {
                (Shown::Full, seal) => self.piece(Form::Text, index, node, &block, seal),
                (Shown::Summary, seal) => self.piece(Form::Summary, index, node, &block, seal),
                (Shown::Redacted, Some(seal)) => self.encrypted(index, block, seal),
                (Shown::Redacted, None) => {}
            }
        }
    }

    /// More of a text or a summary, and its seal when that comes.
    fn piece(&mut self, form: Form, index: u64, node: Node<'_>, block: &Block, seal: Option<Seal>) {
        let Body::Thinking(thinking) = &block.body else { return };
        let seal = seal.map(|seal| Delta::Seal(Box::new(seal)));
        let what = What::Entry(form, index);
        // An entry after plain reasoning, with all of its text again, is that reasoning.
        if form == Form::Text
            && let Some(last) = self.queue.last().filter(|last| last.is_thought(&thinking.text))
        {
            last.what = what;
            last.id = node.get("id").and_then(Node::text);
            return seal.into_iter().for_each(|seal| last.push(seal));
        }
        let building = match self.queue.find(what).filter(|found| !found.sealed) {
            Some(found) => found,
            None if thinking.text.is_empty() && seal.is_none() && node.get("id").is_none() => {
                return;
            }
            None => {
                let text = Text::EMPTY;
                let body = Body::Thinking(Thinking { text, form: thinking.form });
                self.queue.begin(what, Block { body, seal: None, ..block.clone() })
            }
        };
        building.id = node.get("id").and_then(Node::text).or(building.id.take());
        building.push(Delta::Text(thinking.text.clone()));
        if let Some(seal) = seal {
            building.push(seal);
        }
    }

    /// A seal without a text: of a call, of what is shown before it, or of reasoning nobody sees.
    fn encrypted(&mut self, index: u64, block: Block, seal: Seal) {
        if let Some(id) = seal.id.clone().filter(|_| seal.origin.issuer == GOOGLE) {
            return self.queue.seal_call(&id, Seal { id: None, ..seal });
        }
        let last = self.queue.last().filter(|last| {
            let shown = matches!(last.what, What::Entry(Form::Text | Form::Summary, _));
            shown && !last.sealed && reasoning::belongs(last.id.as_ref(), &seal)
        });
        match last {
            Some(shown) => shown.push(Delta::Seal(Box::new(seal))),
            None => {
                self.queue.begin(What::Entry(Form::Closed, index), block);
            }
        }
    }
}
