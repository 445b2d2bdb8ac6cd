//! What something costs without and with something else, side by side in one run.

use std::time::Duration;

/// What both cost, round by round.
#[derive(Clone, Debug, Default)]
pub struct Rounds(Vec<(Duration, Duration)>);

impl Rounds {
    /// Measures one and then the other. Who is first changes with every round, so that a noisy machine
    /// disturbs both alike.
    pub fn of(
        rounds: usize,
        mut without: impl FnMut() -> Duration,
        mut with: impl FnMut() -> Duration,
    ) -> Self {
        let mut all = Self::default();
        for round in 0..rounds {
            if round % 2 == 0 {
                let first = without();
                all.add(first, with());
            } else {
                let first = with();
                all.add(without(), first);
            }
        }
        all
    }

    pub fn add(&mut self, without: Duration, with: Duration) {
        self.0.push((without, with));
    }

    /// What the other adds, as a share: the median of what it added in each round.
    pub fn more(&self) -> f64 {
        self.quarters()[1]
    }

    /// A quarter of the rounds, half of them and three quarters added less than these.
    fn quarters(&self) -> [f64; 3] {
        let ratio = |(without, with): &(Duration, Duration)| {
            with.as_secs_f64() / without.as_secs_f64().max(f64::MIN_POSITIVE)
        };
        let mut ratios: Vec<f64> = self.0.iter().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        [1, 2, 3]
            .map(|quarter| ratios.get(ratios.len() * quarter / 4).copied().unwrap_or(1.0) - 1.0)
    }

    /// One line of a table: the median of each, what the other adds, and what it adds in half of the
    /// rounds: on a busy machine these are far apart, and the number means little.
    pub fn line(&self, name: &str) -> String {
        let middle = |mut times: Vec<Duration>| {
            times.sort_unstable();
            median(&times).copied().unwrap_or_default().as_secs_f64() * 1e6
        };
        let without = middle(self.0.iter().map(|round| round.0).collect());
        let with = middle(self.0.iter().map(|round| round.1).collect());
        let [least, more, most] = self.quarters().map(|share| share * 100.0);
        format!(
            "{name:<52} {without:>9.1}µs {with:>9.1}µs {more:>+7.1} %   ({least:+.1} to {most:+.1})"
        )
    }

    /// The line above such lines.
    pub fn head(name: &str) -> String {
        format!("{name:<52} {:>11} {:>11} {:>9}", "without", "with", "more")
    }
}

/// Words beside flags choose rows; without any, all are measured.
pub fn is_wanted(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

fn median<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len() / 2)
}
