//! What ran in a program, as callgrind tells it.

use std::collections::{HashMap, HashSet};

/// The functions of a program that ran, and who called whom.
#[derive(Debug, Default)]
pub struct Ran {
    /// In instructions, with those of whom it called.
    functions: HashMap<String, u64>,
    calls: HashMap<String, Vec<(u64, String)>>,
}

impl Ran {
    /// Reads what `callgrind --demangle=no` wrote; functions of other programs and libraries are left out.
    pub fn read(text: &str, program: &str) -> Self {
        let (mut ran, mut names) = (Self::default(), Names::default());
        let (mut is_ours, mut function, mut called) = (false, String::new(), None);
        for line in text.lines() {
            match line.split_once('=') {
                Some(("ob", name)) => is_ours = names.object(name) == program,
                Some(("cob", name)) => drop(names.object(name)),
                Some(("fn", name)) => function = names.function(name),
                Some(("cfn", name)) => called = Some(names.function(name)),
                _ => {}
            }
            if !line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
                continue;
            }
            let called = called.take();
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok());
            // What has no name has none in the program.
            let is_named = !function.starts_with(['(', '0']);
            let Some(cost) = cost.filter(|_| is_ours && is_named) else { continue };
            *ran.functions.entry(function.clone()).or_default() += cost;
            ran.calls
                .entry(function.clone())
                .or_default()
                .extend(called.map(|called| (cost, called)));
        }
        ran
    }

    /// All that ran in one or the other.
    pub fn add(&mut self, other: Self) {
        for (name, cost) in other.functions {
            *self.functions.entry(name).or_default() += cost;
        }
        for (name, calls) in other.calls {
            self.calls.entry(name).or_default().extend(calls);
        }
    }

    /// Whoever does most comes first, and whom it calls after it.
    fn in_order(&self) -> Vec<&str> {
        let mut roots: Vec<(u64, &str)> =
            self.functions.iter().map(|(name, cost)| (*cost, &**name)).collect();
        roots.sort_unstable();
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        while let Some((_, name)) = roots.pop() {
            if !self.functions.contains_key(name) || !seen.insert(name) {
                continue;
            }
            order.push(name);
            let mut called: Vec<(u64, &str)> = self
                .calls
                .get(name)
                .into_iter()
                .flatten()
                .map(|(cost, name)| (*cost, &**name))
                .collect();
            called.sort_unstable();
            roots.extend(called);
        }
        order
    }
}

/// The order in which functions should lie, with a line for each: first what only the start of the program
/// runs, then what its work needs, too, then what nothing but the work does.
pub fn order(start: &Ran, work: &Ran) -> String {
    let is_of = |ran: &Ran, name: &str| ran.functions.contains_key(name);
    let only_start = start.in_order().into_iter().filter(|name| !is_of(work, name));
    let (both, only_work): (Vec<&str>, Vec<&str>) =
        work.in_order().into_iter().partition(|name| is_of(start, name));
    only_start.chain(both).chain(only_work).flat_map(|name| [name, "\n"]).collect()
}

/// Names are said once, and are numbers from then on.
#[derive(Default)]
struct Names {
    functions: HashMap<String, String>,
    objects: HashMap<String, String>,
}

impl Names {
    fn object(&mut self, said: &str) -> String {
        name(&mut self.objects, said)
    }

    /// Without the depth of a recursion.
    fn function(&mut self, said: &str) -> String {
        let name = name(&mut self.functions, said);
        name.split_once('\'').map_or(name.clone(), |(name, _)| name.to_owned())
    }
}

fn name(known: &mut HashMap<String, String>, said: &str) -> String {
    match said.split_once(' ') {
        Some((number, name)) => {
            known.insert(number.to_owned(), name.to_owned());
            name.to_owned()
        }
        None => known.get(said).cloned().unwrap_or_default(),
    }
}
