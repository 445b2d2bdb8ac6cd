//! Runs the properties on mutated inputs for a limited time; `cargo xtask fuzz` starts it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints to its user")]

mod arguments;

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arguments::Arguments;
use interlingua_fuzz::rng::Rng;
use interlingua_fuzz::seeds::{self, Seeds};
use interlingua_fuzz::{PROPERTIES, Property, mutate};

fn main() -> ExitCode {
    if std::env::args().any(|arg| arg == "--help" || arg == "-h") {
        println!("{}", arguments::USAGE);
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let selected = arguments.property.as_deref();
    let properties: Vec<_> = PROPERTIES
        .iter()
        .filter(|property| selected.is_none_or(|name| name == property.name))
        .collect();
    if properties.is_empty() {
        let names: Vec<_> = PROPERTIES.iter().map(|property| property.name).collect();
        eprintln!("There is no such property. The properties are: {}", names.join(", "));
        return ExitCode::from(2);
    }
    let outcome = match &arguments.replay {
        Some(path) => replay(&properties, path),
        None => fuzz(&properties, &arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(properties: &[&Property], arguments: &Arguments) -> Result<(), String> {
    let seeds = Seeds::with_corpus(&seeds::corpus_dir());
    let Arguments { seed, seconds, .. } = *arguments;
    println!("seed {seed}, {seconds} s for each property");
    for property in properties {
        let mut run = PropertyRun { property, seed, keep_last: arguments.keep_last, executions: 0 };
        run.run(&seeds, Duration::from_secs(seconds))?;
    }
    Ok(())
}

struct PropertyRun<'p> {
    property: &'p Property,
    seed: u64,
    keep_last: bool,
    executions: u64,
}

impl PropertyRun<'_> {
    /// Checks every seed unchanged, then mutated seeds until the time is over.
    fn run(&mut self, seeds: &Seeds, time: Duration) -> Result<(), String> {
        let seeds = seeds.for_kind(self.property.seed_kind);
        let mut rng = Rng::new(self.seed);
        let start = Instant::now();
        let mut slowest = Duration::ZERO;
        // Saving inputs is slow, and the run must still reach the input that killed the previous
        // one.
        let time = if self.keep_last { time * 20 } else { time };
        for seed in seeds {
            slowest = slowest.max(self.execute(seed.clone(), &mut rng)?);
        }
        while start.elapsed() < time {
            let data = mutate::mutate(seeds, &mut rng);
            slowest = slowest.max(self.execute(data, &mut rng)?);
        }
        println!(
            "{:<16} holds for {} inputs from {} seeds in {:.1} s, the slowest took {:.1} ms",
            self.property.name,
            self.executions,
            seeds.len(),
            start.elapsed().as_secs_f64(),
            slowest.as_secs_f64() * 1000.0,
        );
        Ok(())
    }

    fn execute(&mut self, mut data: Vec<u8>, rng: &mut Rng) -> Result<Duration, String> {
        data.splice(0..0, (0..self.property.selector_bytes).map(|_| rng.byte()));
        if self.keep_last {
            save(self.property, "last", &data)?;
        }
        self.executions += 1;
        let start = Instant::now();
        let Err(message) = catch_failure(self.property, &data) else { return Ok(start.elapsed()) };
        let name = self.property.name;
        let smallest = shrink(self.property, data);
        let path = save(self.property, &format!("{}-{}", self.seed, self.executions), &smallest)?;
        Err(format!(
            "{name} does not hold: {message}\nseed {}, input {}, {} bytes, saved as {}\n\
             replay: cargo xtask fuzz {name} --replay {}",
            self.seed,
            self.executions,
            smallest.len(),
            path.display(),
            path.display()
        ))
    }
}

fn replay(properties: &[&Property], path: &Path) -> Result<(), String> {
    let data = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for property in properties {
        (property.check)(&data);
        println!("{} holds for {}", property.name, path.display());
    }
    Ok(())
}

/// The message of a panic as an error. The hook is silenced, because shrinking panics many times.
fn catch_failure(property: &Property, data: &[u8]) -> Result<(), String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(|| (property.check)(data));
    panic::set_hook(hook);
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let str_text = panic.downcast_ref::<&str>().copied();
        text.or(str_text).unwrap_or("a panic without a message").to_owned()
    })
}

/// Removes bytes that the failure does not need, in ever smaller pieces.
fn shrink(property: &Property, mut data: Vec<u8>) -> Vec<u8> {
    let mut piece = data.len() / 2;
    while piece > 0 {
        let mut at = property.selector_bytes;
        while at + piece <= data.len() {
            let smaller = [&data[..at], &data[at + piece..]].concat();
            if catch_failure(property, &smaller).is_err() {
                data = smaller;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    data
}

fn save(property: &Property, suffix: &str, data: &[u8]) -> Result<PathBuf, String> {
    let folder = Path::new("fuzz").join("crashes");
    let path = folder.join(format!("{}-{suffix}", property.name));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, data))
        .map_err(|error| format!("{} cannot be saved: {error}", path.display()))?;
    Ok(path)
}
