//! The list of contents, written: turn by turn for a request that came in this dialect, and as runs
//! of user and model for one that did not.

use interlingua_model::{Block, Body, Calls, Conversation, Ledger, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;
use interlingua_wire::json::{Array, Object};

use super::encode::{self, Way};
use super::{ID, names};
use crate::{note, run};

/// Something that stands in a content.
enum Said<'c> {
    Block(&'c Verbatim<Block>),
    /// Instructions from within the conversation.
    Instruction(Text),
}

struct Spoken<'c> {
    said: Said<'c>,
    turn: usize,
    place: Place,
}

/// The content being gathered.
struct Content<'c> {
    model: bool,
    /// "functionResponse parts before text": kept apart for that.
    results: Vec<Spoken<'c>>,
    rest: Vec<Spoken<'c>>,
}

/// Writes the turns of a request that came in this dialect, each as it was or anew.
pub(super) fn write_again(conversation: &Conversation, list: &mut Array<'_>, ledger: &mut Ledger) {
    let calls = Calls::of(conversation);
    for (at, turn) in conversation.turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            list.item().json(text);
            continue;
        }
        let mut content = Content::new(turn.role == Role::Assistant);
        gather(&calls, turn, at, ledger, |spoken, _| content.rest.push(spoken));
        if !content.is_empty() {
            let extras = |object: &mut Object<'_>| turn.extras.write(ID, object);
            content.write(&calls, list, extras, ledger);
        }
    }
}

/// Writes the turns from another dialect, after `skip` turns of instructions.
pub(super) fn write_afresh(
    conversation: &Conversation,
    skip: usize,
    list: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    let calls = Calls::of(conversation);
    let noted = ledger.entries.len();
    let mut open = Content::new(false);
    for (at, turn) in conversation.turns.iter().enumerate().skip(skip) {
        names::note_extras(&turn.extras, ID, Place::turn(at), ledger);
        let model = turn.role == Role::Assistant;
        let mut spoken = Vec::with_capacity(turn.blocks.len());
        gather(&calls, turn, at, ledger, |one, _| spoken.push(one));
        let mut apart = !model && !open.results.is_empty() && shows(&conversation.turns[at..]);
        for one in spoken {
            if open.model != model || std::mem::take(&mut apart) {
                open.write(&calls, list, |_| {}, ledger);
                open = Content::new(model);
            }
            open.push(one, ledger);
        }
    }
    open.write(&calls, list, |_| {}, ledger);
    // A content is written when the next one begins; the ledger follows the conversation.
    ledger.entries[noted..].sort_by_key(|entry| (entry.place.index, entry.place.block));
}

/// Whether a turn shows something, and neither it nor what the user says next brings results. Media beside results are refused at times
/// where several calls are answered, or so it was said; in a content of their own they are not.
fn shows(turns: &[Verbatim<Turn>]) -> bool {
    let is_media = |block: &Verbatim<Block>| matches!(block.body, Body::Media(_));
    let is_result = |block: &Verbatim<Block>| matches!(block.body, Body::ToolResult(_));
    let mut row = turns.iter().take_while(|turn| turn.role != Role::Assistant);
    turns.first().is_some_and(|turn| turn.blocks.iter().any(is_media))
        && !row.any(|turn| turn.blocks.iter().any(is_result))
}

/// The instructions of a request from another dialect; and how many turns they came from.
pub(super) fn leading(conversation: &Conversation) -> (usize, bool) {
    let count = run::leading_instructions(conversation);
    let turns = conversation.turns.iter().take(count).flat_map(|turn| &turn.blocks);
    let any = conversation.system.iter().chain(turns).any(instructs);
    (count, any)
}

/// Writes instructions: those of the dialect's own place first, then those of the leading turns.
pub(super) fn write_system(
    conversation: &Conversation,
    turns: usize,
    list: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    let calls = Calls::of(conversation);
    for (at, block) in conversation.system.iter().enumerate() {
        write_instruction(block, &calls, Place::system(at), list, ledger);
    }
    for (at, turn) in conversation.turns.iter().enumerate().take(turns) {
        if conversation.source != ID {
            names::note_extras(&turn.extras, ID, Place::turn(at), ledger);
        }
        for (block_at, block) in turn.blocks.iter().enumerate() {
            write_instruction(block, &calls, Place::block(at, block_at), list, ledger);
        }
    }
}

/// Whether a block of the instructions is written.
fn instructs(block: &Verbatim<Block>) -> bool {
    block.body.as_text().is_some() || block.text_for(ID).is_some()
}

fn write_instruction<'c>(
    block: &Verbatim<Block>,
    calls: &'c Calls<'c>,
    place: Place,
    list: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    if instructs(block) {
        encode::write(block, Way::Request(calls), 0, place, list, ledger);
    } else {
        let what = "left out a part of the instructions that is not text";
        ledger.loss(note::NO_SUCH_BLOCK, place, what);
    }
}

/// What of a turn is carried; instructions in the middle become the user's words.
fn gather<'c>(
    calls: &'c Calls<'c>,
    turn: &'c Turn,
    at: usize,
    ledger: &mut Ledger,
    mut push: impl FnMut(Spoken<'c>, &mut Ledger),
) {
    let instructs = matches!(turn.role, Role::System | Role::Developer);
    for (block_at, block) in turn.blocks.iter().enumerate() {
        let place = Place::block(at, block_at);
        let said = match &block.body {
            Body::Text { text, .. } if instructs => {
                let what = "instructions within the conversation are said by the user";
                ledger.change(note::SYSTEM_MOVED, place, what);
                encode::note_sides(block, place, ledger);
                let (before, after) =
                    (Text::new("<system-reminder>\n"), Text::new("\n</system-reminder>"));
                Said::Instruction(Text::concat([&before, text, &after]))
            }
            _ if encode::is_carried(block, Way::Request(calls), place, ledger) => {
                Said::Block(block)
            }
            _ => continue,
        };
        push(Spoken { said, turn: at, place }, ledger);
    }
}

impl<'c> Content<'c> {
    fn new(model: bool) -> Self {
        Self { model, results: Vec::new(), rest: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.results.is_empty() && self.rest.is_empty()
    }

    fn push(&mut self, spoken: Spoken<'c>, ledger: &mut Ledger) {
        let is_result = matches!(&spoken.said, Said::Block(block)
            if matches!(block.body, Body::ToolResult(_)));
        if !is_result || self.model {
            self.rest.push(spoken);
            return;
        }
        if !self.rest.is_empty() {
            let what = "a result goes before the text beside it";
            ledger.change(note::ORDER_CHANGED, spoken.place, what);
        }
        self.results.push(spoken);
    }

    /// Nothing where nothing is to say: an empty content is refused ("must include at least one
    /// parts field").
    fn write(
        &self,
        calls: &'c Calls<'c>,
        list: &mut Array<'_>,
        extras: impl FnOnce(&mut Object<'_>),
        ledger: &mut Ledger,
    ) {
        if self.is_empty() {
            return;
        }
        list.object(|object| {
            object.word("role", if self.model { "model" } else { "user" });
            object.array("parts", |parts| {
                for Spoken { said, turn, place } in self.results.iter().chain(&self.rest) {
                    match said {
                        Said::Block(block) => {
                            let way = Way::Request(calls);
                            encode::write(block, way, *turn, *place, parts, ledger);
                        }
                        Said::Instruction(text) => {
                            parts.object(|object| object.text("text", text));
                        }
                    }
                }
            });
            extras(object);
        });
    }
}
