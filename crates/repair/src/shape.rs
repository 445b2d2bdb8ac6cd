//! What a value may be, as data; and a value made to be that.

use interlingua_wire::{self as wire, Field, Json, Node, Text};

use crate::media::base64;
use crate::number;

/// A field that an object may have.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// The beginning of a beta that lets the field in; empty where nobody has to ask.
    pub beta: &'static str,
    /// The object is nothing without it.
    pub needed: bool,
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Any,
    Text,
    Whole,
    Number,
    Flag,
    Object,
    /// An object; a text that holds one is opened.
    Opened,
    List,
    One(&'static [&'static str]),
    /// Anything but this word.
    Not(&'static str),
    /// One of these in any case, or its number.
    AnyCase(&'static [&'static str]),
    Each(&'static Kind),
    TextOr(&'static Kind),
    Shape(&'static [Key]),
    /// These fields, and any others.
    Open(&'static [Key]),
    /// One of these fields and none of the others that are listed.
    Union(&'static [Key]),
    /// The first of these that it is; else the first that it can be made.
    Either(&'static [Kind]),
    /// A list in which something stands, each of it of this kind.
    Filled(&'static Kind),
    /// A text that is not empty.
    Words,
    /// A title: letters, digits, these and single blanks, and not too many.
    Title(&'static str),
    /// The word true.
    Yes,
    /// A name: letters, digits and these, and not too many.
    Spelled(&'static str),
    /// An object with these fields, by the word in its `type`.
    Tagged(&'static [(&'static str, &'static [Key])]),
    /// A text that is base64, of either alphabet.
    Base64,
    /// Also null where it must be there.
    OrNull(&'static Kind),
    /// Nothing.
    Never,
}

/// How fields and values are read, and what the client asked for.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
pub struct Reading<'r> {
    /// `camelCase` and `snake_case` are one, and numbers may be strings.
    pub either_case: bool,
    /// What is not known is passed over.
    pub open: bool,
    pub betas: &'r [Text],
    /// A field that is not listed at all may be there.
    pub trusting: bool,
    /// Whole numbers are written without a fraction or an exponent.
    pub exact: bool,
}

/// What is to be done with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Fit {
    Fine,
    Instead(Json),
    Drop,
}

pub const fn key(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, beta: "", needed: false }
}

pub const fn need(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, beta: "", needed: true }
}

pub const fn beta(name: &'static str, kind: Kind, beta: &'static str) -> Key {
    Key { name, kind, beta, needed: false }
}

impl Reading<'_> {
    /// The field of this name, if it may be there.
    pub fn find<'k>(&self, keys: &'k [Key], name: &str) -> Option<&'k Key> {
        let mut named = keys.iter().filter(|key| self.is(name, key.name)).peekable();
        if self.trusting && named.peek().is_none() {
            return Some(&ANYTHING);
        }
        named.find(|key| self.lets_in(key.beta)).or(self.open.then_some(&ANYTHING))
    }

    pub fn lets_in(&self, beta: &str) -> bool {
        beta.is_empty() || self.betas.iter().any(|given| given.contents().starts_with(beta))
    }

    pub fn is(&self, written: &str, name: &str) -> bool {
        written == name || self.either_case && is_snake(written, name)
    }

    /// Whether the field is called so.
    pub fn names(&self, field: Field<'_>, name: &str) -> bool {
        field.is(name) || self.either_case && is_snake(&field.name(), name)
    }

    /// What becomes of the value of a field.
    pub fn fit(&self, value: &Json, kind: Kind) -> Fit {
        // Who leaves out a field may also say so: null is always fine.
        let fine = matches!(
            (kind, value.kind()),
            (Kind::Any, _)
                | (_, wire::Kind::Null)
                | (Kind::Text | Kind::TextOr(_), wire::Kind::String)
                | (Kind::Number, wire::Kind::Number)
                | (Kind::Flag, wire::Kind::Bool)
                | (Kind::Object, wire::Kind::Object)
                | (Kind::List, wire::Kind::Array)
        );
        if fine { Fit::Fine } else { self.node(value.doc().root(), kind) }
    }

    /// As [`Reading::fit`], of a value in a document.
    pub fn node(&self, node: Node<'_>, kind: Kind) -> Fit {
        let fine = match kind {
            Kind::Any => true,
            _ if node.is_null() => true,
            Kind::Text => node.is_string(),
            Kind::Words => node.is_string() && !node.word().is_empty(),
            Kind::Spelled(others) => {
                let fits =
                    |byte: u8| byte.is_ascii_alphanumeric() || others.as_bytes().contains(&byte);
                let name = node.word();
                node.is_string() && (1..=64).contains(&name.len()) && name.bytes().all(fits)
            }
            Kind::Title(others) => {
                let fits =
                    |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || others.contains(c);
                let title = node.word();
                let blanks = title.chars().zip(title.chars().skip(1));
                let doubled =
                    |(one, other): (char, char)| one.is_whitespace() && other.is_whitespace();
                node.is_string()
                    && (1..=200).contains(&title.chars().count())
                    && title.chars().all(fits)
                    && !blanks.into_iter().any(doubled)
            }
            Kind::Tagged(shapes) => {
                let tag = node.get("type").map(Node::word).unwrap_or_default();
                return match shapes.iter().find(|(word, _)| *word == tag) {
                    Some((_, keys)) => self.shape(node, keys, false),
                    None => Fit::Drop,
                };
            }
            Kind::Base64 => node.is_string() && base64::is_valid(&node.word(), true),
            Kind::Whole => match self.number(node).filter(|number| number.fract() == 0.0) {
                Some(number) if self.exact && !number::is_exact(&node.json()) => {
                    return Fit::Instead(number::spelled(number::whole(number)));
                }
                number => number.is_some(),
            },
            Kind::Number => self.number(node).is_some(),
            Kind::Flag => {
                node.boolean().is_some()
                    || self.either_case && ["true", "false"].contains(&&*node.word())
            }
            Kind::Yes => node.boolean() == Some(true),
            Kind::Never => false,
            Kind::Opened if node.is_string() => return opened(node),
            Kind::Object | Kind::Opened => node.is_object(),
            Kind::List => node.is_array(),
            Kind::One(words) => node.is_string() && words.contains(&&*node.word()),
            Kind::Not(word) => node.word() != word,
            Kind::AnyCase(words) => {
                let word = node.word();
                let digits = node.raw().bytes().all(|byte| byte.is_ascii_digit());
                digits || words.iter().any(|one| one.eq_ignore_ascii_case(&word))
            }
            Kind::TextOr(_) if node.is_string() => true,
            Kind::TextOr(kind) | Kind::OrNull(kind) => return self.node(node, *kind),
            Kind::Each(kind) => return self.each(node, *kind),
            Kind::Filled(kind) => {
                return match self.each(node, *kind) {
                    Fit::Instead(json) if json == Json::EMPTY_ARRAY => Fit::Drop,
                    Fit::Fine if node.is_empty() => Fit::Drop,
                    fit => fit,
                };
            }
            Kind::Union(keys) => return self.union(node, keys),
            Kind::Either(kinds) => {
                let fits: Vec<Fit> = kinds.iter().map(|kind| self.node(node, *kind)).collect();
                let fine = fits.iter().position(|fit| *fit == Fit::Fine);
                let made = || fits.iter().position(|fit| *fit != Fit::Drop);
                let chosen = fine.or_else(made).and_then(|at| fits.into_iter().nth(at));
                return chosen.unwrap_or(Fit::Drop);
            }
            Kind::Shape(keys) => return self.shape(node, keys, false),
            Kind::Open(keys) => return self.shape(node, keys, true),
        };
        if fine { Fit::Fine } else { Fit::Drop }
    }

    fn number(&self, node: Node<'_>) -> Option<f64> {
        let number = match node.kind() {
            wire::Kind::Number => node.raw().parse().ok()?,
            wire::Kind::String if self.either_case => node.word().parse::<f64>().ok()?,
            _ => return None,
        };
        Some(number).filter(|number| number.is_finite())
    }

    fn each(&self, node: Node<'_>, kind: Kind) -> Fit {
        if !node.is_array() {
            // Who reads both spellings also reads one alone as a list of one.
            return if self.either_case { self.node(node, kind) } else { Fit::Drop };
        }
        let one = |item: Node<'_>| match kind {
            Kind::Any => Fit::Fine,
            _ if item.is_null() => Fit::Drop,
            _ => self.node(item, kind),
        };
        let fits = unless_fine(node.items().map(one));
        if fits.is_empty() {
            return Fit::Fine;
        }
        Fit::Instead(Json::array(|out| {
            for (item, fit) in node.items().zip(&fits) {
                match fit {
                    Fit::Fine => out.item().json(&item.json()),
                    Fit::Instead(json) => out.item().json(json),
                    Fit::Drop => {}
                }
            }
        }))
    }

    /// What says of itself with one field what it is. What else it has nobody looks at.
    fn union(&self, node: Node<'_>, keys: &[Key]) -> Fit {
        let is_set = |key: &&Key| {
            node.fields().any(|field| self.is(&field.name(), key.name) && !field.value.is_null())
        };
        let mut set = keys.iter().filter(is_set);
        match (set.next(), set.next()) {
            (Some(one), None) => self.shape(node, &[Key { needed: true, ..*one }], true),
            _ => Fit::Drop,
        }
    }

    fn shape(&self, node: Node<'_>, keys: &[Key], open: bool) -> Fit {
        if !node.is_object() {
            return Fit::Drop;
        }
        let nullable = |key: &Key| matches!(key.kind, Kind::OrNull(_));
        let has = |key: &Key| {
            let fills = |value: Node<'_>| !value.is_null() || nullable(key);
            node.fields().any(|field| self.names(field, key.name) && fills(field.value))
        };
        if keys.iter().any(|key| key.needed && !has(key)) {
            return Fit::Drop;
        }
        let one = |field: Field<'_>| match self.find(keys, &field.name()) {
            // A word that must be there and can only be one is that one.
            Some(Key { needed: true, kind: Kind::One([only]), .. }) => {
                let is_it = field.value.word() == *only;
                if is_it { Fit::Fine } else { Fit::Instead(Json::string(&Text::word(only))) }
            }
            Some(Key { needed: true, kind, .. }) if field.value.is_null() => {
                if matches!(kind, Kind::Any | Kind::OrNull(_)) { Fit::Fine } else { Fit::Drop }
            }
            Some(key) => self.node(field.value, key.kind),
            None if open => Fit::Fine,
            None => Fit::Drop,
        };
        let fits = unless_fine(node.fields().map(one));
        if fits.is_empty() {
            return Fit::Fine;
        }
        let dropped = |key: &Key| {
            let mut fields = node.fields().zip(&fits);
            fields.any(|(field, fit)| *fit == Fit::Drop && self.is(&field.name(), key.name))
        };
        if keys.iter().any(|key| key.needed && dropped(key)) {
            return Fit::Drop;
        }
        Fit::Instead(Json::object(|out| {
            for (field, fit) in node.fields().zip(&fits) {
                match fit {
                    Fit::Fine => out.key_text(&field.key()).json(&field.value.json()),
                    Fit::Instead(json) => out.key_text(&field.key()).json(json),
                    Fit::Drop => {}
                }
            }
        }))
    }
}

/// The object that a text holds.
fn opened(text: Node<'_>) -> Fit {
    let held = Json::parse(text.word().into_owned()).ok();
    held.filter(Json::is_object).map_or(Fit::Drop, Fit::Instead)
}

/// What is to be done with each; nothing if all are fine, as mostly.
fn unless_fine(all: impl Iterator<Item = Fit>) -> Vec<Fit> {
    let mut fits = Vec::new();
    for (at, fit) in all.enumerate() {
        if fit != Fit::Fine && fits.is_empty() {
            fits.resize(at, Fit::Fine);
        }
        if fit != Fit::Fine || !fits.is_empty() {
            fits.push(fit);
        }
    }
    fits
}

/// Whether a name is this one, with an underscore and a small letter for each capital.
fn is_snake(written: &str, camel: &str) -> bool {
    let mut written = written.bytes();
    let fits = camel.bytes().all(|byte| {
        (!byte.is_ascii_uppercase() || written.next() == Some(b'_'))
            && written.next() == Some(byte.to_ascii_lowercase())
    });
    fits && written.next().is_none()
}

/// A field of which only its own provider knows what it holds.
static ANYTHING: Key = key("", Kind::Any);
