//! Faults that are injected by a script, by a header or for every request.

use std::fmt;

use interlingua_strict::ALL;

/// One injected fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub value: Option<String>,
    /// The fault applies only to this many requests, the first ones.
    pub max_hits: Option<u32>,
}

/// The kinds of faults; [`FAULTS`] describes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Rule,
    Unauthorized,
    RateLimit,
    ServerError,
    Overloaded,
    Html,
    ErrorIn200,
    Reset,
    Silent,
    ResetMidstream,
    Cut,
    CutCharacter,
    Stall,
    NoFinish,
    NoEnd,
    Garbage,
    Duplicate,
    Shuffle,
    Trailing,
    Gzip,
    Pieces,
    Bytes,
    Pause,
    Drip,
}

/// Name, value and description of a kind of fault.
#[derive(Debug)]
pub struct FaultSpec {
    pub name: &'static str,
    pub kind: FaultKind,
    /// The unit or type of the value; empty if the fault takes none.
    pub value_name: &'static str,
    pub description: &'static str,
}

impl Fault {
    /// Reads `NAME[=VALUE][@TIMES]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (text, max_hits) = match text.rsplit_once('@') {
            Some((text, count)) => {
                let count =
                    count.parse().map_err(|_| format!("`{count}` is no number of times"))?;
                (text, Some(count))
            }
            None => (text, None),
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
            None => (text, None),
        };
        let spec = FAULTS.iter().find(|spec| spec.name == name).ok_or_else(|| {
            let known: Vec<&str> = FAULTS.iter().map(|spec| spec.name).collect();
            format!("there is no fault `{name}`; there are {}", known.join(", "))
        })?;
        let fault = Self { kind: spec.kind, value, max_hits };
        match (&fault.value, spec.value_name) {
            (Some(_), "") => Err(format!("`{name}` takes no value")),
            (None, "rule") => Err(format!("`{name}` needs a value: the name of a rule")),
            (Some(rule), "rule") if ALL.iter().all(|judge| judge.rule(rule).is_none()) => {
                Err(format!("no provider has a rule `{rule}`; docs/STRICT.md lists them"))
            }
            (Some(value), value_name) if value_name != "rule" && value.parse::<u64>().is_err() => {
                Err(format!("`{name}={value}`: the value is a number ({value_name})"))
            }
            _ => Ok(fault),
        }
    }

    /// Reads several faults, separated by commas.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        text.split(',').filter(|part| !part.trim().is_empty()).map(Self::parse).collect()
    }

    pub fn spec(&self) -> Option<&'static FaultSpec> {
        FAULTS.iter().find(|spec| spec.kind == self.kind)
    }

    /// The value as a number; `default` without a value.
    pub fn value_or(&self, default: u64) -> u64 {
        self.value.as_deref().and_then(|value| value.parse().ok()).unwrap_or(default)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec().map_or("", |spec| spec.name))?;
        if let Some(value) = &self.value {
            write!(f, "={value}")?;
        }
        match self.max_hits {
            Some(max_hits) => write!(f, "@{max_hits}"),
            None => Ok(()),
        }
    }
}

/// Every fault. The documentation and the help text are generated from this list.
pub const FAULTS: &[FaultSpec] = &[
    FaultSpec {
        name: "rule",
        kind: FaultKind::Rule,
        value_name: "rule",
        description: "rejected by this rule of the judge",
    },
    FaultSpec {
        name: "401",
        kind: FaultKind::Unauthorized,
        value_name: "",
        description: "the key is wrong",
    },
    FaultSpec {
        name: "429",
        kind: FaultKind::RateLimit,
        value_name: "seconds",
        description: "too many requests; `retry-after` is the value, default 1",
    },
    FaultSpec {
        name: "500",
        kind: FaultKind::ServerError,
        value_name: "",
        description: "an internal error",
    },
    FaultSpec {
        name: "529",
        kind: FaultKind::Overloaded,
        value_name: "",
        description: "overloaded (503 where the provider has no 529)",
    },
    FaultSpec {
        name: "html",
        kind: FaultKind::Html,
        value_name: "status",
        description: "an HTML error page, default status 502",
    },
    FaultSpec {
        name: "error-in-200",
        kind: FaultKind::ErrorIn200,
        value_name: "",
        description: "status 200, then the provider's error in the stream or body",
    },
    FaultSpec {
        name: "reset",
        kind: FaultKind::Reset,
        value_name: "",
        description: "the connection is reset before the headers",
    },
    FaultSpec {
        name: "silent",
        kind: FaultKind::Silent,
        value_name: "seconds",
        description: "no bytes are sent for this time, not even headers; default 3600",
    },
    FaultSpec {
        name: "reset-midstream",
        kind: FaultKind::ResetMidstream,
        value_name: "events",
        description: "the connection is reset after this many events, default half",
    },
    FaultSpec {
        name: "cut",
        kind: FaultKind::Cut,
        value_name: "events",
        description: "the connection is closed after this many events, default half",
    },
    FaultSpec {
        name: "cut-character",
        kind: FaultKind::CutCharacter,
        value_name: "",
        description: "the connection is closed within a character",
    },
    FaultSpec {
        name: "stall",
        kind: FaultKind::Stall,
        value_name: "seconds",
        description: "the second half is sent this much later; default 3600",
    },
    FaultSpec {
        name: "no-finish",
        kind: FaultKind::NoFinish,
        value_name: "",
        description: "the event with the stop reason is missing",
    },
    FaultSpec {
        name: "no-end",
        kind: FaultKind::NoEnd,
        value_name: "",
        description: "the last event is missing; the body ends in order",
    },
    FaultSpec {
        name: "garbage",
        kind: FaultKind::Garbage,
        value_name: "",
        description: "one event is not JSON (or not a frame)",
    },
    FaultSpec {
        name: "duplicate",
        kind: FaultKind::Duplicate,
        value_name: "",
        description: "every event is sent twice",
    },
    FaultSpec {
        name: "shuffle",
        kind: FaultKind::Shuffle,
        value_name: "",
        description: "neighbouring events are swapped",
    },
    FaultSpec {
        name: "trailing",
        kind: FaultKind::Trailing,
        value_name: "",
        description: "an event follows the end",
    },
    FaultSpec {
        name: "gzip",
        kind: FaultKind::Gzip,
        value_name: "",
        description: "the body is compressed, whether or not the client accepts it",
    },
    FaultSpec {
        name: "pieces",
        kind: FaultKind::Pieces,
        value_name: "characters",
        description: "characters per delta, default 1",
    },
    FaultSpec {
        name: "bytes",
        kind: FaultKind::Bytes,
        value_name: "bytes",
        description: "bytes per write, default 1",
    },
    FaultSpec {
        name: "pause",
        kind: FaultKind::Pause,
        value_name: "milliseconds",
        description: "the time between writes, default 10",
    },
    FaultSpec {
        name: "drip",
        kind: FaultKind::Drip,
        value_name: "milliseconds",
        description: "one byte per write, with this pause, default 10",
    },
];
