//! Every rule has cases, and every case is judged as it says.
//!
//! A file `corpus/strict/<dialect>/<rule>.json` holds requests that the whole judge accepts and
//! requests for which this rule is the first violation, with exactly these words at this path. What
//! stands beside the request (model, version, flavor …) may stand in the file, for all its cases,
//! or in a case. Described in the corpus folder's `README.md`.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_strict::anthropic::thread_fingerprint;
use interlingua_strict::seal::Key;
use interlingua_strict::{
    ALL, Carried, Decoded, Judge, Kept, Known, Next, Request, Switches, Verdict, find,
};
use serde_json::Value;

#[test]
fn cases_are_judged_as_they_say() {
    let mut faults = Vec::new();
    for file in files() {
        let path = file.strip_prefix(corpus()).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        match serde_json::from_str::<Value>(&text) {
            Ok(case) => run(&file, &case, &mut |what| faults.push(format!("{path}: {what}"))),
            Err(error) => faults.push(format!("{path}: {error}")),
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_rule_has_cases() {
    let filed: BTreeSet<_> = files().into_iter().collect();
    let lacking: Vec<_> = ALL
        .iter()
        .filter(|judge| !judge.rules.is_empty())
        .flat_map(|judge| names(judge).map(|name| (judge.dialect, name)))
        .filter(|(dialect, name)| !filed.contains(&place(dialect, name)))
        .collect();
    assert!(lacking.is_empty(), "no cases for {lacking:#?}");
}

fn run(file: &Path, case: &Value, fault: &mut dyn FnMut(String)) {
    let (dialect, name) = (text(case, "judge"), text(case, "rule"));
    let Some(judge) = find(dialect) else { return fault(format!("no judge '{dialect}'")) };
    if !names(judge).any(|rule| rule == name) {
        fault(format!("no rule '{name}'"));
    }
    if file != place(dialect, name) {
        fault("does not stand where its judge and rule say".into());
    }
    let accept = case["accept"].as_array().map_or(&[][..], Vec::as_slice);
    let refuse = case["refuse"].as_array().map_or(&[][..], Vec::as_slice);
    if accept.is_empty() || refuse.is_empty() {
        fault("has no accepted or no refused request".into());
    }
    for (at, entry) in accept.iter().enumerate() {
        if let Some(first) = judged(judge, case, entry).violations.first() {
            let (rule, path, message) = (first.rule, &first.path, &first.message);
            fault(format!("accept {at}: refused by {rule} at '{path}': {message}"));
        }
    }
    for (at, entry) in refuse.iter().enumerate() {
        refused(judge, name, case, entry, &mut |what| fault(format!("refuse {at}: {what}")));
    }
}

fn refused(judge: &'static Judge, name: &str, case: &Value, entry: &Value, fault: Report<'_>) {
    let verdict = judged(judge, case, entry);
    let Some(first) = verdict.violations.first() else { return fault("accepted".into()) };
    let said = (first.rule, first.path.as_str(), first.message.as_str(), first.status);
    let status = entry["status"].as_u64().unwrap_or(400);
    let wanted = (name, text(entry, "path"), text(entry, "message"), status as u16);
    if said != wanted {
        fault(format!("\n  said   {said:?}\n  wanted {wanted:?}"));
    }
    let flavor = said_in(entry, case, "flavor").as_str().unwrap_or(judge.flavors[0]);
    let envelope = (judge.envelope)(first, flavor);
    if !envelope.to_string().contains(Value::from(said.2).to_string().trim_matches('"')) {
        fault(format!("the envelope does not hold the words: {envelope}"));
    }
    if let Some(rule) = judge.rule(name)
        && !rule.words.lines().any(|words| fits(words, said.2))
    {
        fault(format!("the words of the rule do not fit '{}'", said.2));
    }
}

type Report<'f> = &'f mut dyn FnMut(String);

/// Judges one entry: a request, `{"request": …}` or, where it cannot be JSON, `{"raw": "…"}`.
fn judged(judge: &'static Judge, case: &Value, entry: &Value) -> Verdict {
    let said = |key| said_in(entry, case, key);
    let switches = switches(said("switches"));
    let betas = said("betas").as_array().into_iter().flatten();
    let betas: Vec<_> = betas.filter_map(Value::as_str).collect();
    let key = Key::default();
    let body = entry.get("request").unwrap_or(entry);
    let bytes = match entry.get("raw").and_then(Value::as_str) {
        Some(raw) => raw.to_owned(),
        None => written_out(body).to_string(),
    };
    let body = match judge.parse(bytes.as_bytes()) {
        Ok(body) => body,
        Err(unread) => return Verdict { violations: vec![unread] },
    };
    let flavor = said("flavor").as_str().unwrap_or(judge.flavors[0]);
    let request = Request::new(&body, flavor, &switches);
    let known = said("known").as_object().map(|replies| {
        let mut known = Known::default();
        for (id, reply) in replies {
            known.keep(id, kept(reply));
        }
        known
    });
    judge.check(&Request {
        model: said("model").as_str().unwrap_or(request.model),
        version: said("version").as_str(),
        betas: &betas,
        key: said("sealed").as_bool().unwrap_or_default().then_some(&key),
        known: known.as_ref(),
        counting: said("counting").as_bool().unwrap_or_default(),
        carried: Carried {
            content_type: said("content_type").as_str(),
            content_encoding: said("content_encoding").as_str(),
            decoded: match said("decoded").as_str() {
                Some("broken") => Decoded::Broken,
                Some("large") => Decoded::Large,
                _ => Decoded::Whole,
            },
        },
        ..request
    })
}

/// A reply that the provider keeps: what it was the reply to, and whether the conversation went on.
fn kept(reply: &Value) -> Kept {
    let next = match text(reply, "next") {
        "taken" => Next::Taken,
        "coming" => Next::Coming,
        _ => Next::Open,
    };
    Kept { fingerprint: reply.get("request").map(thread_fingerprint).unwrap_or_default(), next }
}

/// The value with `{"$repeat": [what, times]}` written out: a long text, or a list of many.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(object) => match object.get("$repeat").map(|repeat| (&repeat[0], &repeat[1]))
        {
            Some((Value::String(text), times)) => text.repeat(count(times)).into(),
            Some((what, times)) => vec![written_out(what); count(times)].into(),
            None => object.iter().map(|(key, value)| (key.clone(), written_out(value))).collect(),
        },
        Value::Array(list) => list.iter().map(written_out).collect(),
        other => other.clone(),
    }
}

fn count(times: &Value) -> usize {
    usize::try_from(times.as_u64().unwrap_or_default()).unwrap_or_default()
}

/// What the entry says, or else the file. Only an entry that names its request says more than that.
fn said_in<'v>(entry: &'v Value, case: &'v Value, key: &str) -> &'v Value {
    let says = entry.get("request").is_some() || entry.get("raw").is_some();
    entry.get(key).filter(|_| says).unwrap_or(&case[key])
}

fn switches(said: &Value) -> Switches {
    let said = said.as_object().into_iter().flatten();
    let said: Vec<_> = said.map(|(name, value)| format!("{name}={}", bare(value))).collect();
    Switches::turned(&said).unwrap_or_else(|error| panic!("{error}"))
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the message is these words, with anything in place of what stands in braces.
fn fits(words: &str, message: &str) -> bool {
    let Some((before, rest)) = words.split_once('{') else { return words == message };
    let Some(left) = message.strip_prefix(before) else { return false };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    (0..=left.len()).filter(|at| left.is_char_boundary(*at)).any(|at| fits(after, &left[at..]))
}

/// The rules of a judge, and its answer to what is not JSON.
fn names(judge: &'static Judge) -> impl Iterator<Item = &'static str> {
    let unread = (judge.not_json)("").rule;
    judge.rules.iter().map(|rule| rule.name).chain([unread])
}

fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for judge in ALL {
        let Ok(folder) = fs::read_dir(corpus().join(judge.dialect)) else { continue };
        files.extend(folder.filter_map(Result::ok).map(|entry| entry.path()));
    }
    files.sort();
    files
}

fn place(dialect: &str, rule: &str) -> PathBuf {
    corpus().join(dialect).join(format!("{rule}.json"))
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/strict")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn words_fit() {
    assert!(fits("a {b} c", "a whatever c") && fits("{a}{b}", "x") && fits("a", "a"));
    assert!(!fits("a {b} c", "a whatever d") && !fits("a", "ab") && !fits("a {b}", "b"));
}
