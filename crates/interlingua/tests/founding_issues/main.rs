//! Tests of the founding issues, one file for each.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod content_types;
mod empty_content;
mod empty_tool_args;
mod text_between_reasoning;
mod tool_results_to_chat;

use interlingua::{Dialect, JsonString, Ledger, RawJson, Target, find_dialect, translate_request};

/// Source and target of a translation.
pub(crate) struct Translation {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) flavor: Option<&'static str>,
    pub(crate) model: Option<&'static str>,
}

impl Translation {
    pub(crate) fn within(dialect: &'static str) -> Self {
        Self { from: dialect, to: dialect, flavor: None, model: None }
    }

    /// Returns the translated request and its ledger.
    pub(crate) fn send(&self, body: &str) -> (String, Ledger) {
        let model = self.model.map(JsonString::new);
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
    find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

/// The names of the rules in the ledger.
pub(crate) fn rules(ledger: &Ledger) -> Vec<&'static str> {
    ledger.entries.iter().map(|entry| entry.rule).collect()
}

/// A field of the translated body, as it is spelled.
pub(crate) fn field(body: &str, name: &str) -> String {
    let body = RawJson::parse(body.to_owned()).unwrap().to_doc();
    body.root().get(name).map_or_else(String::new, |value| value.raw().to_owned())
}
