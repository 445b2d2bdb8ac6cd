//! Measures the overhead of a feature in paired rounds, without and with it.

use std::time::Duration;

/// The times without and with the feature, by round.
#[derive(Clone, Debug, Default)]
pub struct PairedRuns(Vec<(Duration, Duration)>);

impl PairedRuns {
    /// Measures both in every round. The order alternates, so that a noisy machine affects both
    /// equally.
    pub fn measure(
        rounds: usize,
        mut without: impl FnMut() -> Duration,
        mut with: impl FnMut() -> Duration,
    ) -> Self {
        let mut runs = Self::default();
        for round in 0..rounds {
            if round % 2 == 0 {
                let first = without();
                runs.push(first, with());
            } else {
                let first = with();
                runs.push(without(), first);
            }
        }
        runs
    }

    pub fn push(&mut self, without: Duration, with: Duration) {
        self.0.push((without, with));
    }

    /// The median overhead of the feature, as a share.
    pub fn median_overhead(&self) -> f64 {
        self.overhead_quartiles()[1]
    }

    /// The quartiles of the overhead.
    fn overhead_quartiles(&self) -> [f64; 3] {
        let ratio = |(without, with): &(Duration, Duration)| {
            with.as_secs_f64() / without.as_secs_f64().max(f64::MIN_POSITIVE)
        };
        let mut ratios: Vec<f64> = self.0.iter().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        [1, 2, 3]
            .map(|quarter| ratios.get(ratios.len() * quarter / 4).copied().unwrap_or(1.0) - 1.0)
    }

    /// One row of the table: both medians, the median overhead and its quartiles. Quartiles that
    /// are far apart show a busy machine, whose numbers mean little.
    pub fn table_row(&self, name: &str) -> String {
        let median_micros = |mut times: Vec<Duration>| {
            times.sort_unstable();
            median(&times).copied().unwrap_or_default().as_secs_f64() * 1e6
        };
        let without = median_micros(self.0.iter().map(|round| round.0).collect());
        let with = median_micros(self.0.iter().map(|round| round.1).collect());
        let [low, overhead, high] = self.overhead_quartiles().map(|share| share * 100.0);
        format!(
            "{name:<52} {without:>9.1}µs {with:>9.1}µs {overhead:>+7.1} %   ({low:+.1} to {high:+.1})"
        )
    }

    /// The header of the table.
    pub fn table_header(name: &str) -> String {
        format!("{name:<52} {:>11} {:>11} {:>9}", "without", "with", "more")
    }
}

/// Arguments without `-` select rows by substring; without any, all rows are measured.
pub fn is_selected(name: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    filters.peek().is_none() || filters.any(|filter| name.contains(&filter))
}

fn median<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len() / 2)
}
