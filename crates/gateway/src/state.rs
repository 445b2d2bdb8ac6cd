//! The gateway's shared state.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::ArcSwap;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use interlingua_store::{RecordStore, Store};
use interlingua_upstream::{Timeouts, UpstreamClient};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;

use crate::builtin_models::BuiltinModels;
use crate::config::Config;
use crate::http_util::body_budget::BodyBudget;
use crate::http_util::error_response::failure;
use crate::offload::BlockingPool;
use crate::services::catalogue::ModelCatalogue;
use crate::services::compaction::CompactionCipher;
use crate::services::guard::{GuardAnswerStore, ToolCallGuard};
use crate::services::key_policy::KeyPolicy;
use crate::services::keyring::Keyring;
use crate::services::lessons::LessonStore;
use crate::services::provider_state::ProviderStates;
use crate::services::quota::Quotas;
use crate::services::reasoning::Vault;
use crate::services::recording::{SessionLocks, SessionWrites};
use crate::services::responses::ResponseStore;
use crate::services::store;
use crate::telemetry::capture::CaptureStore;
use crate::telemetry::metrics;
use crate::telemetry::otel::SpanChannel;
use crate::telemetry::recent::RecentTurns;

/// A gateway, running or not. Everything except provider connections is shared by the instances of
/// all worker threads.
pub struct Gateway {
    pub(crate) config: Arc<ArcSwap<Config>>,
    pub(crate) upstream: Arc<UpstreamClient>,
    pub(crate) builtin_models: Arc<BuiltinModels>,
    pub(crate) provider_states: Arc<ProviderStates>,
    pub(crate) catalogue: Arc<ModelCatalogue>,
    pub(crate) quotas: Arc<Quotas>,
    /// Keys issued at run time, on any node.
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) guard: Arc<ToolCallGuard>,
    pub(crate) captures: Arc<CaptureStore>,
    pub(crate) lessons: Arc<LessonStore>,
    pub(crate) recent_turns: Arc<RecentTurns>,
    /// A permit for each request in progress.
    pub(crate) request_slots: Arc<Semaphore>,
    pub(crate) body_budget: Arc<BodyBudget>,
    pub(crate) draining: Arc<AtomicBool>,
    /// The shutdown drain time is over: running responses end with an error.
    pub(crate) drain_expired: Arc<AtomicBool>,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) vault: Arc<Vault>,
    pub(crate) responses: Arc<ResponseStore>,
    pub(crate) compaction_cipher: Arc<CompactionCipher>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) session_locks: Arc<SessionLocks>,
    /// Of this worker.
    pub(crate) session_writes: Arc<SessionWrites>,
    /// Translates long requests.
    pub(crate) blocking_pool: Arc<BlockingPool>,
    /// `None` without a collector.
    pub(crate) span_channel: Option<Arc<SpanChannel>>,
}

/// The new configuration has no keys, the current one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysRemovedError;

impl Gateway {
    pub fn new(config: Config) -> Result<Self, ApiError> {
        let store = open_store(&config)?;
        Self::with_store(config, store)
    }

    /// A gateway on a store that is open already, instead of the configured one.
    pub fn with_store(config: Config, store: Arc<dyn Store>) -> Result<Self, ApiError> {
        let records: Arc<dyn RecordStore> = Arc::<dyn Store>::clone(&store);
        let keyring = Keyring::new(Arc::clone(&store));
        if !config.access.keys.is_empty() {
            keyring.stored_keys.record_configured_keys();
        }
        Ok(Self {
            upstream: new_upstream(&config)?.into(),
            builtin_models: Arc::default(),
            provider_states: Arc::default(),
            catalogue: Arc::default(),
            quotas: Arc::default(),
            keyring: Arc::new(keyring),
            guard: Arc::new(ToolCallGuard::new(Arc::new(GuardAnswerStore(Arc::clone(&records))))),
            captures: Arc::new(CaptureStore::new(Arc::clone(&records))),
            lessons: Arc::new(LessonStore::new(Arc::clone(&records))),
            recent_turns: Arc::default(),
            request_slots: Arc::new(Semaphore::new(config.limits.concurrent_requests)),
            body_budget: Arc::default(),
            draining: Arc::default(),
            drain_expired: Arc::default(),
            metrics: metrics::prometheus_handle(),
            vault: Arc::new(Vault::new(Arc::clone(&records))),
            responses: Arc::new(ResponseStore::new(Arc::clone(&records))),
            compaction_cipher: Arc::new(CompactionCipher::new(records)),
            store,
            session_locks: Arc::default(),
            session_writes: Arc::default(),
            blocking_pool: Arc::default(),
            span_channel: config.telemetry.is_enabled().then(|| Arc::new(SpanChannel::new())),
            config: Arc::new(ArcSwap::from_pointee(config)),
        })
    }

