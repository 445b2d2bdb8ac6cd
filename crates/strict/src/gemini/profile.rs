//! What each generation of models accepts, as data.

/// A row of models that accept the same.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table: each is a fact of its own")]
pub(super) struct Profile {
    /// Parts of their names.
    models: &'static [&'static str],
    /// The first call of each step must be signed.
    pub(super) signed_calls: bool,
    /// Signs the first part of a reply, whatever it is, instead of the first call or last part.
    pub(super) signs_first: bool,
    /// A response must have the name of its call, on Vertex.
    pub(super) named_responses: bool,
    /// It can be said whether, and how much, it thinks.
    pub(super) thinks: bool,
    /// The levels of thinking that it knows.
    pub(super) levels: &'static [&'static str],
    /// The least and the most that may be thought, besides nothing and as much as it takes.
    pub(super) budget: Option<(i64, i64)>,
    /// Thinking can be turned off.
    pub(super) can_stop_thinking: bool,
    /// Built-in tools and functions can stand together.
    pub(super) mixes_tools: bool,
    /// Functions and JSON as the reply's type can stand together.
    pub(super) formats_with_tools: bool,
    /// The most that it writes, and stop sequences, on Vertex.
    pub(super) vertex_output: u32,
    pub(super) vertex_stops: u32,
    /// Responses may hold media.
    pub(super) media_responses: bool,
    /// Calls and responses have ids, also where the backend is old.
    pub(super) ids: bool,
    pub(super) context: u64,
}

/// The profile of a model; what is not known has the newest shape.
pub(super) fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase();
    let known = PROFILES.iter().find(|row| row.models.iter().any(|part| model.contains(part)));
    known.unwrap_or(&NEWEST)
}

/// What a seal names as its model: the name without its path, version and stage.
pub(super) fn family(model: &str) -> String {
    let model = model.to_lowercase();
    let name = model.rsplit('/').next().unwrap_or_default();
    let parts: Vec<_> = name.split(['-', ':', '@']).collect();
    let loose = |part: &&str| {
        LOOSE.contains(part) || part.len() > 1 && part.chars().all(|c| c.is_ascii_digit())
    };
    let kept = parts.len() - parts.iter().rev().take_while(|part| loose(part)).count();
    parts[..kept.max(1)].join("-")
}

static PROFILES: &[Profile] = &[
    Profile {
        models: &["gemini-3-pro-image", "gemini-3.1-flash-image", "gemini-3.1-pro-image"],
        signed_calls: false,
        ..NEWEST
    },
    Profile { models: &["gemini-3.7-flash-lite", "gemini-3.8-flash-lite"], ..NEWEST },
    Profile {
        models: &["gemini-3.1-pro", "gemini-3.7-flash", "gemini-3.8-flash"],
        levels: &["LOW", "MEDIUM", "HIGH"],
        ..NEWEST
    },
    Profile { models: &["gemini-3-pro"], levels: &["LOW", "HIGH"], ..NEWEST },
    Profile { models: &["gemini-2.5-computer-use"], media_responses: true, ..SECOND },
    Profile {
        models: &["gemini-2.5-pro"],
        budget: Some((128, 32_768)),
        can_stop_thinking: false,
        ..SECOND
    },
    Profile { models: &["gemini-2.5-flash-lite"], budget: Some((512, 24_576)), ..SECOND },
    SECOND,
    Profile { models: &["flash-thinking"], budget: None, ids: false, ..SECOND },
    Profile {
        models: &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"],
        thinks: false,
        vertex_output: 8_192,
        vertex_stops: 16,
        budget: None,
        ids: false,
        ..SECOND
    },
    Profile { models: &["gemma"], signed_calls: false, can_stop_thinking: true, ..NEWEST },
];

/// Gemini 3.
const NEWEST: Profile = Profile {
    models: &[],
    signed_calls: true,
    signs_first: false,
    named_responses: true,
    thinks: true,
    levels: &["MINIMAL", "LOW", "MEDIUM", "HIGH"],
    budget: None,
    can_stop_thinking: false,
    mixes_tools: true,
    formats_with_tools: true,
    vertex_output: 65_536,
    vertex_stops: 5,
    media_responses: true,
    ids: true,
    context: 1_048_575,
};

const SECOND: Profile = Profile {
    models: &["gemini-2.5"],
    signed_calls: false,
    signs_first: true,
    named_responses: false,
    thinks: true,
    levels: &[],
    budget: Some((0, 24_576)),
    can_stop_thinking: true,
    mixes_tools: false,
    formats_with_tools: false,
    vertex_output: 65_535,
    vertex_stops: 5,
    media_responses: false,
    ids: true,
    context: 1_048_575,
};

/// Parts at the end of a name that do not tell one model from another.
const LOOSE: &[&str] = &["preview", "latest", "exp", "experimental", "customtools", "stable"];
