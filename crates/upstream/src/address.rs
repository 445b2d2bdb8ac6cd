//! Builds request URIs from a provider's base URL and a dialect's path templates.

use http::{Method, Uri};
use interlingua::ApiError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::{Position, Url};

use crate::Provider;
use crate::error::{UpstreamError, to_api_error};

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

impl Operation {
    pub fn method(self) -> Method {
        match self {
            Self::Turn { .. } | Self::CountTokens => Method::POST,
            Self::ListModels => Method::GET,
        }
    }
}

impl EndpointPaths {
    fn for_operation(&self, operation: Operation) -> Option<&'static str> {
        match operation {
            Operation::Turn { stream: false } => Some(self.turn),
            Operation::Turn { stream: true } => Some(self.streamed_turn),
            Operation::CountTokens => self.count_tokens,
            Operation::ListModels => self.models,
        }
    }
}

impl Provider {
    /// Whether the provider has an endpoint for this operation.
    pub fn supports(&self, operation: Operation) -> bool {
        self.paths.for_operation(operation).is_some()
    }

    /// Whether the URI of this operation is the same for every model.
    pub(crate) fn has_fixed_uri(&self, operation: Operation) -> bool {
        self.paths.for_operation(operation).is_some_and(|path| !path.contains(MODEL_PLACEHOLDER))
    }

    /// Builds the request URI.
    pub(crate) fn request_uri(&self, operation: Operation, model: &str) -> Result<Uri, ApiError> {
        let Some(path) = self.paths.for_operation(operation) else {
            return Err(to_api_error(&self.name, &UpstreamError::UnsupportedOperation));
        };
        let base = self
            .models_url
            .as_ref()
            .filter(|_| operation == Operation::ListModels)
            .unwrap_or(&self.base_url);
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        // Model lists name models with the `models/` prefix, which the path template has already.
        let model = model.strip_prefix("models/").unwrap_or(model);
        if path.contains(MODEL_PLACEHOLDER) && matches!(model, "" | "." | "..") {
            return Err(to_api_error(&self.name, &UpstreamError::MissingModel));
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
        parse_http_uri(base, text)
            .ok_or_else(|| to_api_error(&self.name, &UpstreamError::InvalidBaseUrl))
    }
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
