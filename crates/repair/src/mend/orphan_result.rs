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

use super::unanswered_call::UNKNOWN_OUTCOME;
use crate::look::is_assistants;
use crate::pairing::{self, Known, Round, Spot};
use crate::{Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    // What goes elsewhere goes in the end, so that all others stay where they are.
    let mut gone = Vec::new();
    pairing::mend_rounds(work, |work, round| {
        let known = Known::of(work, round, round.called(work).kept());
        let mut home = Home::Unknown;
        let (mut turn, mut at) = (round.answers.start, 0);
        while work.turns().get(turn).is_some_and(|turn| !is_assistants(turn)) {
            let Some(block) = work.blocks(turn).get(at) else {
                (turn, at) = (turn + 1, 0);
                continue;
            };
            let result = pairing::result(block);
            if result.is_some_and(|result| !known.has(work, (turn, at), result)) {
                home = say(work, (turn, at), home, &mut gone);
            }
            at += 1;
        }
    });
    work.remove_spots(&gone);
}

/// Says what a result without a call says; tells where that of the next one goes.
fn say(work: &mut Work<'_>, (turn, at): Spot, home: Home, gone: &mut Vec<Spot>) -> Home {
    let block = work.block(turn, at);
    let Body::ToolResult(result) = &block.body else { return home };
    let (result, cache) = (result.clone(), block.cache.clone());
    let place = Place::block(turn, at);
    let home = if matches!(home, Home::Unknown) { find_home(work, turn) } else { home };
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
    if !matches!(home, Home::Nowhere) {
        media.insert(0, Block::text(text).into());
        return move_in(work, (turn, at), home, media, gone);
    }
    unseat(work, turn);
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
    Home::Nowhere
}

/// Leaves out what is sealed as thought in a loop of calls that the words of this turn end.
fn unseat(work: &mut Work<'_>, turn: usize) {
    if !work.profile.thinking.in_loop {
        return;
    }
    let turns = work.turns();
    let users = |at: &usize| {
        let says = |block: &Verbatim<Block>| pairing::result(block).is_none();
        thoughts::is_users(work, *at) && turns[*at].blocks.iter().any(says)
    };
    let start = (0..turn).rev().find(users).map_or(0, |at| at + 1);
    let bound = |block: &Block| block.seal.is_some() || matches!(block.body, Body::Foreign { .. });
    let mut earlier = turns[start..turn].iter().filter(|turn| is_assistants(turn));
    if earlier.any(|turn| turn.blocks.iter().any(|block| bound(block))) {
        let end = (turn + 1..turns.len()).find(users).unwrap_or(turns.len());
        thoughts::leave_out(work, turn + 1..end, |work, turn, at| {
            let sealed = work.block(turn, at).seal.is_some();
            sealed.then(|| "left out thinking whose loop of calls is broken".to_owned())
        });
    }
}

/// Where the words of a result without a call go that is among results: words of the user's would end
/// the loop of calls, and what was thought in it would stand elsewhere.
enum Home {
    /// Nobody has asked yet.
    Unknown,
    /// Where they are: something else is said there.
    Nowhere,
    /// With what another tool gave.
    Beside(Spot),
    /// With that this call has no result.
    Instead(Text),
}

fn find_home(work: &Work<'_>, turn: usize) -> Home {
    if !work.profile.thinking.in_loop {
        return Home::Nowhere;
    }
    let models = |at: &usize| is_assistants(&work.turns()[*at]);
    let Some(start) = (0..turn).rev().find(models) else { return Home::Nowhere };
    let runs = work.turns()[..start].iter().rev().take_while(|turn| is_assistants(turn)).count();
    let Some(round) = Round::at(work.turns(), start - runs) else { return Home::Nowhere };
    let mut said = pairing::blocks(work, round.answers.clone());
    if said.any(|(_, block)| pairing::result(block).is_none()) {
        return Home::Nowhere;
    }
    let called = round.called(work);
    let known = round.results(work).filter(|(_, result)| called.has(&result.call)).last();
    match known {
        Some((spot, _)) => Home::Beside(spot),
        None => round
            .calls(work)
            .next()
            .map_or(Home::Nowhere, |(_, call)| Home::Instead(call.id.clone())),
    }
}

fn move_in(
    work: &mut Work<'_>,
    from: Spot,
    home: Home,
    said: Vec<Verbatim<Block>>,
    gone: &mut Vec<Spot>,
) -> Home {
    match home {
        Home::Beside(to) => {
            let cache = work.block(from.0, from.1).cache.clone();
            let block = work.edit(to.0, to.1);
            block.cache = block.cache.take().or(cache);
            if let Body::ToolResult(result) = &mut block.body {
                result.content.extend(said);
            }
            work.joins(from, to);
            gone.push(from);
            Home::Beside(to)
        }
        Home::Instead(call) => {
            let is_error = said.len() == 1;
            let mut content = vec![Block::text(Text::new(UNKNOWN_OUTCOME)).into()];
            content.extend(said);
            let result = ToolResult { call, name: None, content, is_error };
            let block = work.edit(from.0, from.1);
            *block = Block { cache: block.cache.take(), ..Block::new(Body::ToolResult(result)) };
            Home::Beside(from)
        }
        Home::Unknown | Home::Nowhere => home,
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

/// What a block says in words.
pub(crate) fn text_of(block: &Block) -> Option<Text> {
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
