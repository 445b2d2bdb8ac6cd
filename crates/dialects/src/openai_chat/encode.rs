//! Turns, encoded as messages.

use interlingua_model::{
    Block, Body, Calls, Conversation, Extras, Ledger, Media, Place, Role, Source, ToolResult, Turn,
    Verbatim,
};
use interlingua_wire::Text;
use interlingua_wire::json::Array;

use super::content::{self, Piece};
use super::flavor::{CacheMark, Flavor, Reasoning, Skill};
use super::{ID, mark, speech};
use crate::note;

/// Writes the messages of one conversation.
#[derive(Debug)]
pub(super) struct Pen<'a> {
    pub(super) flavor: &'static Flavor,
    pub(super) conversation: &'a Conversation,
    calls: Calls<'a>,
    pub(super) ledger: &'a mut Ledger,
    /// Media of results, which goes into a user message after the run of results.
    moved: Vec<(Text, &'a Media)>,
}

impl<'a> Pen<'a> {
    pub(super) fn new(
        flavor: &'static Flavor,
        conversation: &'a Conversation,
        ledger: &'a mut Ledger,
    ) -> Self {
        Self { flavor, conversation, calls: Calls::of(conversation), ledger, moved: Vec::new() }
    }

    /// The whole list. Neighbours that another dialect keeps apart, such as a call and the text
    /// before it, are one message here; a list of this dialect keeps its messages.
    pub(super) fn messages(&mut self, out: &mut Array<'_>) {
        let conversation = self.conversation;
        if !conversation.system.is_empty() {
            let blocks = conversation.system.iter().enumerate();
            let blocks = blocks.map(|(at, block)| (Place::system(at), block)).collect();
            self.instructions("system", blocks, &Extras::default(), out);
        }
        let turns = conversation.turns.as_slice();
        let joins = conversation.source != ID;
        let mut at = 0;
        while let Some(turn) = turns.get(at) {
            let mut end = at + 1;
            if let Some(text) = turn.text_for(ID) {
                if !self.moved.is_empty() && !is_result(turn) {
                    self.flush(out);
                }
                out.item().json(text);
            } else {
                let same =
                    |next: &Verbatim<Turn>| next.role == turn.role && next.text_for(ID).is_none();
                while joins && turns.get(end).is_some_and(same) {
                    end += 1;
                }
                self.group(at, turns.get(at..end).unwrap_or_default(), out);
            }
            at = end;
        }
        self.flush(out);
    }

    /// Turns of one role.
    fn group(&mut self, first: usize, turns: &'a [Verbatim<Turn>], out: &mut Array<'_>) {
        let Some(turn) = turns.first() else { return };
        if turn.role == Role::User {
            return self.user(first, turns, out);
        }
        self.flush(out);
        if turn.role == Role::Assistant {
            return speech::encode(first, turns, out, self);
        }
        for (at, turn) in (first..).zip(turns) {
            let developer = turn.role == Role::Developer && self.flavor.can(Skill::Developer);
            let role = if developer { "developer" } else { "system" };
            self.instructions(role, blocks_of(at, turn), &turn.extras, out);
            self.note_extras(&turn.extras, Place::turn(at));
        }
    }

    fn instructions(
        &mut self,
        role: &'static str,
        blocks: Vec<(Place, &Verbatim<Block>)>,
        extras: &Extras,
        out: &mut Array<'_>,
    ) {
        let crosses = !blocks.is_empty() && self.conversation.source != ID;
        let mut pieces = Vec::with_capacity(blocks.len());
        for (place, block) in blocks {
            match &block.body {
                Body::Media(media) if block.text_for(ID).is_none() => {
                    self.no_block(place, content::name(media.kind));
                }
                _ => content::pieces(block, place, &mut pieces, self),
            }
        }
        // Nothing of them can be said here.
        if crosses && pieces.is_empty() {
            return;
        }
        out.object(|o| {
            o.word("role", role);
            content::write(&pieces, self.flavor.can(Skill::SystemParts), "\n\n", o, self);
            mark::write_unmarked(extras, o);
        });
    }

