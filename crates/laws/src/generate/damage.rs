//! Damages a draft as interrupted runs, compaction and edits by other programs do.

use serde_json::{Value, json};

use super::draft::{Block, ConversationDraft, DraftContent, Role, Turn};
use super::generator::{Generator, Messiness};

impl Generator {
    pub(super) fn damage(&mut self, draft: &mut ConversationDraft) {
        let times = match self.level {
            Messiness::Tidy => 0,
            Messiness::Odd => self.rng.below(2),
            Messiness::Messy => self.rng.in_range(1, 3),
            Messiness::Wild => self.rng.in_range(2, 6),
        };
        for _ in 0..times {
            match self.rng.below(4) {
                0 | 1 => self.damage_pairs(draft),
                2 => self.damage_turns(draft),
                _ => self.damage_blocks(draft),
            }
        }
    }

    /// The index of a random turn; `None` without turns.
    fn random_turn(&mut self, draft: &ConversationDraft) -> Option<usize> {
        (!draft.turns.is_empty()).then(|| self.rng.below(draft.turns.len()))
    }

    /// The position (turn, block) of a random matching block.
    fn random_block(
        &mut self,
        draft: &ConversationDraft,
        matches: fn(&Block) -> bool,
    ) -> Option<(usize, usize)> {
        let blocks = draft.turns.iter().enumerate().flat_map(|(index, turn)| {
            let matching = turn.blocks.iter().enumerate().filter(|(_, block)| matches(block));
            matching.map(move |(at, _)| (index, at))
        });
        let positions: Vec<_> = blocks.collect();
        (!positions.is_empty()).then(|| positions[self.rng.below(positions.len())])
    }

    fn damage_pairs(&mut self, draft: &mut ConversationDraft) {
        let result = self.random_block(draft, Block::is_result);
        let call = self.random_block(draft, Block::is_call);
        let choice = self.rng.below(16);
        if let Some((turn, at)) = result {
            match choice {
                0 | 1 => drop(draft.turns[turn].blocks.remove(at)),
                2 => {
                    let copy = draft.turns[turn].blocks[at].clone();
                    let to =
                        if self.rng.one_in(2) { turn } else { self.rng.below(draft.turns.len()) };
                    draft.turns[to].blocks.push(copy);
                }
                3 => {
                    let result = draft.turns[turn].blocks.remove(at);
                    let to = self.rng.in_range(turn, draft.turns.len() - 1);
                    draft.turns[to].blocks.push(result);
                }
                4 => draft.turns[turn].blocks.reverse(),
                5 => {
                    let rest = draft.turns[turn].blocks.split_off(at);
                    draft.turns.insert(turn + 1, Turn::new(Role::User, rest));
                }
                6 => {
                    if let DraftContent::Result { id, .. } =
                        &mut draft.turns[turn].blocks[at].content
                    {
                        *id =
                            self.rng.pick(&[None, Some(String::new()), Some("call_nobody".into())]);
                    }
                }
                7 => {
                    let text = self.text_block();
                    draft.turns[turn].blocks.insert(0, text);
                }
                8 => {
                    let text = self.text_block();
                    draft.turns[turn].blocks.push(text);
                }
                9 => drop(draft.turns.remove(turn)),
                10 => {
                    let user_turn = self.user_text_turn();
                    draft.turns.insert(turn, user_turn);
                }
                _ => {}
            }
        }
        if let Some((turn, at)) = call {
            match choice {
                11 => drop(draft.turns[turn].blocks.remove(at)),
                12 => {
                    let copy = draft.turns[turn].blocks[at].clone();
                    let to = self.rng.below(draft.turns.len());
                    draft.turns[to].blocks.push(copy);
                }
                13 => {
                    let text = self.text_block();
                    draft.turns[turn].blocks.push(text);
                }
                14 => {
                    let rest = draft.turns[turn].blocks.split_off(at);
                    draft.turns.insert(turn + 1, Turn::new(Role::Assistant, rest));
                }
                _ => {}
            }
        }
        if choice == 15 {
            let name = self.tool_name();
            let orphan = self.result_block(Some("call_orphan".into()), name);
            if let Some(turn) = self.random_turn(draft) {
                draft.turns[turn].blocks.push(orphan);
            }
        }
    }

