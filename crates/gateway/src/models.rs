//! Lists of models, in the dialect of who asks.

use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::Dialect;
use interlingua::model::FailureKind;
use serde_json::{Value, json};

use crate::builtin::MODELS;
use crate::config::Config;
use crate::out::Out;
use crate::refusal::{JSON, Refusal, failure};

/// All models that can be asked for by name.
pub(crate) fn list(config: &Config, dialect: &dyn Dialect) -> Response<Out> {
    let models: Vec<Value> = names(config).map(|name| described(dialect, &name)).collect();
    let ends = [models.first(), models.last()].map(|end| end.map(|model| model["id"].clone()));
    let [first, last] = ends;
    answer(&match dialect.id().0 {
        "anthropic" => {
            json!({"data": models, "has_more": false, "first_id": first, "last_id": last})
        }
        "gemini" => json!({ "models": models }),
        _ => json!({"object": "list", "data": models}),
    })
}

pub(crate) fn one(config: &Config, dialect: &dyn Dialect, name: &str) -> Response<Out> {
    match config.resolve(name, 0) {
        Ok(_) => answer(&described(dialect, name)),
        Err(unrouted) => {
            Refusal::from(failure(FailureKind::NotFound, &unrouted.to_string())).response(dialect)
        }
    }
}

/// Names without a star in them, and those that are built in.
fn names(config: &Config) -> impl Iterator<Item = String> {
    let patterns = config.models.patterns.iter().map(|pattern| pattern.pattern.as_str());
    let named = patterns.filter(|name| !name.contains('*'));
    named.chain(MODELS.iter().map(|(name, _)| *name)).map(str::to_owned)
}

fn described(dialect: &dyn Dialect, name: &str) -> Value {
    match dialect.id().0 {
        "anthropic" => json!({
            "type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z",
        }),
        "gemini" => json!({
            "name": format!("models/{name}"), "displayName": name,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }),
        _ => json!({"id": name, "object": "model", "created": 0, "owned_by": "interlingua"}),
    }
}

fn answer(body: &Value) -> Response<Out> {
    let mut response = Response::new(Out::Whole(body.to_string().into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
