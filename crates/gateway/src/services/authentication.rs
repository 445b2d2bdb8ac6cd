//! Finds the caller of a request by its API key.

use http::header::{AUTHORIZATION, HeaderMap};
use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, RetryAdvice};

use crate::config::{ApiKey, Config, digest, find_by_digest};
use crate::http_util::error_response::failure;
use crate::services::key_policy::KeyPolicy;
use crate::services::keyring::{IssuedKey, KeyRight};

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

const KEY_REQUIRED: &str = "this gateway requires an API key of its own: send it as \
    `authorization: Bearer KEY` or `x-api-key: KEY`";
const KEYS_NOT_LOADED: &str = "this gateway has not read the keys in its store yet: try again soon";
const KEYS_RETRY_MILLIS: u64 = 2000;
const KEY_HEADERS: &[&str] = &["x-api-key", "x-goog-api-key", "api-key"];
