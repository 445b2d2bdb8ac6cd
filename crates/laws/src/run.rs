//! Many conversations, on all cores.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::laws::{Broken, Case, Law, examine};
use crate::seeds::Seed;
use crate::shrink::shrink;
use crate::source::Supply;
use crate::targets::{Aim, Provider};

/// What is run.
#[derive(Debug)]
pub struct Plan {
    pub supply: Supply,
    pub providers: Vec<Provider>,
    pub laws: Vec<Law>,
    /// Every request of the corpus, for every model.
    pub corpus: bool,
    /// The conversations with these numbers.
    pub numbers: std::ops::Range<u64>,
    pub limit: Option<Duration>,
    pub threads: usize,
    /// Faults are told apart by what was noted, too.
    pub fine: bool,
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Outcome {
    pub conversations: u64,
    pub translations: u64,
    pub time: Duration,
    pub groups: BTreeMap<Key, Group>,
}

/// Faults that have one cause, most likely.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub law: Law,
    /// The dialect that was written.
    pub to: &'static str,
    pub rule: String,
}

#[derive(Debug)]
pub struct Group {
    pub count: u64,
    /// How often in each flavor.
    pub flavors: BTreeMap<&'static str, u64>,
    pub example: Example,
}

/// A conversation that breaks a law.
#[derive(Clone, Debug)]
pub struct Example {
    /// None of its own if it stands in the corpus.
    pub number: Option<u64>,
    pub origin: String,
    pub case: Case,
    pub aim: Aim,
    pub broken: Broken,
}

/// Runs the plan; `progress` is told now and then how far it is.
pub fn run(plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Outcome {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let found = Mutex::new(Outcome::default());
    let faults = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..plan.threads {
            scope.spawn(|| {
                let mut mine = Outcome::default();
                work(plan, &next, &faults, start, progress, &mut mine);
                if let Ok(mut all) = found.lock() {
                    all.merge(mine);
                }
            });
        }
    });
    let mut outcome = found.into_inner().unwrap_or_default();
    outcome.time = start.elapsed();
    outcome
}

fn work(
    plan: &Plan,
    next: &AtomicU64,
    faults: &AtomicU64,
    start: Instant,
    progress: &(dyn Fn(u64, u64) + Sync),
    mine: &mut Outcome,
) {
    let seeds = if plan.corpus { &plan.supply.seeds[..] } else { &[] };
    loop {
        let turn = next.fetch_add(1, Ordering::Relaxed);
        let late = plan.limit.is_some_and(|limit| start.elapsed() >= limit);
        if late {
            return;
        }
        let found = if let Some(seed) = seeds.get(turn as usize) {
            mine.corpus(plan, seed)
        } else {
            let number = plan.numbers.start + turn - seeds.len() as u64;
            if number >= plan.numbers.end {
                return;
            }
            mine.drawn(plan, number)
        };
        let faults = faults.fetch_add(found, Ordering::Relaxed);
        if turn.is_multiple_of(1024) {
            progress(turn, faults);
        }
    }
}

impl Outcome {
    /// A request of the corpus goes to every model there is.
    fn corpus(&mut self, plan: &Plan, seed: &Seed) -> u64 {
        self.conversations += 1;
        let mut found = 0;
        for provider in &plan.providers {
            let asked = provider.asked(&seed.case);
            for model in provider.models.iter().copied().chain(asked) {
                let aim = Aim { provider: *provider, model: model.to_owned() };
                found += self.examine(plan, &seed.case, &aim, None, &seed.name);
            }
        }
        found
    }

    /// The conversation with this number goes to one model of each provider.
    fn drawn(&mut self, plan: &Plan, number: u64) -> u64 {
        let Some(mut drawn) = plan.supply.draw(number) else { return 0 };
        self.conversations += 1;
        let mut found = 0;
        for provider in &plan.providers {
            let aim = provider.aim(&drawn.case, &mut drawn.rng);
            found += self.examine(plan, &drawn.case, &aim, Some(number), &drawn.origin);
        }
        found
    }

    fn examine(
        &mut self,
        plan: &Plan,
        case: &Case,
        aim: &Aim,
        number: Option<u64>,
        origin: &str,
    ) -> u64 {
        self.translations += 1;
        let mut broken = Vec::new();
        examine(case, aim, &plan.laws, &mut broken);
        let found = broken.len() as u64;
        for mut broken in broken {
            if plan.fine {
                broken.rule = broken.kind();
            }
            let example = || Example {
                number,
                origin: origin.to_owned(),
                case: case.clone(),
                aim: aim.clone(),
                broken: broken.clone(),
            };
            self.add(aim, &broken, example);
        }
        found
    }

    fn add(&mut self, aim: &Aim, broken: &Broken, example: impl FnOnce() -> Example) {
        let key =
            Key { law: broken.law, to: aim.provider.judge.dialect, rule: broken.rule.clone() };
        let group = self.groups.entry(key).or_insert_with(|| Group {
            count: 0,
            flavors: BTreeMap::new(),
            example: example(),
        });
        group.count += 1;
        *group.flavors.entry(aim.provider.flavor).or_default() += 1;
    }

    fn merge(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.translations += other.translations;
        for (key, theirs) in other.groups {
            let Some(ours) = self.groups.get_mut(&key) else {
                self.groups.insert(key, theirs);
                continue;
            };
            ours.count += theirs.count;
            for (flavor, count) in theirs.flavors {
                *ours.flavors.entry(flavor).or_default() += count;
            }
            // The same example whichever thread is faster.
            if theirs.example.order() < ours.example.order() {
                ours.example = theirs.example;
            }
        }
    }

    /// Makes every example as small as it gets.
    pub fn shrink(&mut self, threads: usize) {
        let groups: Mutex<Vec<&mut Group>> = Mutex::new(self.groups.values_mut().collect());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let group = groups.lock().ok().and_then(|mut groups| groups.pop());
                        let Some(group) = group else { return };
                        group.example.shrink();
                    }
                });
            }
        });
    }
}

impl Example {
    fn order(&self) -> (Option<u64>, &str) {
        (self.number, &self.origin)
    }

    fn shrink(&mut self) {
        let (case, aim) = (&self.case, &self.aim);
        let (law, rule) = (self.broken.law, self.broken.rule.clone());
        let same = |one: &Broken| one.rule == rule || one.kind() == rule;
        let fault = |body: &serde_json::Value| {
            let mut broken = Vec::new();
            examine(&case.with(body.clone()), aim, &[law], &mut broken);
            broken.into_iter().find(|one| one.law == law && same(one))
        };
        let body = shrink(&self.case.body, |body| fault(body).is_some());
        if let Some(broken) = fault(&body) {
            self.broken = broken;
            self.case = self.case.with(body);
        }
    }
}
