//! What goes wrong with a conversation before it is sent again: interrupted runs, compaction, other
//! programs' edits.

use serde_json::{Value, json};

use super::script::{Block, Part, Role, Script, Turn};
use super::{Level, Writer};

impl Writer {
    pub(super) fn upset(&mut self, script: &mut Script) {
        let times = match self.level {
            Level::Tidy => 0,
            Level::Odd => self.rng.below(2),
            Level::Messy => self.rng.between(1, 3),
            Level::Wild => self.rng.between(2, 6),
        };
        for _ in 0..times {
            match self.rng.below(4) {
                0 | 1 => self.upset_pairs(script),
                2 => self.upset_turns(script),
                _ => self.upset_blocks(script),
            }
        }
    }

    /// A turn by chance; none if there is none.
    fn place(&mut self, script: &Script) -> Option<usize> {
        (!script.turns.is_empty()).then(|| self.rng.below(script.turns.len()))
    }

    /// A place among all blocks that fit.
    fn find(&mut self, script: &Script, fits: fn(&Block) -> bool) -> Option<(usize, usize)> {
        let blocks = script.turns.iter().enumerate().flat_map(|(turn, one)| {
            let fitting = one.blocks.iter().enumerate().filter(|(_, block)| fits(block));
            fitting.map(move |(at, _)| (turn, at))
        });
        let places: Vec<_> = blocks.collect();
        (!places.is_empty()).then(|| places[self.rng.below(places.len())])
    }

    fn upset_pairs(&mut self, script: &mut Script) {
        let result = self.find(script, Block::is_result);
        let call = self.find(script, Block::is_call);
        let choice = self.rng.below(16);
        if let Some((turn, at)) = result {
            match choice {
                0 | 1 => drop(script.turns[turn].blocks.remove(at)),
                2 => {
                    let twice = script.turns[turn].blocks[at].clone();
                    let to =
                        if self.rng.once_in(2) { turn } else { self.rng.below(script.turns.len()) };
                    script.turns[to].blocks.push(twice);
                }
                3 => {
                    let late = script.turns[turn].blocks.remove(at);
                    let to = self.rng.between(turn, script.turns.len() - 1);
                    script.turns[to].blocks.push(late);
                }
                4 => script.turns[turn].blocks.reverse(),
                5 => {
                    let rest = script.turns[turn].blocks.split_off(at);
                    script.turns.insert(turn + 1, Turn::new(Role::User, rest));
                }
                6 => {
                    if let Part::Result { id, .. } = &mut script.turns[turn].blocks[at].part {
                        *id =
                            self.rng.pick(&[None, Some(String::new()), Some("call_nobody".into())]);
                    }
                }
                7 => {
                    let said = self.said();
                    script.turns[turn].blocks.insert(0, said);
                }
                8 => {
                    let said = self.said();
                    script.turns[turn].blocks.push(said);
                }
                9 => drop(script.turns.remove(turn)),
                10 => {
                    let between = self.user_words();
                    script.turns.insert(turn, between);
                }
                _ => {}
            }
        }
        if let Some((turn, at)) = call {
            match choice {
                11 => drop(script.turns[turn].blocks.remove(at)),
                12 => {
                    let twice = script.turns[turn].blocks[at].clone();
                    let to = self.rng.below(script.turns.len());
                    script.turns[to].blocks.push(twice);
                }
                13 => {
                    let said = self.said();
                    script.turns[turn].blocks.push(said);
                }
                14 => {
                    let rest = script.turns[turn].blocks.split_off(at);
                    script.turns.insert(turn + 1, Turn::new(Role::Assistant, rest));
                }
                _ => {}
            }
        }
        if choice == 15 {
            let name = self.tool_name();
            let orphan = self.result(Some("call_orphan".into()), name);
            if let Some(turn) = self.place(script) {
                script.turns[turn].blocks.push(orphan);
            }
        }
    }

    fn user_words(&mut self) -> Turn {
        Turn::new(Role::User, vec![self.said()])
    }

