//! Loads the requests of the corpus: all cases, and all accepted and rejected bodies of the judges.

use std::path::Path;

use interlingua::{JsonDoc, JsonLimits};
use interlingua_corpus::{Input, files};
use interlingua_wire::JsonNode;
use serde_json::Value;

use crate::laws::SampleRequest;
use crate::rng::Rng;

/// Larger requests test size limits, and are slow for what they show.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// A request of the corpus.
#[derive(Clone, Debug)]
pub struct CorpusRequest {
    /// Path below the corpus folder, with list and index for a case of a judge.
    pub name: String,
    pub request: SampleRequest,
    /// A hash of the name.
    pub name_hash: u64,
}

impl CorpusRequest {
    fn new(name: String, request: SampleRequest) -> Self {
        let name_hash =
            name.bytes().fold(0, |hash, byte| Rng::for_index(hash, byte.into()).next_u64());
        Self { name, request, name_hash }
    }
}

/// All requests below the corpus folder, in the order of their paths.
pub fn load(corpus: &Path) -> Result<Vec<CorpusRequest>, String> {
    let mut seeds = Vec::new();
    let cases =
        files::load_cases(corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    for case_file in cases {
        let Ok(case) = case_file.case else { continue };
        if let Input::Request(bytes) = case.input {
            let name = case_file
                .path
                .strip_prefix(corpus)
                .unwrap_or(&case_file.path)
                .display()
                .to_string();
            seeds.push(CorpusRequest::new(name, SampleRequest::from_bytes(case.from, bytes)));
        }
    }
    for judge in interlingua_strict::ALL {
        load_judge_cases(&corpus.join("strict").join(judge.dialect), judge.dialect, &mut seeds)?;
    }
    seeds.retain(|seed| {
        seed.request.bytes.len() <= MAX_REQUEST_BYTES && seed.request.body.is_object()
    });
    Ok(seeds)
}

/// The request of one case file; the file need not have an expectation yet.
pub fn load_case(file: &Path) -> Result<CorpusRequest, String> {
    let describe = |error: String| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| describe(error.to_string()))?;
    let case = JsonDoc::parse(text.into(), JsonLimits::default())
        .map_err(|error| describe(error.to_string()))?;
    let from = case.root().get("from").map(JsonNode::str_or_empty).unwrap_or_default();
    let from =
        interlingua::find_dialect(&from).ok_or_else(|| describe(format!("no dialect '{from}'")))?;
    let request = case.root().get("request").ok_or_else(|| describe("no `request`".into()))?;
    let case = SampleRequest::from_bytes(from, request.raw().to_owned().into());
    Ok(CorpusRequest::new(file.display().to_string(), case))
}

fn load_judge_cases(
    folder: &Path,
    dialect: &'static str,
    seeds: &mut Vec<CorpusRequest>,
) -> Result<(), String> {
    let Some(from) = interlingua::find_dialect(dialect) else { return Ok(()) };
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = std::fs::read_dir(folder)
        .map_err(describe)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(describe)?;
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(describe)?;
        let Ok(cases) = serde_json::from_str::<Value>(&text) else { continue };
        let rule = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for kind in ["accept", "refuse"] {
            let list = cases[kind].as_array().into_iter().flatten();
            for (at, entry) in list.enumerate() {
                if entry.get("raw").is_some() {
                    continue;
                }
                let body = expand_repeats(entry.get("request").unwrap_or(entry));
                let mut case = SampleRequest::new(from, body);
                let model = entry.get("model").filter(|_| entry.get("request").is_some());
                let model = model.unwrap_or(&cases["model"]).as_str();
                case.model_hint = model.map(str::to_owned);
                seeds
                    .push(CorpusRequest::new(format!("strict/{dialect}/{rule} {kind} {at}"), case));
            }
        }
    }
    Ok(())
}

/// Expands `{"$repeat": [value, count]}` into a long text or a long list.
fn expand_repeats(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let Some(repeat) = object.get("$repeat") else {
                return object
                    .iter()
                    .map(|(key, value)| (key.clone(), expand_repeats(value)))
                    .collect();
            };
            let count = usize::try_from(repeat[1].as_u64().unwrap_or_default()).unwrap_or_default();
            match &repeat[0] {
                // Anything above the limit is dropped later, so it is not expanded in full.
                Value::String(text) => text.repeat(count.min(MAX_REQUEST_BYTES + 1)).into(),
                value => vec![expand_repeats(value); count.min(MAX_REQUEST_BYTES + 1)].into(),
            }
        }
        Value::Array(list) => list.iter().map(expand_repeats).collect(),
        other => other.clone(),
    }
}
