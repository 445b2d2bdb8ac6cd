//! Renames top-level keys of a tool call's arguments while they are streamed.

use std::mem;

use interlingua_wire::{JsonString, RawJson};

use crate::ToolArgs;

/// Renames the top-level keys of one JSON object that arrives in pieces. Nested keys and all other
/// text stay unchanged, and a truncated text is processed as far as it goes.
#[derive(Clone, Debug)]
pub struct KeyRenamer {
    /// Pairs of the received key and its replacement.
    renames: Vec<(JsonString, JsonString)>,
    depth: usize,
    /// The outermost value is an object, not a list.
    is_object: bool,
    position: Position,
    /// The next character of the string is escaped.
    escaped: bool,
    /// The next string is a key, if the container is an object.
    key_next: bool,
    /// The key that is being read, with its quotes.
    key: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Outside,
    Key,
    Value,
}

impl KeyRenamer {
    /// Renames keys by these pairs of old and new name.
    pub fn new(renames: Vec<(JsonString, JsonString)>) -> Self {
        Self {
            renames,
            depth: 0,
            is_object: false,
            position: Position::Outside,
            escaped: false,
            key_next: false,
            key: String::new(),
        }
    }

    /// Processes the next piece; returns the text that is complete. A key is held back until it
    /// ends.
    pub fn push(&mut self, delta: &JsonString) -> JsonString {
        let delta = delta.unescape();
        let mut out = String::with_capacity(delta.len());
        for next in delta.chars() {
            self.push_char(next, &mut out);
        }
        JsonString::new(&out)
    }

    /// Returns the text that is held back, if the arguments end inside a key.
    pub fn finish(&mut self) -> JsonString {
        JsonString::new(&mem::take(&mut self.key))
    }

    /// Renames the keys of complete arguments; returns whether anything changed.
    pub fn rename_args(mut self, args: &mut ToolArgs) -> bool {
        let text = args.to_json_string();
        let renamed = JsonString::concat([&self.push(&text), &self.finish()]);
        if matches!(args, ToolArgs::Freeform(_)) || renamed == text {
            return false;
        }
        *args = ToolArgs::from_json_string(&renamed);
        true
    }

    fn push_char(&mut self, next: char, out: &mut String) {
        if self.position == Position::Outside {
            self.push_structural(next);
        } else {
            let is_end_quote = next == '"' && !self.escaped;
            self.escaped = next == '\\' && !self.escaped;
            if is_end_quote && self.position == Position::Key {
                self.key.push(next);
                let key = mem::take(&mut self.key);
                out.push_str(self.new_key(&key).as_ref().map_or(&key, RawJson::as_str));
                self.position = Position::Outside;
                return;
            }
            if is_end_quote {
                self.position = Position::Outside;
            }
        }
        if self.position == Position::Key {
            self.key.push(next);
        } else {
            out.push(next);
        }
    }

    /// Processes a character outside strings.
    fn push_structural(&mut self, next: char) {
        match next {
            '{' | '[' => {
                self.depth += 1;
                self.is_object |= self.depth == 1 && next == '{';
                self.key_next = true;
            }
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ',' => self.key_next = true,
            ':' => self.key_next = false,
            '"' if self.depth == 1 && self.is_object && self.key_next => {
                self.position = Position::Key;
            }
            '"' => self.position = Position::Value,
            _ => {}
        }
    }

    /// Returns the replacement of a key, with its quotes.
    fn new_key(&self, key: &str) -> Option<RawJson> {
        let key = RawJson::parse(key.to_owned()).ok()?.json_string()?;
        let (_, client) = self.renames.iter().find(|(sent, _)| *sent == key)?;
        Some(RawJson::string(client))
    }
}
