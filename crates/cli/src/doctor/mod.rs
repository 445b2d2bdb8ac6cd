//! `interlingua doctor`: what is wrong with a conversation that an agent keeps, and what mends it.

mod diagnosis;
mod finding;
mod fix;
mod report;
mod words;

use std::path::{Path, PathBuf};

use clap::Args;
use interlingua::Dialect;
use interlingua_transcript::{FORMATS, Source};

use crate::problem::Problem;
use crate::{args, input, output};
use diagnosis::Diagnosis;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Doctor {
    /// Write the repaired file beside the original, as NAME.fixed.EXTENSION
    #[arg(long, conflicts_with = "extract")]
    fix: bool,

    /// Write over a repaired file that is already there; never over the original
    #[arg(long, requires = "fix")]
    force: bool,

    /// Print the request that the agent would send next, as it is, and nothing else
    #[arg(long, conflicts_with = "json")]
    extract: bool,

    /// Print what was found for machines, one JSON object per line
    #[arg(long)]
    json: bool,

    /// The API the conversation is for; by default the one the file is written for
    #[arg(long = "for", value_name = "D", value_parser = args::dialect())]
    provider: Option<&'static dyn Dialect>,

    /// The provider, where several speak the same API, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    flavor: Option<String>,

    /// The model to ask for instead of the one in the file
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// A beta feature that the agent's header names; may be given several times
    #[arg(long, value_name = "B")]
    beta: Vec<String>,

    /// The file to look at; - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(order: &Doctor) -> Result<(), Problem> {
    let name = input::name(Some(&order.file));
    if order.fix && order.file == Path::new("-") {
        let advice = "Save it to a file first.";
        return Err(Problem::usage("--fix: stdin has no place beside it", advice));
    }
    let mut source = Source::new(input::read(Some(&order.file))?.into());
    if let Some(provider) = order.provider {
        source = source.hinted(provider.id());
    }
    let Some(transcript) = interlingua_transcript::read(&source) else {
        return Err(unknown(&name, &source));
    };
    if order.extract {
        output::print(&diagnosis::extract(order, &name, &transcript)?)?;
        return output::end_line();
    }
    let diagnosis = Diagnosis::make(order, &name, &transcript)?;
    let report = report::Report { name: &name, transcript: &transcript, diagnosis: &diagnosis };
    if order.json {
        report.print_json()?;
    } else {
        report.print()?;
    }
    if diagnosis.is_healthy() {
        return report.end(order.json, None);
    }
    if !order.fix {
        report.end(order.json, None)?;
        let advice = "Nothing was changed. --fix writes the repaired file beside this one.";
        return Err(Problem::bad(format!("{name}: {}", diagnosis.count()), advice));
    }
    let fixed = fix::write(order, &name, &source, &transcript, &diagnosis)?;
    report.end(order.json, fixed.path.as_deref())?;
    match &fixed.left[..] {
        [] => Ok(()),
        [first, others @ ..] => {
            let why = if diagnosis.is_beyond_repair(first.rule) {
                "no repair is known for this"
            } else {
                "the file cannot hold the repair of this"
            };
            let what = format!("{name}: {why}: {}", first.message);
            let advice = match others.len() {
                0 => String::new(),
                others => {
                    format!("Nor for {others} others; see `interlingua doctor` on the result.")
                }
            };
            Err(Problem::bad(what, advice))
        }
    }
}

/// The file is nothing that can be examined: what it is, and what could be.
fn unknown(name: &str, source: &Source) -> Problem {
    let titles: Vec<_> = FORMATS.iter().map(|format| format.title()).collect();
    let advice = format!("The doctor reads {}.", titles.join(", "));
    let readable = source.lines().iter().filter(|line| line.doc.is_ok()).count();
    let what = match source.why_not_json() {
        _ if source.bytes().trim_ascii().is_empty() => format!("{name}: the file is empty"),
        Some(malformed) if readable == 0 => {
            let (line, column) = malformed.line_and_column(source.bytes());
            format!("{name}:{line}:{column}: no conversation: {malformed}")
        }
        Some(_) => format!("{name}: {readable} lines of JSON, but no conversation in them"),
        None => format!("{name}: this is JSON, but no conversation"),
    };
    Problem::bad(what, advice)
}

pub(crate) const ABOUT: &str = "\
What is wrong with a conversation that an agent keeps, and what mends it.

Reads a request body in any dialect, a Claude Code transcript (.jsonl), a Codex rollout (.jsonl), an \
opencode export or a stored session; which of them it is, it finds out. It takes the request that the \
agent would send next, and says which part breaks which rule of the provider, in which line of the \
file, in the provider's own words, and how it would be repaired. With --fix it writes the repaired \
file beside the original; lines that need no repair stay byte for byte.

What was found goes to stdout, everything else to stderr.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua doctor ~/.claude/projects/-home-me-work/0f6e2c1a.jsonl
  interlingua doctor --fix rollout-2026-11-03T10-15-22-0199.jsonl
  interlingua doctor --extract session.jsonl | interlingua check --for anthropic

Exit codes: 0 healthy, or repaired with --fix; 1 something is wrong; 2 wrong usage.";
