//! Test helpers: records, and futures polled concurrently.

use std::task::Poll;

use bytes::Bytes;
use interlingua_store::{LookupHit, Record, RecordKind, RecordStore};

pub(crate) fn record(kind: RecordKind, owner: &str, keys: &[&str], body: &str) -> Record {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Record { kind, owner: owner.to_owned(), keys, body: Bytes::copy_from_slice(body.as_bytes()) }
}

pub(crate) fn put(store: &dyn RecordStore, owner: &str, keys: &[&str], body: &str) {
    store.put(record(RecordKind::VaultEntry, owner, keys, body));
}

/// The hits, as `key=body`.
pub(crate) async fn find(store: &dyn RecordStore, owner: &str, keys: &[&str]) -> Vec<String> {
    let hits = store.find(RecordKind::VaultEntry, owner, keys).await;
    hits.iter().map(display_hit).collect()
}

fn display_hit(hit: &LookupHit) -> String {
    format!("{}={}", hit.key, String::from_utf8_lossy(&hit.body))
}

pub(crate) async fn bodies(store: &dyn RecordStore, kind: RecordKind) -> Vec<String> {
    let records = store.list_records(kind).await;
    records.iter().map(|record| String::from_utf8_lossy(&record.body).into_owned()).collect()
}

/// Polls all futures concurrently; returns their results.
pub(crate) async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_pending = false;
        for (future, output) in running.iter_mut().filter(|(_, output)| output.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(value) => *output = Some(value),
                Poll::Pending => is_pending = true,
            }
        }
        if is_pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}
