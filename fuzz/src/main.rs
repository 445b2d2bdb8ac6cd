//! Runs the properties for a while; `cargo xtask fuzz` starts it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

mod arguments;

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arguments::Arguments;
use interlingua_fuzz::random::Random;
use interlingua_fuzz::seeds::{self, Seeds};
use interlingua_fuzz::{ALL, Property, mutate};

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help" || word == "-h") {
        println!("{}", arguments::USAGE);
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let only = arguments.property.as_deref();
    let chosen: Vec<_> =
        ALL.iter().filter(|property| only.is_none_or(|name| name == property.name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = ALL.iter().map(|property| property.name).collect();
        eprintln!("There is no such property; there are: {}", names.join(", "));
        return ExitCode::from(2);
    }
    let outcome = match &arguments.replay {
        Some(path) => replay(&chosen, path),
        None => hunt(&chosen, &arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn hunt(properties: &[&Property], arguments: &Arguments) -> Result<(), String> {
    let seeds = Seeds::with_corpus(&seeds::corpus());
    let Arguments { seed, seconds, .. } = *arguments;
    println!("seed {seed}, {seconds} s for each property");
    for property in properties {
        let mut run = Run { property, seed, keep_last: arguments.keep_last, executions: 0 };
        run.go(&seeds, Duration::from_secs(seconds))?;
    }
    Ok(())
}

struct Run<'p> {
    property: &'p Property,
    seed: u64,
    keep_last: bool,
    executions: u64,
}

impl Run<'_> {
    /// Every seed as it is, then changed ones until the time is over.
    fn go(&mut self, seeds: &Seeds, time: Duration) -> Result<(), String> {
        let seeds = seeds.of(self.property.food);
        let mut random = Random::new(self.seed);
        let start = Instant::now();
        let mut slowest = Duration::ZERO;
        // Keeping inputs is slow, and the one looked for must come within the time.
        let time = if self.keep_last { time * 20 } else { time };
        for seed in seeds {
            slowest = slowest.max(self.execute(seed.clone(), &mut random)?);
        }
        while start.elapsed() < time {
            let data = mutate::input(seeds, &mut random);
            slowest = slowest.max(self.execute(data, &mut random)?);
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

    fn execute(&mut self, mut data: Vec<u8>, random: &mut Random) -> Result<Duration, String> {
        data.splice(0..0, (0..self.property.choices).map(|_| random.byte()));
        if self.keep_last {
            save(self.property, "last", &data)?;
        }
        self.executions += 1;
        let start = Instant::now();
        let Err(what) = check(self.property, &data) else { return Ok(start.elapsed()) };
        let name = self.property.name;
        let smallest = shrink(self.property, data);
        let path = save(self.property, &format!("{}-{}", self.seed, self.executions), &smallest)?;
        Err(format!(
            "{name} does not hold: {what}\nseed {}, input {}, {} bytes, saved as {}\n\
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

/// The panic's message, if there is one. The hook is silenced: shrinking panics many times.
fn check(property: &Property, data: &[u8]) -> Result<(), String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(|| (property.check)(data));
    panic::set_hook(hook);
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let word = panic.downcast_ref::<&str>().copied();
        text.or(word).unwrap_or("a panic without words").to_owned()
    })
}

/// Cuts out what is not needed for the failure, in ever smaller pieces.
fn shrink(property: &Property, mut data: Vec<u8>) -> Vec<u8> {
    let mut piece = data.len() / 2;
    while piece > 0 {
        let mut at = property.choices;
        while at + piece <= data.len() {
            let smaller = [&data[..at], &data[at + piece..]].concat();
            if check(property, &smaller).is_err() {
                data = smaller;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    data
}

fn save(property: &Property, mark: &str, data: &[u8]) -> Result<PathBuf, String> {
    let folder = Path::new("fuzz").join("crashes");
    let path = folder.join(format!("{}-{mark}", property.name));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, data))
        .map_err(|error| format!("{} cannot be saved: {error}", path.display()))?;
    Ok(path)
}
