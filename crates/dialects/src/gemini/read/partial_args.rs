//! Collects the arguments of a call that are streamed in pieces, each with a JSON path.

use std::collections::HashMap;

use interlingua_wire::{JsonNode, JsonString, JsonWriter, RawJson};

use crate::gemini::field_name;

/// The arguments received so far.
#[derive(Debug, Default)]
pub(super) enum PartialArgs {
    #[default]
    Unset,
    Object(PartialFields),
    Array(Vec<PartialArgs>),
    /// A string that later pieces may extend.
    Text(Vec<JsonString>),
    Json(RawJson),
}

/// The fields in the order in which they came, found by name.
#[derive(Debug, Default)]
pub(super) struct PartialFields {
    fields: Vec<(String, PartialArgs)>,
    positions: HashMap<String, usize>,
}

/// One segment of a path.
enum PathSegment<'p> {
    Key(&'p str),
    Index(usize),
}

impl PartialArgs {
    /// Applies one piece: `{"jsonPath": "$.a[0].b", "stringValue": …}`.
    pub(super) fn apply(&mut self, piece: JsonNode<'_>) {
        let path =
            field_name::get(piece, "jsonPath").map(JsonNode::str_or_empty).unwrap_or_default();
        let target = self.at_path_mut(parse_path(&path));
        if let Some(text) = field_name::get(piece, "stringValue").and_then(JsonNode::json_string) {
            match target {
                Self::Text(texts) => texts.push(text),
                _ => *target = Self::Text(vec![text]),
            }
            return;
        }
        let value = ["numberValue", "boolValue"].iter().find_map(|key| field_name::get(piece, key));
        let is_null = piece.fields().any(|field| field_name::matches(&field.key(), "nullValue"));
        match value {
            Some(value) => *target = Self::Json(value.json()),
            None if is_null => *target = Self::Json(RawJson::NULL),
            None => {}
        }
    }

    /// Sets the complete arguments.
    pub(super) fn set(&mut self, args: RawJson) {
        *self = Self::Json(args);
    }

    pub(super) fn to_json(&self) -> RawJson {
        if matches!(self, Self::Unset) {
            return RawJson::EMPTY_OBJECT;
        }
        let mut out = JsonWriter::default();
        self.write(&mut out);
        out.into_json()
    }

    fn at_path_mut(&mut self, segments: Vec<PathSegment<'_>>) -> &mut Self {
        let mut node = self;
        for segment in segments {
            node = match segment {
                PathSegment::Key(key) => node.field_mut(key),
                PathSegment::Index(index) => node.element_mut(index),
            };
        }
        node
    }

    fn field_mut(&mut self, key: &str) -> &mut Self {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(PartialFields::default());
        }
        let Self::Object(PartialFields { fields, positions }) = self else { return self };
        let at = positions.get(key).copied().unwrap_or_else(|| {
            positions.insert(key.to_owned(), fields.len());
            fields.push((key.to_owned(), Self::Unset));
            fields.len() - 1
        });
        &mut fields[at].1
    }

    fn element_mut(&mut self, index: usize) -> &mut Self {
        if !matches!(self, Self::Array(_)) {
            *self = Self::Array(Vec::new());
        }
        let Self::Array(items) = self else { return self };
        // A missing index appends, so that a huge index cannot allocate memory.
        let index = index.min(items.len());
        if index == items.len() {
            items.push(Self::Unset);
        }
        &mut items[index]
    }

    fn write(&self, out: &mut JsonWriter) {
        match self {
            Self::Unset => out.null(),
            Self::Object(object) => out.object(|out| {
                for (key, value) in &object.fields {
                    value.write(out.key_json_string(&JsonString::new(key)));
                }
            }),
            Self::Array(items) => out.array(|array| {
                for item in items {
                    item.write(array.item());
                }
            }),
            Self::Text(texts) => out.join(texts, ""),
            Self::Json(json) => out.json(json),
        }
    }
}

/// Parses a path such as `$.a[0]['b c'].d`, up to [`MAX_PATH_DEPTH`] segments.
fn parse_path(path: &str) -> Vec<PathSegment<'_>> {
    let mut segments = Vec::new();
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while !rest.is_empty() && segments.len() < MAX_PATH_DEPTH {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(bracketed) = rest.strip_prefix('[') {
            let (bracketed, after) = bracketed.split_once(']').unwrap_or((bracketed, ""));
            rest = after;
            match bracketed.parse() {
                Ok(index) => segments.push(PathSegment::Index(index)),
                Err(_) => segments.push(PathSegment::Key(bracketed.trim_matches(['\'', '"']))),
            }
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            if !key.is_empty() {
                segments.push(PathSegment::Key(key));
            }
            rest = after;
        }
    }
    segments
}

const MAX_PATH_DEPTH: usize = 100;
