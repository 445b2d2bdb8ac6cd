//! The operations of a provider, and the URI of a request.

use http::{Method, Uri};
use interlingua_providers::endpoints::EndpointPaths;
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
    /// Replaces a conversation by a shorter one.
    Compact,
    /// Lists the provider's models.
    ListModels,
}

impl Operation {
    pub fn method(self) -> Method {
        match self {
            Self::Turn { .. } | Self::CountTokens | Self::Compact => Method::POST,
            Self::ListModels => Method::GET,
        }
    }

    pub(crate) fn path(self, paths: &EndpointPaths) -> Option<&'static str> {
        match self {
            Self::Turn { stream: false } => Some(paths.turn),
            Self::Turn { stream: true } => Some(paths.streamed_turn),
            Self::CountTokens => paths.count_tokens,
            Self::Compact => paths.compact,
            Self::ListModels => paths.models,
        }
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
