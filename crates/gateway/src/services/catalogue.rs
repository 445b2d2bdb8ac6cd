//! Lists the models of all providers with their token limits, and caches the lists.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::HeaderMap;
use interlingua::SegmentedBytes;
use interlingua_upstream::{Operation, Provider, UpstreamClient, UpstreamRequest};
use interlingua_wire::JsonNode;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Model lists by the name and base URL of the provider.
#[derive(Default)]
pub(crate) struct ModelCatalogue(Mutex<HashMap<String, CachedModels>>);

#[derive(Clone)]
struct CachedModels {
    models: Arc<[ProviderModel]>,
    /// When the list is fetched again.
    expires: Instant,
}

/// A model in its provider's list.
#[derive(Clone, Debug)]
pub(crate) struct ProviderModel {
    pub(crate) name: String,
    pub(crate) token_limits: TokenLimits,
}

/// The maximum tokens that a model reads and writes, where known. Agents compact their histories by
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TokenLimits {
    pub(crate) input: Option<u64>,
    pub(crate) output: Option<u64>,
}

pub(crate) type ProviderModels = (Arc<Provider>, Arc<[ProviderModel]>);

impl TokenLimits {
    /// Reads the limits from an entry of a provider's list.
    fn from_listing(model: JsonNode<'_>) -> Self {
        let number = |path: &&[&str]| {
            let value = path.iter().try_fold(model, |node, key| node.get(key))?;
            value.raw().parse().ok().filter(|number| *number > 0)
        };
        let output = OUTPUT_LIMIT_PATHS.iter().find_map(number);
        // `max_tokens` is the output limit only next to Anthropic's `max_input_tokens`; elsewhere
        // it has other meanings.
        let anthropic_output = || number(&INPUT_LIMIT_PATHS[0]).and(number(&&["max_tokens"][..]));
        Self {
            input: INPUT_LIMIT_PATHS.iter().find_map(number),
            output: output.or_else(anthropic_output),
        }
    }

    /// The limits that fit both models.
    pub(crate) fn min(self, other: Self) -> Self {
        let min_known =
            |limit: Option<u64>, other: Option<u64>| limit.into_iter().chain(other).min();
        Self {
            input: min_known(self.input, other.input),
            output: min_known(self.output, other.output),
        }
    }
}

impl ModelCatalogue {
    /// The models of the providers that answer within [`LIST_TIMEOUT`]. Others keep their last known
    /// list.
    pub(crate) async fn list(
        self: &Arc<Self>,
        upstream: &Arc<UpstreamClient>,
        providers: &[Arc<Provider>],
    ) -> Vec<ProviderModels> {
        let now = Instant::now();
        let mut tasks = JoinSet::new();
        for provider in providers.iter().filter(|provider| provider.supports(Operation::ListModels))
        {
            if self.get(provider).is_none_or(|cached_models| cached_models.expires <= now) {
                // Concurrent callers get the cached list meanwhile instead of fetching it too.
                self.put(provider, None, now + RETRY_INTERVAL);
                let (catalogue, upstream) = (Arc::clone(self), Arc::clone(upstream));
                tasks.spawn(catalogue.fetch(upstream, Arc::clone(provider)));
            }
        }
        let finished = async { while tasks.join_next().await.is_some() {} };
        // A late provider still fills the cache for the next caller.
        let _ = timeout(LIST_TIMEOUT, finished).await;
        let listed = |provider: &Arc<Provider>| {
            let models = self.get(provider)?.models;
            Some((Arc::clone(provider), models))
        };
        providers.iter().filter_map(listed).collect()
    }

    async fn fetch(self: Arc<Self>, upstream: Arc<UpstreamClient>, provider: Arc<Provider>) {
        let call = UpstreamRequest {
            provider: &provider,
            operation: Operation::ListModels,
            model: "",
            headers: HeaderMap::new(),
            body: SegmentedBytes::default(),
        };
        let Ok(response) = upstream.call(call).await else { return };
        if response.status != 200 {
            return;
        }
        let Ok(body) = response.body.collect(MAX_LIST_BYTES).await else { return };
        let Ok(body) = interlingua::parse_object(body) else { return };
        let lists =
            LIST_FIELDS.iter().filter_map(|(list, name)| Some((body.root().get(list)?, *name)));
        let models = lists.flat_map(|(list, name)| {
            list.items().filter_map(move |model| {
                let name = model.get(name)?.str_or_empty();
                let name = name.strip_prefix(MODEL_PATH_PREFIX).unwrap_or(&name).to_owned();
                Some(ProviderModel { name, token_limits: TokenLimits::from_listing(model) })
            })
        });
        let models: Vec<ProviderModel> =
            models.filter(|model| !model.name.is_empty()).take(MAX_MODELS_PER_PROVIDER).collect();
        self.put(&provider, Some(models.into()), Instant::now() + CACHE_TTL);
    }

    fn get(&self, provider: &Provider) -> Option<CachedModels> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&cache_key(provider)).cloned()
    }

    /// Stores a new list, or extends the last known one if `models` is `None`.
    fn put(&self, provider: &Provider, models: Option<Arc<[ProviderModel]>>, expires: Instant) {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached_models = cache
            .entry(cache_key(provider))
            .or_insert_with(|| CachedModels { models: [].into(), expires });
        cached_models.models = models.unwrap_or_else(|| Arc::clone(&cached_models.models));
        cached_models.expires = expires;
    }
}

fn cache_key(provider: &Provider) -> String {
    format!("{} {}", provider.name, provider.base_url)
}

/// Per dialect: the field with the list, and the field with the model's name.
const LIST_FIELDS: &[(&str, &str)] =
    &[("data", "id"), ("models", "name"), ("modelSummaries", "modelId")];
/// Where lists have the input limit: limits of the prompt first, then whole context windows.
const INPUT_LIMIT_PATHS: &[&[&str]] = &[
    &["max_input_tokens"],
    &["inputTokenLimit"],
    &["meta", "n_ctx"],
    &["max_model_len"],
    &["top_provider", "context_length"],
    &["context_length"],
    &["context_window"],
    &["max_context_length"],
];
const OUTPUT_LIMIT_PATHS: &[&[&str]] = &[
    &["outputTokenLimit"],
    &["top_provider", "max_completion_tokens"],
    &["max_completion_tokens"],
    &["max_output_tokens"],
];
/// Gemini's names are resource paths.
const MODEL_PATH_PREFIX: &str = "models/";

/// How long a list is valid, and how long a provider without an answer is not called again.
const CACHE_TTL: Duration = Duration::from_mins(5);
const RETRY_INTERVAL: Duration = Duration::from_secs(20);
const LIST_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
const MAX_MODELS_PER_PROVIDER: usize = 5000;
