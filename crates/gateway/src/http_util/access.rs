//! Authenticates API keys and checks Host and Origin headers against DNS rebinding and cross-site
//! requests.

use std::net::{IpAddr, SocketAddr};

use http::Uri;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, RetryAdvice};

use crate::client_name::shortened;
use crate::config::{ApiKey, Config, digest, find_by_digest};
use crate::http_util::error_response::failure;
use crate::services::key_policy::KeyPolicy;
use crate::services::keyring::{IssuedKey, KeyRight};

/// Rejects requests that a page of another site makes a browser send: a Host name that was rebound
/// to this machine, or a foreign Origin.
pub(crate) fn check_host_and_origin(
    config: &Config,
    listen: SocketAddr,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or("?"));
    let mut hosts = hosts.chain(uri.authority().map(http::uri::Authority::as_str));
    let reject = |kind: &str, value: &str| {
        let message = format!(
            "the {kind} `{value}` is not allowed; if it should be, add it to [access]",
            value = shortened(value)
        );
        ApiError { status: 403, ..failure(ApiErrorKind::Permission, &message) }
    };
    if let Some(host) = hosts.find(|host| !is_allowed_host(config, listen, host)) {
        return Err(reject("host", host));
    }
    for origin in headers.get_all(ORIGIN) {
        let origin = origin.to_str().unwrap_or("?");
        if !is_allowed_origin(config, listen, origin) {
            return Err(reject("origin", origin));
        }
    }
    let site = headers.get(&SEC_FETCH_SITE).and_then(|site| site.to_str().ok());
    if site == Some("cross-site") && !headers.contains_key(ORIGIN) {
        return Err(reject("origin", "cross-site"));
    }
    Ok(())
}

/// Accepts pages served by the gateway itself and configured origins. Pages of other local programs
/// (same host, another port) are rejected.
fn is_allowed_origin(config: &Config, listen: SocketAddr, origin: &str) -> bool {
    if config.access.origins.iter().any(|known| known == origin) {
        return true;
    }
    let Some((scheme @ ("http" | "https"), host)) = origin.split_once("://") else { return false };
    let (name, port) = split_port(host);
    let port = port.unwrap_or(if scheme == "https" { "443" } else { "80" });
    let has_own_port = !listen.ip().is_loopback() || port == listen.port().to_string();
    let is_configured = config.access.hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_allowed_host(config, listen, host) && (has_own_port || is_configured)
}

/// Splits host and port; brackets of an IPv6 address are removed.
fn split_port(host: &str) -> (&str, Option<&str>) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}

fn is_allowed_host(config: &Config, listen: SocketAddr, host: &str) -> bool {
    let (name, _) = split_port(host);
    let is_listed = |known: &String| known.eq_ignore_ascii_case(name) || known == host;
    if name.eq_ignore_ascii_case("localhost") || config.access.hosts.iter().any(is_listed) {
        return true;
    }
    match name.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => true,
        // Off loopback, keys are mandatory and the gateway cannot know its public addresses, so
        // every literal IP is accepted.
        Ok(address) => !listen.ip().is_loopback() && !address.is_unspecified(),
        Err(_) => !listen.ip().is_loopback() && config.access.hosts.is_empty(),
    }
}

/// Whether the listen address is loopback or API keys are configured.
pub(crate) fn is_protected(config: &Config, listen: SocketAddr) -> bool {
    listen.ip().is_loopback() || !config.access.keys.is_empty()
}

/// The authenticated caller of a request.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'k> {
    /// `None` where no keys are configured.
    pub(crate) key: Option<&'k ApiKey>,
    /// Issued over `/api/keys`, so it has no operator rights.
    pub(crate) is_issued: bool,
    /// What its issuer allowed an issued key beyond its own data.
    pub(crate) rights: &'k [KeyRight],
}