    fn upset_turns(&mut self, script: &mut Script) {
        let Some(turn) = self.place(script) else { return };
        match self.rng.below(14) {
            0 => drop(script.turns.drain(..turn)),
            1 => {
                let role = self.rng.pick(&[Role::System, Role::User, Role::Assistant]);
                let said = self.said();
                script.turns.insert(turn, Turn::new(role, vec![said]));
            }
            2 => script.turns[turn].blocks.clear(),
            3 => {
                let role = self.rng.pick(&["tool", "developer", "function", "ghost", ""]);
                script.turns[turn].role = Role::Odd(role);
            }
            4 => {
                let again = script.turns[turn].clone();
                script.turns.insert(turn, again);
            }
            5 => {
                let to = self.rng.below(script.turns.len());
                script.turns.swap(turn, to);
            }
            6 => script.turns.truncate(turn),
            7 => {
                script.turns[turn].role =
                    self.rng.pick(&[Role::User, Role::Assistant, Role::System]);
            }
            8 => {
                let mark = self.mark();
                let words = Block::text(format!("{mark} \n"));
                script.turns.push(Turn::new(Role::Assistant, vec![words]));
            }
            9 => script.turns.push(Turn::new(Role::Assistant, Vec::new())),
            10 => {
                let said = self.said();
                script.turns.insert(turn, Turn::new(Role::System, vec![said]));
            }
            11 => script.tools.clear(),
            12 => drop(script.turns.drain(turn..)),
            _ => drop(script.turns.remove(turn)),
        }
    }

    fn upset_blocks(&mut self, script: &mut Script) {
        let Some(turn) = self.place(script) else { return };
        let thinking = self.find(script, Block::is_thinking);
        let block = match self.rng.below(12) {
            0 => Block::text(""),
            1 => Block::text(" \n"),
            2 => Block::new(Part::Odd(self.odd_value())),
            3 => Block::new(Part::Odd(json!({"type": "from_the_future", "data": 1}))),
            4 => Block::new(Part::Media(self.media())),
            5 => self.thinking(),
            6 => Block::new(Part::Refusal(self.text())),
            7 => {
                Block { part: Part::Text(String::new()), cache: Some(json!({"type": "ephemeral"})) }
            }
            8 => return self.crowd_with_cache(script),
            9 => {
                if let Some((turn, at)) = thinking {
                    let cache: Value = json!({"type": "ephemeral"});
                    script.turns[turn].blocks[at].cache = Some(cache);
                }
                return;
            }
            _ => return self.upset_thinking(script, thinking),
        };
        let at = self.rng.below(script.turns[turn].blocks.len() + 1);
        script.turns[turn].blocks.insert(at, block);
    }

    fn upset_thinking(&mut self, script: &mut Script, thinking: Option<(usize, usize)>) {
        let Some((turn, at)) = thinking else { return };
        let blocks = &mut script.turns[turn].blocks;
        match self.rng.below(6) {
            0 => {
                let thought = blocks.remove(at);
                blocks.push(thought);
            }
            1 => {
                let thought = blocks.swap_remove(at);
                *blocks = vec![thought];
            }
            2 => {
                let again = blocks[at].clone();
                blocks.splice(at..at, [again, Block::text("")]);
            }
            3 => {
                if let Part::Thinking { seal, .. } = &mut blocks[at].part {
                    *seal = None;
                }
            }
            4 => drop(blocks.remove(at)),
            _ => {
                if let Part::Thinking { text, .. } = &mut blocks[at].part {
                    text.clear();
                }
            }
        }
    }

    fn crowd_with_cache(&mut self, script: &mut Script) {
        for block in script.turns.iter_mut().flat_map(|turn| &mut turn.blocks) {
            block.cache = Some(json!({"type": "ephemeral"}));
        }
        if self.rng.once_in(2)
            && let Some(block) = script.system.last_mut()
        {
            block.cache = Some(json!({"type": "ephemeral", "ttl": "1h"}));
        }
    }
}
