//! The founding documents, each as tests of what it asks for.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod seed_000;
mod seed_001;
mod seed_002;
mod seed_003;
mod seed_004;

use interlingua::{Dialect, Json, Ledger, Target, Text, find, translate_request};

/// Where a request comes from and goes to.
pub(crate) struct Road {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) flavor: Option<&'static str>,
    pub(crate) model: Option<&'static str>,
}

impl Road {
    pub(crate) fn own(dialect: &'static str) -> Self {
        Self { from: dialect, to: dialect, flavor: None, model: None }
    }

    /// What leaves, and everything that was noted.
    pub(crate) fn send(&self, body: &str) -> (String, Ledger) {
        let model = self.model.map(Text::new);
        let target = Target { model, flavor: self.flavor, ..Target::default() };
        let sent = translate_request(
            body.to_owned().into(),
            dialect(self.from),
            dialect(self.to),
            &target,
        )
        .unwrap();
        (String::from_utf8(sent.body.to_vec()).unwrap(), sent.ledger)
    }
}

fn dialect(name: &str) -> &'static dyn Dialect {
    find(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

/// The names of what was changed.
pub(crate) fn rules(ledger: &Ledger) -> Vec<&'static str> {
    ledger.entries.iter().map(|entry| entry.rule).collect()
}

/// A field of the body that leaves, as it is spelled.
pub(crate) fn field(body: &str, name: &str) -> String {
    let body = Json::parse(body.to_owned()).unwrap().doc();
    body.root().get(name).map_or_else(String::new, |value| value.raw().to_owned())
}
