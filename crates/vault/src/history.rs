//! A history as a chain of numbers: each stands for everything that was said so far, so that a
//! conversation is known again when it comes back, and where it has another beginning.
//!
//! Only what clients replay counts: words, the ids of calls, which results there are. Thoughts, marks of caches,
//! instructions and what results say do not: clients lose, move, rewrite and shorten them.

use std::ops::Range;

use interlingua_model::{Block, Body, Conversation, Reply, Role, Turn, Verbatim};

use crate::said::hear_words;
use crate::stable::Stable;

/// What was said in a request.
#[derive(Clone, Debug)]
pub struct History {
    /// What models said, each time until somebody else spoke.
    pub spans: Vec<Span>,
    /// Everything, up to what is asked now.
    asked: Stable,
    /// What was said last by who is no model, and how long it is.
    question: (u64, usize),
}

/// What a model said at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub turns: Range<usize>,
    pub link: Link,
}

/// What a model said at a time, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Everything before it.
    pub before: u64,
    /// The same, with it.
    pub after: u64,
    /// It alone, or with what it answers where it is short: the same wherever a history begins.
    pub near: u64,
    /// That is enough to know it by: it is said nowhere else.
    pub sure: bool,
}

impl History {
    pub fn of(conversation: &Conversation) -> Self {
        let mut history = Self { spans: Vec::new(), asked: Stable::default(), question: (0, 0) };
        let turns = &conversation.turns;
        let mut at = 0;
        while at < turns.len() {
            let of_model = turns[at].role == Role::Assistant;
            let same = |turn: &&Verbatim<Turn>| (turn.role == Role::Assistant) == of_model;
            let end = at + turns[at..].iter().take_while(same).count();
            history.hear(at..end, &turns[at..end], of_model);
            at = end;
        }
        history
    }

    fn hear(&mut self, range: Range<usize>, turns: &[Verbatim<Turn>], of_model: bool) {
        if of_model {
            let (link, asked) = self.link(turns.iter().map(|turn| &**turn));
            self.spans.push(Span { turns: range, link });
            self.asked = asked;
            return;
        }
        let (mut said, mut long) = (Stable::default(), 0);
        // Instructions change from day to day.
        let spoken = turns.iter().filter(|turn| matches!(turn.role, Role::User));
        for turn in spoken {
            for block in &turn.blocks {
                if let Body::ToolResult(result) = &block.body {
                    said.add(result.call.contents().as_bytes());
                }
                hear_words([block], &mut said);
                long += length(block);
            }
        }
        self.question = (said.value(), long);
        self.asked.add(&said.value().to_le_bytes());
    }

    /// Everything up to what is asked.
    pub fn asked(&self) -> u64 {
        self.asked.value()
    }

    /// The reply to what is asked.
    pub fn answer(&self, reply: &Reply) -> Link {
        self.link(std::iter::once(&reply.turn)).0
    }

    fn link<'t>(&self, turns: impl Iterator<Item = &'t Turn> + Clone) -> (Link, Stable) {
        let (mut near, mut calls, mut long) = (Stable::default(), false, 0);
        for turn in turns.clone() {
            for block in &turn.blocks {
                long += length(block);
                if let Body::ToolCall(call) = &block.body {
                    near.add(call.id.contents().as_bytes());
                    calls = true;
                }
            }
        }
        let mut said = near;
        for turn in turns {
            hear_words(&turn.blocks, &mut said);
        }
        if !calls {
            near = said;
            if long < LONG {
                near.add(&self.question.0.to_le_bytes());
                long += self.question.1;
            }
        }
        let mut after = self.asked;
        after.add(&said.value().to_le_bytes());
        let (before, near) = (self.asked.value(), near.value());
        (Link { before, after: after.value(), near, sure: calls || long >= LONG }, after)
    }
}

/// Bytes of words, about.
fn length(block: &Block) -> usize {
    match &block.body {
        Body::Text { text, .. } | Body::Refusal(text) => text.raw().len(),
        _ => 0,
    }
}

/// So much is said once.
const LONG: usize = 80;
