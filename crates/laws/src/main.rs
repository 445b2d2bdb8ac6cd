//! `interlingua-laws`: checks the laws on generated conversations and reports breaches.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints to its user")]

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use interlingua_laws::corpus_requests::{load, load_case};
use interlingua_laws::known_breaches::remove_known;
use interlingua_laws::laws::Law;
use interlingua_laws::report::{examples, summary};
use interlingua_laws::run::{RunConfig, run};
use interlingua_laws::source::SampleSource;
use interlingua_laws::targets::providers;

/// Small allocations take a quarter of a run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
Usage: cargo xtask laws [OPTIONS]

  --n N            number of conversations (200000)
  --seed S         seed of the conversations (1)
  --corpus no      skip the requests of the corpus, which are checked first
  --start I        number of the first conversation (0)
  --only I         check only the conversation with this number
  --case FILE      check only the request of a case file, for every model
  --from D,…       dialects of the clients
  --to D,…         target dialects, or dialect/flavor
  --law L,…        laws to check: total, sound, minimal, idempotent, prefix, kept,
                   seals, deterministic
  --known yes      breaches listed in crates/laws/known.txt do not fail the run
  --examples E     small (shrunk), whole (as generated), or no: count only, which
                   is faster
  --fine yes       group breaches of one rule by ledger entry or path
  --seconds T      stop after this time
  --threads T      number of threads (all cores)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match parse_arguments(&arguments) {
        Ok((plan, options)) => execute(&plan, &options),
        Err(message) => {
            eprint!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// How the outcome is printed.
struct OutputOptions {
    examples: ExampleMode,
    /// Known breaches do not fail the run.
    ignore_known: bool,
}

#[derive(PartialEq)]
enum ExampleMode {
    No,
    Whole,
    Shrunk,
}

fn execute(plan: &RunConfig, options: &OutputOptions) -> ExitCode {
    // The report has the panic with its conversation, so the default hook is silenced.
    std::panic::set_hook(Box::new(|_| {}));
    let total = plan.sample_numbers.end - plan.sample_numbers.start;
    let is_terminal = std::io::stderr().is_terminal();
    let progress = |number: u64, breaches: u64| {
        if is_terminal {
            eprint!("\r{} of {total}, {breaches} breaches ", number - plan.sample_numbers.start);
            let _ = std::io::stderr().flush();
        }
    };
    let mut outcome = run(plan, &progress);
    if is_terminal {
        eprintln!();
    }
    if options.ignore_known {
        let (breaches, unbroken) = remove_known(&mut outcome);
        println!("{breaches} breaches of known kinds are ignored; see crates/laws/known.txt");
        if !unbroken.is_empty() && total >= CONCLUSIVE_RUN {
            println!("These kinds had no breach; remove them from the list: {unbroken:?}");
        }
    }
    if options.examples == ExampleMode::Shrunk {
        outcome.shrink(plan.threads);
    }
    if options.examples != ExampleMode::No {
        print!("{}", self::examples(&outcome, plan.source.seed));
    }
    print!("{}", summary(&outcome));
    if outcome.groups.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse_arguments(arguments: &[String]) -> Result<(RunConfig, OutputOptions), String> {
    let mut args = arguments.iter();
    let (mut n, mut start, mut seed) = (200_000, 0, 1);
    let (mut only, mut seconds) = (None, None);
    let mut threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut from, mut to, mut laws) = (None, None, None);
    let (mut case, mut examples) = (None, ExampleMode::Shrunk);
    let (mut ignore_known, mut split_by_note) = (false, false);
    let (mut with_corpus, root) = (true, Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag}: no value, or no such option"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{flag}: '{value}' is no number"));
        let list = || Some(value.split(',').map(str::to_owned).collect::<Vec<_>>());
        match flag.as_str() {
            "--n" => n = number()?,
            "--start" => start = number()?,
            "--seed" => seed = number()?,
            "--only" => only = Some(number()?),
            "--seconds" => seconds = Some(number()?),
            "--threads" => threads = (number()? as usize).max(1),
            "--from" => from = list(),
            "--to" => to = list(),
            "--case" => case = Some(load_case(Path::new(value))?),
            "--known" => ignore_known = value == "yes",
            "--examples" => {
                examples = match value.as_str() {
                    "small" | "yes" => ExampleMode::Shrunk,
                    "whole" => ExampleMode::Whole,
                    _ => ExampleMode::No,
                };
            }
            "--fine" => split_by_note = value == "yes",
            "--corpus" => with_corpus = value == "yes",
            "--law" => laws = list(),
            _ => return Err(format!("there is no option {flag}")),
        }
    }
    let only_case = case.is_some();
    let seeds = match case {
        Some(case) => vec![case],
        None => load(&root.join("corpus"))?,
    };
    let source = SampleSource::new(seed, from.as_deref(), seeds);
    if source.dialects.is_empty() {
        return Err("--from: no such dialect".into());
    }
    let mut providers = providers();
    if let Some(to) = &to {
        providers.retain(|it| to.iter().any(|name| it.name() == *name || it.judge.dialect == name));
    }
    if providers.is_empty() {
        return Err("--to: no such dialect or flavor".into());
    }
    let laws = match laws {
        None => Law::ALL.to_vec(),
        Some(names) => {
            let find = |name: &String| {
                Law::from_name(name).ok_or_else(|| format!("there is no law {name}"))
            };
            names.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    let with_corpus = with_corpus && only.is_none();
    let n = if only_case { 0 } else { n };
    let sample_numbers = only.map_or(start..start + n, |only| only..only + 1);
    let time_limit = seconds.map(Duration::from_secs);
    Ok((
        RunConfig {
            source,
            providers,
            laws,
            with_corpus,
            sample_numbers,
            time_limit,
            threads,
            split_by_note,
        },
        OutputOptions { examples, ignore_known },
    ))
}

/// A run with this many conversations is expected to show every kind of breach.
const CONCLUSIVE_RUN: u64 = 100_000;
