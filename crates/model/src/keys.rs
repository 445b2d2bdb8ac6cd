//! The names of arguments, said otherwise while they come.

use std::mem;

use interlingua_wire::{Json, Text};

use crate::Args;

/// Says the keys of one JSON object otherwise, in whatever pieces its text comes. What stands deeper, and
/// everything else, stays as it is; a text that is cut off is as good as a whole one.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The key as it comes, and as it is to be.
    pairs: Vec<(Text, Text)>,
    depth: usize,
    /// It is an object, and no list.
    object: bool,
    within: Within,
    /// The next character of the string is escaped.
    escaped: bool,
    /// A string that begins here is a key, in an object.
    key_next: bool,
    /// The key that is being read, as it is written.
    key: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Nothing,
    Key,
    Value,
}

impl Keys {
    pub fn new(pairs: Vec<(Text, Text)>) -> Self {
        Self {
            pairs,
            depth: 0,
            object: false,
            within: Within::Nothing,
            escaped: false,
            key_next: false,
            key: String::new(),
        }
    }

    /// Takes the next piece; what can be said by now. A key waits until it is known.
    pub fn push(&mut self, piece: &Text) -> Text {
        let piece = piece.contents();
        let mut out = String::with_capacity(piece.len());
        for next in piece.chars() {
            self.take(next, &mut out);
        }
        Text::new(&out)
    }

    /// What still waits, where the text ends within a key.
    pub fn finish(&mut self) -> Text {
        Text::new(&mem::take(&mut self.key))
    }

    /// Says arguments that are there as a whole; whether anything had to be said otherwise.
    pub fn say_back(mut self, args: &mut Args) -> bool {
        let text = args.to_text();
        let said = Text::concat([&self.push(&text), &self.finish()]);
        if matches!(args, Args::Freeform(_)) || said == text {
            return false;
        }
        *args = Args::from_text(&said);
        true
    }

    fn take(&mut self, next: char, out: &mut String) {
        if self.within == Within::Nothing {
            self.step(next);
        } else {
            let ends = next == '"' && !self.escaped;
            self.escaped = next == '\\' && !self.escaped;
            if ends && self.within == Within::Key {
                self.key.push(next);
                let key = mem::take(&mut self.key);
                out.push_str(self.said(&key).as_ref().map_or(&key, Json::as_str));
                self.within = Within::Nothing;
                return;
            }
            if ends {
                self.within = Within::Nothing;
            }
        }
        if self.within == Within::Key {
            self.key.push(next);
        } else {
            out.push(next);
        }
    }

    /// A character that stands in no string.
    fn step(&mut self, next: char) {
        match next {
            '{' | '[' => {
                self.depth += 1;
                self.object |= self.depth == 1 && next == '{';
                self.key_next = true;
            }
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ',' => self.key_next = true,
            ':' => self.key_next = false,
            '"' if self.depth == 1 && self.object && self.key_next => self.within = Within::Key,
            '"' => self.within = Within::Value,
            _ => {}
        }
    }

    /// A key with its quotes, as it is to be.
    fn said(&self, key: &str) -> Option<Json> {
        let key = Json::parse(key.to_owned()).ok()?.text()?;
        let (_, client) = self.pairs.iter().find(|(sent, _)| *sent == key)?;
        Some(Json::string(client))
    }
}
