//! Gives rules read access to the conversation and tracks every edit in the ledger and the source
//! map.

pub(crate) mod bulk;

use std::borrow::Cow;
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use interlingua_model::{
    Block, Conversation, ConversationPatch, DecodingNotes, Ledger, LedgerEntry, LedgerPath,
    ReasoningSettings, Settings, Tool, TopLevelField, Turn, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonString, RawJson};

use crate::engine::call_index::CallIndex;
use crate::engine::survey::{Feature, Survey};
use crate::engine::{RepairOutput, SourceMap};
use crate::profile::TargetProfile;
use crate::tools::{self, ToolIssues};
use crate::values::json_ref::JsonRef;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent state")]
pub struct Work<'w> {
    conversation: &'w mut Verbatim<Conversation>,
    /// The document from which the conversation was decoded.
    body: &'w JsonDoc,
    pub profile: &'w TargetProfile,
    /// Stored data about the conversation that the client does not send.
    pub patch: &'w ConversationPatch,
    /// Rules write into it, and nothing reads it.
    ledger: &'w mut Ledger,
    /// Number of changes and losses recorded so far.
    recorded: usize,
    rule: &'static str,
    /// Features of the conversation; `None` after a change.
    survey: Option<Survey>,
    /// Calls and results before this turn are well paired.
    paired_until: usize,
    /// Call ids, as far as turns were scanned.
    call_index: RefCell<CallIndex>,
    output: RepairOutput,
    tool_issues: Option<Rc<[ToolIssues]>>,
    /// Tools were skipped that the request still has.
    has_skipped_tools: bool,
    /// The legacy list of tools was merged into the current one, so that fit rules must check it.
    legacy_tools_merged: bool,
    /// Turns have changed since the last query.
    turns_changed: bool,
    /// A value is interpreted differently than it was decoded, while the request stays unchanged.
    reinterpreted: bool,
}

impl<'w> Work<'w> {
    pub fn new(
        conversation: &'w mut Verbatim<Conversation>,
        body: &'w JsonDoc,
        profile: &'w TargetProfile,
        patch: &'w ConversationPatch,
        ledger: &'w mut Ledger,
    ) -> Self {
        Self {
            conversation,
            body,
            profile,
            patch,
            ledger,
            recorded: 0,
            rule: "",
            survey: None,
            paired_until: 0,
            call_index: RefCell::default(),
            output: RepairOutput::default(),
            tool_issues: None,
            has_skipped_tools: false,
            legacy_tools_merged: false,
            turns_changed: false,
            reinterpreted: false,
        }
    }

    /// Sets the rule under which the next changes are recorded.
    pub fn set_rule(&mut self, rule: &'static str) {
        self.rule = rule;
    }

    pub fn into_output(self) -> RepairOutput {
        self.output
    }

    pub fn conversation(&self) -> &Conversation {
        self.conversation
    }

    /// Whether the request leaves in the dialect in which it came: each turn is then a message of
    /// its own, as the client wrote it. For other dialects, encoding merges neighbours.
    pub fn is_same_dialect(&self) -> bool {
        self.conversation.dialect.is_same(self.profile.dialect)
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

    /// A node for the value, in the body if it comes from there.
    pub(crate) fn json_ref(&self, value: &RawJson) -> JsonRef<'w> {
        JsonRef::new(value, self.body)
    }

    pub(crate) fn has(&mut self, feature: Feature) -> bool {
        self.survey().has(feature)
    }

    pub(crate) fn survey(&mut self) -> &Survey {
        let conversation = &**self.conversation;
        self.survey.get_or_insert_with(|| Survey::new(conversation))
    }

    /// Number of changes and losses recorded so far.
    pub(crate) fn recorded(&self) -> usize {
        self.recorded
    }

    /// Records what decoding noted, before anything else is recorded.
    pub(crate) fn record_notes(&mut self, notes: DecodingNotes) {
        let ledger = notes.into_ledger();
        self.recorded += ledger.count();
        self.ledger.append(ledger);
    }

    /// Records a change without loss, at a current path.
    pub fn record_change(&mut self, path: LedgerPath, description: impl Into<Cow<'static, str>>) {
        self.record(LedgerEntry::new(self.rule, path, description.into(), false));
    }

    /// Records a loss, at a current path and before the removal.
    pub fn record_loss(&mut self, path: LedgerPath, description: impl Into<Cow<'static, str>>) {
        self.record(LedgerEntry::new(self.rule, path, description.into(), true));
    }

    fn record(&mut self, entry: LedgerEntry) {
        self.recorded += 1;
        if self.ledger.push(entry) {
            self.output.source_map.map_last_entry(self.ledger);
        }
    }

    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_settings(&mut self) -> &mut Settings {
        self.conversation.edit().settings.edit()
    }

