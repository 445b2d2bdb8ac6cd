//! Parses the error with which a provider rejects a request, and derives lessons to retry with.
//!
//! [`parse`] finds in the error message the kind of rejection and the path of the field;
//! [`candidate_lessons`] returns the [lessons](interlingua_model::Lesson) to try, the likeliest
//! first. Each candidate is a list of lessons with which the request is sent once more; if it
//! succeeds, they are stored. An error that no pattern matches is passed on to the client.

mod candidate_lessons;
pub mod capture;
pub mod path;
mod pattern;
mod patterns;
mod request_errors;

use interlingua_model::{
    ApiError, ApiErrorKind, DialectId, ImageLimit, MediaKind, ReasoningConstraint,
};
use interlingua_wire::{JsonKind, JsonNode, RawJson};

pub use candidate_lessons::{RejectedRequest, candidate_lessons};
pub use pattern::{Meaning, PathSource, RejectionPattern};
pub use request_errors::{RequestErrorWording, reclassify, request_error_wordings};

/// A rejection that a retry with lessons may avoid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub kind: RejectionKind,
    /// The field path as the provider writes it, if the error has one.
    pub path: Option<String>,
    /// Other fields that the same error rejects.
    pub other_paths: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RejectionKind {
    /// A text is empty or blank.
    EmptyText,
    /// A seal of another provider, model or account.
    Seal,
    /// Reasoning, or its surroundings, must be unmodified and is not.
    ModifiedReasoning,
    /// Content before a seal was modified.
    ModifiedPrefix,
    Reasoning(ReasoningConstraint),
    /// A field that the provider, or this model, does not accept; `instead` is the name that it
    /// accepts.
    Field {
        rename_to: Option<String>,
    },
    Image(ImageLimit),
    /// More output tokens are requested than the model supports.
    MaxTokens(u64),
    /// Two consecutive turns have the same role.
    RoleOrder,
    /// The provider's web search is not available for this model.
    WebSearch,
    /// Media of this kind, or any, are not supported.
    Media(Option<MediaKind>),
}

/// All patterns in order; the first match counts.
pub fn patterns() -> &'static [RejectionPattern] {
    patterns::PATTERNS
}

/// The rejection in an error, if a pattern matches.
pub fn parse(dialect: DialectId, error: &ApiError) -> Option<Rejection> {
    if !matches!(error.kind, ApiErrorKind::InvalidRequest | ApiErrorKind::RequestTooLarge) {
        return None;
    }
    find_rejection(dialect, error)
}

/// The rejection in the message of an error of any kind.
fn find_rejection(dialect: DialectId, error: &ApiError) -> Option<Rejection> {
    let message = error.message.unescape();
    let is_applicable =
        |row: &&RejectionPattern| row.dialects.is_empty() || row.dialects.contains(&dialect.0);
    let mut rows = patterns::PATTERNS.iter().filter(is_applicable);
    let (row, mut rejection) =
        rows.by_ref().find_map(|row| Some((row, row.parse(dialect, &message, error)?)))?;
    // Providers that list all rejected fields use one wording for nested fields and one for
    // top-level fields.
    let similar = rows.take_while(|next| next.has_same_start(row));
    for path in std::iter::once(row).chain(similar).flat_map(|row| row.all_paths(dialect, &message))
    {
        if rejection.path.as_ref() != Some(&path) && !rejection.other_paths.contains(&path) {
            rejection.other_paths.push(path);
        }
    }
    Some(rejection)
}

impl RejectionPattern {
    fn parse(&self, dialect: DialectId, message: &str, error: &ApiError) -> Option<Rejection> {
        let captures = capture::find(self.pattern, message)?;
        let error_body = error.original.as_ref().map(|(_, json)| json);
        let path = match self.path_source {
            PathSource::Absent => None,
            PathSource::Message => Some(captured_path(&captures)?),
            PathSource::Body => Some(path_in_error_body(error_body?)?),
            PathSource::Fixed(path) => Some(path.to_owned()),
        };
        let limit =
            || captures.get("most").and_then(|limit| limit.replace(',', "").parse::<u64>().ok());
        let kind = match self.meaning {
            Meaning::EmptyText => RejectionKind::EmptyText,
            Meaning::Seal => RejectionKind::Seal,
            Meaning::ModifiedReasoning => RejectionKind::ModifiedReasoning,
            Meaning::ModifiedPrefix => RejectionKind::ModifiedPrefix,
            Meaning::Reasoning(reasoning_constraint) => {
                RejectionKind::Reasoning(reasoning_constraint)
            }
            Meaning::Field => {
                RejectionKind::Field { rename_to: captures.get("instead").map(str::to_owned) }
            }
            Meaning::ImageSize => {
                RejectionKind::Image(ImageLimit::Base64Chars(usize::try_from(limit()?).ok()?))
            }
            Meaning::ImageSide => {
                RejectionKind::Image(ImageLimit::SidePixels(u32::try_from(limit()?).ok()?))
            }
            Meaning::MaxTokens => RejectionKind::MaxTokens(limit()?),
            Meaning::RoleOrder => RejectionKind::RoleOrder,
            Meaning::WebSearch => RejectionKind::WebSearch,
            Meaning::Media(kind) => RejectionKind::Media(kind),
            Meaning::ManyImagesSide => {
                RejectionKind::Image(ImageLimit::SidePixelsOfMany(u32::try_from(limit()?).ok()?))
            }
        };
        let is_field = matches!(kind, RejectionKind::Field { .. });
        let path = if is_field { Some(path_in_body(dialect, &path?)?) } else { path };
        Some(Rejection { kind, path, other_paths: Vec::new() })
    }

