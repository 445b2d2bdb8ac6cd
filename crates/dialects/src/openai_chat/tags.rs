//! Reasoning in `<think>` tags at the beginning of a text.

use interlingua_wire::Text;

/// Splits a streamed text as it comes.
#[derive(Debug)]
pub(super) enum Tags {
    /// Too little came to tell.
    Undecided(String),
    /// Within the tags; held back is what may be the beginning of the end.
    Inside(String),
    /// Within the text after the tags, before its first character.
    After,
    Outside,
}

/// A piece of one kind or the other.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    Thought(Text),
    Said(Text),
}

impl Tags {
    pub(super) fn new(expected: bool) -> Self {
        if expected { Self::Undecided(String::new()) } else { Self::Outside }
    }

    pub(super) fn feed(&mut self, text: &Text, tell: &mut impl FnMut(Told)) {
        match self {
            Self::Outside => tell(Told::Said(text.clone())),
            Self::After => self.after(&text.contents(), tell),
            Self::Inside(held) => {
                held.push_str(&text.contents());
                self.inside(tell);
            }
            Self::Undecided(held) => {
                held.push_str(&text.contents());
                let start = held.trim_start();
                if let Some(rest) = start.strip_prefix(OPEN) {
                    *self = Self::Inside(rest.trim_start_matches('\n').to_owned());
                    self.inside(tell);
                } else if !OPEN.starts_with(start) {
                    let text = Text::new(held);
                    *self = Self::Outside;
                    tell(Told::Said(text));
                }
            }
        }
    }

    /// The text has ended: what was held back is what it seems.
    pub(super) fn finish(&mut self, tell: &mut impl FnMut(Told)) {
        match std::mem::replace(self, Self::Outside) {
            Self::Undecided(held) if !held.is_empty() => tell(Told::Said(Text::new(&held))),
            Self::Inside(held) if !held.is_empty() => tell(Told::Thought(Text::new(&held))),
            Self::Undecided(_) | Self::Inside(_) | Self::After | Self::Outside => {}
        }
    }

    fn inside(&mut self, tell: &mut impl FnMut(Told)) {
        let Self::Inside(held) = self else { return };
        if let Some((thought, rest)) = held.split_once(CLOSE) {
            if !thought.is_empty() {
                tell(Told::Thought(Text::new(thought)));
            }
            let rest = rest.to_owned();
            *self = Self::After;
            return self.after(&rest, tell);
        }
        let safe = held.len() - held_back(held);
        if safe > 0 {
            tell(Told::Thought(Text::new(&held[..safe])));
            held.drain(..safe);
        }
    }

    fn after(&mut self, text: &str, tell: &mut impl FnMut(Told)) {
        let text = text.trim_start_matches('\n');
        if !text.is_empty() {
            *self = Self::Outside;
            tell(Told::Said(Text::new(text)));
        }
    }
}

/// The reasoning and the rest of a whole text that begins with it.
pub(super) fn split(text: &Text) -> Option<(Text, Text)> {
    let mut tags = Tags::new(true);
    let (mut thought, mut said) = (Vec::new(), Vec::new());
    let mut tell = |told: Told| match told {
        Told::Thought(text) => thought.push(text),
        Told::Said(text) => said.push(text),
    };
    tags.feed(text, &mut tell);
    tags.finish(&mut tell);
    (!thought.is_empty()).then(|| (Text::concat(&thought), Text::concat(&said)))
}

/// How many bytes at the end may be the beginning of the closing tag.
fn held_back(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or(0)
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
