//! `/api/keys`: keys are made, listed and removed by whoever runs the gateway.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{Response, StatusCode};
use interlingua::Failure;
use interlingua::model::FailureKind;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::access::Shown;
use crate::config::Config;
use crate::front::json;
use crate::keyring::{Made, May, Unmade};
use crate::out::Out;
use crate::refusal::failure;
use crate::state::Gateway;

/// What is asked about keys.
pub(crate) enum KeyAsk {
    List,
    Make,
    Remove(String),
}

/// The key that is wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
    requests_per_minute: Option<u32>,
    concurrent: Option<u32>,
    tokens_per_day: Option<u64>,
}

impl Gateway {
    /// Does what is asked about keys, if it is asked by whoever may.
    pub(crate) async fn keys(
        &self,
        config: &Config,
        shown: Shown<'_>,
        ask: &KeyAsk,
        body: &Bytes,
    ) -> Result<Response<Out>, Failure> {
        if shown.is_made {
            let message =
                "this key was made here and makes no others: keys of the configuration file do";
            return Err(Failure { status: 403, ..failure(FailureKind::Permission, message) });
        }
        match ask {
            KeyAsk::List => {
                self.keyring.look().await;
                let keys: Vec<Value> = self.keyring.keys().iter().map(told).collect();
                Ok(json(&json!({"keys": keys})))
            }
            KeyAsk::Make => {
                let (name, may) = wanted(body)?;
                if config.access.keys.iter().any(|key| key.name == name) {
                    return Err(taken(&name));
                }
                let secret = secret()?;
                let made = self.keyring.make(&name, &secret, may).await;
                let made = made.map_err(|unmade| refused(&unmade, &name))?;
                tracing::info!(key = name, "a key was made");
                let mut shown = told(&made);
                shown["key"] = secret.into();
                let mut response = json(&shown);
                *response.status_mut() = StatusCode::CREATED;
                Ok(response)
            }
            KeyAsk::Remove(name) => {
                let removed = self.keyring.remove(name).await;
                removed.map_err(|unmade| refused(&unmade, name))?;
                tracing::info!(key = name, "a key was removed");
                Ok(json(&json!({"deleted": true})))
            }
        }
    }
}

/// The name and limits of a key that is to be made.
fn wanted(body: &Bytes) -> Result<(String, May), Failure> {
    let shape = |message: &str| failure(FailureKind::Shape, message);
    let wanted: Wanted = serde_json::from_slice(body)
        .map_err(|error| shape(&format!("the key cannot be made: {error}")))?;
    let Wanted { name, requests_per_minute, concurrent, tokens_per_day } = wanted;
    if name.is_empty() || name.len() > 64 || name.contains(char::is_control) {
        return Err(shape("`name` must be a name of 1 to 64 letters"));
    }
    if requests_per_minute == Some(0) || concurrent == Some(0) || tokens_per_day == Some(0) {
        return Err(shape("a limit is 1 at least; without one, leave it out"));
    }
    Ok((name, May { requests_per_minute, concurrent, tokens_per_day }))
}

/// 256 bits that nobody guesses.
fn secret() -> Result<String, Failure> {
    let mut bits = [0; 32];
    aws_lc_rs::rand::fill(&mut bits)
        .map_err(|_| failure(FailureKind::Upstream, "this machine has no random numbers"))?;
    Ok(format!("il-{}", URL_SAFE_NO_PAD.encode(bits)))
}

/// A key as it is shown: neither it nor its digest.
fn told(made: &Made) -> Value {
    let mut shown = Map::new();
    shown.insert("name".into(), made.key.name.as_str().into());
    shown.insert("created".into(), made.created.into());
    if let Ok(Value::Object(may)) = serde_json::to_value(made.may()) {
        shown.extend(may);
    }
    shown.into()
}

fn refused(unmade: &Unmade, name: &str) -> Failure {
    match unmade {
        Unmade::Taken => taken(name),
        Unmade::Missing => {
            failure(FailureKind::NotFound, &format!("no key of the name `{name}` was made here"))
        }
        Unmade::Trouble(trouble) => {
            let message = format!("the store cannot be used: {trouble}");
            Failure { status: 503, ..failure(FailureKind::Upstream, &message) }
        }
    }
}

fn taken(name: &str) -> Failure {
    let message = format!("there is a key of the name `{name}` already");
    Failure { status: 409, ..failure(FailureKind::Shape, &message) }
}
