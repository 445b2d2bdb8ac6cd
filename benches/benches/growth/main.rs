//! Growth suite: memory and CPU time of the gateway for hostile and large bodies, in both
//! directions. `cargo xtask growth`.
#![expect(clippy::print_stdout, reason = "a check prints its results")]

mod cases;
mod generated;
mod measure;
mod recorded;
mod replies;
mod requests;
mod spelling;
mod stub_provider;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cases::{Case, Selection};
use measure::{ALLOWANCE_MEGABYTES, Bench, Measurement};

/// A request, and the provider's reply.
pub(crate) struct Exchange {
    pub(crate) request: Vec<u8>,
    pub(crate) reply: Option<Vec<u8>>,
}

pub(crate) const CLIENTS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini"];
pub(crate) const PROVIDERS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The growth suite is run by `cargo xtask growth`.");
        return ExitCode::SUCCESS;
    };
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(message) => {
            println!("{message}");
            return ExitCode::from(2);
        }
    };
    let cases = match cases::all(&options.selection) {
        Ok(cases) => cases,
        Err(message) => {
            println!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let (next, summary) = (AtomicUsize::new(0), Mutex::new(Summary::default()));
    let count = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for number in 0..count {
            let (program, options, cases) = (program.clone(), &options, &cases);
            let (next, summary) = (&next, &summary);
            scope.spawn(move || {
                let bench = match Bench::start(program, number) {
                    Ok(bench) => bench,
                    Err(error) => return lock(summary).failures.push(error.to_string()),
                };
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run_case(&bench, case, options.sizes);
                    lock(summary).add(case, result);
                }
            });
        }
    });
    lock(&summary).print()
}

fn lock(summary: &Mutex<Summary>) -> std::sync::MutexGuard<'_, Summary> {
    summary.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Options {
    sizes: &'static [usize],
    selection: Selection,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut selection = Selection { seed: 1, ..Selection::default() };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().unwrap_or_default();
                value.parse().map_err(|_| format!("{argument} takes a number, not '{value}'"))
            };
            match argument.as_str() {
                "--quick" => selection.is_quick = true,
                "--seed" => selection.seed = number()?,
                "--generated" => selection.generated = Some(number()?),
                "--recorded" => {
                    selection.recorded = Some(PathBuf::from(arguments.next().unwrap_or_default()));
                }
                option if option.starts_with("--") => {
                    return Err(format!("there is no option '{option}'"));
                }
                _ => selection.filters.push(argument),
            }
        }
        let sizes = if selection.is_quick { QUICK_SIZES } else { FULL_SIZES };
        Ok(Self { sizes, selection })
    }
}

#[derive(Default)]
struct Summary {
    cases: usize,
    worst_factor: (f64, String),
    worst_exponent: (f64, String),
    failures: Vec<String>,
}

/// The measurements of one case, each with the exponent compared with the smaller one.
type CaseResult = Result<Vec<(Measurement, f64)>, String>;

/// Measures one case at every size.
fn run_case(bench: &Bench, case: &Case, sizes: &[usize]) -> CaseResult {
    let mut results: Vec<(Measurement, f64)> = Vec::new();
    for size in sizes {
        let Some(exchange) = (case.build)(*size) else { break };
        let mut measurement = bench.measure(case, &exchange)?;
        let mut exponent = 0.0;
        if let Some((earlier, _)) = results.last_mut() {
            exponent = measurement.exponent(earlier);
            // Other load makes a measurement slower, never faster: the least time counts.
            for _ in 0..REPEATS {
                if exponent < MAX_EXPONENT {
                    break;
                }
                measurement.keep_least(&bench.measure(case, &exchange)?);
                exponent = measurement.exponent(earlier);
            }
        }
        results.push((measurement, exponent));
    }
    Ok(results)
}

impl Summary {
    fn add(&mut self, case: &Case, result: CaseResult) {
        let results = match result {
            Ok(results) => results,
            Err(error) => return self.failures.push(format!("{}: {error}", case.title())),
        };
        self.cases += usize::from(!results.is_empty());
        for (measurement, exponent) in results {
            let factor = measurement.factor();
            println!(
                "{:<58} {:>6.2} MB {:>7.1} MB {factor:>6.1} x {:>7.2} s {exponent:>5.2}  {}",
                case.title(),
                measurement.body_megabytes,
                measurement.peak_megabytes,
                measurement.cpu.as_secs_f64(),
                measurement.outcome,
            );
            if factor > self.worst_factor.0 {
                self.worst_factor = (factor, case.title());
            }
            if exponent > self.worst_exponent.0 {
                self.worst_exponent = (exponent, case.title());
            }
            let size = measurement.body_megabytes;
            if !measurement.is_within_memory() {
                let peak = measurement.peak_megabytes;
                self.failures
                    .push(format!("{}: {peak:.1} MB for a body of {size:.2} MB", case.title()));
            }
            if exponent >= MAX_EXPONENT {
                self.failures
                    .push(format!("{}: CPU exponent {exponent:.2} at {size:.2} MB", case.title()));
            }
            if case.must_pass && measurement.outcome != "200" {
                self.failures.push(format!(
                    "{}: {} for a body of {size:.2} MB",
                    case.title(),
                    measurement.outcome
                ));
            }
        }
    }

    fn print(&self) -> ExitCode {
        println!(
            "\n{} cases; worst memory {:.1} x the body above {ALLOWANCE_MEGABYTES} MB ({}); worst CPU exponent {:.2} ({})",
            self.cases,
            self.worst_factor.0,
            self.worst_factor.1,
            self.worst_exponent.0,
            self.worst_exponent.1,
        );
        for failure in &self.failures {
            println!("  {failure}");
        }
        if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Body sizes in bytes, far enough apart for the exponent.
const QUICK_SIZES: &[usize] = &[256 << 10, 2 << 20];
/// The last one is just below `limits.body`.
const FULL_SIZES: &[usize] = &[512 << 10, 4 << 20, (32 << 20) - (64 << 10)];
const MAX_EXPONENT: f64 = 1.3;
const REPEATS: usize = 3;