    fn user_text_turn(&mut self) -> Turn {
        Turn::new(Role::User, vec![self.text_block()])
    }

    fn damage_turns(&mut self, draft: &mut ConversationDraft) {
        let Some(turn) = self.random_turn(draft) else { return };
        match self.rng.below(14) {
            0 => drop(draft.turns.drain(..turn)),
            1 => {
                let role = self.rng.pick(&[Role::System, Role::User, Role::Assistant]);
                let text = self.text_block();
                draft.turns.insert(turn, Turn::new(role, vec![text]));
            }
            2 => draft.turns[turn].blocks.clear(),
            3 => {
                let role = self.rng.pick(&["tool", "developer", "function", "ghost", ""]);
                draft.turns[turn].role = Role::Unknown(role);
            }
            4 => {
                let copy = draft.turns[turn].clone();
                draft.turns.insert(turn, copy);
            }
            5 => {
                let to = self.rng.below(draft.turns.len());
                draft.turns.swap(turn, to);
            }
            6 => draft.turns.truncate(turn),
            7 => {
                draft.turns[turn].role =
                    self.rng.pick(&[Role::User, Role::Assistant, Role::System]);
            }
            8 => {
                let canary = self.canary();
                let text = Block::text(format!("{canary} \n"));
                draft.turns.push(Turn::new(Role::Assistant, vec![text]));
            }
            9 => draft.turns.push(Turn::new(Role::Assistant, Vec::new())),
            10 => {
                let text = self.text_block();
                draft.turns.insert(turn, Turn::new(Role::System, vec![text]));
            }
            11 => draft.tools.clear(),
            12 => drop(draft.turns.drain(turn..)),
            _ => drop(draft.turns.remove(turn)),
        }
    }

    fn damage_blocks(&mut self, draft: &mut ConversationDraft) {
        let Some(turn) = self.random_turn(draft) else { return };
        let thinking = self.random_block(draft, Block::is_thinking);
        let block = match self.rng.below(12) {
            0 => Block::text(""),
            1 => Block::text(" \n"),
            2 => Block::new(DraftContent::Unknown(self.odd_value())),
            3 => Block::new(DraftContent::Unknown(json!({"type": "from_the_future", "data": 1}))),
            4 => Block::new(DraftContent::Media(self.media())),
            5 => self.thinking_block(),
            6 => Block::new(DraftContent::Refusal(self.text())),
            7 => Block {
                content: DraftContent::Text(String::new()),
                cache: Some(json!({"type": "ephemeral"})),
            },
            8 => return self.cache_every_block(draft),
            9 => {
                if let Some((turn, at)) = thinking {
                    let cache: Value = json!({"type": "ephemeral"});
                    draft.turns[turn].blocks[at].cache = Some(cache);
                }
                return;
            }
            _ => return self.damage_thinking(draft, thinking),
        };
        let at = self.rng.below(draft.turns[turn].blocks.len() + 1);
        draft.turns[turn].blocks.insert(at, block);
    }

    fn damage_thinking(&mut self, draft: &mut ConversationDraft, thinking: Option<(usize, usize)>) {
        let Some((turn, at)) = thinking else { return };
        let blocks = &mut draft.turns[turn].blocks;
        match self.rng.below(6) {
            0 => {
                let reasoning = blocks.remove(at);
                blocks.push(reasoning);
            }
            1 => {
                let reasoning = blocks.swap_remove(at);
                *blocks = vec![reasoning];
            }
            2 => {
                let copy = blocks[at].clone();
                blocks.splice(at..at, [copy, Block::text("")]);
            }
            3 => {
                if let DraftContent::Thinking { seal, .. } = &mut blocks[at].content {
                    *seal = None;
                }
            }
            4 => drop(blocks.remove(at)),
            _ => {
                if let DraftContent::Thinking { text, .. } = &mut blocks[at].content {
                    text.clear();
                }
            }
        }
    }

    fn cache_every_block(&mut self, draft: &mut ConversationDraft) {
        for block in draft.turns.iter_mut().flat_map(|turn| &mut turn.blocks) {
            block.cache = Some(json!({"type": "ephemeral"}));
        }
        if self.rng.one_in(2)
            && let Some(block) = draft.system.last_mut()
        {
            block.cache = Some(json!({"type": "ephemeral", "ttl": "1h"}));
        }
    }
}
