//! `interlingua doctor`: finds what is wrong with an agent's stored conversation, and repairs it.

mod args;
mod describe;
mod diagnosis;
mod fix;
mod issue;
mod report;

use std::path::Path;

use interlingua_transcript::{FORMATS, TranscriptFile};

use crate::error::CommandError;
use crate::{input, output};
use diagnosis::Diagnosis;

pub(crate) use args::DoctorArgs;

pub(crate) fn run(args: &DoctorArgs) -> Result<(), CommandError> {
    let name = input::display_name(Some(&args.file));
    if args.fix && args.file == Path::new("-") {
        let hint = "Save it to a file first.";
        return Err(CommandError::usage("--fix: there is no folder to write to for stdin", hint));
    }
    let mut source = TranscriptFile::new(input::read(Some(&args.file))?.into());
    if let Some(provider) = args.target_dialect {
        source = source.with_dialect_hint(provider.id());
    }
    let Some(transcript) = interlingua_transcript::read(&source) else {
        return Err(unknown_format(&name, &source));
    };
    if args.extract {
        output::print(&diagnosis::extract_request(args, &name, &transcript)?)?;
        return output::end_line();
    }
    let diagnosis = Diagnosis::from_args(args, &name, &transcript)?;
    let report = report::Report { name: &name, transcript: &transcript, diagnosis: &diagnosis };
    if args.json {
        report.print_json()?;
    } else {
        report.print()?;
    }
    if diagnosis.is_healthy() {
        return report.print_verdict(args.json, None);
    }
    if !args.fix || !diagnosis.needs_repair() {
        report.print_verdict(args.json, None)?;
        let hint = if diagnosis.needs_repair() {
            "Nothing was changed. --fix writes the repaired file next to this one."
        } else {
            "There is nothing to repair in the file."
        };
        return Err(CommandError::failed(format!("{name}: {}", diagnosis.summary()), hint));
    }
    let fixed = fix::write_fixed(args, &name, &source, &transcript, &diagnosis)?;
    report.print_verdict(args.json, fixed.path.as_deref())?;
    match &fixed.remaining[..] {
        [] => Ok(()),
        [first, others @ ..] => {
            let reason = if diagnosis.is_unrepaired(first.rule) {
                "no repair is known for this"
            } else {
                "the file's format cannot store the repair of this"
            };
            let message = format!("{name}: {reason}: {}", first.message);
            let hint = match others.len() {
                0 => String::new(),
                others => {
                    format!(
                        "The same holds for {others} others; run `interlingua doctor` on the result."
                    )
                }
            };
            Err(CommandError::failed(message, hint))
        }
    }
}

/// The error of a file in no known format.
fn unknown_format(name: &str, source: &TranscriptFile) -> CommandError {
    let titles: Vec<_> = FORMATS.iter().map(|format| format.title()).collect();
    let hint = format!("The doctor reads {}.", titles.join(", "));
    let json_lines = source.lines().iter().filter(|line| line.doc.is_ok()).count();
    let message = match source.json_error() {
        _ if source.bytes().trim_ascii().is_empty() => format!("{name}: the file is empty"),
        Some(error) if json_lines == 0 => {
            let (line, column) = error.line_and_column(source.bytes());
            format!("{name}:{line}:{column}: no conversation: {error}")
        }
        Some(_) => format!("{name}: {json_lines} lines of JSON, but no conversation in them"),
        None => format!("{name}: this is JSON, but no conversation"),
    };
    CommandError::failed(message, hint)
}

pub(crate) const ABOUT: &str = "\
Find what is wrong with an agent's stored conversation, and repair it.

Reads a request body in any dialect, a Claude Code transcript (.jsonl), a Codex rollout (.jsonl), an \
opencode export or a stored session; the format is detected. It checks the request that the agent \
would send next, and reports which part violates which rule of the provider, in which line of the \
file, with the provider's error message, and how it would be repaired. With --fix it writes the \
repaired file next to the original; lines that need no repair keep their bytes. Reasoning of another \
provider that the gateway has put into a signature is healthy, and stays.

Findings are written to stdout, everything else to stderr.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua doctor ~/.claude/projects/-home-me-work/0f6e2c1a.jsonl
  interlingua doctor --fix rollout-2026-11-03T10-15-22-0199.jsonl
  interlingua doctor --extract session.jsonl | interlingua check --for anthropic

Exit codes: 0 healthy, or repaired with --fix; 1 there are issues, or content is lost on the way to the
API of --for; 2 wrong usage.";