    /// Replaces the decoded reasoning settings by the target's reading; the request stays
    /// unchanged.
    pub(crate) fn override_reasoning(&mut self, reasoning: Option<ReasoningSettings>) {
        self.reinterpreted = true;
        self.conversation.edit_keeping_text(|conversation| {
            conversation.settings.edit_keeping_text(|settings| settings.reasoning = reasoning);
        });
    }

    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_tools(&mut self) -> &mut Vec<Verbatim<Tool>> {
        self.survey = None;
        self.tool_issues = None;
        let legacy = tools::count_legacy_tools(self.conversation);
        if std::mem::take(&mut self.has_skipped_tools) {
            self.record_loss(LedgerPath::BODY, "left out tools that are not functions");
        }
        let tools = self.conversation.edit().tools.edit();
        // Tools of the legacy list are encoded again in the current one.
        self.legacy_tools_merged |= legacy > 0;
        let start = tools.len() - legacy;
        for tool in &mut tools[start..] {
            tool.edit();
        }
        tools
    }

    /// Whether the legacy list of tools was merged since the last call.
    pub(crate) fn take_legacy_tools_merged(&mut self) -> bool {
        std::mem::take(&mut self.legacy_tools_merged)
    }

    /// Skips tools that the target does not read; the request stays unchanged.
    pub(crate) fn skip_tools(&mut self, keep: impl Fn(usize) -> bool) {
        self.tool_issues = None;
        self.has_skipped_tools = true;
        self.reinterpreted = true;
        self.output.source_map.retain_tools(self.conversation.tools.len(), &keep);
        let mut at = 0..;
        self.conversation.edit_keeping_text(|conversation| {
            conversation
                .tools
                .edit_keeping_text(|tools| tools.retain(|_| at.next().is_some_and(&keep)));
        });
    }

    /// Removes the tools for which `keep` returns false.
    pub fn retain_tools(&mut self, keep: impl Fn(usize) -> bool) {
        let count = self.conversation.tools.len();
        self.output.source_map.retain_tools(count, &keep);
        let mut at = 0;
        self.edit_tools().retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }

    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_system(&mut self) -> &mut Vec<Verbatim<Block>> {
        self.survey = None;
        self.conversation.edit().system.edit()
    }

    /// Appends a text to the instructions at the head, in their current position.
    pub(crate) fn append_instruction(&mut self, text: JsonString) {
        let block = Block::text(text);
        match self.leading_instructions().checked_sub(1) {
            Some(turn) => self.insert_block(turn, self.blocks(turn).len(), block),
            None => self.edit_system().push(block.into()),
        }
    }

    /// The fields of the body, for a target of the client's own dialect.
    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_top_level_fields(&mut self) -> &mut Vec<TopLevelField> {
        &mut self.conversation.edit().top_level_fields
    }

    pub fn edit_model(&mut self) -> &mut Option<JsonString> {
        &mut self.conversation.edit().model
    }

    /// A turn's role and extras. Blocks are inserted and removed by the functions below.
    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_turn(&mut self, turn: usize) -> &mut Turn {
        self.invalidate(turn);
        self.conversation.edit().turns[turn].edit()
    }

    #[must_use = "to drop the raw text alone, use `discard_…_text`"]
    pub fn edit_block(&mut self, turn: usize, block: usize) -> &mut Block {
        self.edit_turn(turn).blocks[block].edit()
    }

    /// Drops the raw text of a turn, which is then encoded again.
    pub fn discard_turn_text(&mut self, turn: usize) {
        let _: &mut Turn = self.edit_turn(turn);
    }

    /// Drops the raw text of a block and of its turn.
    pub fn discard_block_text(&mut self, turn: usize, block: usize) {
        let _: &mut Block = self.edit_block(turn, block);
    }

    /// Drops the raw text of the settings.
    pub fn discard_settings_text(&mut self) {
        let _: &mut Settings = self.edit_settings();
    }

    /// Drops the raw text of the list of tools, into which legacy tools are merged.
    pub fn discard_tools_text(&mut self) {
        let _: &mut Vec<Verbatim<Tool>> = self.edit_tools();
    }

    /// Drops the raw text of the body.
    pub fn discard_body_text(&mut self) {
        let _: &mut Vec<TopLevelField> = self.edit_top_level_fields();
    }

    /// Edits a turn and sets its new text in the target's dialect.
    pub(crate) fn edit_turn_with_text(
        &mut self,
        turn: usize,
        text: RawJson,
        change: impl FnOnce(&mut Turn),
    ) {
        self.invalidate(turn);
        let dialect = self.profile.dialect;
        let turns = &mut self.conversation.edit().turns;
        let mut value = Turn::clone(&turns[turn]);
        change(&mut value);
        turns[turn] = Verbatim::with_text(value, dialect, text);
    }

