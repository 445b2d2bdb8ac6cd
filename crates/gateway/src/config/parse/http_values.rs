//! Parses the URLs and header values of providers and telemetry.

use http::HeaderValue;
use url::Url;

use super::secret::{self, SecretLookup};
use super::table::Item;
use crate::config::Env;

pub(super) fn parse_base_url(item: &Item<'_>) -> Option<Url> {
    let text = item.string()?;
    let url = Url::parse(text.trim()).ok().filter(Url::has_host);
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = url else {
        item.error(r#"must be an address, such as "https://api.example.com/v1""#);
        return None;
    };
    if !url.username().is_empty() || url.password().is_some() {
        item.error("must not contain a user name or password: set api_key or headers");
        return None;
    }
    if url.query().is_some() || url.fragment().is_some() {
        item.error("must not contain ? or #");
        return None;
    }
    Some(url)
}

/// The value of a header: a secret reference, or the literal value.
pub(super) fn parse_header_value(item: &Item<'_>, name: &str, env: Env<'_>) -> Option<HeaderValue> {
    let text = item.string()?;
    let name = name.to_ascii_lowercase();
    let is_reference = ["env:", "file:"].iter().any(|prefix| text.starts_with(prefix));
    let is_secret = ["auth", "key", "token", "secret"].iter().any(|word| name.contains(word));
    let value = if is_reference || is_secret {
        match secret::resolve(item, env) {
            SecretLookup::Resolved(secret) => HeaderValue::from_str(secret::expose(&secret)).ok(),
            SecretLookup::EmptyVariable(name) => {
                item.error(&format!("is unset: the variable {name} is empty"));
                return None;
            }
            SecretLookup::Invalid => return None,
        }
    } else {
        HeaderValue::from_str(text).ok()
    };
    let Some(mut value) = value else {
        item.error("is not a valid header value");
        return None;
    };
    // Sensitive values are overwritten in what the provider sends.
    value.set_sensitive(is_reference || is_secret);
    Some(value)
}
