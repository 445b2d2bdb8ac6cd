//! Generates a well-formed conversation: user prompts, tool steps and answers.

use super::draft::{Block, ConversationDraft, DraftContent, Role, Tool, Turn};
use super::generator::Generator;

impl Generator {
    pub(super) fn well_formed(&mut self) -> ConversationDraft {
        let mut draft = ConversationDraft::default();
        for _ in 0..self.rng.below(3) {
            let block = self.text_block();
            draft.system.push(block);
        }
        let rounds = self.rng.pick(&[1, 1, 1, 2, 2, 3]);
        let thinks = self.thinks || self.roll_odd();
        for round in 0..rounds {
            self.push_round(&mut draft, thinks, round + 1 == rounds);
        }
        draft.tools = self.tools_for(&draft);
        draft
    }

    fn push_round(&mut self, draft: &mut ConversationDraft, thinks: bool, last: bool) {
        let user = self.user_turn();
        draft.turns.push(user);
        let steps = self.rng.pick(&[0, 0, 1, 1, 2]);
        for _ in 0..steps {
            let (assistant, results) = self.tool_step(thinks);
            draft.turns.push(assistant);
            draft.turns.push(results);
        }
        // The request ends here: after the user's prompt, or after results.
        if last && !self.roll_odd() {
            return;
        }
        let mut blocks = Vec::new();
        if thinks && self.rng.one_in(2) {
            blocks.push(self.thinking_block());
        }
        blocks.push(self.text_block());
        draft.turns.push(Turn::new(Role::Assistant, blocks));
    }

    fn user_turn(&mut self) -> Turn {
        let mut blocks = vec![self.text_block()];
        if self.rng.one_in(6) {
            let media = self.media();
            blocks.push(Block::new(DraftContent::Media(media)));
        }
        if self.rng.one_in(6) {
            blocks.push(self.text_block());
        }
        Turn::new(Role::User, blocks)
    }

    fn tool_step(&mut self, thinks: bool) -> (Turn, Turn) {
        let mut blocks = Vec::new();
        if thinks && !self.roll_odd() {
            blocks.push(self.thinking_block());
        }
        if self.rng.one_in(2) {
            blocks.push(self.text_block());
        }
        let mut results = Vec::new();
        for _ in 0..self.rng.pick(&[1, 1, 1, 2, 3]) {
            let (id, name) = (self.call_id(), self.tool_name());
            let args = self.args();
            let call = DraftContent::Call { id: id.clone(), name: name.clone(), args };
            blocks.push(Block { content: call, cache: None });
            results.push(self.result_block(Some(id), name));
        }
        (Turn::new(Role::Assistant, blocks), Turn::new(Role::User, results))
    }

    pub(super) fn result_block(&mut self, id: Option<String>, name: String) -> Block {
        let mut content = vec![self.text_block()];
        match self.rng.below(10) {
            0 => content.push(self.text_block()),
            1 => {
                let media = self.media();
                content.push(Block::new(DraftContent::Media(media)));
            }
            _ => {}
        }
        if self.roll_odd() {
            content = match self.rng.below(4) {
                0 => Vec::new(),
                1 => vec![Block::text("")],
                2 => vec![Block::new(DraftContent::Unknown(self.odd_output()))],
                _ => vec![Block::new(DraftContent::Unknown(self.odd_value()))],
            };
        }
        let error = self.rng.one_in(8);
        let cache = self.cache();
        Block { content: DraftContent::Result { id, name, content, error }, cache }
    }

    pub(super) fn text_block(&mut self) -> Block {
        let text = self.text();
        let cache = self.cache();
        Block { content: DraftContent::Text(text), cache }
    }

    pub(super) fn thinking_block(&mut self) -> Block {
        let content = if self.rng.one_in(10) {
            DraftContent::Redacted(self.seal())
        } else {
            let text = if self.rng.one_in(10) { String::new() } else { self.text() };
            let seal = if self.roll_odd() { None } else { Some(self.seal()) };
            DraftContent::Thinking { text, seal }
        };
        Block::new(content)
    }

    /// Declarations of the called tools, and sometimes of others.
    fn tools_for(&mut self, draft: &ConversationDraft) -> Vec<Tool> {
        let mut names: Vec<String> = Vec::new();
        for block in draft.turns.iter().flat_map(|turn| &turn.blocks) {
            if let DraftContent::Call { name, .. } = &block.content
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        if names.is_empty() && self.rng.one_in(3) {
            names.push("read_file".into());
        }
        if self.roll_odd() {
            names.push("read_file".into());
        }
        if self.roll_odd() {
            names.push(self.odd_name());
        }
        names.into_iter().map(|name| self.tool(name)).collect()
    }
}
