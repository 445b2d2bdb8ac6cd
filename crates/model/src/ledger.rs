//! Records the changes and losses of a translation, in order.

use std::borrow::Cow;
use std::fmt;

use interlingua_wire::RawJson;

/// The changes and losses of a translation. The first thousand are listed one by one;
/// further ones of one rule share an entry, so that a body of many small irregularities costs little
/// memory.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The changes and losses, in the order in which they happened.
    pub entries: Vec<LedgerEntry>,
    /// Paths of the changes without an entry of their own.
    folded_paths: Vec<LedgerPath>,
}

/// One change: the rule that made it, its path, and a description for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Name of the rule or note, as in the documentation.
    pub rule: &'static str,
    /// Path in the conversation as the client wrote it; the nearest one, for content that no client
    /// wrote.
    pub path: LedgerPath,
    /// Path in the conversation as sent; `None` if the content was removed.
    pub path_after: Option<LedgerPath>,
    /// What was changed or lost, as a sentence for people.
    pub description: Cow<'static, str>,
    /// Something that the client wrote is not sent.
    pub is_loss: bool,
    /// Number of further changes of this rule, at other paths, that are not listed.
    pub more: u32,
}

/// A path in the conversation as the client wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPath {
    /// The part of the conversation.
    pub section: LedgerSection,
    /// The index of the turn, tool or block in that part.
    pub index: Option<u32>,
    /// The index of the block in its turn.
    pub block: Option<u32>,
}

/// First segment of a ledger path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerSection {
    /// The body as a whole.
    Body,
    /// The system messages outside the list of turns.
    System,
    /// The turns.
    Turns,
    /// The tools.
    Tools,
    /// The settings.
    Settings,
    /// The reply.
    Reply,
}

impl Ledger {
    /// Records a change without loss.
    pub fn record_change(
        &mut self,
        rule: &'static str,
        path: LedgerPath,
        description: impl Into<Cow<'static, str>>,
    ) {
        self.push(LedgerEntry::new(rule, path, description.into(), false));
    }

    /// Records that something was left out.
    pub fn record_loss(
        &mut self,
        rule: &'static str,
        path: LedgerPath,
        description: impl Into<Cow<'static, str>>,
    ) {
        self.push(LedgerEntry::new(rule, path, description.into(), true));
    }

    /// Adds an entry; returns false if an existing entry counts it.
    pub fn push(&mut self, entry: LedgerEntry) -> bool {
        let mut shared = self.entries.iter_mut().skip(MAX_LISTED_ENTRIES);
        let is_same =
            |other: &&mut LedgerEntry| other.rule == entry.rule && other.is_loss == entry.is_loss;
        let Some(shared) = shared.find(is_same) else {
            self.entries.push(entry);
            return true;
        };
        shared.more = shared.more.saturating_add(entry.more).saturating_add(1);
        if self.folded_paths.last() != Some(&entry.path) {
            self.folded_paths.push(entry.path);
        }
        false
    }

    /// Adds the entries of another ledger.
    #[inline]
    pub fn append(&mut self, other: Self) {
        // Most frames of a stream change nothing.
        if !other.is_empty() {
            self.append_entries(other);
        }
    }

    fn append_entries(&mut self, other: Self) {
        for entry in other.entries {
            self.push(entry);
        }
        self.folded_paths.extend(other.folded_paths);
    }

    /// The paths of all changes, also of those that are not listed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = LedgerPath> {
        self.entries.iter().map(|entry| entry.path).chain(self.folded_paths.iter().copied())
    }

    /// Number of all changes, also of those that are not listed.
    pub fn count(&self) -> usize {
        let more = self.entries.iter().skip(MAX_LISTED_ENTRIES).map(|entry| entry.more as usize);
        self.entries.len() + more.sum::<usize>()
    }

    /// Retains the changes whose path fulfills a condition.
    pub(crate) fn retain(&mut self, keep: impl Fn(LedgerPath) -> bool) {
        self.entries.retain(|entry| keep(entry.path));
        self.folded_paths.retain(|path| keep(*path));
    }

    /// Whether nothing was changed or lost.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl LedgerEntry {
    /// An entry about one position.
    pub fn new(
        rule: &'static str,
        path: LedgerPath,
        description: Cow<'static, str>,
        is_loss: bool,
    ) -> Self {
        Self { rule, path, path_after: Some(path), description, is_loss, more: 0 }
    }

    /// The entry as JSON: `{"rule","path","after","what","loss"}`; `after` is null if the content
    /// was removed.
    pub fn to_json(&self) -> RawJson {
        RawJson::object(|entry| {
            entry.str("rule", self.rule);
            entry.str("path", &self.path.to_string());
            match self.path_after {
                Some(after) => entry.str("after", &after.to_string()),
                None => entry.null("after"),
            }
            match self.more {
                0 => entry.str("what", &self.description),
                more => entry.str("what", &format!("{} (and {more} more)", self.description)),
            }
            entry.boolean("loss", self.is_loss);
        })
    }
}

impl LedgerPath {
    /// The body as a whole.
    pub const BODY: Self = Self { section: LedgerSection::Body, index: None, block: None };
    /// The settings.
    pub const SETTINGS: Self = Self { section: LedgerSection::Settings, index: None, block: None };
    /// The reply as a whole.
    pub const REPLY: Self = Self { section: LedgerSection::Reply, index: None, block: None };
    /// The system messages as a whole.
    pub const SYSTEM: Self = Self { section: LedgerSection::System, index: None, block: None };

    /// A block of the system messages.
    pub fn system(block: usize) -> Self {
        Self { section: LedgerSection::System, index: None, block: Some(block as u32) }
    }

    /// A turn.
    pub fn turn(turn: usize) -> Self {
        Self { section: LedgerSection::Turns, index: Some(turn as u32), block: None }
    }

    /// A block of a turn.
    pub fn block(turn: usize, block: usize) -> Self {
        Self { section: LedgerSection::Turns, index: Some(turn as u32), block: Some(block as u32) }
    }

    /// A tool.
    pub fn tool(tool: usize) -> Self {
        Self { section: LedgerSection::Tools, index: Some(tool as u32), block: None }
    }

    /// A block of the reply.
    pub fn reply(block: usize) -> Self {
        Self { section: LedgerSection::Reply, index: None, block: Some(block as u32) }
    }
}

/// A path such as `turns.3.blocks.1`.
impl fmt::Display for LedgerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.section {
            LedgerSection::Body => "body",
            LedgerSection::System => "system",
            LedgerSection::Turns => "turns",
            LedgerSection::Tools => "tools",
            LedgerSection::Settings => "settings",
            LedgerSection::Reply => "reply",
        })?;
        if let Some(index) = self.index {
            write!(f, ".{index}")?;
        }
        if let Some(block) = self.block {
            write!(f, ".blocks.{block}")?;
        }
        Ok(())
    }
}

/// Entries that are listed one by one.
pub(crate) const MAX_LISTED_ENTRIES: usize = 1000;
