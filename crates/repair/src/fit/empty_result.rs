//! A result without content says that there was no output.
//!
//! A tool that returns nothing is no failure, but an empty text in its result is refused, a failed
//! result must say something, and of results without any content there are reports both ways: what
//! crosses from another dialect says `(no output)`.
//!
//! ## Why
//! > messages: text content blocks must be non-empty
//!
//! > The content field at messages.2.content.0.toolResult cannot be empty when status value is error.
//!
//! ## Example
//! ```text
//! before   user: result 1 ""
//! after    user: result 1 "(no output)"
//! ```

use interlingua_model::{Block, Body, Place, ToolResult, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::look::words;
use crate::profile::texts::Least;

pub fn apply(work: &mut Work<'_>) {
    let texts = &work.profile.texts;
    if texts.least_in_result == Least::Nothing
        && !texts.failed_result_holds
        && !texts.empty_result_doubtful
    {
        return;
    }
    for turn in 0..work.turns().len() {
        for block in 0..work.blocks(turn).len() {
            if let Body::ToolResult(result) = &work.block(turn, block).body
                && is_wanting(work, result)
            {
                mend(work, turn, block);
            }
        }
    }
}

fn is_wanting(work: &Work<'_>, result: &ToolResult) -> bool {
    let texts = &work.profile.texts;
    let listed = |one: &Verbatim<Block>| {
        !texts.result_strings || result.content.len() > 1 || !is_string(one)
    };
    let refused = |one: &Verbatim<Block>| {
        listed(one) && words(one).is_some_and(|text| texts.least_in_result.refuses(text))
    };
    if result.content.iter().any(refused) {
        return true;
    }
    let says_nothing = result.content.iter().all(|one| words(one).is_some_and(Text::is_empty));
    let failed = result.is_error
        && texts.failed_result_holds
        && !result.content.iter().any(|one| work.is_said(one));
    failed || says_nothing && texts.empty_result_doubtful && !work.is_own()
}

/// A text with nothing to it that a string cannot say.
fn is_string(block: &Verbatim<Block>) -> bool {
    block.written().is_none() && block.cache.is_none() && block.extras.is_empty()
}

fn mend(work: &mut Work<'_>, turn: usize, block: usize) {
    let Body::ToolResult(result) = &work.block(turn, block).body else { return };
    let speaks = |one: &Verbatim<Block>| words(one).is_none_or(|text| !text.is_empty());
    let empty = !result.content.iter().any(|one| speaks(one) && work.is_said(one));
    let Body::ToolResult(result) = &mut work.edit(turn, block).body else { return };
    result.content.retain(speaks);
    let what = if empty {
        result.content.push(Block::text(Text::word(NO_OUTPUT)).into());
        "the result is empty, and says so"
    } else {
        "left out an empty text of the result"
    };
    let what = format!("{what} ({})", result.call);
    work.change(Place::block(turn, block), what);
}

/// What stands in place of nothing.
pub const NO_OUTPUT: &str = "(no output)";
