//! Describes the web search tools of the providers, one row each.

use crate::facts::{facts, words};

facts! {
/// A provider's web search tool.
#[derive(Clone, Copy, Debug)]
pub struct WebSearchTool {
    /// Type of the tool.
    pub type_name: &'static str,
    /// Name of the tool.
    pub tool_name: &'static str,
    pub form: SearchForm,
    /// Other types of the tool; with a trailing `#`, any type that continues with digits only.
    pub aliases: &'static [&'static str],
    /// Paths of the search options.
    pub option_paths: &'static [(SearchOption, &'static [&'static str])],
    /// The tool choice can name it.
    pub selectable: bool,
    /// Default limit of searches: with more, the provider pauses its reply, and the client has to
    /// continue it.
    pub default_max_uses: Option<u64>,
    /// Allowed and blocked domains exclude each other.
    pub exclusive_domains: bool,
    /// A field that disables live access with `false`.
    pub live_field: Option<&'static str>,
    /// Seals of search results that come back in later requests.
    pub result_seal: Option<&'static SearchResultSeal>,
}
}

facts! {
/// Blocks and fields with the seals of search results.
#[derive(Clone, Copy, Debug)]
pub struct SearchResultSeal {
    /// Kind of the call block, and field of its id.
    pub call_kind: &'static str,
    pub call_id_field: &'static str,
    /// Kind of the result block, and field of the call's id.
    pub result_kind: &'static str,
    pub result_id_field: &'static str,
    /// Type of one search hit, and field of its seal.
    pub hit_type: &'static str,
    pub seal_field: &'static str,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchForm {
    /// An object with its type in a field.
    TypeField,
    /// An object with its type and name in fields.
    TypeAndName,
    /// An object with one field, named by the type.
    Wrapped,
    /// A field of the request body.
    BodyField,
}
}

words! {
/// An option of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOption {
    /// Search only these domains.
    AllowedDomains,
    /// Search none of these domains.
    BlockedDomains,
    /// Location of the user.
    UserLocation,
    /// Maximum number of searches.
    MaxUses,
    /// Amount of search context for the model.
    ContextSize,
}
}

impl WebSearchTool {
    fn has_type(&self, kind: &str) -> bool {
        let has_numeric_suffix = |prefix: &str| {
            let rest = kind.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_alias = |alias: &&str| match alias.strip_suffix('#') {
            Some(prefix) => has_numeric_suffix(prefix),
            None => **alias == *kind,
        };
        kind == self.type_name || self.aliases.iter().any(is_alias)
    }
}

/// The row for a tool type of any provider.
pub fn by_type(kind: &str) -> Option<&'static WebSearchTool> {
    [&MESSAGES, &RESPONSES, &GEMINI, &OPENROUTER, &CHAT].into_iter().find(|row| row.has_type(kind))
}

pub(crate) static MESSAGES: WebSearchTool = WebSearchTool {
    type_name: "web_search_20250305",
    tool_name: "web_search",
    form: SearchForm::TypeAndName,
    aliases: &["web_search_#"],
    option_paths: &[
        (SearchOption::AllowedDomains, &["allowed_domains"]),
        (SearchOption::BlockedDomains, &["blocked_domains"]),
        (SearchOption::UserLocation, &["user_location"]),
        (SearchOption::MaxUses, &["max_uses"]),
    ],
    selectable: true,
    default_max_uses: Some(8),
    exclusive_domains: true,
    live_field: None,
    result_seal: Some(&SearchResultSeal {
        call_kind: "server_tool_use",
        call_id_field: "id",
        result_kind: "web_search_tool_result",
        result_id_field: "tool_use_id",
        hit_type: "web_search_result",
        seal_field: "encrypted_content",
    }),
};

pub(crate) static RESPONSES: WebSearchTool = WebSearchTool {
    type_name: "web_search",
    tool_name: "web_search",
    form: SearchForm::TypeField,
    aliases: &["web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"],
    option_paths: &[
        (SearchOption::AllowedDomains, &["filters", "allowed_domains"]),
        (SearchOption::UserLocation, &["user_location"]),
        (SearchOption::ContextSize, &["search_context_size"]),
    ],
    selectable: true,
    default_max_uses: None,
    exclusive_domains: false,
    live_field: Some("external_web_access"),
    result_seal: None,
};

pub(crate) static GEMINI: WebSearchTool = WebSearchTool {
    type_name: "googleSearch",
    tool_name: "googleSearch",
    form: SearchForm::Wrapped,
    aliases: &["google_search", "googleSearchRetrieval", "google_search_retrieval"],
    option_paths: &[],
    selectable: false,
    default_max_uses: None,
    exclusive_domains: false,
    live_field: None,
    result_seal: None,
};

pub(crate) static OPENROUTER: WebSearchTool = WebSearchTool {
    type_name: "openrouter:web_search",
    tool_name: "openrouter:web_search",
    form: SearchForm::TypeField,
    aliases: &[],
    option_paths: &[
        (SearchOption::AllowedDomains, &["parameters", "allowed_domains"]),
        (SearchOption::BlockedDomains, &["parameters", "excluded_domains"]),
        (SearchOption::ContextSize, &["parameters", "search_context_size"]),
    ],
    selectable: false,
    default_max_uses: None,
    exclusive_domains: true,
    live_field: None,
    result_seal: None,
};

pub static CHAT: WebSearchTool = WebSearchTool {
    type_name: "web_search_options",
    tool_name: "web_search_options",
    form: SearchForm::BodyField,
    aliases: &[],
    option_paths: &[
        (SearchOption::UserLocation, &["user_location", "approximate"]),
        (SearchOption::ContextSize, &["search_context_size"]),
    ],
    selectable: false,
    default_max_uses: None,
    exclusive_domains: false,
    live_field: None,
    result_seal: None,
};
