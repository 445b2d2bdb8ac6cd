//! The requests of the corpus: every case, and every body that the judge's cases accept or refuse.

use std::path::Path;

use interlingua::wire::Node;
use interlingua::{Doc, Limits};
use interlingua_corpus::Input;
use interlingua_corpus::walk;
use serde_json::Value;

use crate::laws::Case;
use crate::rng::Rng;

/// Larger ones are about limits of size, and cost more than they show.
const LARGEST: usize = 64 * 1024;

/// A request of the corpus, and where it stands.
#[derive(Clone, Debug)]
pub struct Seed {
    pub name: String,
    pub case: Case,
    /// Its name as a number.
    pub mark: u64,
}

impl Seed {
    fn new(name: String, case: Case) -> Self {
        let mark = name.bytes().fold(0, |mark, byte| Rng::of(mark, byte.into()).draw());
        Self { name, case, mark }
    }
}

/// All requests below the corpus folder, in the order of their paths.
pub fn load(corpus: &Path) -> Result<Vec<Seed>, String> {
    let mut seeds = Vec::new();
    let cases = walk::cases(corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    for filed in cases {
        let Ok(case) = filed.case else { continue };
        if let Input::Request(bytes) = case.input {
            let name = filed.path.strip_prefix(corpus).unwrap_or(&filed.path).display().to_string();
            seeds.push(Seed::new(name, Case::written(case.from, bytes)));
        }
    }
    for judge in interlingua_strict::ALL {
        judged(&corpus.join("strict").join(judge.dialect), judge.dialect, &mut seeds)?;
    }
    seeds.retain(|seed| seed.case.bytes.len() <= LARGEST && seed.case.body.is_object());
    Ok(seeds)
}

/// The request of one case file, which may lack its expectation yet.
pub fn read(file: &Path) -> Result<Seed, String> {
    let failed = |what: String| format!("{}: {what}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let case =
        Doc::parse(text.into(), Limits::default()).map_err(|error| failed(error.to_string()))?;
    let from = case.root().get("from").map(Node::word).unwrap_or_default();
    let from = interlingua::find(&from).ok_or_else(|| failed(format!("no dialect '{from}'")))?;
    let request = case.root().get("request").ok_or_else(|| failed("no `request`".into()))?;
    let case = Case::written(from, request.raw().to_owned().into());
    Ok(Seed::new(file.display().to_string(), case))
}

fn judged(folder: &Path, dialect: &'static str, seeds: &mut Vec<Seed>) -> Result<(), String> {
    let Some(from) = interlingua::find(dialect) else { return Ok(()) };
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = std::fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(failed)?;
        let Ok(cases) = serde_json::from_str::<Value>(&text) else { continue };
        let rule = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for kind in ["accept", "refuse"] {
            let list = cases[kind].as_array().into_iter().flatten();
            for (at, entry) in list.enumerate() {
                if entry.get("raw").is_some() {
                    continue;
                }
                let body = written_out(entry.get("request").unwrap_or(entry));
                let mut case = Case::new(from, body);
                let said = entry.get("model").filter(|_| entry.get("request").is_some());
                let model = said.unwrap_or(&cases["model"]).as_str();
                case.asked = model.map(str::to_owned);
                seeds.push(Seed::new(format!("strict/{dialect}/{rule} {kind} {at}"), case));
            }
        }
    }
    Ok(())
}

/// The value with `{"$repeat": [what, times]}` written out: a long text, or a list of many.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let Some(repeat) = object.get("$repeat") else {
                return object
                    .iter()
                    .map(|(key, value)| (key.clone(), written_out(value)))
                    .collect();
            };
            let times = usize::try_from(repeat[1].as_u64().unwrap_or_default()).unwrap_or_default();
            match &repeat[0] {
                // What would be too large in the end need not be made.
                Value::String(text) => text.repeat(times.min(LARGEST + 1)).into(),
                what => vec![written_out(what); times.min(LARGEST + 1)].into(),
            }
        }
        Value::Array(list) => list.iter().map(written_out).collect(),
        other => other.clone(),
    }
}
