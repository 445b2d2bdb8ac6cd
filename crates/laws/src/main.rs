//! `interlingua-laws`: checks the laws over very many conversations and says what breaks them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use interlingua_laws::known::set_aside;
use interlingua_laws::laws::Law;
use interlingua_laws::report::{examples, summary};
use interlingua_laws::run::{Plan, run};
use interlingua_laws::seeds::{load, read};
use interlingua_laws::source::Supply;
use interlingua_laws::targets::providers;

/// A quarter of a run is small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "\
Usage: cargo xtask laws [OPTIONS]

  --n N            how many conversations (200000)
  --seed S         which ones (1)
  --corpus no      without the requests of the corpus, which come first
  --start I        from this number on (0)
  --only I         the conversation with this number alone
  --case FILE      the request of a case file alone, for every model
  --from D,…       dialects that clients speak
  --to D,…         dialects or dialect/flavor that are written
  --law L,…        laws to try: total, sound, minimal, idempotent, prefix, kept,
                   seals, deterministic
  --known yes      breaches listed in crates/laws/known.txt do not fail the run
  --examples E     small (made as small as they get), whole (as they were made), or
                   no: count only, which is quicker
  --fine yes       tell breaches of one rule apart by what was noted, or where
  --seconds T      stop after so long
  --threads T      (all cores)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match plan(&arguments) {
        Ok((plan, options)) => carry_out(&plan, &options),
        Err(message) => {
            eprint!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// How the outcome is told.
struct Options {
    examples: Examples,
    /// Breaches of the list of known ones do not count.
    known: bool,
}

#[derive(PartialEq)]
enum Examples {
    No,
    Whole,
    Small,
}

fn carry_out(plan: &Plan, options: &Options) -> ExitCode {
    // A panic is a finding like any other; it is reported with its conversation.
    std::panic::set_hook(Box::new(|_| {}));
    let total = plan.numbers.end - plan.numbers.start;
    let terminal = std::io::stderr().is_terminal();
    let progress = |number: u64, faults: u64| {
        if terminal {
            eprint!("\r{} of {total}, {faults} violations ", number - plan.numbers.start);
            let _ = std::io::stderr().flush();
        }
    };
    let mut outcome = run(plan, &progress);
    if terminal {
        eprintln!();
    }
    if options.known {
        let (breaches, unseen) = set_aside(&mut outcome);
        println!("{breaches} breaches of known kinds are set aside; see crates/laws/known.txt");
        if !unseen.is_empty() && total >= MANY {
            println!("Nothing broke these any more; take them from the list: {unseen:?}");
        }
    }
    if options.examples == Examples::Small {
        outcome.shrink(plan.threads);
    }
    if options.examples != Examples::No {
        print!("{}", self::examples(&outcome, plan.supply.seed));
    }
    print!("{}", summary(&outcome));
    if outcome.groups.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn plan(arguments: &[String]) -> Result<(Plan, Options), String> {
    let mut words = arguments.iter();
    let (mut n, mut start, mut seed) = (200_000, 0, 1);
    let (mut only, mut seconds) = (None, None);
    let mut threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut from, mut to, mut laws) = (None, None, None);
    let (mut case, mut examples) = (None, Examples::Small);
    let (mut known, mut by_note) = (false, false);
    let (mut corpus, root) = (true, Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word}: no value, or no such option"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word}: '{value}' is no number"));
        let list = || Some(value.split(',').map(str::to_owned).collect::<Vec<_>>());
        match word.as_str() {
            "--n" => n = number()?,
            "--start" => start = number()?,
            "--seed" => seed = number()?,
            "--only" => only = Some(number()?),
            "--seconds" => seconds = Some(number()?),
            "--threads" => threads = (number()? as usize).max(1),
            "--from" => from = list(),
            "--to" => to = list(),
            "--case" => case = Some(read(Path::new(value))?),
            "--known" => known = value == "yes",
            "--examples" => {
                examples = match value.as_str() {
                    "small" | "yes" => Examples::Small,
                    "whole" => Examples::Whole,
                    _ => Examples::No,
                };
            }
            "--fine" => by_note = value == "yes",
            "--corpus" => corpus = value == "yes",
            "--law" => laws = list(),
            _ => return Err(format!("there is no option {word}")),
        }
    }
    let alone = case.is_some();
    let seeds = match case {
        Some(case) => vec![case],
        None => load(&root.join("corpus"))?,
    };
    let supply = Supply::new(seed, from.as_deref(), seeds);
    if supply.from.is_empty() {
        return Err("--from: no such dialect".into());
    }
    let mut providers = providers();
    if let Some(to) = &to {
        providers
            .retain(|one| to.iter().any(|name| one.name() == *name || one.judge.dialect == name));
    }
    if providers.is_empty() {
        return Err("--to: no such dialect or flavor".into());
    }
    let laws = match laws {
        None => Law::ALL.to_vec(),
        Some(names) => {
            let find =
                |name: &String| Law::find(name).ok_or_else(|| format!("there is no law {name}"));
            names.iter().map(find).collect::<Result<_, _>>()?
        }
    };
    let corpus = corpus && only.is_none();
    let n = if alone { 0 } else { n };
    let numbers = only.map_or(start..start + n, |only| only..only + 1);
    let limit = seconds.map(Duration::from_secs);
    Ok((
        Plan { supply, providers, laws, corpus, numbers, limit, threads, fine: by_note },
        Options { examples, known },
    ))
}

/// So many conversations show every kind of breach that there is.
const MANY: u64 = 100_000;
