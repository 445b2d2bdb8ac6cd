//! Splits the `Debug` text of a struct into its fields.

use std::collections::BTreeMap;

/// The fields with their values; those of inner structs as `outer.inner`.
pub(crate) fn flatten(text: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    flatten_into("", text, &mut fields);
    fields
}

fn flatten_into(path: &str, text: &str, fields: &mut Vec<(String, String)>) {
    let Some((_, body)) = text.strip_suffix(" }").and_then(|text| text.split_once(" { ")) else {
        return fields.push((path.to_owned(), text.to_owned()));
    };
    let is_struct = text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.find(" { ") <= text.find(['(', '[', '"']);
    if !is_struct {
        return fields.push((path.to_owned(), text.to_owned()));
    }
    for part in split_list(body) {
        let (name, value) = part.split_once(": ").unwrap_or(("", part));
        let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        flatten_into(&inner, value, fields);
    }
}

/// Replaces each long list by a name made of its text.
pub(crate) fn name_long_values(value: &str, long_values: &mut BTreeMap<String, String>) -> String {
    let Some(start) = value.find('[').filter(|_| value.len() > MAX_CHARS) else {
        return value.to_owned();
    };
    let end = value.rfind(']').map_or(value.len(), |end| end + 1);
    let list = &value[start..end];
    let name = format!("#{:08x}", hash(list));
    let items: Vec<String> = split_list(&list[1..list.len() - 1])
        .into_iter()
        .map(|item| name_long_values(item, long_values))
        .collect();
    long_values.insert(name.clone(), format!("[{}]", items.join(", ")));
    format!("{}{name}{}", &value[..start], &value[end..])
}

/// The parts between the commas of the outermost level.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut in_string, mut is_escaped) =
        (Vec::new(), 0, 0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// FNV-1a.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

const MAX_CHARS: usize = 160;
