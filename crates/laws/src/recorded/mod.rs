//! Replays recorded exchanges with providers against the judge and the translation.
//!
//! A disagreement has a subject, such as the judge's rule. Those with a reason are listed in
//! `recorded.txt`, one per line: `CHECK: ID: SUBJECT # reason`, with `*` for any recording.

mod disagreement;
mod recording;
mod replies;
mod reply_contents;
mod requests;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use disagreement::{Check, Disagreement};
pub use recording::{Recording, load};

use self::disagreement::parse_explanations;
use crate::targets::{TargetProvider, providers};

/// The outcome of a replay.
#[derive(Clone, Debug, Default)]
pub struct ReplayReport {
    pub recordings: usize,
    /// Disagreements without an explanation, in the order of the recordings.
    pub unexplained: Vec<Disagreement>,
    pub explained: usize,
    /// Lines of `recorded.txt` that explain nothing.
    pub unused: Vec<String>,
}

/// Checks all recordings, on several threads.
pub fn replay(recordings: &[Recording], threads: usize) -> Result<ReplayReport, String> {
    let explanations = parse_explanations(RECORDED_TXT)?;
    let providers = providers();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, recording)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    recordings.get(index).map(|recording| (index, recording))
                } {
                    let disagreements = check_recording(recording, &providers);
                    if let Ok(mut found) = found.lock() {
                        found.insert(index, disagreements);
                    }
                }
            });
        }
    });
    let mut uses = vec![0; explanations.len()];
    let mut report = ReplayReport { recordings: recordings.len(), ..ReplayReport::default() };
    for disagreement in found.into_inner().unwrap_or_default().into_values().flatten() {
        match explanations.iter().position(|(_, it)| it.explains(&disagreement)) {
            Some(at) => uses[at] += 1,
            None => report.unexplained.push(disagreement),
        }
    }
    report.explained = uses.iter().sum();
    let unused = explanations.into_iter().zip(uses).filter(|(_, uses)| *uses == 0);
    report.unused = unused.map(|((line, _), _)| line.to_owned()).collect();
    Ok(report)
}

fn check_recording(recording: &Recording, providers: &[TargetProvider]) -> Vec<Disagreement> {
    let checks = AssertUnwindSafe(|| {
        let mut disagreements = Vec::new();
        requests::check_judge(recording, &mut disagreements);
        requests::check_same_server(recording, &mut disagreements);
        requests::check_pairs(recording, providers, &mut disagreements);
        replies::check_reply(recording, &mut disagreements);
        disagreements
    });
    catch_unwind(checks)
        .unwrap_or_else(|_| vec![Disagreement::new(Check::Panic, recording, "panic", "")])
}

const RECORDED_TXT: &str = include_str!("../../recorded.txt");
