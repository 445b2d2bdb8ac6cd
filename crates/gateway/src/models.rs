//! Lists of models, in the dialect of who asks.

use std::collections::HashSet;
use std::sync::Arc;

use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::Dialect;
use interlingua::model::FailureKind;
use serde_json::{Value, json};

use crate::builtin::MODELS;
use crate::catalogue::{self, Listed};
use crate::config::{Config, Provider, To};
use crate::out::Out;
use crate::refusal::{JSON, Refusal, failure};
use crate::state::Gateway;

/// A model that can be asked for, and whose it is.
struct Model {
    name: String,
    owner: String,
}

/// All models that can be asked for by name.
pub(crate) async fn list(
    gateway: &Arc<Gateway>,
    config: &Config,
    dialect: &dyn Dialect,
) -> Response<Out> {
    let models = all(config, &catalogue::models(gateway, config).await);
    let models: Vec<Value> = models.iter().map(|model| described(dialect, model)).collect();
    let [first, last] =
        [models.first(), models.last()].map(|end| end.map(|model| model["id"].clone()));
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
        Ok(_) => answer(&described(dialect, &own(name))),
        Err(unrouted) => {
            Refusal::from(failure(FailureKind::NotFound, &unrouted.to_string())).response(dialect)
        }
    }
}

/// Names of the configuration without a star in them, what the providers have, and what is built in.
fn all(config: &Config, listed: &[Listed]) -> Vec<Model> {
    let patterns = config.models.patterns.iter().map(|pattern| pattern.pattern.as_str());
    let named = patterns.filter(|name| !name.contains('*'));
    let mut models: Vec<Model> = named.map(own).collect();
    for (provider, names) in listed {
        models.extend(names.iter().map(|name| offered(config, provider, name)));
    }
    models.extend(MODELS.iter().map(|(name, _)| own(name)));
    let mut seen = HashSet::new();
    models.retain(|model| seen.insert(model.name.clone()));
    models
}

fn own(name: &str) -> Model {
    Model { name: name.to_owned(), owner: OWNER.to_owned() }
}

/// A model under its own name if that leads to its provider, else with the provider before it.
fn offered(config: &Config, provider: &Arc<Provider>, name: &str) -> Model {
    let routes = config.resolve(name, 0).unwrap_or_default();
    let leads = routes.first().is_some_and(|route| {
        matches!(&route.to, To::Provider(to) if to.name == provider.name) && route.model == name
    });
    let name = if leads { name.to_owned() } else { format!("{}/{name}", provider.name) };
    Model { name, owner: provider.name.clone() }
}

fn described(dialect: &dyn Dialect, model: &Model) -> Value {
    let Model { name, owner } = model;
    match dialect.id().0 {
        "anthropic" => json!({
            "type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z",
        }),
        "gemini" => json!({
            "name": format!("models/{name}"), "displayName": name,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }),
        _ => json!({"id": name, "object": "model", "created": 0, "owned_by": owner}),
    }
}

fn answer(body: &Value) -> Response<Out> {
    let mut response = Response::new(Out::Whole(body.to_string().into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

const OWNER: &str = "interlingua";
