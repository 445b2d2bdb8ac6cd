//! What models are to be told of their calls, as it lies in the store.

use std::sync::Arc;

use interlingua::guard::{Answer, Answers, Search};
use interlingua_store::{Kind, Record, Store};

/// Answers in the store: they survive a restart.
#[derive(Debug)]
pub(crate) struct Answered(pub(crate) Arc<dyn Store>);

impl Answers for Answered {
    fn keep(&self, owner: &str, answer: Answer) {
        let body = answer.to_json().as_str().to_owned().into();
        let (owner, keys) = (owner.to_owned(), answer.keys);
        self.0.keep(Record { kind: Kind::Answer, owner, keys, body });
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty(Kind::Answer)
    }

    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> Search<'a> {
        let search = self.0.find(Kind::Answer, owner, keys);
        Box::pin(async move {
            let found = search.await;
            found.iter().filter_map(|found| Answer::read(&found.body)).collect()
        })
    }
}
