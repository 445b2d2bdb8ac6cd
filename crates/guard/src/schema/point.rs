//! Where a reference of a schema leads, within the schema.

use std::collections::HashMap;

use interlingua_wire::Node;

/// Finds what references name. Nothing outside the document is ever looked up.
#[derive(Debug)]
pub(super) struct Pointer<'d> {
    root: Node<'d>,
    /// Made when a reference first names an anchor.
    anchors: Option<HashMap<String, Option<Node<'d>>>>,
    /// Fields that were looked at.
    pub(super) looked: usize,
}

impl<'d> Pointer<'d> {
    pub(super) fn new(root: Node<'d>) -> Self {
        Self { root, anchors: None, looked: 0 }
    }

    pub(super) fn find(&mut self, reference: &str) -> Option<Node<'d>> {
        let own = self.root.get("$id").map(Node::word).unwrap_or_default();
        let own = own.trim_end_matches('#');
        let local = match reference.strip_prefix(own) {
            Some(rest) if !own.is_empty() && (rest.is_empty() || rest.starts_with('#')) => rest,
            _ => reference,
        };
        let fragment = match local.strip_prefix('#') {
            Some(fragment) => percent_decoded(fragment)?,
            None if local.is_empty() => String::new(),
            None => return None,
        };
        if fragment.is_empty() {
            return Some(self.root);
        }
        match fragment.strip_prefix('/') {
            Some(path) => self.walk(path),
            None => self.anchor(&fragment),
        }
    }

    fn walk(&mut self, path: &str) -> Option<Node<'d>> {
        let mut node = self.root;
        for token in path.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            self.looked += node.len();
            node = if node.is_array() {
                node.items().nth(token.parse().ok()?)?
            } else {
                node.get(&token)?
            };
        }
        Some(node)
    }

    fn anchor(&mut self, name: &str) -> Option<Node<'d>> {
        let root = self.root;
        let anchors = self.anchors.get_or_insert_with(|| anchors(root));
        anchors.get(name).copied().flatten()
    }
}

/// Every name that a subschema gives itself. Of one that is given twice it is not known which is meant.
fn anchors(root: Node<'_>) -> HashMap<String, Option<Node<'_>>> {
    let mut found = HashMap::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        for key in ["$anchor", "$dynamicAnchor", "$id", "id"] {
            let name = node.get(key).map(Node::word).unwrap_or_default();
            let name = if key.ends_with("id") { name.strip_prefix('#') } else { Some(&*name) };
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                let first = found.entry(name.to_owned()).or_insert(Some(node));
                *first = first.filter(|first: &Node<'_>| first.range() == node.range());
            }
        }
        open.extend(node.items());
        open.extend(node.fields().map(|field| field.value));
    }
    found
}

fn percent_decoded(fragment: &str) -> Option<String> {
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