    /// Results come first, each in a message of its own; then what the user says, turn by turn.
    fn user(&mut self, first: usize, turns: &'a [Verbatim<Turn>], out: &mut Array<'_>) {
        let mut said = false;
        for (at, turn) in (first..).zip(turns) {
            for (place, block) in blocks_of(at, turn) {
                match &block.body {
                    Body::ToolResult(result) => {
                        if std::mem::take(&mut said) {
                            let what = "a result is put before what was said before it";
                            self.ledger.change(note::ORDER_CHANGED, place, what);
                        }
                        self.result(result, turn, block, place, out);
                    }
                    Body::Text { .. }
                    | Body::Refusal(_)
                    | Body::Thinking(_)
                    | Body::Media(_)
                    | Body::Data(_)
                    | Body::ToolCall(_)
                    | Body::Foreign { .. } => said = true,
                }
            }
        }
        for (at, turn) in (first..).zip(turns) {
            self.note_extras(&turn.extras, Place::turn(at));
            let mut pieces = Vec::with_capacity(turn.blocks.len());
            for (place, block) in blocks_of(at, turn) {
                if !matches!(block.body, Body::ToolResult(_)) {
                    content::pieces(block, place, &mut pieces, self);
                }
            }
            // A message of this dialect stays one, whatever of it can be said.
            let own = self.conversation.source == ID && !is_result(turn);
            if !pieces.is_empty() || turn.blocks.is_empty() || own {
                self.flush(out);
                out.object(|o| {
                    o.text("role", &self.role(turn, "user"));
                    content::write(&pieces, self.flavor.lists, "\n\n", o, self);
                    mark::write_unmarked(&turn.extras, o);
                });
            }
        }
    }

    fn result(
        &mut self,
        result: &'a ToolResult,
        turn: &Turn,
        block: &Block,
        place: Place,
        out: &mut Array<'_>,
    ) {
        let mut pieces = Vec::with_capacity(result.content.len());
        for inner in &result.content {
            self.result_piece(result, inner, place, &mut pieces);
        }
        if result.is_error {
            self.ledger.change(
                note::ERROR_IN_TEXT,
                place,
                "the result's error flag is said in words",
            );
            mark_error(&mut pieces);
        }
        content::notes(block, place, self);
        self.unwritten_cache(block, place);
        let name = result.name.clone().or_else(|| {
            let before = place.index.unwrap_or_default() as usize;
            Some(self.calls.call_of(before, &result.call)?.name.clone())
        });
        let is_legacy = self.conversation.source == ID && mark::is_legacy(&block.extras);
        out.object(|o| {
            let own = self.conversation.source == ID;
            let named = self.flavor.can(Skill::ToolName);
            if is_legacy {
                o.known("role", "function");
                o.text_if("name", name.as_ref());
            } else {
                o.text("role", &self.role(turn, "tool"));
                let marked = |mark| result.call.is_empty() && block.extras.find(ID, mark).is_some();
                if marked(mark::NULL_CALL) {
                    o.null("tool_call_id");
                } else if !marked(mark::NO_CALL) {
                    o.text("tool_call_id", &result.call);
                }
                let said = result.name.as_ref().filter(|_| own);
                o.text_if("name", said.or(name.as_ref().filter(|_| named)));
            }
            content::write(&pieces, self.flavor.can(Skill::ToolParts), "\n\n", o, self);
            if turn.blocks.len() == 1 {
                mark::write_unmarked(&turn.extras, o);
            }
        });
    }

    /// "Image URLs are only allowed for messages with role 'user', but this message with role 'tool'
    /// contains an image URL." Where a client's own server takes what it wrote, it stays there: a
    /// message of the user's would end the loop of calls, to which what is thought in it is bound.
    fn result_piece(
        &mut self,
        result: &'a ToolResult,
        inner: &'a Verbatim<Block>,
        place: Place,
        pieces: &mut Vec<Piece<'a>>,
    ) {
        let Body::Media(media) = &inner.body else {
            return content::pieces(inner, place, pieces, self);
        };
        let stays = self.conversation.source == ID && self.flavor.can(Skill::ToolMedia);
        if stays || matches!(media.source, Source::Text(_) | Source::Blocks(_)) {
            return content::pieces(inner, place, pieces, self);
        }
        let name = content::name(media.kind);
        let number = self.moved.len() + 1;
        if content::can_say(media, self.flavor) {
            pieces.push(Piece::Text(Text::new(&format!("[{name} {number} follows]")), None));
            let what = format!("the {name} of a result goes into a user message after the results");
            self.ledger.change(note::MEDIA_MOVED, place, what);
            content::note_name(media, place, self);
            self.moved.push((result.call.clone(), media));
        } else {
            pieces.push(Piece::Text(Text::new(&format!("[{name}]")), None));
            self.no_block(place, name);
        }
        content::notes(inner, place, self);
        self.unwritten_cache(inner, place);
    }

