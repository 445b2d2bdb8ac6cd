//! One thing changed somewhere in a body, by chance: what editing, cutting and other programs do.

use serde_json::{Value, json};

use crate::rng::Rng;
use crate::spell::{BARE, HIGH_HALF, within};

/// Changes the body in one to three places.
pub fn mutate(body: &mut Value, rng: &mut Rng) {
    for _ in 0..rng.pick(&[1, 1, 1, 2, 3]) {
        if rng.once_in(8) && cut_history(body, rng) {
            continue;
        }
        if rng.once_in(8) {
            relocate(body, rng);
            continue;
        }
        let count = places(body);
        // The body itself stays an object.
        let Ok(place) = nth(body, rng.between(1, count.max(2) - 1)) else { continue };
        change(place, rng);
    }
}

/// Leaves out the beginning, the end or the midst of the messages.
fn cut_history(body: &mut Value, rng: &mut Rng) -> bool {
    let history = HISTORY.iter().find(|key| body.get(**key).is_some_and(Value::is_array));
    let Some(Value::Array(list)) = history.and_then(|key| body.get_mut(*key)) else { return false };
    let (one, other) = (rng.below(list.len() + 1), rng.below(list.len() + 1));
    match rng.below(3) {
        0 => list.truncate(one),
        1 => drop(list.drain(..one)),
        _ => drop(list.drain(one.min(other)..one.max(other))),
    }
    true
}

/// Takes something from its place and puts it, or a copy, into a list elsewhere.
fn relocate(body: &mut Value, rng: &mut Rng) {
    let count = places(body);
    let Ok(from) = nth(body, rng.below(count)) else { return };
    let taken = match from {
        Value::Array(list) if !list.is_empty() => {
            let at = rng.below(list.len());
            if rng.once_in(2) { list.remove(at) } else { list[at].clone() }
        }
        _ => return,
    };
    for _ in 0..4 {
        let count = places(body);
        if let Ok(Value::Array(list)) = nth(body, rng.below(count)) {
            let at = rng.below(list.len() + 1);
            return list.insert(at, taken);
        }
    }
}

fn change(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Array(list) if !list.is_empty() && rng.once_in(2) => {
            let (one, other) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(4) {
                0 => drop(list.remove(one)),
                1 => {
                    let again = list[one].clone();
                    list.insert(other, again);
                }
                2 => list.swap(one, other),
                _ => list.clear(),
            }
        }
        Value::Object(fields) if !fields.is_empty() && !rng.once_in(4) => {
            let key = fields.keys().nth(rng.below(fields.len())).cloned().unwrap_or_default();
            match rng.below(5) {
                0 | 1 => drop(fields.shift_remove(&key)),
                2 => drop(fields.insert("x_unknown".into(), json!({"deep": [1, "odd"]}))),
                3 => drop(fields.insert("type".into(), rng.pick(TYPES).into())),
                _ => {
                    let word = rng.pick(&[
                        "cache_control",
                        "id",
                        "name",
                        "text",
                        "content",
                        "role",
                        "status",
                    ]);
                    fields.insert(word.into(), replaced(rng));
                }
            }
        }
        Value::String(text) if !text.contains(BARE) && !rng.once_in(3) => match rng.below(4) {
            0 => text.clear(),
            1 => {
                let kept = rng.below(text.chars().count() + 1);
                *text = text.chars().take(kept).collect();
            }
            2 => text.push(rng.pick(&[' ', '\n', HIGH_HALF, 'x'])),
            _ => *text = rng.pick(WORDS).into(),
        },
        value => *value = otherwise(value.take(), rng),
    }
}

/// Something else in a value's place, or the value in another guise.
fn otherwise(value: Value, rng: &mut Rng) -> Value {
    match rng.below(6) {
        0 => Value::Null,
        1 => json!([value]),
        2 => within(&value).into(),
        3 => match value {
            Value::Array(mut list) if list.len() == 1 => list.remove(0),
            Value::Array(_) => json!([]),
            Value::Object(_) => json!({}),
            Value::Number(number) => number.as_f64().map_or(Value::Null, |it| json!(-it)),
            other => other,
        },
        _ => replaced(rng),
    }
}

fn replaced(rng: &mut Rng) -> Value {
    rng.pick(&[
        json!(null),
        json!(12.5),
        json!(0),
        json!(""),
        json!("odd"),
        json!([]),
        json!({}),
        json!(false),
        json!(1e300),
    ])
}

/// How many values there are, the body among them.
fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(places).sum::<usize>(),
        Value::Object(fields) => fields.values().map(places).sum(),
        _ => 0,
    }
}

/// The value with this number, counted from the outside in; how many there are if it has none.
fn nth(value: &mut Value, number: usize) -> Result<&mut Value, usize> {
    if number == 0 {
        return Ok(value);
    }
    let mut seen = 1;
    let children: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(list) => Box::new(list.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => return Err(seen),
    };
    for child in children {
        let inside = places(child);
        if number < seen + inside {
            return nth(child, number - seen);
        }
        seen += inside;
    }
    Err(seen)
}

const HISTORY: &[&str] = &["messages", "input", "contents", "turns"];
const WORDS: &[&str] =
    &["user", "assistant", "system", "tool", "model", "", " ", "text", "auto", "none", "call_1"];
const TYPES: &[&str] = &[
    "text",
    "thinking",
    "tool_use",
    "tool_result",
    "image",
    "function",
    "message",
    "reasoning",
    "function_call",
    "input_text",
    "output_text",
    "from_the_future",
    "",
];
