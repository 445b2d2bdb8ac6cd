//! Recorded requests: the judge agrees with the provider, and an accepted body is sent unchanged.

use interlingua::translate_request;

use super::disagreement::{Check, Disagreement};
use super::recording::Recording;
use crate::laws::{Breach, Law, check_laws, find_lost_content, first_difference};
use crate::targets::TargetProvider;

/// Whether the judge accepts what the provider accepted, and rejects what it rejected.
pub(super) fn check_judge(recording: &Recording, disagreements: &mut Vec<Disagreement>) {
    let Some(violations) = recording.violations() else { return };
    if recording.is_accepted() {
        let mut rules: Vec<&str> = Vec::new();
        for violation in violations {
            if !rules.contains(&violation.rule) {
                rules.push(violation.rule);
                let detail = format!("{}: {}", violation.path, violation.message);
                disagreements.push(Disagreement::new(
                    Check::JudgeRejects,
                    recording,
                    violation.rule,
                    detail,
                ));
            }
        }
    } else if recording.is_rejected() && violations.is_empty() {
        let response = recording.response.as_deref().unwrap_or_default();
        let detail = String::from_utf8_lossy(response).into_owned();
        let subject = recording.status.to_string();
        disagreements.push(Disagreement::new(Check::JudgeAccepts, recording, subject, detail));
    }
}

/// Whether an accepted request is sent to the same server with the same bytes.
pub(super) fn check_same_server(recording: &Recording, disagreements: &mut Vec<Disagreement>) {
    let Some(request) = &recording.request else { return };
    // Nothing is known of a server without rules, so that requests to it are translated carefully.
    if !recording.is_accepted() || recording.server.judge_flavor.is_none() {
        return;
    }
    let dialect = recording.server.dialect;
    let sent = translate_request(request.bytes.clone(), dialect, dialect, &recording.target());
    let (subject, detail) = match sent {
        Err(error) => ("error".to_owned(), error.to_string()),
        Ok(sent) if sent.body == request.bytes => return,
        Ok(sent) => {
            let (path, message) = first_difference(&request.bytes, &sent.body);
            let mut rules: Vec<_> = sent.ledger.entries.iter().map(|entry| entry.rule).collect();
            rules.dedup();
            (rules.join(" "), format!("{path}: {message}"))
        }
    };
    disagreements.push(Disagreement::new(Check::RequestChanged, recording, subject, detail));
}

/// Whether an accepted request is translated for every provider into a body that the judge
/// accepts, with every text, call and result.
pub(super) fn check_pairs(
    recording: &Recording,
    providers: &[TargetProvider],
    disagreements: &mut Vec<Disagreement>,
) {
    let Some(request) = recording.request.as_ref().filter(|_| recording.is_accepted()) else {
        return;
    };
    for provider in providers {
        let destination = provider.pick_destination(request, &mut recording.rng());
        let mut disagree = |check, subject: &str, detail| {
            let subject = format!("{subject} to {}", provider.name());
            disagreements.push(Disagreement::new(check, recording, subject, detail));
        };
        let mut breaches = Vec::new();
        check_laws(request, &destination, &[Law::Total, Law::Sound], &mut breaches);
        for Breach { rule, path, message, .. } in breaches {
            disagree(Check::Unsound, &rule, format!("{}: {path}: {message}", destination.model));
        }
        for (kind, detail) in find_lost_content(request, &destination) {
            disagree(Check::RequestLost, kind, format!("{}: {detail}", destination.model));
        }
    }
}
