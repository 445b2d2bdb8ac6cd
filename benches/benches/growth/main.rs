//! Growth suite: memory and CPU time of the gateway for hostile and large bodies, in both
//! directions. `cargo xtask growth`.
#![expect(clippy::print_stdout, reason = "a check prints its results")]

mod measure;
mod replies;
mod requests;
mod stub_provider;

use std::process::ExitCode;

use measure::{Bench, Measurement};
use replies::ReplyShape;
use requests::RequestShape;

/// One row of the suite: a shape, the client and the provider.
struct Case {
    name: String,
    client: &'static str,
    provider: &'static str,
    /// Builds the request, and the reply of the provider if it is not a short text.
    build: Box<dyn Fn(usize) -> Option<Exchange>>,
}

/// A request, and the provider's reply.
pub(crate) struct Exchange {
    pub(crate) request: Vec<u8>,
    pub(crate) reply: Option<Vec<u8>>,
}

const CLIENTS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini"];
const PROVIDERS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The growth suite is run by `cargo xtask growth`.");
        return ExitCode::SUCCESS;
    };
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let filters: Vec<&String> = arguments.iter().filter(|arg| !arg.starts_with("--")).collect();
    let sizes = if quick { QUICK_SIZES } else { FULL_SIZES };
    let bench = match Bench::start(program) {
        Ok(bench) => bench,
        Err(error) => {
            println!("cannot run: {error}");
            return ExitCode::FAILURE;
        }
    };
    let cases = all_cases(quick);
    let is_selected = |case: &&Case| {
        filters.is_empty() || filters.iter().any(|filter| case.name.contains(filter.as_str()))
    };
    let mut summary = Summary::default();
    for case in cases.iter().filter(is_selected) {
        if let Err(error) = run_case(&bench, case, sizes, &mut summary) {
            summary.failures.push(format!("{}: {error}", case.title()));
        }
    }
    summary.print()
}

#[derive(Default)]
struct Summary {
    cases: usize,
    worst_factor: (f64, String),
    worst_exponent: (f64, String),
    failures: Vec<String>,
}

impl Case {
    fn title(&self) -> String {
        format!("{} {} -> {}", self.name, self.client, self.provider)
    }
}

/// Every client and provider for each shape; in a quick run each client and each provider once.
fn all_cases(quick: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let is_in_run = |shape: usize, client: usize, provider: usize| {
        !quick || (shape + client) % PROVIDERS.len() == provider
    };
    for (number, shape) in requests::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            for (to, provider) in PROVIDERS.iter().enumerate() {
                if is_in_run(number, at, to) {
                    cases.push(request_case(shape, client, provider));
                }
            }
        }
    }
    for (number, shape) in replies::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            for (to, provider) in PROVIDERS.iter().enumerate() {
                if is_in_run(number, at, to) || quick && *provider == shape.worst_provider {
                    cases.push(reply_case(shape, client, provider));
                }
            }
        }
    }
    cases
}

fn request_case(
    shape: &'static RequestShape,
    client: &'static str,
    provider: &'static str,
) -> Case {
    let build = move |bytes: usize| {
        let request = (shape.build)(client, bytes)?;
        Some(Exchange { request: request.into_bytes(), reply: None })
    };
    Case { name: format!("request {}", shape.name), client, provider, build: Box::new(build) }
}

fn reply_case(shape: &'static ReplyShape, client: &'static str, provider: &'static str) -> Case {
    let build = move |bytes: usize| {
        let reply = (shape.build)(provider, bytes)?;
        let request = requests::short_request(client, shape.streams).into_bytes();
        Some(Exchange { request, reply: Some(reply) })
    };
    Case { name: format!("reply {}", shape.name), client, provider, build: Box::new(build) }
}

/// Measures one case at every size.
fn run_case(
    bench: &Bench,
    case: &Case,
    sizes: &[usize],
    summary: &mut Summary,
) -> Result<(), String> {
    let mut earlier: Option<Measurement> = None;
    for size in sizes {
        let Some(exchange) = (case.build)(*size) else { return Ok(()) };
        let measurement = bench.measure(case.client, case.provider, &exchange)?;
        let factor = measurement.factor();
        let mut exponent = earlier.as_ref().map_or(0.0, |earlier| measurement.exponent(earlier));
        // Other load makes a measurement slower, never faster.
        for _ in 0..RETRIES {
            if exponent < MAX_EXPONENT {
                break;
            }
            let again = bench.measure(case.client, case.provider, &exchange)?;
            exponent =
                earlier.as_ref().map_or(0.0, |earlier| again.exponent(earlier)).min(exponent);
        }
        println!(
            "{:<58} {:>6.2} MB {:>7.1} MB {:>6.1} x {:>7.2} s {exponent:>5.2}  {}",
            case.title(),
            measurement.body_megabytes,
            measurement.peak_megabytes,
            factor,
            measurement.cpu.as_secs_f64(),
            measurement.outcome,
        );
        if factor > summary.worst_factor.0 {
            summary.worst_factor = (factor, case.title());
        }
        if exponent > summary.worst_exponent.0 {
            summary.worst_exponent = (exponent, case.title());
        }
        if !measurement.is_within_memory() {
            summary.failures.push(format!(
                "{}: {:.1} MB for a body of {:.2} MB",
                case.title(),
                measurement.peak_megabytes,
                measurement.body_megabytes
            ));
        }
        if exponent >= MAX_EXPONENT {
            summary.failures.push(format!("{}: CPU exponent {exponent:.2}", case.title()));
        }
        earlier = Some(measurement);
    }
    summary.cases += 1;
    Ok(())
}

impl Summary {
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

/// Body sizes in bytes.
const QUICK_SIZES: &[usize] = &[64 << 10, 256 << 10, 1 << 20];
const FULL_SIZES: &[usize] = &[256 << 10, 1 << 20, 4 << 20, 30 << 20];
const MAX_EXPONENT: f64 = 1.3;
const RETRIES: usize = 2;
/// Memory above idle that a body up to 4 MiB may take in addition to the factor.
const ALLOWANCE_MEGABYTES: f64 = 64.0;
