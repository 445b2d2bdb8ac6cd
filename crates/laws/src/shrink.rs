//! Makes a body that breaks a law smaller, as long as it breaks it in the same way.

use serde_json::Value;

use crate::spell::BARE;

/// How many candidates are tried at the most.
const BUDGET: usize = 4000;

/// The smallest body that is found for which `fails` still holds.
pub fn shrink(body: &Value, fails: impl Fn(&Value) -> bool) -> Value {
    let mut search = Search { best: body.clone(), left: BUDGET, fails };
    loop {
        let before = search.left;
        let smaller = search.pass();
        if !smaller || search.left == 0 || before == search.left {
            return search.best;
        }
    }
}

struct Search<F> {
    best: Value,
    left: usize,
    fails: F,
}

impl<F: Fn(&Value) -> bool> Search<F> {
    /// Walks over everything once, the outermost first; true if something became smaller.
    fn pass(&mut self) -> bool {
        let mut smaller = false;
        let mut open = vec![String::new()];
        while let Some(place) = open.pop() {
            smaller |= self.lessen(&place);
            let Some(value) = self.best.pointer(&place) else { continue };
            match value {
                Value::Array(items) => {
                    open.extend((0..items.len()).rev().map(|at| format!("{place}/{at}")));
                }
                Value::Object(fields) => {
                    let keys = fields.keys().rev();
                    open.extend(keys.map(|key| format!("{place}/{}", escaped(key))));
                }
                _ => {}
            }
        }
        smaller
    }

    /// Makes the value at this place smaller.
    fn lessen(&mut self, place: &str) -> bool {
        let mut smaller = false;
        smaller |= self.leave_out(place);
        let Some(value) = self.best.pointer(place).cloned() else { return smaller };
        for simple in simpler(&value) {
            if simple != value && self.accepts(place, |old| *old = simple.clone()) {
                return true;
            }
        }
        smaller
    }

    /// Leaves out elements: first many at once, then each.
    fn leave_out(&mut self, place: &str) -> bool {
        let mut smaller = false;
        let mut chunk = self.best.pointer(place).map_or(0, length).div_ceil(2);
        while chunk > 0 {
            let mut at = self.best.pointer(place).map_or(0, length);
            while at > 0 {
                let from = at.saturating_sub(chunk);
                smaller |= self.accepts(place, |value| cut(value, from, at));
                at = from;
            }
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
        smaller
    }

    fn accepts(&mut self, place: &str, change: impl FnOnce(&mut Value)) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let mut candidate = self.best.clone();
        let Some(value) = candidate.pointer_mut(place) else { return false };
        change(value);
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    }
}

fn cut(value: &mut Value, from: usize, to: usize) {
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

/// Simpler values to try in a value's place, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) if text.contains(BARE) => vec![0.into()],
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

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
