//! What a refusal says, and what may help: the ladder.
//!
//! A provider that refuses a request for its shape says so in words. [`read`] finds in them what it is
//! about and where; [`rungs`] gives what may be learned from that, the likeliest first. A rung is a few
//! [lessons](interlingua_model::Lesson) with which the request is sent once more; if that is answered, they hold from then on.
//! Words that no row knows are nobody's complaint here, and are the client's to read.

pub mod path;
mod rows;
mod rungs;
pub mod words;

use interlingua_model::{DialectId, Failure, FailureKind, Habit, ImageLimit};
use interlingua_wire::{Json, Kind as JsonKind, Node};

pub use rungs::{Sent, rungs};

/// What a provider refuses, as far as something may be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub kind: Kind,
    /// Where, as the provider writes it, if it says so.
    pub path: Option<String>,
    /// Other fields of which the provider says the same in the same breath.
    pub others: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text is empty or blank.
    EmptyText,
    /// A signature is not the provider's own, or not of this model or account.
    Seal,
    /// Reasoning that must be as it was is not, or what stands around it.
    Modified,
    /// Something before a seal is not as it was.
    Prefix,
    Thinking(Habit),
    /// A field is not known, or not taken by this model; the name under which it is.
    Field {
        instead: Option<String>,
    },
    Image(ImageLimit),
    /// More tokens are asked for than the model answers with.
    Length(u64),
    /// Two turns of one role follow each other.
    Roles,
    /// The provider's own search is not there for this model.
    Search,
}

/// How providers say a thing.
#[derive(Debug)]
pub struct Row {
    /// Who says it so; anybody if there is none.
    pub dialects: &'static [&'static str],
    /// The words, wherever they stand. In braces: `path`, `name` (of a field there), `instead`, `most`,
    /// and `any` for what does not matter.
    pub words: &'static str,
    pub says: Says,
    pub at: At,
}

/// What the words of a row say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    EmptyText,
    Seal,
    Modified,
    Prefix,
    Thinking(Habit),
    Field,
    ImageSize,
    ImageSide,
    CrowdSide,
    Length,
    Roles,
    Search,
}

/// Where a row's path stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Nowhere,
    /// In its words.
    Words,
    /// Beside the words, in the body of the error.
    Beside,
    /// It is always this one.
    Fixed(&'static str),
}

/// Every row.
pub fn all() -> &'static [Row] {
    rows::ROWS
}

/// What a failure complains about, if a ladder leads on from there.
pub fn read(dialect: DialectId, failure: &Failure) -> Option<Complaint> {
    if !matches!(failure.kind, FailureKind::Shape | FailureKind::TooLarge) {
        return None;
    }
    let words = failure.message.contents();
    let spoken = |row: &&Row| row.dialects.is_empty() || row.dialects.contains(&dialect.0);
    let mut rows = rows::ROWS.iter().filter(spoken);
    let (row, mut complaint) =
        rows.by_ref().find_map(|row| Some((row, row.read(dialect, &words, failure)?)))?;
    // Whoever names all fields at once has a row for those within others, and one for the rest.
    let alike = rows.take_while(|next| next.begins_like(row));
    for path in std::iter::once(row).chain(alike).flat_map(|row| row.paths(dialect, &words)) {
        if complaint.path.as_ref() != Some(&path) && !complaint.others.contains(&path) {
            complaint.others.push(path);
        }
    }
    Some(complaint)
}

