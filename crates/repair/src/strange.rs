//! What becomes of a block that the target may not know: asked of the rows for its kind.

use interlingua_model::{Block, Body, DialectId, Role};
use interlingua_wire::{Json, Text};

use crate::Profile;
use crate::profile::fields::{Foreign, Side};
use crate::profile::media::Places;
use crate::shape::{Fit, Kind, Reading};

/// What becomes of a block.
pub(crate) enum Fate {
    Stays,
    Instead(Json),
    Text(Text),
    /// Is said in another form.
    Anew,
    Goes,
}

/// Who knows which blocks a target takes.
pub(crate) struct Judge<'j> {
    pub(crate) known: &'static [Foreign],
    pub(crate) reading: Reading<'j>,
    pub(crate) dialect: DialectId,
    /// Where images may stand as they were written.
    pub(crate) pictures: Places,
}

impl<'j> Judge<'j> {
    pub(crate) fn new(known: &'static [Foreign], profile: &'j Profile) -> Self {
        let reading = profile.reading();
        Judge { known, reading, dialect: profile.dialect, pictures: profile.media.written }
    }

    /// Whether a block within a result is written as a part there that the target takes.
    pub(crate) fn takes_part(&self, block: &Block) -> bool {
        self.part(block).is_some_and(|kind| self.find(kind.raw(), None).is_some())
    }

    /// `role` is who speaks; `None` inside a result.
    pub(crate) fn fate(&self, block: &Block, role: Option<Role>) -> Fate {
        let Body::Foreign { dialect, kind, json } = &block.body else {
            return match self.part(block) {
                Some(kind) if self.find(kind.raw(), role).is_none() => Fate::Anew,
                _ => Fate::Stays,
            };
        };
        if *dialect != self.dialect {
            return Fate::Stays;
        }
        match self.find(&kind.contents(), role) {
            None => said(kind, json).map_or(Fate::Goes, Fate::Text),
            Some(Foreign { keys: None, .. }) => Fate::Stays,
            Some(Foreign { keys: Some(keys), open, .. }) => {
                let shape = if *open { Kind::Open(keys) } else { Kind::Shape(keys) };
                match self.reading.fit(json, shape) {
                    Fit::Fine => Fate::Stays,
                    Fit::Instead(json) => Fate::Instead(json),
                    Fit::Drop => said(kind, json).map_or(Fate::Goes, Fate::Text),
                }
            }
        }
    }

    fn find(&self, kind: &str, role: Option<Role>) -> Option<&'static Foreign> {
        // Where a kind has a row of its own, others are not asked.
        let named = self.known.iter().any(|known| self.reading.is(kind, known.kind));
        let fits = |known: &&Foreign| {
            let begins =
                !named && known.kind.strip_suffix('*').is_some_and(|start| kind.starts_with(start));
            (self.reading.is(kind, known.kind) || begins && !kind.is_empty())
                && (self.stands(known.side, role)
                    || self.reading.open && known.side != Side::Result && is_spoken(role))
                && self.reading.lets_in(known.beta)
        };
        self.known.iter().find(fits)
    }

    fn stands(&self, side: Side, role: Option<Role>) -> bool {
        match side {
            Side::Anywhere => true,
            Side::User => role == Some(Role::User),
            Side::Assistant => role == Some(Role::Assistant),
            Side::Instructions => matches!(role, Some(Role::System | Role::Developer)),
            Side::Result => role.is_none(),
            Side::UserOrResult => role.is_none() || role == Some(Role::User),
            Side::Client => role != Some(Role::Assistant),
            Side::Turns => matches!(role, Some(Role::User | Role::Assistant)),
            Side::TurnsOrResult => matches!(role, None | Some(Role::User | Role::Assistant)),
            Side::NotResult => role.is_some(),
            Side::Pictures => {
                let there = match role {
                    None => self.pictures.result,
                    Some(Role::User) => self.pictures.user,
                    Some(Role::Assistant) => self.pictures.assistant,
                    Some(Role::System | Role::Developer) => self.pictures.instructions,
                };
                there.image.data
            }
        }
    }

    /// The kind of part that a block is written as, where its dialect remembers that.
    fn part(&self, block: &Block) -> Option<Text> {
        if block.extras.is_empty() {
            return None;
        }
        let mut own = block.extras.of(self.dialect).iter();
        own.find_map(|(key, _)| key.raw().strip_prefix(PART).map(Text::new))
    }

    pub(crate) fn kind(&self, block: &Block) -> Text {
        match &block.body {
            Body::Foreign { kind, .. } => kind.clone(),
            _ => self.part(block).filter(|kind| !kind.is_empty()).unwrap_or(Text::word(NAMELESS)),
        }
    }

    pub(crate) fn forget(&self, block: &mut Block) {
        block.extras.retain(self.dialect, |key, _| !key.raw().starts_with(PART));
    }
}

fn is_spoken(role: Option<Role>) -> bool {
    matches!(role, Some(Role::User | Role::Assistant))
}

/// The text of a block that is nothing else. What was thought is not said.
pub(crate) fn said(kind: &Text, json: &Json) -> Option<Text> {
    if is_thought(kind) {
        return None;
    }
    let text = json.doc().root().get("text").and_then(interlingua_wire::Node::text);
    text.filter(|text| !text.is_blank())
}

/// Whether blocks of this kind hold what was thought.
pub(crate) fn is_thought(kind: &Text) -> bool {
    THOUGHT.iter().any(|word| kind.raw().contains(word))
}

/// By what the kinds of blocks are known that hold what was thought.
const THOUGHT: &[&str] = &["reasoning", "thinking", "thought"];
/// How the mark of a part begins that not every server knows.
const PART: &str = "part ";
/// What a part without a type is called.
const NAMELESS: &str = "a part without a type";
