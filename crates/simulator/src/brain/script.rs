//! Scripts: what the model says in which turn, from a TOML or JSON file.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;
use crate::hear::Heard;
use crate::turn::{Block, Call, Stop, Turn, Usage};

/// A script. The first row that matches a request says what the model answers; where none does,
/// the model is the agent.
#[derive(Debug)]
pub struct Script {
    rows: Vec<Row>,
}

/// A turn of a script, and the requests it answers.
#[derive(Debug)]
struct Row {
    when: When,
    /// `None` leaves the words to the agent.
    turn: Option<Turn>,
    usage: UsageRow,
    faults: Vec<Fault>,
    /// How often it may still be played.
    left: Option<AtomicU32>,
}

/// What a script says to a request.
#[derive(Debug)]
pub struct Line {
    pub turn: Option<Turn>,
    pub faults: Vec<Fault>,
}

/// A script as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Applies to every row.
    #[serde(default)]
    fault: Option<String>,
    #[serde(default)]
    turn: Vec<TurnRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnRow {
    #[serde(default)]
    when: When,
    blocks: Option<Vec<BlockRow>>,
    stop: Option<StopRow>,
    #[serde(default)]
    usage: UsageRow,
    fault: Option<String>,
    times: Option<u32>,
}

/// All that is given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    /// Which turn of the model it is, from 1.
    turn: Option<usize>,
    /// The model's turn since the last words of the user, from 1.
    step: Option<usize>,
    /// A part of the user's last words.
    prompt: Option<String>,
    /// A part of a result that is answered.
    result: Option<String>,
    /// A part of the model's name.
    model: Option<String>,
    /// A tool that is declared.
    tool: Option<String>,
    /// The API that is spoken, such as `anthropic`.
    dialect: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockRow {
    text: Option<String>,
    thinking: Option<String>,
    redacted: Option<String>,
    /// The name of a tool.
    call: Option<String>,
    /// Arguments as a value.
    arguments: Option<Value>,
    /// Arguments as exactly this text, valid or not.
    raw: Option<String>,
    id: Option<String>,
    namespace: Option<String>,
    #[serde(default)]
    custom: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StopRow {
    End,
    Calls,
    Length,
    Refusal,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageRow {
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Script {
    /// Reads a script: JSON if it begins with a brace, TOML otherwise.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: File = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| error.to_string())?
        } else {
            toml::from_str(text).map_err(|error| error.to_string())?
        };
        let all = file.fault.as_deref().map(Fault::list).transpose()?.unwrap_or_default();
        let row = |(at, row): (usize, TurnRow)| {
            Row::new(row, &all).map_err(|error| format!("turn {}: {error}", at + 1))
        };
        let rows = file.turn.into_iter().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(Self { rows })
    }

    /// What is said to this request; `None` if the script says nothing.
    pub fn line(&self, dialect: &str, model: &str, heard: &Heard) -> Option<Line> {
        let row = self.rows.iter().find(|row| row.takes(dialect, model, heard))?;
        let turn = row.turn.clone().map(|mut turn| {
            turn.usage = row.usage.over(Usage {
                input: heard.usage.input,
                cached: heard.usage.cached,
                ..turn.usage
            });
            turn
        });
        Some(Line { turn, faults: row.faults.clone() })
    }
}

impl Row {
    fn new(row: TurnRow, all: &[Fault]) -> Result<Self, String> {
        let turn = row.blocks.map(|blocks| {
            let blocks = blocks.into_iter().enumerate();
            let block = |(at, block): (usize, BlockRow)| {
                block.read().map_err(|error| format!("block {}: {error}", at + 1))
            };
            let mut turn = Turn::new(blocks.map(block).collect::<Result<_, String>>()?);
            if let Some(stop) = row.stop {
                turn.stop = stop.into();
            }
            Ok::<_, String>(turn)
        });
        let mut faults = all.to_vec();
        if let Some(text) = &row.fault {
            faults.extend(Fault::list(text)?);
        }
        Ok(Self {
            when: row.when,
            turn: turn.transpose()?,
            usage: row.usage,
            faults,
            left: row.times.map(AtomicU32::new),
        })
    }

    /// Whether it answers this request; one play is used up if it does.
    fn takes(&self, dialect: &str, model: &str, heard: &Heard) -> bool {
        self.when.holds(dialect, model, heard)
            && self.left.as_ref().is_none_or(|left| {
                let less = |left: u32| left.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
            })
    }
}

impl When {
    fn holds(&self, dialect: &str, model: &str, heard: &Heard) -> bool {
        let all = |wanted: &Option<String>, holds: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(holds)
        };
        self.turn.is_none_or(|turn| turn == heard.turn)
            && self.step.is_none_or(|step| step == heard.steps + 1)
            && all(&self.prompt, &|part| heard.around.contains(part))
            && all(&self.result, &|part| heard.results.iter().any(|r| r.text.contains(part)))
            && all(&self.model, &|part| model.contains(part))
            && all(&self.tool, &|name| heard.tools.iter().any(|tool| tool.name == name))
            && all(&self.dialect, &|wanted| dialect == wanted)
    }
}

impl BlockRow {
    fn read(self) -> Result<Block, String> {
        let Self { text, thinking, redacted, call, arguments, raw, id, namespace, custom } = self;
        let of_call = arguments.is_some() || raw.is_some() || id.is_some() || custom;
        if call.is_none() && (of_call || namespace.is_some()) {
            return Err("arguments, raw, id, namespace and custom belong to a `call`".to_owned());
        }
        if arguments.is_some() && raw.is_some() {
            return Err("give `arguments` or `raw`, not both".to_owned());
        }
        match (text, thinking, redacted, call) {
            (Some(text), None, None, None) => Ok(Block::Text(text)),
            (None, Some(text), None, None) => Ok(Block::Thinking(text)),
            (None, None, Some(text), None) => Ok(Block::Redacted(text)),
            (None, None, None, Some(name)) => {
                let spelled = arguments.map(|arguments| arguments.to_string());
                let arguments = raw.or(spelled).unwrap_or_else(|| "{}".to_owned());
                Ok(Block::Call(Call { name, namespace, arguments, custom, id }))
            }
            _ => Err("a block is one of `text`, `thinking`, `redacted`, `call`".to_owned()),
        }
    }
}

impl UsageRow {
    fn over(self, counted: Usage) -> Usage {
        Usage {
            input: self.input.unwrap_or(counted.input),
            cached: self.cached.unwrap_or(counted.cached),
            output: self.output.unwrap_or(counted.output),
            thinking: self.thinking.unwrap_or(counted.thinking),
        }
    }
}

impl From<StopRow> for Stop {
    fn from(row: StopRow) -> Self {
        match row {
            StopRow::End => Self::End,
            StopRow::Calls => Self::Calls,
            StopRow::Length => Self::Length,
            StopRow::Refusal => Self::Refusal,
        }
    }
}
