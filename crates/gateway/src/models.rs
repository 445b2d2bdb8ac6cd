//! Lists of models, in the dialect of who asks.

use std::collections::HashSet;
use std::sync::Arc;

use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::Dialect;
use interlingua::model::FailureKind;
use serde_json::{Value, json};

use crate::builtin::MODELS;
use crate::catalogue::{self, Listed, Offered, Tokens};
use crate::config::{Config, Provider, Route, To};
use crate::out::Out;
use crate::refusal::{JSON, Refusal, failure};
use crate::state::Gateway;

/// A model that can be asked for, and whose it is.
struct Model {
    name: String,
    owner: String,
    tokens: Tokens,
}

/// All models that can be asked for by name.
pub(crate) async fn list(
    gateway: &Arc<Gateway>,
    config: &Config,
    dialect: &dyn Dialect,
) -> Response<Out> {
    let models = all(config, &catalogue::models(gateway, &config.providers).await);
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

/// The model of this name, if it leads anywhere.
pub(crate) async fn one(
    gateway: &Arc<Gateway>,
    config: &Config,
    dialect: &dyn Dialect,
    name: &str,
) -> Response<Out> {
    let routes = match config.resolve(name, 0) {
        Ok(routes) => routes,
        Err(unrouted) => {
            let unknown = failure(FailureKind::NotFound, &unrouted.to_string());
            return Refusal::from(unknown).response(dialect);
        }
    };
    let asked = routes.iter().filter_map(|route| match &route.to {
        To::Provider(provider) => Some(Arc::clone(provider)),
        To::Simulated => None,
    });
    let listed = catalogue::models(gateway, &asked.collect::<Vec<_>>()).await;
    answer(&described(dialect, &own(name, &routes, &listed)))
}

/// Names of the configuration without a star in them, what the providers have, and what is built in.
fn all(config: &Config, listed: &[Listed]) -> Vec<Model> {
    let patterns = config.models.patterns.iter().map(|pattern| pattern.pattern.as_str());
    let named = patterns.filter(|name| !name.contains('*'));
    let own = |name| own(name, &config.resolve(name, 0).unwrap_or_default(), listed);
    let mut models: Vec<Model> = named.map(own).collect();
    for (provider, its) in listed {
        models.extend(its.iter().map(|model| offered(config, provider, model)));
    }
    models.extend(MODELS.iter().map(|(name, _)| own(name)));
    let mut seen = HashSet::new();
    models.retain(|model| seen.insert(model.name.clone()));
    models
}

/// A name of our own, which leads to these routes: it takes what all of them do.
fn own(name: &str, routes: &[Route], listed: &[Listed]) -> Model {
    let tokens = routes.iter().map(|route| tokens(route, listed));
    let tokens = tokens.reduce(Tokens::and).unwrap_or_default();
    Model { name: name.to_owned(), owner: OWNER.to_owned(), tokens }
}

fn tokens(route: &Route, listed: &[Listed]) -> Tokens {
    let To::Provider(to) = &route.to else { return BUILT_IN };
    let its = listed.iter().find(|(provider, _)| provider.name == to.name);
    let its = its.map_or(&[][..], |(_, its)| its);
    let named = its.iter().find(|model| model.name == route.model);
    // A server of one model has it under any name.
    named
        .or(if let [only] = its { Some(only) } else { None })
        .map(|model| model.tokens)
        .unwrap_or_default()
}

/// A model under its own name if that leads to its provider, else with the provider before it.
fn offered(config: &Config, provider: &Arc<Provider>, model: &Offered) -> Model {
    let Offered { name, tokens } = model;
    let routes = config.resolve(name, 0).unwrap_or_default();
    let leads = routes.first().is_some_and(|route| {
        matches!(&route.to, To::Provider(to) if to.name == provider.name) && route.model == *name
    });
    let name = if leads { name.to_owned() } else { format!("{}/{name}", provider.name) };
    Model { name, owner: provider.name.clone(), tokens: *tokens }
}

fn described(dialect: &dyn Dialect, model: &Model) -> Value {
    let Model { name, owner, tokens } = model;
    let (mut described, read, written) = match dialect.id().0 {
        "anthropic" => {
            let described = json!({
                "type": "model", "id": name, "display_name": name, "lifecycle": "active",
                "created_at": "1970-01-01T00:00:00Z",
            });
            (described, "max_input_tokens", "max_tokens")
        }
        "gemini" => {
            let described = json!({
                "name": format!("models/{name}"), "displayName": name,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
            });
            (described, "inputTokenLimit", "outputTokenLimit")
        }
        _ => {
            let described = json!({"id": name, "object": "model", "created": 0, "owned_by": owner});
            (described, "context_length", "max_completion_tokens")
        }
    };
    for (key, known) in [(read, tokens.read), (written, tokens.written)] {
        if let Some(known) = known {
            described[key] = known.into();
        }
    }
    described
}

fn answer(body: &Value) -> Response<Out> {
    let mut response = Response::new(Out::Whole(body.to_string().into()));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

const OWNER: &str = "interlingua";
/// What the models that are built in are said to take, so that agents do not wonder.
const BUILT_IN: Tokens = Tokens { read: Some(200_000), written: Some(64_000) };
