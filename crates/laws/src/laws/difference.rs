//! Finds the first difference of two bodies.

use serde_json::Value;

/// The path of the first difference, and a message with both values.
pub(crate) fn first_difference(before: &[u8], after: &[u8]) -> (String, String) {
    let parse = |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap_or_default();
    let (before_value, after_value) = (parse(before), parse(after));
    if let Some((path, was, is)) = find_difference(&before_value, &after_value, String::new()) {
        return (path, format!("was {was}, became {is}"));
    }
    let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let around = |body: &[u8]| {
        let part = &body[common.saturating_sub(20)..(common + 20).min(body.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    let (was, is) = (around(before), around(after));
    (String::new(), format!("the same value in other bytes: {was:?} became {is:?}"))
}

fn find_difference(
    before: &Value,
    after: &Value,
    path: String,
) -> Option<(String, String, String)> {
    match (before, after) {
        (Value::Object(was), Value::Object(is)) => {
            if let Some(key) = was
                .keys()
                .chain(is.keys())
                .find(|key| was.get(*key).is_none() || is.get(*key).is_none())
            {
                let show = |side: Option<&Value>| side.map_or("nothing".to_owned(), shorten);
                return Some((format!("{path}.{key}"), show(was.get(key)), show(is.get(key))));
            }
            was.iter()
                .find_map(|(key, value)| find_difference(value, &is[key], format!("{path}.{key}")))
        }
        (Value::Array(was), Value::Array(is)) => {
            let pairs = was.iter().zip(is).enumerate();
            let differences =
                pairs.map(|(at, (was, is))| find_difference(was, is, format!("{path}.{at}")));
            differences.flatten().next().or_else(|| {
                let lengths_differ = was.len() != is.len();
                lengths_differ
                    .then(|| (path, format!("{} elements", was.len()), format!("{}", is.len())))
            })
        }
        (was, is) => (was != is).then(|| (path, shorten(was), shorten(is))),
    }
}

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
