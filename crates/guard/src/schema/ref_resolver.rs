//! Resolves `$ref` within a schema document.

use std::collections::HashMap;

use interlingua_wire::JsonNode;

/// Resolves JSON pointers and anchors. It never loads other documents.
#[derive(Debug)]
pub(super) struct RefResolver<'d> {
    root: JsonNode<'d>,
    /// Collected when a reference first names an anchor.
    anchors: Option<HashMap<String, Option<JsonNode<'d>>>>,
    /// Counts toward the compile budget.
    pub(super) visited_fields: usize,
}

impl<'d> RefResolver<'d> {
    pub(super) fn new(root: JsonNode<'d>) -> Self {
        Self { root, anchors: None, visited_fields: 0 }
    }

    pub(super) fn resolve(&mut self, reference: &str) -> Option<JsonNode<'d>> {
        let own_id = self.root.get("$id").map(JsonNode::str_or_empty).unwrap_or_default();
        let own_id = own_id.trim_end_matches('#');
        let local = match reference.strip_prefix(own_id) {
            Some(rest) if !own_id.is_empty() && (rest.is_empty() || rest.starts_with('#')) => rest,
            _ => reference,
        };
        let fragment = match local.strip_prefix('#') {
            Some(fragment) => percent_decode(fragment)?,
            None if local.is_empty() => String::new(),
            None => return None,
        };
        if fragment.is_empty() {
            return Some(self.root);
        }
        match fragment.strip_prefix('/') {
            Some(path) => self.resolve_pointer(path),
            None => self.resolve_anchor(&fragment),
        }
    }

    fn resolve_pointer(&mut self, path: &str) -> Option<JsonNode<'d>> {
        let mut node = self.root;
        for token in path.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            self.visited_fields += node.len();
            node = if node.is_array() {
                node.items().nth(token.parse().ok()?)?
            } else {
                node.get(&token)?
            };
        }
        Some(node)
    }

    fn resolve_anchor(&mut self, name: &str) -> Option<JsonNode<'d>> {
        let root = self.root;
        let anchors = self.anchors.get_or_insert_with(|| collect_anchors(root));
        anchors.get(name).copied().flatten()
    }
}

/// All anchors of a schema. An anchor that occurs twice is ambiguous and maps to `None`.
fn collect_anchors(root: JsonNode<'_>) -> HashMap<String, Option<JsonNode<'_>>> {
    let mut anchors = HashMap::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        for key in ["$anchor", "$dynamicAnchor", "$id", "id"] {
            let name = node.get(key).map(JsonNode::str_or_empty).unwrap_or_default();
            let name = if key.ends_with("id") { name.strip_prefix('#') } else { Some(&*name) };
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                let first = anchors.entry(name.to_owned()).or_insert(Some(node));
                *first = first.filter(|first: &JsonNode<'_>| first.range() == node.range());
            }
        }
        pending.extend(node.items());
        pending.extend(node.fields().map(|field| field.value));
    }
    anchors
}

fn percent_decode(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}
