//! The laws, one file each, and what breaks them.

mod deterministic;
mod difference;
mod idempotent;
mod kept;
mod minimal;
mod prefix;
mod seals;
mod sound;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use bytes::Bytes;
use interlingua::{Dialect, Translated, translate_request};
use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::Value;

use crate::marks;
use crate::targets::Aim;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// Whatever JSON object comes, a body leaves: no error, no panic.
    Total,
    /// 1: the judge accepts what leaves.
    Sound,
    /// 2: what the provider accepts as it is leaves as it is.
    Minimal,
    /// 3: what left, sent again, leaves as it is.
    Idempotent,
    /// 4: a longer history begins as the shorter one did.
    Prefix,
    /// 5: what does not leave is noted.
    Kept,
    /// 6: seals go back whole to who made them.
    Seals,
    /// 8: the same again comes out the same.
    Deterministic,
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
    /// The model it was made for, where the body does not say it.
    pub asked: Option<String>,
    /// Who made its seals, if they are genuine.
    pub maker: Option<Maker>,
    facts: Facts,
}

/// Whose seals a conversation has.
#[derive(Clone, Debug)]
pub struct Maker {
    pub flavor: &'static str,
    pub model: String,
}

/// What several targets need to know of a request, found out once.
#[derive(Clone, Default)]
struct Facts {
    /// The body as a provider reads it; `None` if it does not.
    read: OnceLock<Option<Value>>,
    marked: OnceLock<Vec<kept::Marked>>,
    shorter: OnceLock<Option<Bytes>>,
    genuine: OnceLock<bool>,
}

/// What left for one target, read once for all laws.
struct Sent<'c> {
    case: &'c Case,
    aim: &'c Aim,
    translated: Translated,
    value: Value,
    /// The numbers of the marks that leave, in order.
    marks: OnceLock<Vec<usize>>,
}

type Check = fn(&Sent<'_>, &mut Vec<Broken>);

impl Law {
    pub const ALL: &'static [Self] = &[
        Self::Total,
        Self::Sound,
        Self::Minimal,
        Self::Idempotent,
        Self::Prefix,
        Self::Kept,
        Self::Seals,
        Self::Deterministic,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Sound => "sound",
            Self::Minimal => "minimal",
            Self::Idempotent => "idempotent",
            Self::Prefix => "prefix",
            Self::Kept => "kept",
            Self::Seals => "seals",
            Self::Deterministic => "deterministic",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|law| law.name() == name)
    }

    fn check(self) -> Check {
        match self {
            // Sending shows it.
            Self::Total => |_, _| {},
            Self::Sound => sound::check,
            Self::Minimal => minimal::check,
            Self::Idempotent => idempotent::check,
            Self::Prefix => prefix::check,
            Self::Kept => kept::check,
            Self::Seals => seals::check,
            Self::Deterministic => deterministic::check,
        }
    }
}

impl Case {
    pub fn new(from: &'static dyn Dialect, body: Value) -> Self {
        let bytes = crate::spell::spell(&body);
        Self { from, body, bytes, asked: None, maker: None, facts: Facts::default() }
    }

    /// A request as it stands in a file. One that a parsed value cannot hold is not made smaller.
    pub fn written(from: &'static dyn Dialect, bytes: Bytes) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { bytes, ..Self::new(from, body) }
    }

    /// The body as a provider would read it.
    fn read(&self) -> Option<&Value> {
        self.facts.read.get_or_init(|| serde_json::from_slice(&self.bytes).ok()).as_ref()
    }

    /// The model that the client asks for, as far as it is known.
    pub fn model(&self) -> Option<&str> {
        self.named().or(self.asked.as_deref())
    }

    /// The model that the body names.
    fn named(&self) -> Option<&str> {
        self.body.get("model").or_else(|| self.body.get("modelId")).and_then(Value::as_str)
    }

    /// The same request with another body.
    #[must_use]
    pub fn with(&self, body: Value) -> Self {
        Self { asked: self.asked.clone(), maker: self.maker.clone(), ..Self::new(self.from, body) }
    }
}

/// Examines what leaves for one target. Every law of `laws` is tried.
pub fn examine(case: &Case, aim: &Aim, laws: &[Law], broken: &mut Vec<Broken>) {
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let mut found = Vec::new();
        match send(case, aim) {
            Ok(sent) => laws.iter().for_each(|law| law.check()(&sent, &mut found)),
            Err(fault) if laws.contains(&fault.law) => found.push(fault),
            Err(_) => {}
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

fn send<'c>(case: &'c Case, aim: &'c Aim) -> Result<Sent<'c>, Broken> {
    let translated = translate(&case.bytes, case.from, aim)
        .map_err(|error| Broken::new(Law::Total, "refused", "", error))?;
    let value = (aim.provider.judge.parse(&translated.body))
        .map_err(|unread| Broken::new(Law::Sound, unread.rule, "", unread.message))?;
    Ok(Sent { case, aim, translated, value, marks: OnceLock::new() })
}

impl Sent<'_> {
    /// Whether the mark with this number leaves.
    fn has(&self, number: usize) -> bool {
        let marks = self.marks.get_or_init(|| {
            let body = &self.translated.body;
            let mut marks: Vec<usize> = marks::numbers(body).collect();
            marks.extend(marks::hidden(body));
            marks.sort_unstable();
            marks
        });
        marks.binary_search(&number).is_ok()
    }
}

/// What leaves of a body for one target.
pub(crate) fn translate(body: &Bytes, from: &dyn Dialect, aim: &Aim) -> Result<Translated, String> {
    translate_request(body.clone(), from, aim.provider.to, &aim.target())
        .map_err(|error| error.to_string())
}

/// What the judge of the target says of a body; seals are not verified.
fn judged(body: &Value, aim: &Aim) -> Verdict {
    judged_with(body, aim, None)
}

fn judged_with(body: &Value, aim: &Aim, key: Option<&Key>) -> Verdict {
    let switches = Switches::default();
    let mut request = Request::new(body, aim.provider.flavor, &switches);
    request.model = &aim.model;
    request.key = key;
    aim.provider.judge.check(&request)
}

impl Broken {
    fn new(
        law: Law,
        rule: impl Into<String>,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { law, rule: rule.into(), path: path.into(), message: message.into() }
    }

    /// The rule and what was noted under its name, without what the conversation itself says; the
    /// place, where nothing was noted.
    pub fn kind(&self) -> String {
        // What is lost is told with all that was noted.
        let told =
            Some(&self.message).filter(|_| matches!(self.law, Law::Minimal | Law::Idempotent));
        let Some((_, noted)) = told.and_then(|message| message.split_once("; ")) else {
            let place = self.path.split('.').map(|step| match step.parse::<usize>() {
                Ok(_) => "*",
                Err(_) => step,
            });
            return format!("{} at {}", self.rule, place.collect::<Vec<_>>().join("."));
        };
        let words = noted.split('`').step_by(2).collect::<Vec<_>>().join("…");
        format!("{}: {words}", self.rule)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.from.id(), String::from_utf8_lossy(&self.bytes))
    }
}