    /// A copy for a worker thread, with provider connections of its own.
    pub(crate) fn for_worker(&self) -> Result<Self, ApiError> {
        Ok(Self {
            upstream: new_upstream(&self.config.load())?.into(),
            config: Arc::clone(&self.config),
            builtin_models: Arc::clone(&self.builtin_models),
            provider_states: Arc::clone(&self.provider_states),
            catalogue: Arc::clone(&self.catalogue),
            quotas: Arc::clone(&self.quotas),
            keyring: Arc::clone(&self.keyring),
            guard: Arc::clone(&self.guard),
            captures: Arc::clone(&self.captures),
            lessons: Arc::clone(&self.lessons),
            recent_turns: Arc::clone(&self.recent_turns),
            request_slots: Arc::clone(&self.request_slots),
            body_budget: Arc::clone(&self.body_budget),
            draining: Arc::clone(&self.draining),
            drain_expired: Arc::clone(&self.drain_expired),
            metrics: self.metrics.clone(),
            vault: Arc::clone(&self.vault),
            responses: Arc::clone(&self.responses),
            compaction_cipher: Arc::clone(&self.compaction_cipher),
            store: Arc::clone(&self.store),
            session_locks: Arc::clone(&self.session_locks),
            session_writes: Arc::default(),
            blocking_pool: Arc::clone(&self.blocking_pool),
            span_channel: self.span_channel.clone(),
        })
    }

    /// Whether requests at this listen address need a key, as far as it is known.
    pub fn requires_keys(&self, listen: SocketAddr) -> bool {
        self.key_policy(&self.config.load(), listen) != KeyPolicy::Open
    }

    pub(crate) fn key_policy(&self, config: &Config, listen: SocketAddr) -> KeyPolicy {
        KeyPolicy::resolve(&self.keyring.stored_keys, config, listen)
    }

    /// The current configuration.
    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    /// Replaces the configuration; running requests continue with the old one. A configuration that
    /// has no keys any more opens the gateway only with `access.open`.
    pub fn reconfigure(&self, config: Config) {
        if !config.access.keys.is_empty() {
            self.keyring.stored_keys.record_configured_keys();
        }
        self.config.store(Arc::new(config));
    }

    /// As [`Gateway::reconfigure`], for a file that was changed: one that lost its keys is probably
    /// truncated or half written, so the current configuration stays in force.
    pub fn reload(&self, config: Config) -> Result<(), KeysRemovedError> {
        let had_keys = !self.config.load().access.keys.is_empty();
        if had_keys && config.access.keys.is_empty() && !config.access.open {
            return Err(KeysRemovedError);
        }
        self.reconfigure(config);
        Ok(())
    }
}

fn open_store(config: &Config) -> Result<Arc<dyn Store>, ApiError> {
    store::open(config).map_err(|error| {
        failure(ApiErrorKind::ServerError, &format!("the store cannot be opened: {error}"))
    })
}

fn new_upstream(config: &Config) -> Result<UpstreamClient, ApiError> {
    let timeouts = Timeouts {
        connect: config.timeouts.connect,
        response_head: config.timeouts.answer,
        idle: config.timeouts.silence,
    };
    UpstreamClient::with_proxies(timeouts, Arc::clone(&config.proxies))
}

impl fmt::Display for KeysRemovedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the file has no access.keys any more; if no keys are to be required, it must have \
             access.open = true",
        )
    }
}

impl std::error::Error for KeysRemovedError {}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("config", &self.config.load()).finish_non_exhaustive()
    }
}
