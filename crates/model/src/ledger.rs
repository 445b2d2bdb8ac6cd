//! Records the changes and losses of a translation, in order.

use std::borrow::Cow;
use std::fmt;

use interlingua_wire::RawJson;

/// The changes and losses of a translation.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub entries: Vec<LedgerEntry>,
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
    pub description: Cow<'static, str>,
    /// Something that the client wrote is not sent.
    pub is_loss: bool,
}

/// A path in the conversation as the client wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPath {
    pub section: LedgerSection,
    pub index: Option<u32>,
    pub block: Option<u32>,
}

/// First segment of a ledger path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerSection {
    Body,
    System,
    Turns,
    Tools,
    Settings,
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
        self.entries.push(LedgerEntry::new(rule, path, description.into(), false));
    }

    /// Records that something was left out.
    pub fn record_loss(
        &mut self,
        rule: &'static str,
        path: LedgerPath,
        description: impl Into<Cow<'static, str>>,
    ) {
        self.entries.push(LedgerEntry::new(rule, path, description.into(), true));
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl LedgerEntry {
    fn new(
        rule: &'static str,
        path: LedgerPath,
        description: Cow<'static, str>,
        is_loss: bool,
    ) -> Self {
        Self { rule, path, path_after: Some(path), description, is_loss }
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
            entry.str("what", &self.description);
            entry.boolean("loss", self.is_loss);
        })
    }
}

impl LedgerPath {
    pub const BODY: Self = Self { section: LedgerSection::Body, index: None, block: None };
    pub const SETTINGS: Self = Self { section: LedgerSection::Settings, index: None, block: None };
    pub const REPLY: Self = Self { section: LedgerSection::Reply, index: None, block: None };
    pub const SYSTEM: Self = Self { section: LedgerSection::System, index: None, block: None };

    pub fn system(block: usize) -> Self {
        Self { section: LedgerSection::System, index: None, block: Some(block as u32) }
    }

    pub fn turn(turn: usize) -> Self {
        Self { section: LedgerSection::Turns, index: Some(turn as u32), block: None }
    }

    pub fn block(turn: usize, block: usize) -> Self {
        Self { section: LedgerSection::Turns, index: Some(turn as u32), block: Some(block as u32) }
    }

    pub fn tool(tool: usize) -> Self {
        Self { section: LedgerSection::Tools, index: Some(tool as u32), block: None }
    }

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
