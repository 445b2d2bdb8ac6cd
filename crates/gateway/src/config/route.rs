//! Resolves model names to routes.

use interlingua_providers::PRESETS;
use interlingua_providers::preset::ProviderPreset;
use std::fmt;
use std::sync::Arc;

use super::model_routes::{WeightedTarget, fill_template, match_pattern, order_targets};
use super::{Config, ModelName, Provider};

/// A provider and the model's name there.
#[derive(Clone, Debug)]
pub struct Route {
    pub backend: Backend,
    pub model: ModelName,
}

#[derive(Clone, Debug)]
pub enum Backend {
    Provider(Arc<Provider>),
    Builtin,
}

/// No route for a model; the message lists the alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRoute(pub String);

impl Config {
    /// The routes for a model: the first one, and the fallbacks in order.
    ///
    /// Targets with weights are drawn by `draw`. The same number gives the same order, so a
    /// conversation that always brings its own number stays on its route.
    pub fn resolve(&self, model: &str, draw: u64) -> Result<Vec<Route>, NoRoute> {
        let model = ModelName::parse(model)
            .map_err(|error| NoRoute(format!("the name of the model {error}")))?;
        self.resolve_with(&model, || draw)
    }

    /// As [`Config::resolve`], with a number that is computed only where there are weights.
    pub(crate) fn resolve_with(
        &self,
        model: &ModelName,
        draw: impl FnOnce() -> u64,
    ) -> Result<Vec<Route>, NoRoute> {
        if let Some(route) = self.explicit_route(model) {
            return Ok(vec![route]);
        }
        for pattern in &self.models.rules {
            if let Some(stars) = match_pattern(&pattern.pattern, model) {
                let weighted = pattern.targets.iter().any(|target| target.weight.is_some());
                let ordered = order_targets(&pattern.targets, if weighted { draw() } else { 0 });
                let route = |target: &&WeightedTarget| self.target_route(target, model, &stars);
                return Ok(ordered.iter().filter_map(route).collect());
            }
        }
        let mut matching = presets_of_model(model).filter_map(|preset| self.provider(preset.name));
        let only = || if let [only] = self.providers.as_slice() { Some(only) } else { None };
        match matching.next().or_else(only) {
            Some(provider) => Ok(vec![Route {
                backend: Backend::Provider(Arc::clone(provider)),
                model: model.clone(),
            }]),
            None => Err(self.no_route(model)),
        }
    }

    /// `provider/model`, if there is such a provider.
    fn explicit_route(&self, model: &str) -> Option<Route> {
        let (name, model) = model.split_once('/')?;
        let backend = self.backend(name)?;
        Some(Route { backend, model: ModelName::parse(model).ok()? })
    }

    fn backend(&self, name: &str) -> Option<Backend> {
        if name == BUILTIN_PROVIDER {
            return HAS_BUILTIN_MODELS.then_some(Backend::Builtin);
        }
        self.provider(name).map(|provider| Backend::Provider(Arc::clone(provider)))
    }

    fn target_route(
        &self,
        target: &WeightedTarget,
        requested: &str,
        stars: &[&str],
    ) -> Option<Route> {
        let model = fill_template(&target.model_template, requested, stars);
        Some(Route {
            backend: self.backend(&target.provider)?,
            model: ModelName::parse(&model).ok()?,
        })
    }

    fn no_route(&self, model: &str) -> NoRoute {
        if !HAS_BUILTIN_MODELS
            && model.split_once('/').is_some_and(|(name, _)| name == BUILTIN_PROVIDER)
        {
            return NoRoute(format!("`{model}` is a built-in model: {BUILTIN_MODELS_MISSING}"));
        }
        let names: Vec<_> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
        let hint = match names.as_slice() {
            [] if !HAS_BUILTIN_MODELS => "give a provider a key, because none has one".into(),
            [] => "use the built-in models sim/echo and sim/agent, because no provider has a key"
                .into(),
            names => format!(
                "request PROVIDER/{model} with one of {}, or add a line to [models]",
                names.join(", ")
            ),
        };
        let preset = PRESETS.iter().find(|preset| {
            model.split_once('/').is_some_and(|(provider, _)| provider == preset.name)
        });
        let missing_key = preset.or_else(|| presets_of_model(model).next()).and_then(|preset| {
            let variable = preset.key_vars.first()?;
            Some(format!("set {variable} for the provider {} and start again; or ", preset.name))
        });
        let missing_key = missing_key.unwrap_or_default();
        NoRoute(format!("there is no route for the model `{model}`: {missing_key}{hint}"))
    }
}

/// The presets whose own models have such names.
fn presets_of_model(model: &str) -> impl Iterator<Item = &'static ProviderPreset> {
    PRESETS.iter().filter(move |preset| {
        preset.model_patterns.iter().any(|pattern| match_pattern(pattern, model).is_some())
    })
}

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRoute {}

/// The provider name of the built-in models.
pub const BUILTIN_PROVIDER: &str = "sim";
/// Whether this program has models that need no provider.
pub const HAS_BUILTIN_MODELS: bool = cfg!(feature = "builtin-models");
pub const BUILTIN_MODELS_MISSING: &str =
    "this program was built without built-in models (--no-default-features)";
