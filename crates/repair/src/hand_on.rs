//! Passes the cache breakpoint of a removed block to the block before it.

use interlingua_model::CacheBreakpoint;

use crate::Work;
use crate::look::{is_reasoning_or_entry, plain_text};
use crate::marks::{self, CacheBreakpointPos};

impl Work<'_> {
    /// Passes the cache breakpoint of a block that is about to be removed to the nearest earlier
    /// block that can carry one, in this turn or the previous one. Returns whether the breakpoint
    /// is lost.
    pub fn pass_cache_breakpoint_back(&mut self, turn: usize, block: usize) -> bool {
        let Some(cache) = self.block(turn, block).cache_breakpoint.clone() else { return false };
        match self.previous_cacheable(turn, block) {
            Some((turn, block)) => {
                self.add_cache_breakpoint(turn, block, *cache);
                false
            }
            None => true,
        }
    }

    fn add_cache_breakpoint(&mut self, turn: usize, block: usize, cache: CacheBreakpoint) {
        if self.block(turn, block).cache_breakpoint.is_none() {
            marks::set_breakpoint(self, CacheBreakpointPos::Block(turn, block), Some(cache));
        }
    }

    /// The nearest earlier block that can carry a breakpoint.
    fn previous_cacheable(&self, turn: usize, block: usize) -> Option<(usize, usize)> {
        let can_carry = |turn: usize, block: usize| {
            let block = self.block(turn, block);
            !is_reasoning_or_entry(block) && plain_text(block).is_none_or(|text| !text.is_blank())
        };
        let in_turn = (0..block).rev().find(|at| can_carry(turn, *at)).map(|at| (turn, at));
        in_turn.or_else(|| {
            let previous_turn = turn.checked_sub(1)?;
            let at = (0..self.blocks(previous_turn).len())
                .rev()
                .find(|at| can_carry(previous_turn, *at))?;
            Some((previous_turn, at))
        })
    }
}
