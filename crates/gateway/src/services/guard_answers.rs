//! Stores guard answers, so that they survive a restart.

use std::sync::Arc;

use interlingua_guard::{AnswerRecord, AnswerStore, AnswersFuture};
use interlingua_store::{Record, RecordKind, RecordStore};

#[derive(Debug)]
pub(crate) struct GuardAnswerStore(pub(crate) Arc<dyn RecordStore>);

impl AnswerStore for GuardAnswerStore {
    fn insert(&self, owner: &str, answer_record: AnswerRecord) {
        let body = answer_record.to_json().as_str().to_owned().into();
        let (owner, keys) = (owner.to_owned(), answer_record.keys);
        self.0.put(Record { kind: RecordKind::GuardAnswer, owner, keys, body });
    }

    fn is_empty(&self) -> bool {
        self.0.is_known_empty(RecordKind::GuardAnswer)
    }

    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> AnswersFuture<'a> {
        let lookup = self.0.find(RecordKind::GuardAnswer, owner, keys);
        Box::pin(async move {
            let hits = lookup.await;
            hits.iter().filter_map(|hit| AnswerRecord::from_json(&hit.body)).collect()
        })
    }
}
