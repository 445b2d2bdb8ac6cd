//! Fields of the settings as a dialect writes them, and how a value is held against one.

use interlingua_wire::{self as wire, Json, Kind, Node};

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Any,
    Flag,
    /// A flag, or its name in a string.
    LooseFlag,
    Number,
    /// A number without a fraction or an exponent.
    Whole,
    Text,
    /// A list of strings.
    Texts,
    /// A string, or a list.
    TextOrList,
    TextOrObject,
    List,
    /// As `Open`; what is no object fits, too.
    Loose(&'static [Field]),
    /// As `Object`; what is no object fits, too.
    LooseObject(&'static [Field]),
    /// A list of betas, none of which begins so.
    Betas(&'static [&'static str]),
    WordOrObject(&'static [&'static str]),
    /// One of these.
    Word(&'static [&'static str]),
    /// One of these in any case, or a number.
    LooseWord(&'static [&'static str]),
    Map,
    /// An object of these fields.
    Object(&'static [Field]),
    /// An object of these fields and of others.
    Open(&'static [Field]),
    /// An object whose `type` says which fields it has.
    Tagged(&'static [(&'static str, &'static [Field])]),
    /// The same, and it may have others.
    OpenTagged(&'static [(&'static str, &'static [Field])]),
    /// Nothing.
    Never,
    /// Exactly one of these fields, with an object.
    Union(&'static [Field]),
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Fits,
    /// This part of it does.
    Less(Json),
    /// None of it does.
    Gone,
}

pub(super) const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, required: false }
}

pub(super) const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, required: true }
}

impl Shape {
    /// Holds a value against the shape. Who leaves out a field may also say so with null; names may be
    /// in `either_case`, where a dialect has both.
    pub fn hold(&self, node: Node<'_>, either_case: bool) -> Verdict {
        let fits = match self {
            Self::Any => true,
            Self::Flag => node.boolean().is_some(),
            Self::LooseFlag => {
                node.boolean().is_some() || matches!(&*node.word(), "true" | "false")
            }
            Self::Number => node.kind() == Kind::Number,
            Self::Whole => crate::number::is_exact(&node.json()),
            Self::Text => node.is_string(),
            Self::Texts => node.is_array() && node.items().all(Node::is_string),
            Self::TextOrList => node.is_string() || node.is_array(),
            Self::List => node.is_array(),
            Self::TextOrObject => node.is_string() || node.is_object(),
            Self::WordOrObject(words) => node.is_object() || words.contains(&&*node.word()),
            Self::Word(words) => words.contains(&&*node.word()),
            Self::LooseWord(words) => {
                let word = node.word();
                node.kind() == Kind::Number || words.iter().any(|w| w.eq_ignore_ascii_case(&word))
            }
            Self::Map => node.is_object(),
            Self::Loose(_) | Self::LooseObject(_) if !node.is_object() => true,
            Self::Betas(elsewhere) => return betas(node, elsewhere),
            Self::LooseObject(fields) | Self::Object(fields) => {
                return object(node, fields, false, either_case);
            }
            Self::Loose(fields) | Self::Open(fields) => {
                return object(node, fields, true, either_case);
            }
            Self::Never => false,
            Self::Tagged(rows) => return tagged(node, rows, false, either_case),
            Self::OpenTagged(rows) => return tagged(node, rows, true, either_case),
            Self::Union(fields) => {
                let known = |name: &str| fields.iter().any(|field| field.name == name);
                let unset = |field: wire::Field<'_>| field.value.is_null() || !known(&field.name());
                let set = node.fields().filter(|field| !field.value.is_null());
                let set = set.filter(|field| known(&field.name())).count();
                // What is left of the one must still be there.
                let rest =
                    if set == 1 { object(node, fields, true, either_case) } else { Verdict::Gone };
                return match rest {
                    Verdict::Less(json) if json.doc().root().fields().all(unset) => Verdict::Gone,
                    rest => rest,
                };
            }
        };
        if fits { Verdict::Fits } else { Verdict::Gone }
    }
}

/// A list of betas, each of which ends in a date.
fn betas(node: Node<'_>, elsewhere: &[&str]) -> Verdict {
    let fits = |beta: &Node<'_>| {
        let beta = beta.word();
        let bare = beta.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
        let digits = beta[bare.len()..].chars().filter(char::is_ascii_digit).count();
        !bare.is_empty() && digits >= 8 && !elsewhere.iter().any(|start| beta.starts_with(start))
    };
    let kept: Vec<Node<'_>> = node.items().filter(fits).collect();
    match kept.len() {
        count if count == node.items().count() => Verdict::Fits,
        0 => Verdict::Gone,
        _ => Verdict::Less(Json::array(|list| {
            for beta in &kept {
                list.item().json(&beta.json());
            }
        })),
    }
}

fn tagged(node: Node<'_>, rows: &[(&str, &[Field])], open: bool, either_case: bool) -> Verdict {
    let tag = node.get("type").map(Node::word).unwrap_or_default();
    let row = rows.iter().find(|(name, _)| *name == tag);
    row.map_or(Verdict::Gone, |(_, fields)| object(node, fields, open, either_case))
}

fn object(node: Node<'_>, fields: &[Field], open: bool, either_case: bool) -> Verdict {
    if !node.is_object() {
        return Verdict::Gone;
    }
    let mut gone = false;
    let mut verdicts = Vec::new();
    for inner in node.fields() {
        let known = fields.iter().find(|field| is_named(&inner.name(), field.name, either_case));
        let verdict = match known {
            Some(Field { shape: Shape::Never, .. }) => Verdict::Gone,
            Some(field) if inner.value.is_null() && !field.required => Verdict::Fits,
            Some(field) => field.shape.hold(inner.value, either_case),
            None if open => Verdict::Fits,
            None => Verdict::Gone,
        };
        gone |= verdict != Verdict::Fits;
        verdicts.push(verdict);
    }
    let lacking = fields.iter().filter(|field| field.required).any(|field| {
        let mut held = node.fields().zip(&verdicts);
        !held.any(|(inner, verdict)| {
            is_named(&inner.name(), field.name, either_case) && *verdict != Verdict::Gone
        })
    });
    if lacking {
        return Verdict::Gone;
    }
    if !gone {
        return Verdict::Fits;
    }
    Verdict::Less(Json::object(|kept| {
        for (inner, verdict) in node.fields().zip(&verdicts) {
            match verdict {
                Verdict::Fits => kept.key_text(&inner.key()).json(&inner.value.json()),
                Verdict::Less(json) => kept.key_text(&inner.key()).json(json),
                Verdict::Gone => {}
            }
        }
    }))
}

/// Names are alike in camel case and in snake case, where a dialect has both.
pub fn is_named(said: &str, name: &str, either_case: bool) -> bool {
    if !either_case || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return said == name;
    }
    let letters = |text: &str| text.replace('_', "").to_ascii_lowercase();
    said == name || said.contains('_') && letters(said) == letters(name)
}
