//! A result whose call is gone becomes the user's words.
//!
//! Compaction cuts a call away and leaves its result; or a result comes after the model has spoken
//! again. What it says stays where it is, marked as an earlier tool's output; long output is cut.
//!
//! ## Why
//! > messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each
//! > `tool_result` block must have a corresponding `tool_use` block in the previous message.
//!
//! > Invalid parameter: messages with role 'tool' must be a response to a preceeding message with
//! > 'tool_calls'.
//!
//! > No tool call found for function call output with call_id call_1.
//!
//! ## Example
//! ```text
//! before   user: result 1 "a.txt", "go on"          (there is no call 1)
//! after    user: "[earlier tool output] a.txt", "go on"
//! ```

use interlingua_model::{Block, Body, Place, Source, ToolResult, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    pairing::mend_rounds(work, |work, round| {
        let start = round.speech.start;
        while let Some(spot) = orphan(work, start) {
            say(work, spot);
        }
    });
}

fn orphan(work: &Work<'_>, start: usize) -> Option<Spot> {
    let round = Round::at(work.turns(), start)?;
    let mut results = round.results(work);
    let found = results.find(|(spot, result)| !pairing::is_known(work, &round, *spot, result));
    found.map(|(spot, _)| spot)
}

fn say(work: &mut Work<'_>, (turn, at): Spot) {
    let block = work.block(turn, at);
    let Body::ToolResult(result) = &block.body else { return };
    let (result, cache) = (result.clone(), block.cache.clone());
    let place = Place::block(turn, at);
    let (text, left_out) = words(&result);
    let id = if result.call.is_empty() { Text::word("?") } else { result.call.clone() };
    if left_out > 0 {
        let what = format!(
            "the result of {id} has no call: said as text, without its last {left_out} characters"
        );
        work.loss(place, what);
    } else {
        work.change(place, format!("the result of {id} has no call: said as text"));
    }
    let shown = result.content.into_iter().filter(|block| is_shown(block));
    let mut media: Vec<Verbatim<Block>> = shown.collect();
    let said = work.edit(turn, at);
    *said = Block::text(text);
    if media.is_empty() {
        said.cache = cache;
    } else if let Some(last) = media.last_mut().filter(|_| cache.is_some()) {
        last.edit().cache = cache;
    }
    for (after, block) in media.into_iter().enumerate() {
        work.part((turn, at), (turn, at + 1 + after), block.into_value());
    }
}

/// What cannot be said as text stands beside it.
fn is_shown(block: &Block) -> bool {
    match &block.body {
        Body::Media(media) => !matches!(media.source, Source::Text(_)),
        Body::Foreign { .. } | Body::Thinking(_) => true,
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_) => false,
    }
}

/// The words of a result, marked, and how many characters of them are left out.
fn words(result: &ToolResult) -> (Text, usize) {
    let mut said = String::from(if result.is_error { FAILED } else { MARK });
    let mut size = 0;
    let mut left_out = 0;
    for text in result.content.iter().filter_map(|block| text_of(block)) {
        let contents = text.contents();
        let count = contents.chars().count();
        let room = LONGEST - size;
        if count > 0 && room > 0 {
            said.push(if size == 0 { ' ' } else { '\n' });
            said.extend(contents.chars().take(room));
        }
        size += count.min(room);
        left_out += count.saturating_sub(room);
    }
    if left_out > 0 {
        said.push('…');
    }
    (Text::new(&said), left_out)
}

fn text_of(block: &Block) -> Option<Text> {
    match &block.body {
        Body::Text { text, .. } | Body::Refusal(text) => Some(text.clone()),
        Body::Data(json) => Some(json.text().unwrap_or_else(|| Text::new(json.as_str()))),
        Body::Media(media) => match &media.source {
            Source::Text(text) => Some(text.clone()),
            Source::Base64 { .. }
            | Source::Url { .. }
            | Source::File { .. }
            | Source::Blocks(_) => None,
        },
        Body::ToolResult(result) => Some(words(result).0),
        Body::ToolCall(call) => {
            Some(Text::concat([&call.name, &Text::word(" "), &call.args.to_text()]))
        }
        Body::Thinking(_) | Body::Foreign { .. } => None,
    }
}

const MARK: &str = "[earlier tool output]";
const FAILED: &str = "[earlier tool output, failed]";
/// The most characters of an earlier output that are said again.
const LONGEST: usize = 20_000;
