//! Decides whether a request without a known key is accepted, rejected, or cannot be judged yet.
//!
//! Access control that was in force once is taken away only by `access.open = true`: neither an
//! emptied file nor a store that cannot be read opens a gateway.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use interlingua_store::RecordList;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::config::Config;

/// How requests without a known key are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPolicy {
    /// They are accepted.
    Open,
    /// They are rejected.
    Required,
    /// The issued keys are not loaded yet: the key may be one of them.
    Unknown,
}

impl KeyPolicy {
    /// The policy at this listen address, as far as it is known.
    pub(crate) fn resolve(keys: &StoredKeys, config: &Config, listen: SocketAddr) -> Self {
        let can_open = listen.ip().is_loopback() && config.access.keys.is_empty();
        if can_open && config.access.open {
            return Self::Open;
        }
        if !keys.is_loaded() {
            return Self::Unknown;
        }
        let had_keys = config.access.had_keys || keys.had_keys.load(Ordering::Relaxed);
        if can_open && !had_keys { Self::Open } else { Self::Required }
    }

    /// Logs why requests without a key are rejected although no keys are configured.
    pub(crate) fn log_rejection(self, config: &Config) {
        if !config.access.keys.is_empty() {
            return;
        }
        match self {
            Self::Open => {}
            Self::Required => tracing::error!(
                "no keys are configured, but this gateway had keys before: requests without an \
                 issued key are rejected. Configure access.keys, or access.open = true"
            ),
            Self::Unknown => tracing::error!(
                "no keys are configured, and the store cannot be read: requests are rejected until \
                 it is known whether this gateway has keys. Configure access.keys, or \
                 access.open = true"
            ),
        }
    }
}

/// What is known of the keys in the store.
#[derive(Debug, Default)]
pub(crate) struct StoredKeys {
    /// The store was read once. Later outages leave the loaded keys in force.
    is_loaded: AtomicBool,
    loaded: Notify,
    /// Keys were configured or issued once, as far as this process or its store remembers.
    had_keys: AtomicBool,
    /// This process issued keys while it was open. It stays so until it ends, because the first
    /// key would lock out everybody else.
    issued_while_open: AtomicBool,
    /// The store has the record by which later processes know that there were keys.
    is_remembered: AtomicBool,
}

impl StoredKeys {
    pub(crate) fn is_loaded(&self) -> bool {
        self.is_loaded.load(Ordering::Acquire)
    }

    /// Waits until the store was read, at most [`MAX_LOAD_WAIT`].
    pub(crate) async fn wait_loaded(&self) {
        // Before the check: a notification in between is not lost.
        let loaded = self.loaded.notified();
        if !self.is_loaded() {
            // The caller looks for the result.
            let _ = timeout(MAX_LOAD_WAIT, loaded).await;
        }
    }

    /// The store was read. It never forgets that keys were required.
    pub(crate) fn record_load(&self, list: &RecordList, is_remembered: bool) {
        let is_empty = list.records.is_empty() && list.unreadable == 0;
        if !is_empty && !self.issued_while_open.load(Ordering::Relaxed) {
            self.had_keys.store(true, Ordering::Relaxed);
        }
        self.is_remembered.store(is_remembered, Ordering::Relaxed);
        self.is_loaded.store(true, Ordering::Release);
        self.loaded.notify_waiters();
    }

    /// A configuration with keys is in force, or was before.
    pub(crate) fn record_configured_keys(&self) {
        self.had_keys.store(true, Ordering::Relaxed);
    }

    /// A key is about to be issued.
    pub(crate) fn record_issue(&self, is_open: bool) {
        if is_open {
            self.issued_while_open.store(true, Ordering::Relaxed);
        }
    }

    /// Keys are in use that later processes do not know of.
    pub(crate) fn must_be_remembered(&self) -> bool {
        let has_keys = [&self.had_keys, &self.issued_while_open]
            .iter()
            .any(|flag| flag.load(Ordering::Relaxed));
        has_keys && self.is_loaded() && !self.is_remembered.load(Ordering::Relaxed)
    }
}

/// How long a request waits for the first load, of which it needs a key.
const MAX_LOAD_WAIT: Duration = Duration::from_secs(1);
