//! A conversation as it should be: the user asks, the model works with tools, then answers.

use super::Writer;
use super::script::{Block, Part, Role, Script, Tool, Turn};

impl Writer {
    pub(super) fn flow(&mut self) -> Script {
        let mut script = Script::default();
        for _ in 0..self.rng.below(3) {
            let block = self.said();
            script.system.push(block);
        }
        let rounds = self.rng.pick(&[1, 1, 1, 2, 2, 3]);
        let thinks = self.thinks || self.odd();
        for round in 0..rounds {
            self.round(&mut script, thinks, round + 1 == rounds);
        }
        script.tools = self.tools_of(&script);
        script
    }

    fn round(&mut self, script: &mut Script, thinks: bool, last: bool) {
        let user = self.user();
        script.turns.push(user);
        let steps = self.rng.pick(&[0, 0, 1, 1, 2]);
        for _ in 0..steps {
            let (work, results) = self.work(thinks);
            script.turns.push(work);
            script.turns.push(results);
        }
        // The model is asked now: after the user's words, or after results.
        if last && !self.odd() {
            return;
        }
        let mut blocks = Vec::new();
        if thinks && self.rng.once_in(2) {
            blocks.push(self.thinking());
        }
        blocks.push(self.said());
        script.turns.push(Turn::new(Role::Assistant, blocks));
    }

    fn user(&mut self) -> Turn {
        let mut blocks = vec![self.said()];
        if self.rng.once_in(6) {
            let media = self.media();
            blocks.push(Block::new(Part::Media(media)));
        }
        if self.rng.once_in(6) {
            blocks.push(self.said());
        }
        Turn::new(Role::User, blocks)
    }

    fn work(&mut self, thinks: bool) -> (Turn, Turn) {
        let mut blocks = Vec::new();
        if thinks && !self.odd() {
            blocks.push(self.thinking());
        }
        if self.rng.once_in(2) {
            blocks.push(self.said());
        }
        let mut results = Vec::new();
        for _ in 0..self.rng.pick(&[1, 1, 1, 2, 3]) {
            let (id, name) = (self.call_id(), self.tool_name());
            let args = self.args();
            let call = Part::Call { id: id.clone(), name: name.clone(), args };
            blocks.push(Block { part: call, cache: None });
            results.push(self.result(Some(id), name));
        }
        (Turn::new(Role::Assistant, blocks), Turn::new(Role::User, results))
    }

    pub(super) fn result(&mut self, id: Option<String>, name: String) -> Block {
        let mut content = vec![self.said()];
        match self.rng.below(10) {
            0 => content.push(self.said()),
            1 => {
                let media = self.media();
                content.push(Block::new(Part::Media(media)));
            }
            _ => {}
        }
        if self.odd() {
            content = match self.rng.below(3) {
                0 => Vec::new(),
                1 => vec![Block::text("")],
                _ => vec![Block::new(Part::Odd(self.odd_value()))],
            };
        }
        let error = self.rng.once_in(8);
        let cache = self.cache();
        Block { part: Part::Result { id, name, content, error }, cache }
    }

    pub(super) fn said(&mut self) -> Block {
        let text = self.text();
        let cache = self.cache();
        Block { part: Part::Text(text), cache }
    }

    pub(super) fn thinking(&mut self) -> Block {
        let part = if self.rng.once_in(10) {
            Part::Redacted(self.seal())
        } else {
            let text = if self.rng.once_in(10) { String::new() } else { self.text() };
            let seal = if self.odd() { None } else { Some(self.seal()) };
            Part::Thinking { text, seal }
        };
        Block::new(part)
    }

    /// The tools that are called, and perhaps others.
    fn tools_of(&mut self, script: &Script) -> Vec<Tool> {
        let mut names: Vec<String> = Vec::new();
        for block in script.turns.iter().flat_map(|turn| &turn.blocks) {
            if let Part::Call { name, .. } = &block.part
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        if names.is_empty() && self.rng.once_in(3) {
            names.push("read_file".into());
        }
        if self.odd() {
            names.push("read_file".into());
        }
        if self.odd() {
            names.push(self.odd_name());
        }
        names.into_iter().map(|name| self.tool(name)).collect()
    }
}
