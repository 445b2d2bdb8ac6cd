//! What was told, on its way to the collector. Whoever answers requests never waits for it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};
use interlingua_upstream::Upstream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval_at, sleep, timeout};
use url::Url;

use super::measure::Measures;
use super::{Line, Told, lost, span};
use crate::config::Telemetry;
use crate::state::Gateway;

/// The thread that tells the collector: nobody who answers shares it.
#[derive(Debug)]
pub(crate) struct Exporter {
    end: oneshot::Sender<()>,
    ended: oneshot::Receiver<()>,
    patience: Duration,
}

struct Work {
    upstream: Arc<Upstream>,
    telemetry: Telemetry,
    measures: Measures,
    /// Spans that wait for company.
    told: Vec<Told>,
    /// The collector did not take the last that was sent.
    failing: bool,
}

impl Exporter {
    /// Starts it, if there is somebody to tell.
    pub(crate) fn start(gateway: &Gateway) -> Option<Self> {
        let line: &Line = gateway.line.as_deref()?;
        let listener = line.listener.lock().ok()?.take()?;
        let telemetry = gateway.config.load().telemetry.clone();
        let patience = telemetry.timeout;
        let (end, asked) = oneshot::channel();
        let (done, ended) = oneshot::channel();
        let work = Work {
            upstream: gateway.twin().ok()?.upstream,
            telemetry,
            measures: Measures::new(),
            told: Vec::new(),
            failing: false,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let work = move || {
            runtime.block_on(work.listen(listener, asked));
            // Nobody may be waiting.
            let _ = done.send(());
        };
        thread::Builder::new().name("telemetry".to_owned()).spawn(work).ok()?;
        Some(Self { end, ended, patience })
    }

    /// Tells what is left, for as long as one export may take.
    pub(crate) async fn end(self) {
        // Nobody listening means that it has ended.
        let _ = self.end.send(());
        let _ = timeout(self.patience, self.ended).await;
    }
}

impl Work {
    async fn listen(
        mut self,
        mut listener: mpsc::Receiver<Box<Told>>,
        mut ended: oneshot::Receiver<()>,
    ) {
        let Telemetry { delay, interval, .. } = self.telemetry;
        let mut spans = interval_at(Instant::now() + delay, delay);
        let mut metrics = interval_at(Instant::now() + interval, interval);
        loop {
            tokio::select! {
                Some(told) = listener.recv() => self.hear(told).await,
                _ = spans.tick() => self.spans().await,
                _ = metrics.tick() => self.metrics().await,
                _ = &mut ended => break,
            }
        }
        while let Ok(told) = listener.try_recv() {
            self.hear(told).await;
        }
        self.spans().await;
        self.metrics().await;
    }

    async fn hear(&mut self, told: Box<Told>) {
        self.measures.take(&told);
        if told.sampled && self.telemetry.traces.is_some() {
            self.told.push(*told);
        }
        if self.told.len() >= TOGETHER {
            self.spans().await;
        }
    }

    async fn spans(&mut self) {
        let Some(url) = self.telemetry.traces.clone().filter(|_| !self.told.is_empty()) else {
            return;
        };
        let told = std::mem::take(&mut self.told);
        let body = span::export(&told, &self.telemetry.resource);
        if !self.send(&url, body).await {
            lost(told.len());
        }
    }

    async fn metrics(&mut self) {
        let Some(url) = self.telemetry.metrics.clone().filter(|_| !self.measures.is_empty()) else {
            return;
        };
        let body = self.measures.export(&self.telemetry.resource, SystemTime::now());
        // What was measured is told again the next time.
        self.send(&url, body).await;
    }

    /// Whether the collector took it.
    async fn send(&mut self, url: &Url, body: Vec<u8>) -> bool {
        let body = Bytes::from(body);
        let mut headers: HeaderMap = self.telemetry.headers.clone();
        headers.insert(CONTENT_TYPE, PROTOBUF);
        for pause in PAUSES {
            sleep(*pause).await;
            let sent = self.upstream.post(url, headers.clone(), body.clone());
            let sent = timeout(self.telemetry.timeout, sent).await;
            let (why, again) = match sent {
                Ok(Ok(200..300)) => {
                    if std::mem::take(&mut self.failing) {
                        tracing::info!("the telemetry collector takes what it is sent again");
                    }
                    return true;
                }
                Ok(Ok(status)) => (format!("it says {status}"), PASSING.contains(&status)),
                Ok(Err(failure)) => (failure.message.to_string(), true),
                Err(_) => ("it does not answer in time".to_owned(), true),
            };
            if !std::mem::replace(&mut self.failing, true) {
                tracing::warn!("the telemetry collector does not take what it is sent: {why}");
            }
            if !again {
                break;
            }
        }
        false
    }
}

/// Requests whose spans are sent together.
const TOGETHER: usize = 256;
/// Before each try.
const PAUSES: &[Duration] = &[Duration::ZERO, Duration::from_secs(1), Duration::from_secs(3)];
const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
/// What a collector says that may take it in a moment.
const PASSING: [u16; 4] = [429, 502, 503, 504];
