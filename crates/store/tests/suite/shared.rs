//! What tests need of a store.

use std::task::Poll;

use bytes::Bytes;
use interlingua_store::{Found, Kind, Record, Store};

pub(crate) fn record(kind: Kind, owner: &str, keys: &[&str], body: &str) -> Record {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Record { kind, owner: owner.to_owned(), keys, body: Bytes::copy_from_slice(body.as_bytes()) }
}

pub(crate) fn keep(store: &dyn Store, owner: &str, keys: &[&str], body: &str) {
    store.keep(record(Kind::Sealed, owner, keys, body));
}

/// Key and body of everything that is found.
pub(crate) async fn find(store: &dyn Store, owner: &str, keys: &[&str]) -> Vec<String> {
    let found = store.find(Kind::Sealed, owner, keys).await;
    found.iter().map(shown).collect()
}

fn shown(found: &Found) -> String {
    format!("{}={}", found.key, String::from_utf8_lossy(&found.body))
}

pub(crate) async fn bodies(store: &dyn Store, kind: Kind) -> Vec<String> {
    let all = store.all(kind).await;
    all.iter().map(|record| String::from_utf8_lossy(&record.body).into_owned()).collect()
}

/// All of them at once, and what came of each.
pub(crate) async fn together<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut open = false;
        for (future, done) in running.iter_mut().filter(|(_, done)| done.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(value) => *done = Some(value),
                Poll::Pending => open = true,
            }
        }
        if open { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, done)| done).collect()
}
