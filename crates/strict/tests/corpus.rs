//! Every rule has corpus cases, and every case is judged as expected.
//!
//! A file `corpus/strict/<dialect>/<rule>.json` has requests that the whole judge accepts and
//! requests for which this rule is the first violation, with exactly this message and path. The
//! other parts of a request (model, version, flavor …) are in the file for all its cases,
//! or in a case. Described in the corpus folder's `README.md`.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_strict::anthropic::thread_fingerprint;
use interlingua_strict::seal::SealKey;
use interlingua_strict::{
    ALL, BodyEncoding, ContinuationState, Decompression, Judge, Request, StoredReplies,
    StoredReply, Switches, Verdict, find,
};
use serde_json::Value;

#[test]
fn cases_are_judged_as_expected() {
    let mut errors = Vec::new();
    for file in files() {
        let path = file.strip_prefix(corpus()).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        match serde_json::from_str::<Value>(&text) {
            Ok(case) => {
                check_file(&file, &case, &mut |error| errors.push(format!("{path}: {error}")));
            }
            Err(error) => errors.push(format!("{path}: {error}")),
        }
    }
    assert!(errors.is_empty(), "{} faults:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn every_rule_has_cases() {
    let case_files: BTreeSet<_> = files().into_iter().collect();
    let missing: Vec<_> = ALL
        .iter()
        .filter(|judge| !judge.rules.is_empty())
        .flat_map(|judge| rule_names(judge).map(|name| (judge.dialect, name)))
        .filter(|(dialect, name)| !case_files.contains(&case_path(dialect, name)))
        .collect();
    assert!(missing.is_empty(), "no cases for {missing:#?}");
}

fn check_file(file: &Path, case: &Value, report: &mut dyn FnMut(String)) {
    let (dialect, name) = (text(case, "judge"), text(case, "rule"));
    let Some(judge) = find(dialect) else { return report(format!("no judge '{dialect}'")) };
    if !rule_names(judge).any(|rule| rule == name) {
        report(format!("no rule '{name}'"));
    }
    if file != case_path(dialect, name) {
        report("is not at the path of its judge and rule".into());
    }
    let accept = case["accept"].as_array().map_or(&[][..], Vec::as_slice);
    let refuse = case["refuse"].as_array().map_or(&[][..], Vec::as_slice);
    if accept.is_empty() || refuse.is_empty() {
        report("has no accepted or no rejected request".into());
    }
    for (at, entry) in accept.iter().enumerate() {
        if let Some(first) = judge_entry(judge, case, entry).violations.first() {
            let (rule, path, message) = (first.rule, &first.path, &first.message);
            report(format!("accept {at}: rejected by {rule} at '{path}': {message}"));
        }
    }
    for (at, entry) in refuse.iter().enumerate() {
        check_rejected_entry(judge, name, case, entry, &mut |error| {
            report(format!("refuse {at}: {error}"));
        });
    }
}

fn check_rejected_entry(
    judge: &'static Judge,
    name: &str,
    case: &Value,
    entry: &Value,
    report: FaultSink<'_>,
) {
    let verdict = judge_entry(judge, case, entry);
    let Some(first) = verdict.violations.first() else { return report("accepted".into()) };
    let actual = (first.rule, first.path.as_str(), first.message.as_str(), first.status);
    let status = entry["status"].as_u64().unwrap_or(400);
    let expected = (name, text(entry, "path"), text(entry, "message"), status as u16);
    if actual != expected {
        report(format!("\n  actual   {actual:?}\n  expected {expected:?}"));
    }
    let flavor = entry_or_file(entry, case, "flavor").as_str().unwrap_or(judge.flavors[0]);
    let envelope = (judge.envelope)(first, flavor);
    if !envelope.to_string().contains(Value::from(actual.2).to_string().trim_matches('"')) {
        report(format!("the envelope does not contain the message: {envelope}"));
    }
    if let Some(rule) = judge.rule(name)
        && !rule.error_message.lines().any(|template| matches_template(template, actual.2))
    {
        report(format!("no error message of the rule matches '{}'", actual.2));
    }
}

type FaultSink<'f> = &'f mut dyn FnMut(String);

/// Judges one entry: a request, `{"request": …}` or, where it cannot be JSON, `{"raw": "…"}`.
fn judge_entry(judge: &'static Judge, case: &Value, entry: &Value) -> Verdict {
    let setting = |key| entry_or_file(entry, case, key);
    let switches = switches(setting("switches"));
    let betas = setting("betas").as_array().into_iter().flatten();
    let betas: Vec<_> = betas.filter_map(Value::as_str).collect();
    let key = SealKey::default();
    let body = entry.get("request").unwrap_or(entry);
    let bytes = match entry.get("raw").and_then(Value::as_str) {
        Some(raw) => raw.to_owned(),
        None => expand_repeats(body).to_string(),
    };
    let body = match judge.parse(bytes.as_bytes()) {
        Ok(body) => body,
        Err(violation) => return Verdict { violations: vec![violation] },
    };
    let flavor = setting("flavor").as_str().unwrap_or(judge.flavors[0]);
    let request = Request::new(&body, flavor, &switches);
    let stored_replies = setting("known").as_object().map(|replies| {
        let mut stored_replies = StoredReplies::default();
        for (id, reply) in replies {
            stored_replies.insert(id, stored_reply(reply));
        }
        stored_replies
    });
    judge.check(&Request {
        model: setting("model").as_str().unwrap_or(request.model),
        version: setting("version").as_str(),
        betas: &betas,
        seal_key: setting("sealed").as_bool().unwrap_or_default().then_some(&key),
        stored_replies: stored_replies.as_ref(),
        count_tokens: setting("counting").as_bool().unwrap_or_default(),
        body_encoding: BodyEncoding {
            content_type: setting("content_type").as_str(),
            content_encoding: setting("content_encoding").as_str(),
            decompression: match setting("decoded").as_str() {
                Some("broken") => Decompression::Malformed,
                Some("large") => Decompression::TooLarge,
                _ => Decompression::Complete,
            },
        },
        ..request
    })
}

/// A stored reply: the request that it replied to, and whether the conversation was continued.
fn stored_reply(reply: &Value) -> StoredReply {
    let continuation = match text(reply, "next") {
        "taken" => ContinuationState::Done,
        "coming" => ContinuationState::InFlight,
        _ => ContinuationState::NotYet,
    };
    StoredReply {
        fingerprint: reply.get("request").map(thread_fingerprint).unwrap_or_default(),
        continuation,
    }
}

/// Expands `{"$repeat": [value, times]}` to a long text or list.
fn expand_repeats(value: &Value) -> Value {
    match value {
        Value::Object(object) => match object.get("$repeat").map(|repeat| (&repeat[0], &repeat[1]))
        {
            Some((Value::String(text), times)) => text.repeat(count(times)).into(),
            Some((repeated, times)) => vec![expand_repeats(repeated); count(times)].into(),
            None => {
                object.iter().map(|(key, value)| (key.clone(), expand_repeats(value))).collect()
            }
        },
        Value::Array(list) => list.iter().map(expand_repeats).collect(),
        other => other.clone(),
    }
}

fn count(times: &Value) -> usize {
    usize::try_from(times.as_u64().unwrap_or_default()).unwrap_or_default()
}

/// The entry's value, or else the file's. Only an entry with `request` or `raw` has other keys.
fn entry_or_file<'v>(entry: &'v Value, case: &'v Value, key: &str) -> &'v Value {
    let has_settings = entry.get("request").is_some() || entry.get("raw").is_some();
    entry.get(key).filter(|_| has_settings).unwrap_or(&case[key])
}

fn switches(assignments: &Value) -> Switches {
    let assignments = assignments.as_object().into_iter().flatten();
    let assignments: Vec<_> =
        assignments.map(|(name, value)| format!("{name}={}", switch_value(value))).collect();
    Switches::parse(&assignments).unwrap_or_else(|error| panic!("{error}"))
}

fn switch_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the message matches the template, with any text in place of braces.
fn matches_template(template: &str, message: &str) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == message };
    let Some(remaining) = message.strip_prefix(before) else { return false };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    (0..=remaining.len())
        .filter(|at| remaining.is_char_boundary(*at))
        .any(|at| matches_template(after, &remaining[at..]))
}

/// The names of a judge's rules, including the one for bodies that are not JSON.
fn rule_names(judge: &'static Judge) -> impl Iterator<Item = &'static str> {
    let not_json = (judge.not_json)("").rule;
    judge.rules.iter().map(|rule| rule.name).chain([not_json])
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

fn case_path(dialect: &str, rule: &str) -> PathBuf {
    corpus().join(dialect).join(format!("{rule}.json"))
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/strict")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn templates_match() {
    assert!(
        matches_template("a {b} c", "a whatever c")
            && matches_template("{a}{b}", "x")
            && matches_template("a", "a")
    );
    assert!(
        !matches_template("a {b} c", "a whatever d")
            && !matches_template("a", "ab")
            && !matches_template("a {b}", "b")
    );
}