    /// Whether nothing was edited, recorded or reinterpreted.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.conversation.original().is_some() && self.recorded == 0 && !self.reinterpreted
    }

    /// Whether the request still leaves as the bytes that were read.
    pub(crate) fn is_verbatim(&self) -> bool {
        self.conversation.text_for(self.profile.dialect).is_some()
            && self
                .profile
                .model
                .as_ref()
                .is_none_or(|target_model| self.conversation.model.as_ref() == Some(target_model))
    }

    pub fn insert_turn(&mut self, at: usize, turn: Turn) {
        self.output.source_map.insert_turn(self.turns().len(), at);
        self.invalidate(at);
        self.conversation.edit().turns.insert(at, turn.into());
    }

    pub fn remove_turn(&mut self, at: usize) -> Verbatim<Turn> {
        self.output.source_map.remove_turn(self.turns().len(), at);
        self.invalidate(at);
        self.conversation.edit().turns.remove(at)
    }

    pub fn insert_block(&mut self, turn: usize, at: usize, block: Block) {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        self.output.source_map.insert_block(turns, turn, count, at);
        self.edit_turn(turn).blocks.insert(at, block.into());
    }

    /// Records that a block was merged into another; it is about to be removed.
    pub(crate) fn record_merge(&mut self, from: (usize, usize), into: (usize, usize)) {
        let to_path = |(turn, at)| LedgerPath::block(turn, at);
        self.output.source_map.merge_block(to_path(from), to_path(into));
    }

    pub fn remove_block(&mut self, turn: usize, at: usize) -> Verbatim<Block> {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        self.output.source_map.remove_block(turns, turn, count, at);
        self.edit_turn(turn).blocks.remove(at)
    }

    /// Moves a block; the target index counts without it.
    pub fn move_block(&mut self, from: (usize, usize), to: (usize, usize)) {
        let turns = self.turns().len();
        let count = |work: &Self, turn: usize| work.blocks(turn).len();
        let remaining = count(self, to.0) - usize::from(from.0 == to.0);
        let (start, end) = ((from.0, count(self, from.0), from.1), (to.0, remaining, to.1));
        self.output.source_map.move_block(turns, start, end);
        let block = self.edit_turn(from.0).blocks.remove(from.1);
        self.edit_turn(to.0).blocks.insert(to.1, block);
    }

    /// Merges the next turn into this one. Its extras are dropped, except which fields the blocks
    /// come from.
    pub fn merge_next(&mut self, turn: usize) {
        self.merge_turns(turn, turn + 2);
    }

    /// The turn before which calls and results are well paired.
    pub(crate) fn paired_until(&self) -> usize {
        self.paired_until
    }

    pub(crate) fn set_paired_until(&mut self, turn: usize) {
        self.paired_until = turn;
    }

    pub(crate) fn call_index(&self) -> RefMut<'_, CallIndex> {
        self.call_index.borrow_mut()
    }

    /// Whether a turn has changed since the last call.
    pub(crate) fn take_turns_changed(&mut self) -> bool {
        std::mem::take(&mut self.turns_changed)
    }

    /// Discards cached results about turns from this one on.
    fn invalidate(&mut self, turn: usize) {
        self.survey = None;
        self.turns_changed = true;
        self.call_index.get_mut().truncate(turn);
        if turn < self.paired_until {
            self.paired_until = 0;
        }
    }

    /// Records that a tool is sent under another name.
    pub fn record_tool_rename(&mut self, sent: JsonString, client: JsonString) {
        self.output.renames.tools.push((sent, client));
    }

    /// The name under which the client's tool is sent.
    pub fn sent_name(&self, client: &JsonString) -> Option<&JsonString> {
        let mut names = self.output.renames.tools.iter();
        names.find(|(_, client_name)| client_name == client).map(|(sent, _)| sent)
    }

    /// Records that a call is sent with another id.
    pub fn record_call_rename(&mut self, sent: JsonString, client: JsonString) {
        self.output.renames.calls.push((sent, client));
    }

    /// Records that properties of a tool's input are sent under other names.
    pub(crate) fn record_property_renames(
        &mut self,
        tool: JsonString,
        pairs: Vec<(JsonString, JsonString)>,
    ) {
        self.output.renames.properties.push((tool, pairs));
    }

    /// Records that a tool's schema was simplified; only the first call, with the client's schema,
    /// counts.
    pub fn record_original_schema(&mut self, sent: JsonString, client: RawJson) {
        if !self.output.original_schemas.iter().any(|(sent_name, _)| *sent_name == sent) {
            self.output.original_schemas.push((sent, client));
        }
    }

    /// Results of checking the tools, one for each; cached until the next edit of the tools.
    pub(crate) fn tool_issues(&mut self) -> Rc<[ToolIssues]> {
        if let Some(issues) = &self.tool_issues {
            return Rc::clone(issues);
        }
        let issues: Rc<[ToolIssues]> =
            tools::check_tools(self.conversation, self.body, self.profile).into();
        self.tool_issues = Some(Rc::clone(&issues));
        issues
    }

    /// Origins so far.
    pub fn source_map(&self) -> &SourceMap {
        &self.output.source_map
    }
}
