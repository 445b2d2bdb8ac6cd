//! Requests as histograms that grow until the gateway stops.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::attribute::{Value, provider, put, resource, scope};
use super::proto::Message;
use super::span::{input, nanos, output};
use super::{Call, Told, name};

/// All that was measured since the beginning.
pub(super) struct Measures {
    since: SystemTime,
    series: BTreeMap<(usize, Attributes), Histogram>,
}

/// What a series is of: keys in the order of the conventions.
type Attributes = Vec<(&'static str, String)>;

/// An instrument of the conventions.
struct Instrument {
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    bounds: &'static [f64],
}

struct Histogram {
    counts: Vec<u64>,
    sum: f64,
    least: f64,
    most: f64,
}

impl Measures {
    pub(super) fn new() -> Self {
        Self { since: SystemTime::now(), series: BTreeMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    pub(super) fn take(&mut self, told: &Told) {
        let mut served = vec![(name::OPERATION, name::CHAT.to_owned())];
        served.extend(told.error.map(|error| (name::ERROR, error.to_owned())));
        served.push((name::DIALECT, told.dialect.to_owned()));
        self.record(SERVED, served, told.took.as_secs_f64());
        for call in &told.calls {
            self.call(call);
        }
    }

    fn call(&mut self, call: &Call) {
        let attributes = vec![
            (name::OPERATION, name::CHAT.to_owned()),
            (name::PROVIDER, provider(&call.provider).to_owned()),
            (name::REQUEST_MODEL, call.model.clone()),
        ];
        let mut timed = attributes.clone();
        timed.extend(call.error.map(|error| (name::ERROR, error.to_owned())));
        self.record(DURATION, timed, call.took.as_secs_f64());
        let Some(said) = &call.said else { return };
        if let Some(first) = said.first {
            let first = first.saturating_sub(call.began).as_secs_f64();
            self.record(TO_FIRST_CHUNK, attributes.clone(), first);
        }
        for (kind, count) in [("input", input(said)), ("output", output(said))] {
            if let Some(count) = count {
                let mut counted = attributes.clone();
                counted.push((name::TOKEN_TYPE, kind.to_owned()));
                #[expect(clippy::cast_precision_loss, reason = "nobody counts that many tokens")]
                self.record(TOKENS, counted, count as f64);
            }
        }
    }

    /// Models are named by clients: there are only so many series, and one for all others.
    fn record(&mut self, instrument: usize, attributes: Attributes, value: f64) {
        let mut key = (instrument, attributes);
        if self.series.len() >= MOST && !self.series.contains_key(&key) {
            key.1 = vec![(name::OVERFLOW, "true".to_owned())];
        }
        let bounds = INSTRUMENTS[instrument].bounds;
        self.series.entry(key).or_insert_with(|| Histogram::new(bounds)).record(bounds, value);
    }

    /// The body of an export of metrics.
    pub(super) fn export(&self, attributes: &[(String, String)], now: SystemTime) -> Vec<u8> {
        let mut request = Message::default();
        request.inside(1, |metrics| {
            resource(metrics, attributes);
            metrics.inside(2, |scoped| {
                scope(scoped);
                for (index, instrument) in INSTRUMENTS.iter().enumerate() {
                    let own = self.series.iter().filter(|((of, _), _)| *of == index);
                    let own: Vec<_> = own.map(|((_, attributes), own)| (attributes, own)).collect();
                    if !own.is_empty() {
                        scoped.inside(2, |metric| self.metric(metric, instrument, &own, now));
                    }
                }
            });
        });
        request.into_bytes()
    }

    fn metric(
        &self,
        metric: &mut Message,
        instrument: &Instrument,
        series: &[(&Attributes, &Histogram)],
        now: SystemTime,
    ) {
        metric.text(1, instrument.name);
        metric.text(2, instrument.about);
        metric.text(3, instrument.unit);
        metric.inside(9, |histogram| {
            for (attributes, own) in series {
                histogram.inside(1, |point| {
                    point.fixed(2, nanos(self.since));
                    point.fixed(3, nanos(now));
                    own.point(point, instrument.bounds);
                    for (key, value) in *attributes {
                        let flag = Value::Flag(true);
                        let text = Value::Text(value);
                        put(point, 9, key, if *key == name::OVERFLOW { &flag } else { &text });
                    }
                });
            }
            histogram.whole(2, CUMULATIVE);
        });
    }
}

impl Histogram {
    fn new(bounds: &[f64]) -> Self {
        let counts = vec![0; bounds.len() + 1];
        Self { counts, sum: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }

    fn record(&mut self, bounds: &[f64], value: f64) {
        let at = bounds.partition_point(|bound| *bound < value);
        self.counts[at] += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    fn point(&self, point: &mut Message, bounds: &[f64]) {
        point.fixed(4, self.counts.iter().sum());
        point.double(5, self.sum);
        point.all_fixed(6, self.counts.iter().copied());
        point.all_fixed(7, bounds.iter().map(|bound| bound.to_bits()));
        point.double(11, self.least);
        point.double(12, self.most);
    }
}

const DURATION: usize = 0;
const TOKENS: usize = 1;
const TO_FIRST_CHUNK: usize = 2;
const SERVED: usize = 3;

/// With the bounds that the conventions ask for.
const INSTRUMENTS: &[Instrument] = &[
    Instrument {
        name: name::DURATION,
        unit: "s",
        about: "GenAI operation duration.",
        bounds: SECONDS,
    },
    Instrument {
        name: name::TOKENS,
        unit: "{token}",
        about: "Number of input and output tokens used.",
        bounds: &[
            1.0,
            4.0,
            16.0,
            64.0,
            256.0,
            1024.0,
            4096.0,
            16384.0,
            65536.0,
            262_144.0,
            1_048_576.0,
            4_194_304.0,
            16_777_216.0,
            67_108_864.0,
        ],
    },
    Instrument {
        name: name::TO_FIRST_CHUNK,
        unit: "s",
        about: "Time to receive the first chunk.",
        bounds: SECONDS,
    },
    Instrument {
        name: name::SERVED,
        unit: "s",
        about: "Generative AI server request duration.",
        bounds: SECONDS,
    },
];

const SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// As many series as the specification of metrics has by default.
const MOST: usize = 2000;
const CUMULATIVE: u64 = 2;
