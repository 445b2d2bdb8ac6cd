//! What all connections share.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use interlingua::Failure;
use interlingua::model::FailureKind;
use interlingua_store::{Keeper, Store};
use interlingua_upstream::breaker::Breaker;
use interlingua_upstream::retry::Budget;
use interlingua_upstream::{Timeouts, Upstream};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{OnceCell, Semaphore};

use crate::answered::Answered;
use crate::builtin::Builtin;
use crate::captured::Captured;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::guarding::Guarding;
use crate::heavy::Heavy;
use crate::keyring::Keyring;
use crate::learned::Learned;
use crate::limited::Limited;
use crate::otel::Line;
use crate::quota::Quotas;
use crate::recent::Recent;
use crate::refusal::failure;
use crate::responses::Responses;
use crate::sessions::Floors;
use crate::vault::Vault;
use crate::{remembered, telemetry};

/// The gateway, before and while it listens. Everything but the connections to providers is shared
/// by those that were made of one another.
pub struct Gateway {
    pub(crate) config: Arc<ArcSwap<Config>>,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) builtin: Arc<Builtin>,
    pub(crate) ways: Arc<Ways>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) quotas: Arc<Quotas>,
    /// Keys that were made here, or at another node.
    pub(crate) keyring: Arc<Keyring>,
    /// Whether what the store knows of keys was read.
    pub(crate) known: Arc<OnceCell<()>>,
    pub(crate) guard: Arc<Guarding>,
    pub(crate) captured: Arc<Captured>,
    pub(crate) learned: Arc<Learned>,
    pub(crate) recent: Arc<Recent>,
    /// One for each request that is being answered.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) draining: Arc<AtomicBool>,
    /// Nobody waits for running answers any longer: they end with an error.
    pub(crate) over: Arc<AtomicBool>,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) vault: Arc<Vault>,
    pub(crate) responses: Arc<Responses>,
    /// What is remembered beyond a request.
    pub(crate) store: Arc<dyn Keeper>,
    /// Who answers which session.
    pub(crate) floors: Arc<Floors>,
    /// Where long requests are translated.
    pub(crate) heavy: Arc<Heavy>,
    /// To whom requests are told, if to anybody.
    pub(crate) line: Option<Arc<Line>>,
}

/// What is remembered of each provider.
#[derive(Default)]
pub(crate) struct Ways(Mutex<HashMap<String, Arc<Way>>>);

#[derive(Default)]
pub(crate) struct Way {
    pub(crate) breaker: Breaker,
    pub(crate) budget: Budget,
    pub(crate) limited: Limited,
}

impl Gateway {
    pub fn new(config: Config) -> Result<Self, Failure> {
        let keeper = store(&config)?;
        let store: Arc<dyn Store> = Arc::<dyn Keeper>::clone(&keeper);
        Ok(Self {
            upstream: upstream(&config)?.into(),
            builtin: Arc::default(),
            ways: Arc::default(),
            catalogue: Arc::default(),
            quotas: Arc::default(),
            keyring: Arc::new(Keyring::kept_in(Arc::clone(&keeper))),
            known: Arc::default(),
            guard: Arc::new(Guarding::keeping(Arc::new(Answered(Arc::clone(&store))))),
            captured: Arc::new(Captured::kept_in(Arc::clone(&store))),
            learned: Arc::new(Learned::kept_in(Arc::clone(&store))),
            recent: Arc::default(),
            room: Arc::new(Semaphore::new(config.limits.streams)),
            draining: Arc::default(),
            over: Arc::default(),
            metrics: telemetry::metrics(),
            vault: Arc::new(Vault::new(Arc::clone(&store))),
            responses: Arc::new(Responses::kept_in(store)),
            store: keeper,
            floors: Arc::default(),
            heavy: Arc::default(),
            line: config.telemetry.is_on().then(|| Arc::new(Line::new())),
            config: Arc::new(ArcSwap::from_pointee(config)),
        })
    }

    /// The same gateway with connections of its own, for another thread.
    pub(crate) fn twin(&self) -> Result<Self, Failure> {
        Ok(Self {
            upstream: upstream(&self.config.load())?.into(),
            config: Arc::clone(&self.config),
            builtin: Arc::clone(&self.builtin),
            ways: Arc::clone(&self.ways),
            catalogue: Arc::clone(&self.catalogue),
            quotas: Arc::clone(&self.quotas),
            keyring: Arc::clone(&self.keyring),
            known: Arc::clone(&self.known),
            guard: Arc::clone(&self.guard),
            captured: Arc::clone(&self.captured),
            learned: Arc::clone(&self.learned),
            recent: Arc::clone(&self.recent),
            room: Arc::clone(&self.room),
            draining: Arc::clone(&self.draining),
            over: Arc::clone(&self.over),
            metrics: self.metrics.clone(),
            vault: Arc::clone(&self.vault),
            responses: Arc::clone(&self.responses),
            store: Arc::clone(&self.store),
            floors: Arc::clone(&self.floors),
            heavy: Arc::clone(&self.heavy),
            line: self.line.clone(),
        })
    }

    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    /// Takes a new configuration; requests that are being answered go on with the old one.
    pub fn reconfigure(&self, config: Config) {
        self.config.store(Arc::new(config));
    }
}

fn store(config: &Config) -> Result<Arc<dyn Keeper>, Failure> {
    remembered::open(config)
        .map_err(|error| failure(FailureKind::Upstream, &format!("no store: {error}")))
}

fn upstream(config: &Config) -> Result<Upstream, Failure> {
    let timeouts = Timeouts {
        connect: config.timeouts.connect,
        head: config.timeouts.answer,
        idle: config.timeouts.silence,
    };
    Upstream::through(timeouts, Arc::clone(&config.proxies))
}

impl Ways {
    pub(crate) fn way(&self, provider: &str) -> Arc<Way> {
        let mut ways = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(way) = ways.get(provider) {
            return Arc::clone(way);
        }
        Arc::clone(ways.entry(provider.to_owned()).or_default())
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("config", &self.config.load()).finish_non_exhaustive()
    }
}
