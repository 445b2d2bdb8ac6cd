//! `recorded`: replays recorded exchanges and prints every disagreement without an explanation.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints to its user")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use interlingua_laws::recorded::{Check, Disagreement, ReplayReport, load, replay};

/// Small allocations take a quarter of a run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
Usage: cargo xtask recorded DIR [--examples N]

  DIR              the folder with anthropic.jsonl, openai-chat.jsonl, …
  --examples N     disagreements that are printed of each kind (3)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, examples) = match &arguments[..] {
        [folder] if !folder.starts_with('-') => (folder, Some(3)),
        [folder, flag, number] if flag == "--examples" => (folder, number.parse().ok()),
        _ => (&String::new(), None),
    };
    let Some(examples) = examples else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    // The report has every panic, so the default hook is silenced.
    std::panic::set_hook(Box::new(|_| {}));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    match load(Path::new(folder)).and_then(|recordings| replay(&recordings, threads)) {
        Ok(report) => {
            print!("{}", format_report(&report, examples));
            let agrees = report.unexplained.is_empty() && report.unused.is_empty();
            if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The disagreements by check and subject, most frequent first.
fn format_report(report: &ReplayReport, examples: usize) -> String {
    let mut groups: BTreeMap<(Check, &str), Vec<&Disagreement>> = BTreeMap::new();
    for disagreement in &report.unexplained {
        let key = (disagreement.check, disagreement.subject.as_str());
        groups.entry(key).or_default().push(disagreement);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((check, _), group)| (*check, std::cmp::Reverse(group.len())));
    let mut lines = Vec::new();
    for ((check, subject), group) in groups {
        lines.push(format!("{}: {subject}: {}", check.name(), group.len()));
        for Disagreement { recording_id, detail, .. } in group.iter().take(examples) {
            let detail: String = detail.replace('\n', " ").chars().take(MAX_DETAIL).collect();
            lines.push(format!("    {recording_id} {detail}"));
        }
    }
    lines.extend(report.unused.iter().map(|line| format!("explains nothing: {line}")));
    let ReplayReport { recordings, unexplained, explained, unused } = report;
    let (unexplained, unused) = (unexplained.len(), unused.len());
    lines.push(format!(
        "{recordings} recordings, {unexplained} disagreements, {explained} explained, {unused} \
         unused explanations\n"
    ));
    lines.join("\n")
}

/// Characters of a detail that are printed.
const MAX_DETAIL: usize = 300;
