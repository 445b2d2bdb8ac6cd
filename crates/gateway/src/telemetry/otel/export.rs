//! Exports spans to an OTLP collector, on a thread of its own.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderValue};
use interlingua_upstream::UpstreamClient;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, interval_at, sleep, timeout};
use url::Url;

use super::{RequestSpanData, SpanChannel, count_dropped, span};
use crate::config::Telemetry;

/// The export thread. Request threads never wait for it.
#[derive(Debug)]
pub(crate) struct Exporter {
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
    timeout: Duration,
}

struct ExportWorker {
    upstream: Arc<UpstreamClient>,
    telemetry: Telemetry,
    /// Spans of the next batch.
    pending: Vec<RequestSpanData>,
    /// The last export failed; suppresses repeated log lines.
    is_failing: bool,
}

impl Exporter {
    /// Starts the thread; `None` if it runs already or cannot start.
    pub(crate) fn start(
        channel: &SpanChannel,
        telemetry: Telemetry,
        upstream: Arc<UpstreamClient>,
    ) -> Option<Self> {
        let receiver = channel.receiver.lock().ok()?.take()?;
        let timeout = telemetry.timeout;
        let (stop, stop_requested) = oneshot::channel();
        let (ended_sender, stopped) = oneshot::channel();
        let work = ExportWorker { upstream, telemetry, pending: Vec::new(), is_failing: false };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let work = move || {
            runtime.block_on(work.run(receiver, stop_requested));
            // The receiver may have timed out.
            let _ = ended_sender.send(());
        };
        thread::Builder::new().name("telemetry".to_owned()).spawn(work).ok()?;
        Some(Self { stop, stopped, timeout })
    }

    /// Exports what is pending, within the timeout of one export.
    pub(crate) async fn shutdown(self) {
        // An error means that the thread has already ended.
        let _ = self.stop.send(());
        let _ = timeout(self.timeout, self.stopped).await;
    }
}

impl ExportWorker {
    async fn run(
        mut self,
        mut receiver: mpsc::Receiver<Box<RequestSpanData>>,
        mut stop_requested: oneshot::Receiver<()>,
    ) {
        let delay = self.telemetry.batch_delay;
        let mut spans = interval_at(Instant::now() + delay, delay);
        loop {
            tokio::select! {
                Some(data) = receiver.recv() => self.record(data).await,
                _ = spans.tick() => self.export_spans().await,
                _ = &mut stop_requested => break,
            }
        }
        while let Ok(data) = receiver.try_recv() {
            self.record(data).await;
        }
        self.export_spans().await;
    }

    async fn record(&mut self, data: Box<RequestSpanData>) {
        if data.sampled {
            self.pending.push(*data);
        }
        if self.pending.len() >= MAX_BATCH {
            self.export_spans().await;
        }
    }

    async fn export_spans(&mut self) {
        let Some(url) = self.telemetry.traces.clone().filter(|_| !self.pending.is_empty()) else {
            return;
        };
        let spans = std::mem::take(&mut self.pending);
        let body = span::export_request(&spans, &self.telemetry.resource);
        if !self.post(&url, body).await {
            count_dropped(spans.len());
        }
    }

    /// Posts one export with retries; whether the collector accepted it.
    async fn post(&mut self, url: &Url, body: Vec<u8>) -> bool {
        let body = Bytes::from(body);
        let mut headers: HeaderMap = self.telemetry.headers.clone();
        headers.insert(CONTENT_TYPE, CONTENT_TYPE_PROTOBUF);
        for pause in RETRY_DELAYS {
            sleep(*pause).await;
            let sent = self.upstream.post(url, headers.clone(), body.clone());
            let sent = timeout(self.telemetry.timeout, sent).await;
            let (reason, is_retryable) = match sent {
                Ok(Ok(200..300)) => {
                    if std::mem::take(&mut self.is_failing) {
                        tracing::info!("export to the telemetry collector works again");
                    }
                    return true;
                }
                Ok(Ok(status)) => {
                    (format!("status {status}"), RETRYABLE_STATUSES.contains(&status))
                }
                Ok(Err(error)) => (error.message.to_string(), true),
                Err(_) => ("no response in time".to_owned(), true),
            };
            if !std::mem::replace(&mut self.is_failing, true) {
                tracing::warn!("export to the telemetry collector failed: {reason}");
            }
            if !is_retryable {
                break;
            }
        }
        false
    }
}

/// Spans per export.
const MAX_BATCH: usize = 256;
/// Delay before each try.
const RETRY_DELAYS: &[Duration] = &[Duration::ZERO, Duration::from_secs(1), Duration::from_secs(3)];
const CONTENT_TYPE_PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
/// Statuses after which OTLP allows a retry.
const RETRYABLE_STATUSES: [u16; 4] = [429, 502, 503, 504];
