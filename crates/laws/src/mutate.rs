//! Random changes to a body, like those of editing, truncation and other programs.

use serde_json::{Value, json};

use crate::raw_json::{HIGH_SURROGATE, UNQUOTED, nested_json};
use crate::rng::Rng;

/// Changes one to three values of the body.
pub fn mutate(body: &mut Value, rng: &mut Rng) {
    for _ in 0..rng.pick(&[1, 1, 1, 2, 3]) {
        if rng.one_in(8) && cut_history(body, rng) {
            continue;
        }
        if rng.one_in(8) {
            move_element(body, rng);
            continue;
        }
        let count = count_values(body);
        // Index 0 is the body itself, which stays an object.
        let Ok(value) = nth_value(body, rng.in_range(1, count.max(2) - 1)) else { continue };
        mutate_value(value, rng);
    }
}

/// Removes the beginning, the end or the middle of the messages.
fn cut_history(body: &mut Value, rng: &mut Rng) -> bool {
    let history = HISTORY_KEYS.iter().find(|key| body.get(**key).is_some_and(Value::is_array));
    let Some(Value::Array(list)) = history.and_then(|key| body.get_mut(*key)) else { return false };
    let (a, b) = (rng.below(list.len() + 1), rng.below(list.len() + 1));
    match rng.below(3) {
        0 => list.truncate(a),
        1 => drop(list.drain(..a)),
        _ => drop(list.drain(a.min(b)..a.max(b))),
    }
    true
}

/// Moves or copies a random list element into another list.
fn move_element(body: &mut Value, rng: &mut Rng) {
    let count = count_values(body);
    let Ok(from) = nth_value(body, rng.below(count)) else { return };
    let element = match from {
        Value::Array(list) if !list.is_empty() => {
            let at = rng.below(list.len());
            if rng.one_in(2) { list.remove(at) } else { list[at].clone() }
        }
        _ => return,
    };
    for _ in 0..4 {
        let count = count_values(body);
        if let Ok(Value::Array(list)) = nth_value(body, rng.below(count)) {
            let at = rng.below(list.len() + 1);
            return list.insert(at, element);
        }
    }
}

fn mutate_value(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Array(list) if !list.is_empty() && rng.one_in(2) => {
            let (a, b) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(4) {
                0 => drop(list.remove(a)),
                1 => {
                    let copy = list[a].clone();
                    list.insert(b, copy);
                }
                2 => list.swap(a, b),
                _ => list.clear(),
            }
        }
        Value::Object(fields) if !fields.is_empty() && !rng.one_in(4) => {
            let key = fields.keys().nth(rng.below(fields.len())).cloned().unwrap_or_default();
            match rng.below(5) {
                0 | 1 => drop(fields.shift_remove(&key)),
                2 => drop(fields.insert("x_unknown".into(), json!({"deep": [1, "odd"]}))),
                3 => drop(fields.insert("type".into(), rng.pick(ODD_TYPES).into())),
                _ => {
                    let key = rng.pick(&[
                        "cache_control",
                        "id",
                        "name",
                        "text",
                        "content",
                        "role",
                        "status",
                    ]);
                    fields.insert(key.into(), odd_value(rng));
                }
            }
        }
        Value::String(text) if !text.contains(UNQUOTED) && !rng.one_in(3) => match rng.below(4) {
            0 => text.clear(),
            1 => {
                let length = rng.below(text.chars().count() + 1);
                *text = text.chars().take(length).collect();
            }
            2 => text.push(rng.pick(&[' ', '\n', HIGH_SURROGATE, 'x'])),
            _ => *text = rng.pick(ODD_STRINGS).into(),
        },
        value => *value = replace_value(value.take(), rng),
    }
}

/// Another value, or the same value in another form.
fn replace_value(value: Value, rng: &mut Rng) -> Value {
    match rng.below(6) {
        0 => Value::Null,
        1 => json!([value]),
        2 => nested_json(&value).into(),
        3 => match value {
            Value::Array(mut list) if list.len() == 1 => list.remove(0),
            Value::Array(_) => json!([]),
            Value::Object(_) => json!({}),
            Value::Number(number) => number.as_f64().map_or(Value::Null, |it| json!(-it)),
            other => other,
        },
        _ => odd_value(rng),
    }
}

fn odd_value(rng: &mut Rng) -> Value {
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

/// The number of values, with the body itself.
fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count_values).sum::<usize>(),
        Value::Object(fields) => fields.values().map(count_values).sum(),
        _ => 0,
    }
}

/// The value with this number in depth-first order; otherwise the number of values.
fn nth_value(value: &mut Value, number: usize) -> Result<&mut Value, usize> {
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
        let count = count_values(child);
        if number < seen + count {
            return nth_value(child, number - seen);
        }
        seen += count;
    }
    Err(seen)
}

const HISTORY_KEYS: &[&str] = &["messages", "input", "contents", "turns"];
const ODD_STRINGS: &[&str] =
    &["user", "assistant", "system", "tool", "model", "", " ", "text", "auto", "none", "call_1"];
const ODD_TYPES: &[&str] = &[
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