impl<'k> Caller<'k> {
    /// The name of the key; empty without a key.
    pub(crate) fn owner(self) -> &'k str {
        self.key.map_or("", |key| &key.name)
    }

    /// Rejects an issued key that reads or changes what belongs to all keys without this right.
    pub(crate) fn check_right(self, right: KeyRight) -> Result<(), ApiError> {
        if !self.is_issued || self.rights.contains(&right) {
            return Ok(());
        }
        let name = right.name();
        let message = format!(
            "this key was issued without the right `{name}`: issue one with \"rights\": [\"{name}\"], \
             or use a key of the configuration"
        );
        Err(ApiError { status: 403, ..failure(ApiErrorKind::Permission, &message) })
    }
}

/// Finds the request's key among the configured and the issued keys. Where no key is required, an
/// unknown one is ignored instead of rejected.
pub(crate) fn authenticate<'c>(
    config: &'c Config,
    issued: &'c [IssuedKey],
    policy: KeyPolicy,
    headers: &HeaderMap,
) -> Result<Caller<'c>, ApiError> {
    let anonymous = Caller { key: None, is_issued: false, rights: &[] };
    if policy == KeyPolicy::Open && issued.is_empty() {
        return Ok(anonymous);
    }
    let bearer = headers.get(AUTHORIZATION).and_then(|value| {
        let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.trim().as_bytes())
    });
    let from_headers =
        KEY_HEADERS.iter().filter_map(|name| headers.get(*name)).map(http::HeaderValue::as_bytes);
    let mut presented = bearer.into_iter().chain(from_headers).peekable();
    let is_keyless = presented.peek().is_none();
    let caller = presented.find_map(|presented| {
        let digest = digest(presented);
        let configured = find_by_digest(&digest, config.access.keys.iter());
        let issued_key = find_by_digest(&digest, issued.iter().map(|issued_key| &issued_key.key));
        // The operator may have given this name to a configured key since; that key owns the name
        // then.
        let taken = |key: &&ApiKey| config.access.keys.iter().any(|other| other.name == key.name);
        let issued_key = issued_key.filter(|key| !taken(key));
        let rights =
            issued_key.and_then(|key| issued.iter().find(|one| one.key.sha256 == key.sha256));
        configured.or(issued_key).map(|key| Caller {
            key: Some(key),
            is_issued: configured.is_none(),
            rights: rights.map_or(&[], |issued_key| &issued_key.rights),
        })
    });
    match (caller, policy) {
        (Some(caller), _) => Ok(caller),
        (None, KeyPolicy::Open) => Ok(anonymous),
        // Without a key, there is nothing that the store could know.
        (None, KeyPolicy::Unknown) if !is_keyless || config.access.keys.is_empty() => {
            Err(keys_not_loaded())
        }
        _ => Err(failure(ApiErrorKind::Authentication, KEY_REQUIRED)),
    }
}

/// Whether a request can be judged only with the keys in the store: the gateway may be open, or the
/// request has a key that is not configured.
pub(crate) fn needs_stored_keys(policy: KeyPolicy, config: &Config, headers: &HeaderMap) -> bool {
    policy == KeyPolicy::Unknown
        && authenticate(config, &[], policy, headers)
            .is_err_and(|error| error.kind != ApiErrorKind::Authentication)
}

/// SDKs retry a 503, but not a 401.
fn keys_not_loaded() -> ApiError {
    let retry = RetryAdvice::AfterMillis(KEYS_RETRY_MILLIS);
    ApiError { status: 503, retry, ..failure(ApiErrorKind::ServerError, KEYS_NOT_LOADED) }
}

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const KEY_REQUIRED: &str = "this gateway requires an API key of its own: send it as \
    `authorization: Bearer KEY` or `x-api-key: KEY`";
const KEYS_NOT_LOADED: &str = "this gateway has not read the keys in its store yet: try again soon";
const KEYS_RETRY_MILLIS: u64 = 2000;
const KEY_HEADERS: &[&str] = &["x-api-key", "x-goog-api-key", "api-key"];