    /// Writes the media that results left behind.
    fn flush(&mut self, out: &mut Array<'_>) {
        let moved = std::mem::take(&mut self.moved);
        if moved.is_empty() {
            return;
        }
        let mut pieces = Vec::with_capacity(moved.len() * 2);
        for (number, (call, media)) in (1..).zip(&moved) {
            let name = content::name(media.kind);
            let words = format!("[{name} {number} from the result of {call}]");
            pieces.push(Piece::Text(Text::new(&words), None));
            pieces.push(Piece::Media(media, None));
        }
        if let Some(word) = self.flavor.bridge {
            out.object(|o| {
                o.known("role", "assistant");
                o.word("content", word);
            });
        }
        out.object(|o| {
            o.known("role", "user");
            o.array("content", |a| {
                for piece in &pieces {
                    content::write_piece(piece, a, self);
                }
            });
        });
    }

    /// Who speaks in a turn: whoever it says, where that is left to it.
    pub(super) fn role(&self, turn: &Turn, usual: &'static str) -> Text {
        let own = self.conversation.source == ID;
        let stranger = own.then(|| mark::stranger(&turn.extras)).flatten();
        stranger.unwrap_or(Text::word(usual))
    }

    pub(super) fn writes_cache(&self) -> bool {
        match self.flavor.cache {
            CacheMark::None => false,
            CacheMark::Control => true,
            CacheMark::Breakpoint => self.conversation.source == ID,
        }
    }

    pub(super) fn carries_details(&self) -> bool {
        self.flavor.reasoning == Reasoning::Details
    }

    pub(super) fn no_block(&mut self, place: Place, kind: &str) {
        let what = format!("left out {kind}: there is no such part here");
        self.ledger.loss(note::NO_SUCH_BLOCK, place, what);
    }

    pub(super) fn reasoning_stays(&mut self, place: Place) {
        self.ledger.loss(note::FOREIGN_SEAL, place, "reasoning stays behind: it has no place here");
    }

    pub(super) fn seal_stays(&mut self, place: Place) {
        self.ledger.loss(note::FOREIGN_SEAL, place, "a seal stays behind: it has no place here");
    }

    pub(super) fn cache_stays(&mut self, place: Place) {
        self.ledger.loss(note::NO_SUCH_CACHE, place, "a cache breakpoint has no place here");
    }

    /// A mark on what is no part of a message, where parts have one.
    fn unwritten_cache(&mut self, block: &Block, place: Place) {
        if block.cache.is_some() && self.writes_cache() {
            self.cache_stays(place);
        }
    }

    /// Fields of another dialect stay behind; what carries no meaning goes without a note.
    pub(super) fn note_extras(&mut self, extras: &Extras, place: Place) {
        note_extras(extras, place, self.ledger);
    }
}

pub(super) fn note_extras(extras: &Extras, place: Place, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.all().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let names: Vec<String> = fields
        .iter()
        .filter(|(key, value)| {
            let noise = key == "index"
                || key == "id"
                || (key == "status" && value.as_str() == "\"completed\"");
            !noise && value.as_str() != "null"
        })
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !names.is_empty() {
        let what = format!("left out {} of {dialect}", names.join(", "));
        ledger.loss(note::NO_SUCH_FIELD, place, what);
    }
}

/// The blocks of a turn with their places.
pub(super) fn blocks_of(at: usize, turn: &Turn) -> Vec<(Place, &Verbatim<Block>)> {
    turn.blocks.iter().enumerate().map(|(nr, block)| (Place::block(at, nr), block)).collect()
}

fn is_result(turn: &Turn) -> bool {
    !turn.blocks.is_empty()
        && turn.blocks.iter().all(|block| matches!(block.body, Body::ToolResult(_)))
}

fn mark_error(pieces: &mut Vec<Piece<'_>>) {
    match pieces.first_mut() {
        Some(Piece::Text(text, _)) => *text = Text::concat([&Text::word("[tool error] "), text]),
        Some(_) => pieces.insert(0, Piece::Text(Text::word("[tool error] "), None)),
        None => pieces.push(Piece::Text(Text::word("[tool error]"), None)),
    }
}
