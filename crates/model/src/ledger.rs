//! Everything that was changed on the way, in order.

use std::borrow::Cow;
use std::fmt;

use interlingua_wire::Json;

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub entries: Vec<Entry>,
}

/// One change: what made it, where, and what it did, in a sentence for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A name with a place in the documentation.
    pub rule: &'static str,
    /// Where, in the conversation as the client wrote it; the nearest, for what no client wrote.
    pub place: Place,
    /// Where that is in the conversation as it leaves; `None` if it is gone.
    pub after: Option<Place>,
    pub what: Cow<'static, str>,
    /// Something the client wrote does not reach the other side.
    pub loss: bool,
}

/// A place in the conversation as the client wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub section: Section,
    pub index: Option<u32>,
    pub block: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Body,
    System,
    Turns,
    Tools,
    Settings,
    Reply,
}

impl Ledger {
    /// Something was said differently; nothing is lost.
    pub fn change(&mut self, rule: &'static str, place: Place, what: impl Into<Cow<'static, str>>) {
        self.entries.push(Entry::new(rule, place, what.into(), false));
    }

    /// Something was left out.
    pub fn loss(&mut self, rule: &'static str, place: Place, what: impl Into<Cow<'static, str>>) {
        self.entries.push(Entry::new(rule, place, what.into(), true));
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Entry {
    fn new(rule: &'static str, place: Place, what: Cow<'static, str>, loss: bool) -> Self {
        Self { rule, place, after: Some(place), what, loss }
    }

    /// The entry for machines: `{"rule","path","after","what","loss"}`; `after` is null for what is
    /// gone.
    pub fn to_json(&self) -> Json {
        Json::object(|entry| {
            entry.word("rule", self.rule);
            entry.word("path", &self.place.to_string());
            match self.after {
                Some(after) => entry.word("after", &after.to_string()),
                None => entry.null("after"),
            }
            entry.word("what", &self.what);
            entry.boolean("loss", self.loss);
        })
    }
}

impl Place {
    pub const BODY: Self = Self { section: Section::Body, index: None, block: None };
    pub const SETTINGS: Self = Self { section: Section::Settings, index: None, block: None };
    pub const REPLY: Self = Self { section: Section::Reply, index: None, block: None };
    pub const SYSTEM: Self = Self { section: Section::System, index: None, block: None };

    pub fn system(block: usize) -> Self {
        Self { section: Section::System, index: None, block: Some(block as u32) }
    }

    pub fn turn(turn: usize) -> Self {
        Self { section: Section::Turns, index: Some(turn as u32), block: None }
    }

    pub fn block(turn: usize, block: usize) -> Self {
        Self { section: Section::Turns, index: Some(turn as u32), block: Some(block as u32) }
    }

    pub fn tool(tool: usize) -> Self {
        Self { section: Section::Tools, index: Some(tool as u32), block: None }
    }

    pub fn reply(block: usize) -> Self {
        Self { section: Section::Reply, index: None, block: Some(block as u32) }
    }
}

/// A path such as `turns.3.blocks.1`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.section {
            Section::Body => "body",
            Section::System => "system",
            Section::Turns => "turns",
            Section::Tools => "tools",
            Section::Settings => "settings",
            Section::Reply => "reply",
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
