//! Where two bodies part.

use serde_json::Value;

/// The first place where they differ, with what stands there in each.
pub(super) fn first(before: &[u8], after: &[u8]) -> (String, String) {
    let read = |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap_or_default();
    let (before_read, after_read) = (read(before), read(after));
    if let Some((path, was, is)) = parted(&before_read, &after_read, String::new()) {
        return (path, format!("was {was}, became {is}"));
    }
    let same = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let around = |body: &[u8]| {
        let part = &body[same.saturating_sub(20)..(same + 20).min(body.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    let (was, is) = (around(before), around(after));
    (String::new(), format!("the same, spelled otherwise: {was:?} became {is:?}"))
}

fn parted(before: &Value, after: &Value, path: String) -> Option<(String, String, String)> {
    match (before, after) {
        (Value::Object(was), Value::Object(is)) => {
            if let Some(key) = was
                .keys()
                .chain(is.keys())
                .find(|key| was.get(*key).is_none() || is.get(*key).is_none())
            {
                let show = |side: Option<&Value>| side.map_or("nothing".to_owned(), short);
                return Some((format!("{path}.{key}"), show(was.get(key)), show(is.get(key))));
            }
            was.iter().find_map(|(key, value)| parted(value, &is[key], format!("{path}.{key}")))
        }
        (Value::Array(was), Value::Array(is)) => {
            let inside = was.iter().zip(is).enumerate();
            let inside = inside.map(|(at, (was, is))| parted(was, is, format!("{path}.{at}")));
            inside.flatten().next().or_else(|| {
                let differ = was.len() != is.len();
                differ.then(|| (path, format!("{} elements", was.len()), format!("{}", is.len())))
            })
        }
        (was, is) => (was != is).then(|| (path, short(was), short(is))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
