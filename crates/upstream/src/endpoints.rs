//! The operations of a provider: path templates, authentication and default headers of each dialect,
//! and the URI of a request.

use http::{Method, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::{Position, Url};

use crate::error::UpstreamError;

/// The operation that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A turn of the model.
    Turn { stream: bool },
    /// Counts the tokens of a request.
    CountTokens,
    /// Lists the provider's models.
    ListModels,
}

/// Path templates relative to the base URL. `{model}` is replaced by the model's name; `?` begins a
/// query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointPaths {
    pub turn: &'static str,
    pub streamed_turn: &'static str,
    pub count_tokens: Option<&'static str>,
    pub models: Option<&'static str>,
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthScheme {
    None,
    /// `authorization: Bearer …`
    Bearer,
    /// `x-api-key`
    XApiKey,
    /// `x-goog-api-key`
    GoogApiKey,
    /// `api-key`
    ApiKey,
    /// AWS Signature Version 4.
    SigV4,
}

/// The endpoints that the dialect's vendor has.
#[derive(Debug)]
pub(crate) struct DialectEndpoints {
    dialect: &'static str,
    pub(crate) paths: EndpointPaths,
    pub(crate) auth: AuthScheme,
    /// Headers that are sent unless the client or the configuration sets them.
    pub(crate) default_headers: &'static [(&'static str, &'static str)],
}

impl Operation {
    pub fn method(self) -> Method {
        match self {
            Self::Turn { .. } | Self::CountTokens => Method::POST,
            Self::ListModels => Method::GET,
        }
    }
}

impl EndpointPaths {
    pub(crate) fn for_operation(&self, operation: Operation) -> Option<&'static str> {
        match operation {
            Operation::Turn { stream: false } => Some(self.turn),
            Operation::Turn { stream: true } => Some(self.streamed_turn),
            Operation::CountTokens => self.count_tokens,
            Operation::ListModels => self.models,
        }
    }
}

impl DialectEndpoints {
    pub(crate) fn for_dialect(dialect: &str) -> &'static Self {
        ENDPOINTS
            .iter()
            .find(|dialect_endpoints| dialect_endpoints.dialect == dialect)
            .unwrap_or(&OPENAI_CHAT)
    }
}

/// Whether the URI of this path template is the same for every model.
pub(crate) fn is_fixed_path(path: &str) -> bool {
    !path.contains(MODEL_PLACEHOLDER)
}

/// Builds a request URI from a base URL and a path template.
pub(crate) fn request_uri(base: &Url, path: &str, model: &str) -> Result<Uri, UpstreamError> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    // Model lists name models with the `models/` prefix, which the path template has already.
    let model = model.strip_prefix("models/").unwrap_or(model);
    if path.contains(MODEL_PLACEHOLDER) && matches!(model, "" | "." | "..") {
        return Err(UpstreamError::MissingModel);
    }
    let mut text = String::with_capacity(base.as_str().len() + path.len() + model.len());
    // User name and password of the URL are left out, so that they are not logged.
    text.push_str(&base[..Position::BeforeUsername]);
    text.push_str(base[Position::BeforeHost..Position::AfterPath].trim_end_matches('/'));
    match path.split_once(MODEL_PLACEHOLDER) {
        None => text.push_str(path),
        Some((before, after)) => {
            text.push_str(before);
            text.extend(utf8_percent_encode(model, PATH_SEGMENT_ESCAPES));
            text.push_str(after);
        }
    }
    let queries = [base.query().unwrap_or_default(), query].into_iter();
    for (index, query) in queries.filter(|query| !query.is_empty()).enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        text.push_str(query);
    }
    parse_http_uri(base, text).ok_or(UpstreamError::InvalidBaseUrl)
}

pub(crate) fn to_uri(url: &Url) -> Option<Uri> {
    parse_http_uri(url, url.as_str().to_owned())
}

/// Parses a URI with the scheme of the URL; `None` unless it is http(s) with a host.
fn parse_http_uri(url: &Url, text: String) -> Option<Uri> {
    let is_http = matches!(url.scheme(), "http" | "https");
    Uri::try_from(text).ok().filter(|uri| is_http && uri.authority().is_some())
}

const MODEL_PLACEHOLDER: &str = "{model}";

/// Percent-encodes every byte that a server or proxy could interpret in a path segment.
const PATH_SEGMENT_ESCAPES: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':').remove(b'@');

static OPENAI_CHAT: DialectEndpoints = DialectEndpoints {
    dialect: "openai-chat",
    paths: EndpointPaths {
        turn: "/chat/completions",
        streamed_turn: "/chat/completions",
        count_tokens: None,
        models: Some("/models"),
    },
    auth: AuthScheme::Bearer,
    default_headers: &[],
};

/// Dialects with endpoints other than those of `OpenAI` Chat.
static ENDPOINTS: &[DialectEndpoints] = &[
    DialectEndpoints {
        dialect: "anthropic",
        paths: EndpointPaths {
            turn: "/v1/messages",
            streamed_turn: "/v1/messages",
            count_tokens: Some("/v1/messages/count_tokens"),
            models: Some("/v1/models?limit=1000"),
        },
        auth: AuthScheme::XApiKey,
        default_headers: &[("anthropic-version", "2023-06-01")],
    },
    DialectEndpoints {
        dialect: "openai-responses",
        paths: EndpointPaths {
            turn: "/responses",
            streamed_turn: "/responses",
            count_tokens: Some("/responses/input_tokens"),
            models: Some("/models"),
        },
        auth: AuthScheme::Bearer,
        default_headers: &[],
    },
    DialectEndpoints {
        dialect: "gemini",
        paths: EndpointPaths {
            turn: "/v1beta/models/{model}:generateContent",
            streamed_turn: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
            count_tokens: Some("/v1beta/models/{model}:countTokens"),
            models: Some("/v1beta/models?pageSize=1000"),
        },
        auth: AuthScheme::GoogApiKey,
        default_headers: &[],
    },
    DialectEndpoints {
        dialect: "bedrock",
        paths: EndpointPaths {
            turn: "/model/{model}/converse",
            streamed_turn: "/model/{model}/converse-stream",
            count_tokens: Some("/model/{model}/count-tokens"),
            models: Some("/foundation-models"),
        },
        auth: AuthScheme::SigV4,
        default_headers: &[],
    },
];
