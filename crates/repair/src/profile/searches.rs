//! How providers are asked to search the web by themselves: one row each.

/// A provider's own search among its tools.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The type under which it is asked for.
    pub kind: &'static str,
    /// What it is called among the other tools.
    pub name: &'static str,
    pub form: Form,
    /// Other types that ask for it; with `#` at its end, any that goes on with digits alone.
    pub also: &'static [&'static str],
    /// Where what it is to keep to stands.
    pub places: &'static [(Wish, &'static [&'static str])],
    /// The model can be told to search.
    pub chosen: bool,
    /// How often it is asked for at most where nobody says so: with more, the provider pauses its answer, and
    /// has to be asked to go on.
    pub most: Option<u64>,
    /// The domains to look at and those to pass over are not said together.
    pub either: bool,
    /// A field that says with `false` that nothing is to be looked up at the moment.
    pub live: Option<&'static str>,
    /// How the provider knows again what it has found, where it comes back.
    pub sealed: Option<&'static Sealed>,
}

/// Where the seals of what was found stand.
#[derive(Clone, Copy, Debug)]
pub struct Sealed {
    /// The kind of a call, and where its id is.
    pub call: &'static str,
    pub id: &'static str,
    /// The kind of a result, and where it names its call.
    pub result: &'static str,
    pub answers: &'static str,
    /// The type of one thing that was found, and where its seal is.
    pub found: &'static str,
    pub seal: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its type stands in a field.
    Typed,
    /// As that, and so does its name.
    Named,
    /// Its type is a field, which holds all the rest.
    Keyed,
    /// It is no tool, but a field of the request.
    Beside,
}

/// What a search is to keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// These domains only.
    Allowed,
    /// None of these domains.
    Blocked,
    /// Where whoever asks is.
    Near,
    /// How often at most.
    Most,
    /// How much of what is found is read.
    Size,
}

impl Search {
    fn is(&self, kind: &str) -> bool {
        let goes_on = |begin: &str| {
            let rest = kind.strip_prefix(begin);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_it = |also: &&str| match also.strip_suffix('#') {
            Some(begin) => goes_on(begin),
            None => **also == *kind,
        };
        kind == self.kind || self.also.iter().any(is_it)
    }
}

/// The row that a type belongs to, whoever writes it.
pub fn of(kind: &str) -> Option<&'static Search> {
    [&MESSAGES, &RESPONSES, &GEMINI, &ROUTER, &CHAT].into_iter().find(|row| row.is(kind))
}

pub(super) static MESSAGES: Search = Search {
    kind: "web_search_20250305",
    name: "web_search",
    form: Form::Named,
    also: &["web_search_#"],
    places: &[
        (Wish::Allowed, &["allowed_domains"]),
        (Wish::Blocked, &["blocked_domains"]),
        (Wish::Near, &["user_location"]),
        (Wish::Most, &["max_uses"]),
    ],
    chosen: true,
    most: Some(8),
    either: true,
    live: None,
    sealed: Some(&Sealed {
        call: "server_tool_use",
        id: "id",
        result: "web_search_tool_result",
        answers: "tool_use_id",
        found: "web_search_result",
        seal: "encrypted_content",
    }),
};

pub(super) static RESPONSES: Search = Search {
    kind: "web_search",
    name: "web_search",
    form: Form::Typed,
    also: &["web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"],
    places: &[
        (Wish::Allowed, &["filters", "allowed_domains"]),
        (Wish::Near, &["user_location"]),
        (Wish::Size, &["search_context_size"]),
    ],
    chosen: true,
    most: None,
    either: false,
    live: Some("external_web_access"),
    sealed: None,
};

pub(super) static GEMINI: Search = Search {
    kind: "googleSearch",
    name: "googleSearch",
    form: Form::Keyed,
    also: &["google_search", "googleSearchRetrieval", "google_search_retrieval"],
    places: &[],
    chosen: false,
    most: None,
    either: false,
    live: None,
    sealed: None,
};

pub(super) static ROUTER: Search = Search {
    kind: "openrouter:web_search",
    name: "openrouter:web_search",
    form: Form::Typed,
    also: &[],
    places: &[
        (Wish::Allowed, &["parameters", "allowed_domains"]),
        (Wish::Blocked, &["parameters", "excluded_domains"]),
        (Wish::Size, &["parameters", "search_context_size"]),
    ],
    chosen: false,
    most: None,
    either: true,
    live: None,
    sealed: None,
};

pub(crate) static CHAT: Search = Search {
    kind: "web_search_options",
    name: "web_search_options",
    form: Form::Beside,
    also: &[],
    places: &[
        (Wish::Near, &["user_location", "approximate"]),
        (Wish::Size, &["search_context_size"]),
    ],
    chosen: false,
    most: None,
    either: false,
    live: None,
    sealed: None,
};