    /// Whether both patterns reject fields with the same wording.
    fn has_same_start(&self, other: &Self) -> bool {
        let fields = self.meaning == Meaning::Field && other.meaning == Meaning::Field;
        let start = other.pattern.split('{').next().unwrap_or_default();
        fields && !start.is_empty() && self.pattern.split('{').next() == Some(start)
    }

    /// All field paths in the message, except those with a replacement.
    fn all_paths(&self, dialect: DialectId, message: &str) -> Vec<String> {
        if self.meaning != Meaning::Field || self.path_source != PathSource::Message {
            return Vec::new();
        }
        let captures = capture::find_all(self.pattern, message);
        let without_replacement =
            captures.iter().filter(|captures| captures.get("instead").is_none());
        without_replacement
            .filter_map(|captures| path_in_body(dialect, &captured_path(captures)?))
            .collect()
    }
}

/// The captured path.
fn captured_path(captures: &capture::Captures<'_>) -> Option<String> {
    let path = captures.get("path")?;
    Some(captures.get("name").map_or(path.to_owned(), |name| format!("{path}.{name}")))
}

/// Path in the body that was sent: Bedrock passes on error messages of the model's own API, and has
/// the body of that API in one of its fields.
fn path_in_body(dialect: DialectId, path: &str) -> Option<String> {
    let path = path::canonicalize(path);
    let is_path_char = |ch: char| ch.is_ascii_alphanumeric() || "_-.*$".contains(ch);
    if path.is_empty() || path.len() > MAX_PATH_BYTES || !path.chars().all(is_path_char) {
        return None;
    }
    let (_, nested_field) =
        NESTED_BODIES.iter().find(|(outer, _)| *outer == dialect.0).unwrap_or(&("", ""));
    let is_modeled =
        ["messages", "tools", "system"].contains(&path.split('.').next().unwrap_or(""));
    match *nested_field {
        "" => Some(path),
        // These are spelled differently there, and cannot be mapped back.
        _ if is_modeled => None,
        nested_field => Some(format!("{nested_field}.{path}")),
    }
}

/// The field path in the error body, next to the message.
fn path_in_error_body(error_body: &RawJson) -> Option<String> {
    let doc = error_body.to_doc();
    find_path_field(doc.root(), MAX_ERROR_DEPTH)
}

fn find_path_field(node: JsonNode<'_>, max_depth: u8) -> Option<String> {
    if let Some(param) = node.get("param").filter(|param| param.is_string()) {
        return Some(param.str_or_empty().into_owned());
    }
    if let Some(loc) = node.get("loc").filter(|loc| loc.is_array()) {
        let segment = |segment: JsonNode<'_>| match segment.kind() {
            JsonKind::String => segment.str_or_empty().into_owned(),
            _ => segment.raw().to_owned(),
        };
        let segments: Vec<String> =
            loc.items().map(segment).filter(|segment| segment != "body").collect();
        return Some(segments.join("."));
    }
    let max_depth = max_depth.checked_sub(1)?;
    let mut fields = node.fields().map(|field| field.value);
    let nested = fields.find_map(|value| find_path_field(value, max_depth));
    nested.or_else(|| node.items().find_map(|item| find_path_field(item, max_depth)))
}

/// Dialects that pass on error messages about a body in one of their fields.
const NESTED_BODIES: &[(&str, &str)] = &[("bedrock", "additionalModelRequestFields")];
const MAX_PATH_BYTES: usize = 200;
const MAX_ERROR_DEPTH: u8 = 5;
