//! Shrinks a body while it still breaks the same law in the same way.

use serde_json::Value;

use crate::raw_json::UNQUOTED;

/// Limit of candidates that are checked.
const MAX_ATTEMPTS: usize = 4000;

/// The smallest body found for which `fails` still holds.
pub fn shrink(body: &Value, fails: impl Fn(&Value) -> bool) -> Value {
    let mut shrinker = Shrinker { best: body.clone(), attempts_left: MAX_ATTEMPTS, fails };
    loop {
        let before = shrinker.attempts_left;
        let smaller = shrinker.pass();
        if !smaller || shrinker.attempts_left == 0 || before == shrinker.attempts_left {
            return shrinker.best;
        }
    }
}

struct Shrinker<F> {
    best: Value,
    attempts_left: usize,
    fails: F,
}

impl<F: Fn(&Value) -> bool> Shrinker<F> {
    /// Visits all values once, outermost first; true if something became smaller.
    fn pass(&mut self) -> bool {
        let mut smaller = false;
        let mut pointers = vec![String::new()];
        while let Some(pointer) = pointers.pop() {
            smaller |= self.shrink_at(&pointer);
            let Some(value) = self.best.pointer(&pointer) else { continue };
            match value {
                Value::Array(items) => {
                    pointers.extend((0..items.len()).rev().map(|at| format!("{pointer}/{at}")));
                }
                Value::Object(fields) => {
                    let keys = fields.keys().rev();
                    pointers.extend(keys.map(|key| format!("{pointer}/{}", escape_pointer(key))));
                }
                _ => {}
            }
        }
        smaller
    }

    /// Shrinks the value at this pointer.
    fn shrink_at(&mut self, pointer: &str) -> bool {
        let mut smaller = false;
        smaller |= self.remove_elements(pointer);
        let Some(value) = self.best.pointer(pointer).cloned() else { return smaller };
        for simple in simpler_values(&value) {
            if simple != value && self.try_change(pointer, |old| *old = simple.clone()) {
                return true;
            }
        }
        smaller
    }

    /// Removes elements: first in large chunks, then one at a time.
    fn remove_elements(&mut self, pointer: &str) -> bool {
        let mut smaller = false;
        let mut chunk = self.best.pointer(pointer).map_or(0, element_count).div_ceil(2);
        while chunk > 0 {
            let mut at = self.best.pointer(pointer).map_or(0, element_count);
            while at > 0 {
                let from = at.saturating_sub(chunk);
                smaller |= self.try_change(pointer, |value| remove_range(value, from, at));
                at = from;
            }
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
        smaller
    }

    fn try_change(&mut self, pointer: &str, change: impl FnOnce(&mut Value)) -> bool {
        if self.attempts_left == 0 {
            return false;
        }
        self.attempts_left -= 1;
        let mut candidate = self.best.clone();
        let Some(value) = candidate.pointer_mut(pointer) else { return false };
        change(value);
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }
}

fn element_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}

fn remove_range(value: &mut Value, from: usize, to: usize) {
    match value {
        Value::Array(items) => drop(items.drain(from..to.min(items.len()))),
        Value::Object(fields) => {
            let keys: Vec<String> = fields.keys().skip(from).take(to - from).cloned().collect();
            for key in keys {
                fields.shift_remove(&key);
            }
        }
        _ => {}
    }
}

/// Simpler values to try instead of a value, the simplest first.
fn simpler_values(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) if text.contains(UNQUOTED) => vec![0.into()],
        Value::String(text) if text.len() > 1 => {
            let half = text.chars().count() / 2;
            let first: String = text.chars().take(half).collect();
            vec!["a".into(), first.into()]
        }
        Value::Array(items) if items.len() == 1 && items[0].is_string() => vec![items[0].clone()],
        Value::Array(items) if items.len() == 1 => match items[0].get("text") {
            Some(text) if text.is_string() => vec![text.clone()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
