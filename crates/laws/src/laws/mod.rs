//! The laws, one file each, and what breaks them.

mod sound;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use interlingua::{Dialect, Translated, translate_request};
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::Value;

use crate::targets::Aim;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// Whatever JSON comes, something leaves: no panic, no error, JSON.
    Total,
    /// 1: the judge accepts what leaves.
    Sound,
}

/// A law that does not hold for a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub law: Law,
    /// What it is about: the judge's rule, for example. Together with the law it names the fault.
    pub rule: String,
    pub path: String,
    pub message: String,
}

/// A request to be examined.
#[derive(Clone)]
pub struct Case {
    pub from: &'static dyn Dialect,
    pub body: Value,
    pub bytes: Bytes,
}

/// What left for one target, read once for all laws.
pub(crate) struct Sent<'c> {
    pub(crate) case: &'c Case,
    pub(crate) aim: Aim,
    pub(crate) translated: Translated,
    pub(crate) value: Value,
}

impl Law {
    pub const ALL: &'static [Self] = &[Self::Total, Self::Sound];

    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Sound => "sound",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|law| law.name() == name)
    }
}

impl Case {
    pub fn new(from: &'static dyn Dialect, body: Value) -> Self {
        let bytes = crate::spell::spell(&body);
        Self { from, body, bytes }
    }
}

/// Examines what leaves for one target. Every law of `laws` is tried.
pub fn examine(case: &Case, aim: Aim, laws: &[Law], broken: &mut Vec<Broken>) {
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let mut found = Vec::new();
        match send(case, aim) {
            Ok(sent) => {
                for law in laws {
                    match law {
                        Law::Total => {}
                        Law::Sound => sound::check(&sent, &mut found),
                    }
                }
            }
            Err(fault) => found.push(fault),
        }
        found
    }));
    match tried {
        Ok(found) => broken.extend(found),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            broken.push(Broken::new(Law::Total, "panic", "", said));
        }
    }
}

fn send(case: &Case, aim: Aim) -> Result<Sent<'_>, Broken> {
    let to = aim.provider.to;
    let translated = translate_request(case.bytes.clone(), case.from, to, &aim.target())
        .map_err(|error| Broken::new(Law::Total, "refused", "", error.to_string()))?;
    let value = aim
        .provider
        .judge
        .parse(&translated.body)
        .map_err(|unread| Broken::new(Law::Sound, unread.rule, "", unread.message))?;
    Ok(Sent { case, aim, translated, value })
}

/// What the judge of the target says of a body.
pub(crate) fn judged(body: &Value, aim: Aim) -> Verdict {
    let switches = Switches::default();
    let mut request = Request::new(body, aim.provider.flavor, &switches);
    request.model = aim.model;
    aim.provider.judge.check(&request)
}

impl Broken {
    pub(crate) fn new(
        law: Law,
        rule: impl Into<String>,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { law, rule: rule.into(), path: path.into(), message: message.into() }
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.from.id(), String::from_utf8_lossy(&self.bytes))
    }
}
