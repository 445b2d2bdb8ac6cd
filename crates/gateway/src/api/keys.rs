//! `/api/keys`: issues, lists and removes keys, for callers with a configured key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{Response, StatusCode};
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client_name::KeyName;
use crate::config::Config;
use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::KeyRequest;
use crate::http_util::error_response::failure;
use crate::http_util::respond::json_response;
use crate::services::authentication::Caller;
use crate::services::keyring::{IssuedKey, KeyLimits, KeyRight, KeyringError};
use crate::state::Gateway;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreateKeyBody {
    name: String,
    requests_per_minute: Option<u32>,
    concurrent: Option<u32>,
    tokens_per_day: Option<u64>,
    #[serde(default)]
    rights: Vec<KeyRight>,
}

impl Gateway {
    /// Handles a request for keys. Issued keys may not manage keys.
    pub(crate) async fn handle_keys(
        &self,
        config: &Config,
        caller: Caller<'_>,
        request: &KeyRequest,
        body: &Bytes,
    ) -> Result<Response<ResponseBody>, ApiError> {
        if caller.is_issued {
            let message = "this key was issued at run time and cannot manage keys: use a key of the configuration";
            return Err(ApiError { status: 403, ..failure(ApiErrorKind::Permission, message) });
        }
        match request {
            KeyRequest::List => {
                self.keyring.refresh().await;
                let keys: Vec<Value> = self.keyring.keys().iter().map(key_json).collect();
                Ok(json_response(json!({"keys": keys}).to_string()))
            }
            KeyRequest::Create => {
                let (name, key_limits, rights) = parse_create_key(body)?;
                if config.access.keys.iter().any(|key| *key.name == *name) {
                    return Err(name_taken(&name));
                }
                let secret = generate_secret()?;
                // On an open gateway, everybody may issue keys.
                let is_open = caller.key.is_none();
                self.keyring.stored_keys.record_issue(is_open);
                if is_open && !config.access.open {
                    tracing::warn!("{ISSUED_WHILE_OPEN}");
                }
                let max_keys = if is_open { MAX_KEYS_OF_OPEN_GATEWAY } else { usize::MAX };
                let issued_key =
                    self.keyring.issue(&name, &secret, (key_limits, &rights), max_keys);
                let issued_key = issued_key.await.map_err(|error| keyring_error(&error, &name))?;
                tracing::info!(key = &*name, "an API key was issued");
                let mut body = key_json(&issued_key);
                body["key"] = secret.into();
                let mut response = json_response(body.to_string());
                *response.status_mut() = StatusCode::CREATED;
                Ok(response)
            }
            KeyRequest::Remove(name) => {
                let removed = self.keyring.remove(name).await;
                removed.map_err(|error| keyring_error(&error, name))?;
                tracing::info!(key = name, "an API key was removed");
                Ok(json_response(json!({"deleted": true}).to_string()))
            }
        }
    }
}

fn parse_create_key(body: &Bytes) -> Result<(KeyName, KeyLimits, Vec<KeyRight>), ApiError> {
    let invalid = |message: &str| failure(ApiErrorKind::InvalidRequest, message);
    let create_key_body: CreateKeyBody = serde_json::from_slice(body)
        .map_err(|error| invalid(&format!("the key cannot be created: {error}")))?;
    let CreateKeyBody { name, requests_per_minute, concurrent, tokens_per_day, mut rights } =
        create_key_body;
    let name = KeyName::parse(&name).map_err(|error| invalid(&format!("`name` {error}")))?;
    rights.sort_by_key(|right| right.name());
    rights.dedup();
    if requests_per_minute == Some(0) || concurrent == Some(0) || tokens_per_day == Some(0) {
        return Err(invalid("a limit must be at least 1; leave it out for no limit"));
    }
    Ok((name, KeyLimits { requests_per_minute, concurrent, tokens_per_day }, rights))
}

/// 256 random bits with a recognizable prefix.
fn generate_secret() -> Result<String, ApiError> {
    let mut bits = [0; 32];
    aws_lc_rs::rand::fill(&mut bits)
        .map_err(|_| failure(ApiErrorKind::ServerError, "the system has no random numbers"))?;
    Ok(format!("il-{}", URL_SAFE_NO_PAD.encode(bits)))
}

/// A key for display: without secret and digest.
fn key_json(issued_key: &IssuedKey) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), issued_key.key.name.as_str().into());
    fields.insert("created".into(), issued_key.created.into());
    if let Ok(Value::Object(limits)) = serde_json::to_value(issued_key.limits()) {
        fields.extend(limits);
    }
    if !issued_key.rights.is_empty() {
        let rights: Vec<&str> = issued_key.rights.iter().map(|right| right.name()).collect();
        fields.insert("rights".into(), rights.into());
    }
    fields.into()
}

fn keyring_error(keyring_error: &KeyringError, name: &str) -> ApiError {
    match keyring_error {
        KeyringError::NameTaken => name_taken(name),
        KeyringError::TooManyKeys => {
            let message = format!(
                "a gateway without keys in its configuration issues at most \
                 {MAX_KEYS_OF_OPEN_GATEWAY} keys: remove one, or configure a key"
            );
            ApiError { status: 409, ..failure(ApiErrorKind::InvalidRequest, &message) }
        }
        KeyringError::NotFound => {
            failure(ApiErrorKind::NotFound, &format!("there is no issued key named `{name}`"))
        }
        KeyringError::Store(error) => {
            let message = format!("the store cannot be used: {error}");
            ApiError { status: 503, ..failure(ApiErrorKind::ServerError, &message) }
        }
    }
}

const ISSUED_WHILE_OPEN: &str = "this gateway issues a key although it requires none; from its \
    next start on, keys are required unless access.open = true is configured";

fn name_taken(name: &str) -> ApiError {
    let message = format!("a key named `{name}` already exists");
    ApiError { status: 409, ..failure(ApiErrorKind::InvalidRequest, &message) }
}

/// Every issued key is read whenever one is issued.
const MAX_KEYS_OF_OPEN_GATEWAY: usize = 100;
