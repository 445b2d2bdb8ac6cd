//! What goes wrong on purpose: by a script, by a header, or for every request.

use std::fmt;

use interlingua_strict::ALL;

/// One thing that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: Kind,
    pub value: Option<String>,
    /// Only the first so many requests are hit.
    pub times: Option<u32>,
}

/// Each is a row of [`FAULTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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

/// A fault as it is written and documented.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub kind: Kind,
    /// What the value is; empty if there is none.
    pub value: &'static str,
    pub about: &'static str,
}

impl Fault {
    /// Reads `NAME[=VALUE][@TIMES]`.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (text, times) = match text.rsplit_once('@') {
            Some((text, times)) => {
                let times =
                    times.parse().map_err(|_| format!("`{times}` is no number of times"))?;
                (text, Some(times))
            }
            None => (text, None),
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
            None => (text, None),
        };
        let row = FAULTS.iter().find(|row| row.name == name).ok_or_else(|| {
            let known: Vec<&str> = FAULTS.iter().map(|row| row.name).collect();
            format!("there is no fault `{name}`; there are {}", known.join(", "))
        })?;
        let fault = Self { kind: row.kind, value, times };
        match (&fault.value, row.value) {
            (Some(_), "") => Err(format!("`{name}` takes no value")),
            (None, "rule") => Err(format!("`{name}` needs a value: the name of a rule")),
            (Some(rule), "rule") if ALL.iter().all(|judge| judge.rule(rule).is_none()) => {
                Err(format!("no provider has a rule `{rule}`; docs/STRICT.md lists them"))
            }
            (Some(value), wanted) if wanted != "rule" && value.parse::<u64>().is_err() => {
                Err(format!("`{name}={value}`: the value is a number ({wanted})"))
            }
            _ => Ok(fault),
        }
    }

    /// Reads several, separated by commas.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        text.split(',').filter(|part| !part.trim().is_empty()).map(Self::read).collect()
    }

    pub fn row(&self) -> Option<&'static Row> {
        FAULTS.iter().find(|row| row.kind == self.kind)
    }

    /// The value as a number.
    pub fn number(&self, otherwise: u64) -> u64 {
        self.value.as_deref().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().map_or("", |row| row.name))?;
        if let Some(value) = &self.value {
            write!(f, "={value}")?;
        }
        match self.times {
            Some(times) => write!(f, "@{times}"),
            None => Ok(()),
        }
    }
}

/// Every fault. The documents and the help text are this list.
pub const FAULTS: &[Row] = &[
    Row {
        name: "rule",
        kind: Kind::Rule,
        value: "rule",
        about: "refused as by this rule of the judge",
    },
    Row { name: "401", kind: Kind::Unauthorized, value: "", about: "the key is wrong" },
    Row {
        name: "429",
        kind: Kind::RateLimit,
        value: "seconds",
        about: "too many requests; `retry-after` is the value, default 1",
    },
    Row { name: "500", kind: Kind::ServerError, value: "", about: "an internal error" },
    Row {
        name: "529",
        kind: Kind::Overloaded,
        value: "",
        about: "overloaded (503 where the provider has no 529)",
    },
    Row {
        name: "html",
        kind: Kind::Html,
        value: "status",
        about: "an HTML error page, default status 502",
    },
    Row {
        name: "error-in-200",
        kind: Kind::ErrorIn200,
        value: "",
        about: "status 200, then the provider's error in the stream or body",
    },
    Row {
        name: "reset",
        kind: Kind::Reset,
        value: "",
        about: "the connection is reset before the headers",
    },
    Row {
        name: "silent",
        kind: Kind::Silent,
        value: "seconds",
        about: "nothing comes for so long, not even headers; default 3600",
    },
    Row {
        name: "reset-midstream",
        kind: Kind::ResetMidstream,
        value: "events",
        about: "the connection is reset after so many events, default half",
    },
    Row {
        name: "cut",
        kind: Kind::Cut,
        value: "events",
        about: "the connection is closed after so many events, default half",
    },
    Row {
        name: "cut-character",
        kind: Kind::CutCharacter,
        value: "",
        about: "the connection is closed within a character",
    },
    Row {
        name: "stall",
        kind: Kind::Stall,
        value: "seconds",
        about: "half of it comes, the rest so much later; default 3600",
    },
    Row {
        name: "no-finish",
        kind: Kind::NoFinish,
        value: "",
        about: "the event that says why the model stopped is missing",
    },
    Row {
        name: "no-end",
        kind: Kind::NoEnd,
        value: "",
        about: "the last event is missing; the body ends in order",
    },
    Row {
        name: "garbage",
        kind: Kind::Garbage,
        value: "",
        about: "one event is no JSON (or no frame)",
    },
    Row { name: "duplicate", kind: Kind::Duplicate, value: "", about: "every event comes twice" },
    Row {
        name: "shuffle",
        kind: Kind::Shuffle,
        value: "",
        about: "neighbouring events change places",
    },
    Row { name: "trailing", kind: Kind::Trailing, value: "", about: "events go on after the end" },
    Row {
        name: "gzip",
        kind: Kind::Gzip,
        value: "",
        about: "the body is compressed, asked or not",
    },
    Row {
        name: "pieces",
        kind: Kind::Pieces,
        value: "characters",
        about: "so many characters are one delta, default 1",
    },
    Row {
        name: "bytes",
        kind: Kind::Bytes,
        value: "bytes",
        about: "so many bytes are written at a time, default 1",
    },
    Row {
        name: "pause",
        kind: Kind::Pause,
        value: "milliseconds",
        about: "the time between writes, default 10",
    },
    Row {
        name: "drip",
        kind: Kind::Drip,
        value: "milliseconds",
        about: "one byte at a time, so far apart, default 10",
    },
];
