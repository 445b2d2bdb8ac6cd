//! A block goes, its cache mark stays: with the block before it.

use interlingua_model::Cache;

use crate::Work;
use crate::look::{is_reasoning, words};
use crate::marks::{self, Spot};

impl Work<'_> {
    /// Gives the cache mark of a block that goes to the nearest one before it that can bear one, in this
    /// turn or the one before. Whether the mark is lost.
    pub fn hand_on(&mut self, turn: usize, block: usize) -> bool {
        let Some(cache) = self.block(turn, block).cache.clone() else { return false };
        match self.bearer(turn, block) {
            Some((turn, block)) => {
                self.mark(turn, block, *cache);
                false
            }
            None => true,
        }
    }

    fn mark(&mut self, turn: usize, block: usize, cache: Cache) {
        if self.block(turn, block).cache.is_none() {
            marks::set(self, Spot::Block(turn, block), Some(cache));
        }
    }

    /// The nearest block before this place that can bear a mark.
    fn bearer(&self, turn: usize, block: usize) -> Option<(usize, usize)> {
        let bears = |turn: usize, block: usize| {
            let block = self.block(turn, block);
            !is_reasoning(block) && words(block).is_none_or(|text| !text.is_blank())
        };
        let within = (0..block).rev().find(|at| bears(turn, *at)).map(|at| (turn, at));
        within.or_else(|| {
            let before = turn.checked_sub(1)?;
            let at = (0..self.blocks(before).len()).rev().find(|at| bears(before, *at))?;
            Some((before, at))
        })
    }
}
