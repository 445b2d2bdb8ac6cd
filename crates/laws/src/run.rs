//! Runs the laws on many conversations, on several threads.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::corpus_requests::CorpusRequest;
use crate::laws::{Breach, Law, SampleRequest, check_laws};
use crate::shrink::shrink;
use crate::source::SampleSource;
use crate::targets::{Destination, TargetProvider};

/// The settings of a run.
#[derive(Debug)]
pub struct RunConfig {
    pub source: SampleSource,
    pub providers: Vec<TargetProvider>,
    pub laws: Vec<Law>,
    /// Also check every request of the corpus, for every model.
    pub with_corpus: bool,
    /// Numbers of the generated conversations.
    pub sample_numbers: std::ops::Range<u64>,
    pub time_limit: Option<Duration>,
    pub threads: usize,
    /// Group breaches by ledger entry, too.
    pub split_by_note: bool,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct RunReport {
    pub conversations: u64,
    pub translations: u64,
    pub time: Duration,
    pub groups: BTreeMap<BreachKey, BreachGroup>,
}

/// Law, dialect and rule: breaches with the same key most likely have one cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BreachKey {
    pub law: Law,
    /// The target dialect.
    pub to: &'static str,
    pub rule: String,
}

#[derive(Debug)]
pub struct BreachGroup {
    pub count: u64,
    /// Breaches by flavor.
    pub flavors: BTreeMap<&'static str, u64>,
    pub example: BreachExample,
}

/// A conversation that breaks a law.
#[derive(Clone, Debug)]
pub struct BreachExample {
    /// `None` for a request of the corpus.
    pub sample_number: Option<u64>,
    pub origin: String,
    pub request: SampleRequest,
    pub destination: Destination,
    pub breach: Breach,
}

/// Runs the plan; `progress` is called from time to time with the number of conversations and
/// breaches.
pub fn run(plan: &RunConfig, progress: &(dyn Fn(u64, u64) + Sync)) -> RunReport {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let report = Mutex::new(RunReport::default());
    let breach_count = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..plan.threads {
            scope.spawn(|| {
                let mut worker_report = RunReport::default();
                run_worker(plan, &next, &breach_count, start, progress, &mut worker_report);
                if let Ok(mut report) = report.lock() {
                    report.merge(worker_report);
                }
            });
        }
    });
    let mut report = report.into_inner().unwrap_or_default();
    report.time = start.elapsed();
    report
}

fn run_worker(
    plan: &RunConfig,
    next: &AtomicU64,
    breach_count: &AtomicU64,
    start: Instant,
    progress: &(dyn Fn(u64, u64) + Sync),
    report: &mut RunReport,
) {
    let seeds = if plan.with_corpus { &plan.source.corpus_requests[..] } else { &[] };
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let timed_out = plan.time_limit.is_some_and(|limit| start.elapsed() >= limit);
        if timed_out {
            return;
        }
        let count = if let Some(seed) = seeds.get(index as usize) {
            report.check_corpus_request(plan, seed)
        } else {
            let number = plan.sample_numbers.start + index - seeds.len() as u64;
            if number >= plan.sample_numbers.end {
                return;
            }
            report.check_sample(plan, number)
        };
        let breaches = breach_count.fetch_add(count, Ordering::Relaxed);
        if index.is_multiple_of(1024) {
            progress(index, breaches);
        }
    }
}

impl RunReport {
    /// Translates a request of the corpus for every model.
    fn check_corpus_request(&mut self, plan: &RunConfig, seed: &CorpusRequest) -> u64 {
        self.conversations += 1;
        let mut count = 0;
        for provider in &plan.providers {
            let requested = provider.requested_model(&seed.request);
            for model in provider.models.iter().copied().chain(requested) {
                let destination = Destination { provider: *provider, model: model.to_owned() };
                count += self.examine(plan, &seed.request, &destination, None, &seed.name);
            }
        }
        count
    }

    /// Translates the conversation with this number for one model of each provider.
    fn check_sample(&mut self, plan: &RunConfig, number: u64) -> u64 {
        let Some(mut sample) = plan.source.sample(number) else { return 0 };
        self.conversations += 1;
        let mut count = 0;
        for provider in &plan.providers {
            let destination = provider.pick_destination(&sample.request, &mut sample.rng);
            count +=
                self.examine(plan, &sample.request, &destination, Some(number), &sample.origin);
        }
        count
    }

    fn examine(
        &mut self,
        plan: &RunConfig,
        case: &SampleRequest,
        destination: &Destination,
        number: Option<u64>,
        origin: &str,
    ) -> u64 {
        self.translations += 1;
        let mut breaches = Vec::new();
        check_laws(case, destination, &plan.laws, &mut breaches);
        let count = breaches.len() as u64;
        for mut breach in breaches {
            if plan.split_by_note {
                breach.rule = breach.fine_key();
            }
            let example = || BreachExample {
                sample_number: number,
                origin: origin.to_owned(),
                request: case.clone(),
                destination: destination.clone(),
                breach: breach.clone(),
            };
            self.add_breach(destination, &breach, example);
        }
        count
    }

    fn add_breach(
        &mut self,
        destination: &Destination,
        breach: &Breach,
        example: impl FnOnce() -> BreachExample,
    ) {
        let key = BreachKey {
            law: breach.law,
            to: destination.provider.judge.dialect,
            rule: breach.rule.clone(),
        };
        let group = self.groups.entry(key).or_insert_with(|| BreachGroup {
            count: 0,
            flavors: BTreeMap::new(),
            example: example(),
        });
        group.count += 1;
        *group.flavors.entry(destination.provider.flavor).or_default() += 1;
    }

    fn merge(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.translations += other.translations;
        for (key, other_group) in other.groups {
            let Some(group) = self.groups.get_mut(&key) else {
                self.groups.insert(key, other_group);
                continue;
            };
            group.count += other_group.count;
            for (flavor, count) in other_group.flavors {
                *group.flavors.entry(flavor).or_default() += count;
            }
            // The first example wins, so that the report does not depend on thread timing.
            if other_group.example.sort_key() < group.example.sort_key() {
                group.example = other_group.example;
            }
        }
    }

    /// Shrinks all examples.
    pub fn shrink(&mut self, threads: usize) {
        let groups: Mutex<Vec<&mut BreachGroup>> = Mutex::new(self.groups.values_mut().collect());
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

impl BreachExample {
    fn sort_key(&self) -> (Option<u64>, &str) {
        (self.sample_number, &self.origin)
    }

    fn shrink(&mut self) {
        let (case, destination) = (&self.request, &self.destination);
        let (law, rule) = (self.breach.law, self.breach.rule.clone());
        let has_rule = |breach: &Breach| breach.rule == rule || breach.fine_key() == rule;
        let find_breach = |body: &serde_json::Value| {
            let mut breaches = Vec::new();
            check_laws(&case.with_body(body.clone()), destination, &[law], &mut breaches);
            breaches.into_iter().find(|breach| breach.law == law && has_rule(breach))
        };
        let body = shrink(&self.request.body, |body| find_breach(body).is_some());
        if let Some(breach) = find_breach(&body) {
            self.breach = breach;
            self.request = self.request.with_body(body);
        }
    }
}
