//! A call whose arguments arrive in pieces, each with the path of its place.

use interlingua_wire::{Json, Node, Text, Writer};

use super::names;

/// The arguments so far.
#[derive(Debug, Default)]
pub(super) enum Tree {
    #[default]
    Nothing,
    Object(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    /// A string that may still grow.
    Text(Vec<Text>),
    Other(Json),
}

/// One step of a path.
enum Step<'p> {
    Key(&'p str),
    Index(usize),
}

impl Tree {
    /// Takes one piece: `{"jsonPath": "$.a[0].b", "stringValue": …}`.
    pub(super) fn take(&mut self, piece: Node<'_>) {
        let path = names::get(piece, "jsonPath").map(Node::word).unwrap_or_default();
        let place = self.at(steps(&path));
        if let Some(text) = names::get(piece, "stringValue").and_then(Node::text) {
            match place {
                Self::Text(texts) => texts.push(text),
                _ => *place = Self::Text(vec![text]),
            }
            return;
        }
        let value = ["numberValue", "boolValue"].iter().find_map(|key| names::get(piece, key));
        let is_null = piece.fields().any(|field| names::is(&field.name(), "nullValue"));
        match value {
            Some(value) => *place = Self::Other(value.json()),
            None if is_null => *place = Self::Other(Json::NULL),
            None => {}
        }
    }

    /// Takes whole arguments.
    pub(super) fn replace(&mut self, args: Json) {
        *self = Self::Other(args);
    }

    pub(super) fn json(&self) -> Json {
        if matches!(self, Self::Nothing) {
            return Json::EMPTY_OBJECT;
        }
        let mut out = Writer::default();
        self.write(&mut out);
        out.into_json()
    }

    fn at(&mut self, steps: Vec<Step<'_>>) -> &mut Self {
        let mut here = self;
        for step in steps {
            here = match step {
                Step::Key(key) => here.field(key),
                Step::Index(index) => here.element(index),
            };
        }
        here
    }

    fn field(&mut self, key: &str) -> &mut Self {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(fields) = self else { return self };
        let at = fields.iter().position(|(name, _)| name == key).unwrap_or_else(|| {
            fields.push((key.to_owned(), Self::Nothing));
            fields.len() - 1
        });
        &mut fields[at].1
    }

    fn element(&mut self, index: usize) -> &mut Self {
        if !matches!(self, Self::Array(_)) {
            *self = Self::Array(Vec::new());
        }
        let Self::Array(items) = self else { return self };
        // An index far ahead of what came is no reason to fill memory.
        let index = index.min(items.len());
        if index == items.len() {
            items.push(Self::Nothing);
        }
        &mut items[index]
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Nothing => out.null(),
            Self::Object(fields) => out.object(|object| {
                for (key, value) in fields {
                    value.write(object.key_text(&Text::new(key)));
                }
            }),
            Self::Array(items) => out.array(|array| {
                for item in items {
                    item.write(array.item());
                }
            }),
            Self::Text(texts) => out.joined(texts, ""),
            Self::Other(json) => out.json(json),
        }
    }
}

/// The steps of a path such as `$.a[0]['b c'].d`. Never deeper than a body may be.
fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while !rest.is_empty() && steps.len() < DEEPEST {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(inside) = rest.strip_prefix('[') {
            let (inside, after) = inside.split_once(']').unwrap_or((inside, ""));
            rest = after;
            match inside.parse() {
                Ok(index) => steps.push(Step::Index(index)),
                Err(_) => steps.push(Step::Key(inside.trim_matches(['\'', '"']))),
            }
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            if !key.is_empty() {
                steps.push(Step::Key(key));
            }
            rest = after;
        }
    }
    steps
}

const DEEPEST: usize = 100;
