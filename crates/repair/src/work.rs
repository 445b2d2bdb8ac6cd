//! The conversation under repair: looked at freely, changed only in ways that can be followed.

pub(crate) mod many;

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use interlingua_model::{
    Block, Conversation, Entry, Ledger, Place, Reasoning, Recalled, Settings, Tool, TopField, Turn,
    Verbatim,
};
use interlingua_wire::{Doc, Json, Text};

use crate::ids::Called;
use crate::inside::Inside;
use crate::survey::{About, Survey};
use crate::tools::{self, Look};
use crate::{Profile, Repaired, Trail};

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked on its own")]
pub struct Work<'w> {
    conversation: &'w mut Verbatim<Conversation>,
    /// What the conversation was read from.
    body: &'w Doc,
    pub profile: &'w Profile,
    /// What is remembered of it, and the client does not know.
    pub recalled: &'w Recalled,
    ledger: &'w mut Ledger,
    rule: &'static str,
    /// What the conversation holds; unknown after a change.
    surveyed: Option<Survey>,
    /// Calls and results before this turn are known to stand as they should.
    paired: usize,
    /// Which ids are called, as far as somebody has looked.
    called: RefCell<Called>,
    done: Repaired,
    looks: Option<Rc<[Look]>>,
    /// Tools were passed over that the request still has.
    overlooked: bool,
    /// Tools that nobody looked at stand in the list now that everybody reads.
    relisted: bool,
    /// Turns are not what they were when this was last asked.
    changed: bool,
    /// Something is read otherwise than it was written; the request stays as it is.
    reread: bool,
}

/// What the provider knows by another name than the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// Tools: the name sent, and the client's.
    pub names: Vec<(Text, Text)>,
    /// Calls: the id sent, and the client's.
    pub ids: Vec<(Text, Text)>,
    /// Properties, by the name sent of their tool: the name sent, and the client's.
    pub properties: Vec<(Text, Vec<(Text, Text)>)>,
}

impl<'w> Work<'w> {
    pub fn new(
        conversation: &'w mut Verbatim<Conversation>,
        body: &'w Doc,
        profile: &'w Profile,
        recalled: &'w Recalled,
        ledger: &'w mut Ledger,
    ) -> Self {
        Self {
            conversation,
            body,
            profile,
            recalled,
            ledger,
            rule: "",
            surveyed: None,
            paired: 0,
            called: RefCell::default(),
            done: Repaired::default(),
            looks: None,
            overlooked: false,
            relisted: false,
            changed: false,
            reread: false,
        }
    }

    /// Changes from here on are made by the rule of this name.
    pub fn begin(&mut self, rule: &'static str) {
        self.rule = rule;
    }

    pub fn finish(self) -> Repaired {
        self.done
    }

    pub fn conversation(&self) -> &Conversation {
        self.conversation
    }

    pub fn turns(&self) -> &[Verbatim<Turn>] {
        &self.conversation.turns
    }

    pub fn blocks(&self, turn: usize) -> &[Verbatim<Block>] {
        &self.conversation.turns[turn].blocks
    }

    pub fn block(&self, turn: usize, block: usize) -> &Verbatim<Block> {
        &self.conversation.turns[turn].blocks[block]
    }