impl Row {
    fn read(&self, dialect: DialectId, words: &str, failure: &Failure) -> Option<Complaint> {
        let found = words::find(self.words, words)?;
        let written = failure.written.as_ref().map(|(_, json)| json);
        let path = match self.at {
            At::Nowhere => None,
            At::Words => Some(place(&found)?),
            At::Beside => Some(beside(written?)?),
            At::Fixed(path) => Some(path.to_owned()),
        };
        let most = || found.get("most").and_then(|most| most.replace(',', "").parse::<u64>().ok());
        let kind = match self.says {
            Says::EmptyText => Kind::EmptyText,
            Says::Seal => Kind::Seal,
            Says::Modified => Kind::Modified,
            Says::Prefix => Kind::Prefix,
            Says::Thinking(habit) => Kind::Thinking(habit),
            Says::Field => Kind::Field { instead: found.get("instead").map(str::to_owned) },
            Says::ImageSize => Kind::Image(ImageLimit::Size(usize::try_from(most()?).ok()?)),
            Says::ImageSide => Kind::Image(ImageLimit::Side(u32::try_from(most()?).ok()?)),
            Says::Length => Kind::Length(most()?),
            Says::Roles => Kind::Roles,
            Says::Search => Kind::Search,
            Says::CrowdSide => Kind::Image(ImageLimit::CrowdSide(u32::try_from(most()?).ok()?)),
        };
        let is_field = matches!(kind, Kind::Field { .. });
        let path = if is_field { Some(within(dialect, &path?)?) } else { path };
        Some(Complaint { kind, path, others: Vec::new() })
    }

    /// Whether both rows say of a field in the same words that it is not taken.
    fn begins_like(&self, other: &Self) -> bool {
        let fields = self.says == Says::Field && other.says == Says::Field;
        let start = other.words.split('{').next().unwrap_or_default();
        fields && !start.is_empty() && self.words.split('{').next() == Some(start)
    }

    /// Every field that the words name, if one of them does not take another's place.
    fn paths(&self, dialect: DialectId, words: &str) -> Vec<String> {
        if self.says != Says::Field || self.at != At::Words {
            return Vec::new();
        }
        let found = words::all(self.words, words);
        let plain = found.iter().filter(|found| found.get("instead").is_none());
        plain.filter_map(|found| within(dialect, &place(found)?)).collect()
    }
}

/// The place that the words name.
fn place(found: &words::Found<'_>) -> Option<String> {
    let at = found.get("path")?;
    Some(found.get("name").map_or(at.to_owned(), |name| format!("{at}.{name}")))
}

/// A path in the body that was sent: behind one API the words are those of another, whose body stands
/// in a field of its own.
fn within(dialect: DialectId, path: &str) -> Option<String> {
    let path = path::canonical(path);
    let shape = |ch: char| ch.is_ascii_alphanumeric() || "_-.*$".contains(ch);
    if path.is_empty() || path.len() > LONGEST || !path.chars().all(shape) {
        return None;
    }
    let (_, inside) = INSIDE.iter().find(|(outer, _)| *outer == dialect.0).unwrap_or(&("", ""));
    let turns = ["messages", "tools", "system"].contains(&path.split('.').next().unwrap_or(""));
    match *inside {
        "" => Some(path),
        // Those are written in another way there, and nobody can tell where they came from.
        _ if turns => None,
        inside => Some(format!("{inside}.{path}")),
    }
}

/// The path that an error's body says beside its words.
fn beside(written: &Json) -> Option<String> {
    let doc = written.doc();
    named(doc.root(), DEEPEST)
}

fn named(node: Node<'_>, deepest: u8) -> Option<String> {
    if let Some(param) = node.get("param").filter(|param| param.is_string()) {
        return Some(param.word().into_owned());
    }
    if let Some(loc) = node.get("loc").filter(|loc| loc.is_array()) {
        let step = |step: Node<'_>| match step.kind() {
            JsonKind::String => step.word().into_owned(),
            _ => step.raw().to_owned(),
        };
        let steps: Vec<String> = loc.items().map(step).filter(|step| step != "body").collect();
        return Some(steps.join("."));
    }
    let deepest = deepest.checked_sub(1)?;
    let mut fields = node.fields().map(|field| field.value);
    let inside = fields.find_map(|value| named(value, deepest));
    inside.or_else(|| node.items().find_map(|item| named(item, deepest)))
}

/// Dialects behind which another's words are heard, and the field that holds what they are about.
const INSIDE: &[(&str, &str)] = &[("bedrock", "additionalModelRequestFields")];
const LONGEST: usize = 200;
const DEEPEST: u8 = 5;
