//! `interlingua check`: would the provider accept this request?

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use interlingua_strict::seal::Key;
use interlingua_strict::{ALL, Judge, Request, Switches, Verdict, Violation, find};

use crate::problem::Problem;
use crate::{input, near, output};

#[derive(Args)]
pub(crate) struct Check {
    /// The API the request is for
    #[arg(long = "for", value_name = "D", value_parser = judge())]
    judge: &'static Judge,

    /// The provider, where several speak the same API, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    flavor: Option<String>,

    /// The model, where the request does not name it
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// The version of the API, as the header says it
    #[arg(long, value_name = "V")]
    api_version: Option<String>,

    /// A beta feature that the header names; may be given several times
    #[arg(long, value_name = "B")]
    beta: Vec<String>,

    /// A behaviour on which the evidence differs, as NAME=VALUE (docs/STRICT.md); may be given several times
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    switch: Vec<String>,

    /// Verify reasoning that the simulator sealed
    #[arg(long)]
    seals: bool,

    /// The request; stdin if missing or -
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(order: &Check) -> Result<(), Problem> {
    let flavor = flavor(order)?;
    let body = input::read(order.file.as_deref())?;
    let verdict = verdict(order, flavor, &body);
    let Some(first) = verdict.violations.first() else { return Ok(()) };
    let lines: String = verdict.violations.iter().map(line).collect();
    match output::print(lines.as_bytes()) {
        // Whoever reads no further is told the verdict all the same.
        Ok(()) | Err(Problem::Left) => {}
        Err(problem) => return Err(problem),
    }
    let what = format!("the provider refuses this with status {}", first.status);
    let others = verdict.violations.len() - 1;
    Err(Problem::bad(
        what,
        match others {
            0 => String::new(),
            _ => format!("It would say the first line only; mend the other {others} too."),
        },
    ))
}

fn verdict(order: &Check, flavor: &str, body: &[u8]) -> Verdict {
    let body = match order.judge.parse(body) {
        Ok(body) => body,
        Err(unread) => return Verdict { violations: vec![unread] },
    };
    // They were turned once, when the order was read.
    let switches = Switches::turned(&order.switch).unwrap_or_default();
    let betas: Vec<&str> = order.beta.iter().map(String::as_str).collect();
    let key = order.seals.then(Key::default);
    let mut request = Request::new(&body, flavor, &switches);
    if let Some(model) = &order.model {
        request.model = model;
    }
    request.version = order.api_version.as_deref();
    request.betas = &betas;
    request.key = key.as_ref();
    order.judge.check(&request)
}

/// Rule, path and words, separated by tabs; a line stays a line.
fn line(violation: &Violation) -> String {
    let Violation { rule, path, message, .. } = violation;
    let path = if path.is_empty() { "-" } else { path };
    let [path, message] = [path, message]
        .map(|text| text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t"));
    format!("{rule}\t{path}\t{message}\n")
}

fn flavor(order: &Check) -> Result<&str, Problem> {
    let known = order.judge.flavors;
    let Some(name) = order.flavor.as_deref() else {
        return Ok(known.first().copied().unwrap_or_default());
    };
    if known.contains(&name) {
        return Ok(name);
    }
    let what = near::unknown("flavor", name, known.iter().copied());
    let advice = format!("The flavors of {} are {}.", order.judge.dialect, known.join(", "));
    Err(Problem::usage(format!("--flavor: {what}"), advice))
}

/// A switch, if there is one of that name and it can be turned so.
pub(crate) fn switch(said: &str) -> Result<String, String> {
    Switches::turned(&[said]).map(|_| said.to_owned())
}

/// Names come from the registry, so that help and suggestions know every judge.
fn judge() -> impl TypedValueParser<Value = &'static Judge> {
    let names = PossibleValuesParser::new(ALL.iter().map(|judge| judge.dialect));
    names.try_map(|name| find(&name).ok_or("there is no such judge"))
}

pub(crate) const ABOUT: &str = "\
Would the provider accept this request?

One line per violation goes to stdout: the rule, the place in the request, and the provider's own \
words, separated by tabs. The first is what the provider answers. An accepted request prints nothing.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua check --for anthropic request.json
  interlingua check --for openai-chat --flavor deepseek < request.json

Exit codes: 0 the provider accepts it; 1 it does not; 2 wrong usage.";