    /// A value, to look inside.
    pub(crate) fn inside(&self, value: &Json) -> Inside<'w> {
        Inside::of(value, self.body)
    }

    /// Whether there is any of this in the conversation.
    pub(crate) fn holds(&mut self, about: About) -> bool {
        self.survey().has(about)
    }

    /// What the conversation holds.
    pub(crate) fn survey(&mut self) -> &Survey {
        let conversation = &**self.conversation;
        self.surveyed.get_or_insert_with(|| Survey::of(conversation))
    }

    /// What was noted so far: decoding says there what it could not read as it stood.
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }

    /// Takes back what decoding noted, before anything else is.
    pub(crate) fn unnote(&mut self, is_gone: impl Fn(&Entry) -> bool) {
        self.ledger.entries.retain(|entry| !is_gone(entry));
    }

    /// Notes a change that loses nothing, at a place as it is now.
    pub fn change(&mut self, place: Place, what: impl Into<Cow<'static, str>>) {
        self.ledger.change(self.rule, place, what);
        self.done.trail.noted(self.ledger);
    }

    /// Notes what is left out, at a place as it is now: before it is gone.
    pub fn loss(&mut self, place: Place, what: impl Into<Cow<'static, str>>) {
        self.ledger.loss(self.rule, place, what);
        self.done.trail.noted(self.ledger);
    }

    pub fn settings(&mut self) -> &mut Settings {
        self.conversation.edit().settings.edit()
    }

    /// Takes for what is said of thinking what the target hears of it; the request stays as it is.
    pub(crate) fn hear(&mut self, reasoning: Option<Reasoning>) {
        self.reread = true;
        self.conversation.change_beside(|conversation| {
            conversation.settings.change_beside(|settings| settings.reasoning = reasoning);
        });
    }

    pub fn tools(&mut self) -> &mut Vec<Verbatim<Tool>> {
        self.surveyed = None;
        self.looks = None;
        let legacy = tools::legacy(self.conversation);
        if std::mem::take(&mut self.overlooked) {
            self.loss(Place::BODY, "left out what is no function");
        }
        let tools = self.conversation.edit().tools.edit();
        // Those of an older list are written anew in the new one.
        self.relisted |= legacy > 0;
        let old = tools.len() - legacy;
        for tool in &mut tools[old..] {
            tool.edit();
        }
        tools
    }

    /// Whether tools of an older list have joined the others since this was asked.
    pub(crate) fn take_relisted(&mut self) -> bool {
        std::mem::take(&mut self.relisted)
    }

    /// Passes over tools that nobody reads; the request stays as it is.
    pub(crate) fn overlook_tools(&mut self, keep: impl Fn(usize) -> bool) {
        self.looks = None;
        self.overlooked = true;
        self.reread = true;
        self.done.trail.tools_kept(self.conversation.tools.len(), &keep);
        let mut at = 0..;
        self.conversation.change_beside(|conversation| {
            conversation
                .tools
                .change_beside(|tools| tools.retain(|_| at.next().is_some_and(&keep)));
        });
    }

    /// Takes away the tools for which `keep` does not say that they stay.
    pub fn retain_tools(&mut self, keep: impl Fn(usize) -> bool) {
        let count = self.conversation.tools.len();
        self.done.trail.tools_kept(count, &keep);
        let mut at = 0;
        self.tools().retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }

    pub fn system(&mut self) -> &mut Vec<Verbatim<Block>> {
        self.surveyed = None;
        self.conversation.edit().system.edit()
    }

    /// Says this last in the instructions at the head, wherever they stand in what crosses.
    pub(crate) fn instruct(&mut self, words: Text) {
        let block = Block::text(words);
        match self.leading().checked_sub(1) {
            Some(turn) => self.insert(turn, self.blocks(turn).len(), block),
            None => self.system().push(block.into()),
        }
    }

    /// The fields of the body, for a target of the client's own dialect.
    pub fn fields(&mut self) -> &mut Vec<TopField> {
        &mut self.conversation.edit().fields
    }

    pub fn model(&mut self) -> &mut Option<Text> {
        &mut self.conversation.edit().model
    }

    /// A turn's role and extras. Its blocks are added and taken away by the functions below.
    pub fn turn(&mut self, turn: usize) -> &mut Turn {
        self.unsettle(turn);
        self.conversation.edit().turns[turn].edit()
    }

    pub fn edit(&mut self, turn: usize, block: usize) -> &mut Block {
        self.turn(turn).blocks[block].edit()
    }

    /// Changes a turn that says the same as before but for what `text`, its new text, says.
    pub(crate) fn reword(&mut self, turn: usize, text: Json, change: impl FnOnce(&mut Turn)) {
        self.unsettle(turn);
        let dialect = self.profile.dialect;
        let turns = &mut self.conversation.edit().turns;
        let mut value = Turn::clone(&turns[turn]);
        change(&mut value);
        turns[turn] = Verbatim::read(value, dialect, text);
    }

    /// Whether nobody has changed anything, or noted anything, or reads anything otherwise.
    pub(crate) fn is_as_it_came(&self) -> bool {
        self.conversation.written().is_some() && self.ledger.is_empty() && !self.reread
    }

    /// Whether the request leaves as the bytes it came in, as far as is known.
    pub(crate) fn is_untouched(&self) -> bool {
        self.conversation.text_for(self.profile.dialect).is_some()
            && self
                .profile
                .model
                .as_ref()
                .is_none_or(|to| self.conversation.model.as_ref() == Some(to))
    }

    pub fn insert_turn(&mut self, at: usize, turn: Turn) {
        self.done.trail.turn_inserted(self.turns().len(), at);
        self.unsettle(at);
        self.conversation.edit().turns.insert(at, turn.into());
    }

    pub fn remove_turn(&mut self, at: usize) -> Verbatim<Turn> {
        self.done.trail.turn_removed(self.turns().len(), at);
        self.unsettle(at);
        self.conversation.edit().turns.remove(at)
    }

    pub fn insert(&mut self, turn: usize, at: usize, block: Block) {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        self.done.trail.block_inserted(turns, turn, count, at);
        self.turn(turn).blocks.insert(at, block.into());
    }

    /// Puts a part of one block into a place of its own.
    pub fn part(&mut self, from: (usize, usize), to: (usize, usize), block: Block) {
        let turns = self.turns().len();
        let count = |turn: usize| self.blocks(turn).len();
        let (start, end) = ((from.0, count(from.0), from.1), (to.0, count(to.0), to.1));
        self.done.trail.block_parted(turns, start, end);
        self.turn(to.0).blocks.insert(to.1, block.into());
    }

    /// What a block says another one holds now: it is about to go.
    pub(crate) fn joins(&mut self, from: (usize, usize), into: (usize, usize)) {
        let place = |(turn, at)| Place::block(turn, at);
        self.done.trail.block_joined(place(from), place(into));
    }

    pub fn remove(&mut self, turn: usize, at: usize) -> Verbatim<Block> {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        self.done.trail.block_removed(turns, turn, count, at);
        self.turn(turn).blocks.remove(at)
    }

    /// Takes a block from one place to another, counted after it was taken away.
    pub fn carry(&mut self, from: (usize, usize), to: (usize, usize)) {
        let turns = self.turns().len();
        let count = |work: &Self, turn: usize| work.blocks(turn).len();
        let left = count(self, to.0) - usize::from(from.0 == to.0);
        let (start, end) = ((from.0, count(self, from.0), from.1), (to.0, left, to.1));
        self.done.trail.block_moved(turns, start, end);
        let block = self.turn(from.0).blocks.remove(from.1);
        self.turn(to.0).blocks.insert(to.1, block);
    }

    /// Puts the blocks of the next turn at the end of this one, and the next turn away. Fields that
    /// only one dialect knows go with it, but it stays known which fields the blocks come from.
    pub fn join_next(&mut self, turn: usize) {
        self.join_all(turn, turn + 2);
    }

    /// Before which turn calls and results are known to stand as they should.
    pub(crate) fn paired(&self) -> usize {
        self.paired
    }

    pub(crate) fn pairs_settled(&mut self, before: usize) {
        self.paired = before;
    }

    /// Whether there is a call before this turn with this id, or one that may be.
    pub(crate) fn is_called(&self, turn: usize, id: &Text) -> bool {
        let mut called = self.called.borrow_mut();
        called.is_called(self, turn, id) || called.may_be_called(self, turn, id)
    }

    /// Whether a turn has changed since this was asked.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// A turn changes: what was known of it is no longer so.
    fn unsettle(&mut self, turn: usize) {
        self.surveyed = None;
        self.changed = true;
        self.called.get_mut().forget(turn);
        if turn < self.paired {
            self.paired = 0;
        }
    }

    /// A tool is called something else on the way.
    pub fn renamed_tool(&mut self, sent: Text, client: Text) {
        self.done.renamed.names.push((sent, client));
    }

    /// The name sent for a tool that the client knows by this one.
    pub fn sent_name(&self, client: &Text) -> Option<&Text> {
        let mut names = self.done.renamed.names.iter();
        names.find(|(_, known)| known == client).map(|(sent, _)| sent)
    }

    /// A call has another id on the way.
    pub fn renamed_call(&mut self, sent: Text, client: Text) {
        self.done.renamed.ids.push((sent, client));
    }

    /// Properties of a tool's input are called something else on the way.
    pub(crate) fn renamed_properties(&mut self, tool: Text, pairs: Vec<(Text, Text)>) {
        self.done.renamed.properties.push((tool, pairs));
    }

    /// The schema of a tool is said in simpler terms; the first that is told is what the client wrote.
    pub fn lowered_schema(&mut self, sent: Text, client: Json) {
        if !self.done.schemas.iter().any(|(known, _)| *known == sent) {
            self.done.schemas.push((sent, client));
        }
    }

    /// What was found out about the tools, one for each: looked up once, and again after an edit.
    pub(crate) fn looks(&mut self) -> Rc<[Look]> {
        if let Some(looks) = &self.looks {
            return Rc::clone(looks);
        }
        let looks: Rc<[Look]> = tools::look(self.conversation, self.body, self.profile).into();
        self.looks = Some(Rc::clone(&looks));
        looks
    }

    /// The trail so far, for those who note on their own.
    pub fn trail(&self) -> &Trail {
        &self.done.trail
    }
}

/// How the mark of a field begins whose meaning is held in blocks.
const HELD: &str = "held ";
