//! Lists the available models, in the dialect of the client.

use std::collections::HashSet;
use std::sync::Arc;

use http::Response;
use interlingua::Dialect;
use interlingua_model::ApiErrorKind;
use serde_json::{Value, json};

use crate::builtin_models::BUILTIN_MODELS;
use crate::config::{Backend, Config, Provider, Route};
use crate::http_util::body::ResponseBody;
use crate::http_util::client_api::{ClientApi, ModelListFormat};
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::json_response;
use crate::proxy::parse::parse_model_name;
use crate::services::catalogue::{ProviderModel, ProviderModels, TokenLimits};
use crate::state::Gateway;

struct ModelEntry {
    name: String,
    owned_by: String,
    token_limits: TokenLimits,
}

pub(crate) async fn list(
    gateway: &Gateway,
    config: &Config,
    dialect: &dyn Dialect,
) -> Response<ResponseBody> {
    let models =
        all_models(config, &gateway.catalogue.list(&gateway.upstream, &config.providers).await);
    let models: Vec<Value> = models.iter().map(|model| model_json(dialect, model)).collect();
    let [first, last] =
        [models.first(), models.last()].map(|end| end.map(|model| model["id"].clone()));
    let body = match ClientApi::from_dialect(dialect).model_list {
        ModelListFormat::Anthropic => {
            json!({"data": models, "has_more": false, "first_id": first, "last_id": last})
        }
        ModelListFormat::Gemini => json!({ "models": models }),
        ModelListFormat::OpenAi => json!({"object": "list", "data": models}),
    };
    json_response(body.to_string())
}

/// The model of this name, if it has a route.
pub(crate) async fn get(
    gateway: &Gateway,
    config: &Config,
    dialect: &dyn Dialect,
    name: &str,
) -> Response<ResponseBody> {
    let name = match parse_model_name(name) {
        Ok(name) => name,
        Err(error) => return ErrorResponse::from(error).into_response(dialect),
    };
    let routes = match config.resolve_with(&name, || 0) {
        Ok(routes) => routes,
        Err(no_route) => {
            let unknown = failure(ApiErrorKind::NotFound, &no_route.to_string());
            return ErrorResponse::from(unknown).into_response(dialect);
        }
    };
    let providers = routes.iter().filter_map(|route| match &route.backend {
        Backend::Provider(provider) => Some(Arc::clone(provider)),
        Backend::Builtin => None,
    });
    let listed = gateway.catalogue.list(&gateway.upstream, &providers.collect::<Vec<_>>()).await;
    json_response(model_json(dialect, &routed_model(&name, &routes, &listed)).to_string())
}

/// Model names: patterns without `*`, the providers' models, and the built-in ones.
fn all_models(config: &Config, listed: &[ProviderModels]) -> Vec<ModelEntry> {
    let patterns = config.models.rules.iter().map(|pattern| pattern.pattern.as_str());
    let named = patterns.filter(|name| !name.contains('*'));
    let entry = |name| routed_model(name, &config.resolve(name, 0).unwrap_or_default(), listed);
    let mut models: Vec<ModelEntry> = named.map(entry).collect();
    for (provider, models_of_provider) in listed {
        models
            .extend(models_of_provider.iter().map(|model| provider_model(config, provider, model)));
    }
    models.extend(BUILTIN_MODELS.iter().map(|(name, _)| entry(name)));
    let mut seen = HashSet::new();
    models.retain(|model| seen.insert(model.name.clone()));
    models
}

/// A configured name: its limits fit all of its routes.
fn routed_model(name: &str, routes: &[Route], listed: &[ProviderModels]) -> ModelEntry {
    let tokens = routes.iter().map(|route| token_limits(route, listed));
    let tokens = tokens.reduce(TokenLimits::min).unwrap_or_default();
    ModelEntry { name: name.to_owned(), owned_by: BUILTIN_OWNER.to_owned(), token_limits: tokens }
}

fn token_limits(route: &Route, listed: &[ProviderModels]) -> TokenLimits {
    let Backend::Provider(to) = &route.backend else { return BUILTIN_TOKEN_LIMITS };
    let models = listed.iter().find(|(provider, _)| provider.name == to.name);
    let models = models.map_or(&[][..], |(_, models)| models);
    let named = models.iter().find(|model| model.name == *route.model);
    // A server with one model accepts any name for it.
    named
        .or(if let [only] = models { Some(only) } else { None })
        .map(|model| model.token_limits)
        .unwrap_or_default()
}

/// The model under its plain name if that is routed to this provider, else with the provider as
/// prefix.
fn provider_model(config: &Config, provider: &Arc<Provider>, model: &ProviderModel) -> ModelEntry {
    let ProviderModel { name, token_limits: tokens } = model;
    let routes = config.resolve(name, 0).unwrap_or_default();
    let is_default_route = routes.first().is_some_and(|route| {
        matches!(&route.backend, Backend::Provider(to) if to.name == provider.name)
            && *route.model == **name
    });
    let name = if is_default_route { name.to_owned() } else { format!("{}/{name}", provider.name) };
    ModelEntry { name, owned_by: provider.name.clone(), token_limits: *tokens }
}

fn model_json(dialect: &dyn Dialect, model: &ModelEntry) -> Value {
    let ModelEntry { name, owned_by: owner, token_limits: tokens } = model;
    let (mut body, input_key, output_key) = match ClientApi::from_dialect(dialect).model_list {
        ModelListFormat::Anthropic => {
            let body = json!({
                "type": "model", "id": name, "display_name": name, "lifecycle": "active",
                "created_at": "1970-01-01T00:00:00Z",
            });
            (body, "max_input_tokens", "max_tokens")
        }
        ModelListFormat::Gemini => {
            let body = json!({
                "name": format!("models/{name}"), "displayName": name,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
            });
            (body, "inputTokenLimit", "outputTokenLimit")
        }
        ModelListFormat::OpenAi => {
            let body = json!({"id": name, "object": "model", "created": 0, "owned_by": owner});
            (body, "context_length", "max_completion_tokens")
        }
    };
    for (key, limit) in [(input_key, tokens.input), (output_key, tokens.output)] {
        if let Some(limit) = limit {
            body[key] = limit.into();
        }
    }
    body
}

const BUILTIN_OWNER: &str = "interlingua";
/// Limits that agents need in order to compact; the simulator has none.
const BUILTIN_TOKEN_LIMITS: TokenLimits =
    TokenLimits { input: Some(200_000), output: Some(64_000) };
