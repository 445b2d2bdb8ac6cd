//! Which model goes where.

use std::fmt;
use std::sync::Arc;

use interlingua_upstream::PROVIDERS;

use super::{Config, Provider};

/// What clients ask for, and where it goes: the first pattern that matches wins.
#[derive(Clone, Debug, Default)]
pub struct Models {
    pub patterns: Vec<Pattern>,
}

/// A name with any number of `*`, each of which stands for any text.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub pattern: String,
    pub ways: Vec<Way>,
}

/// One target of a pattern.
#[derive(Clone, Debug)]
pub struct Way {
    /// `sim` or the name of a provider.
    pub provider: String,
    /// `*` alone is the name that was asked for. Beside other text, it is what the pattern's `*` stood
    /// for; so is `{*}` anywhere.
    pub model: String,
    /// Neighbours that have one share the requests.
    pub weight: Option<u32>,
}

/// Where a request can go.
#[derive(Clone, Debug)]
pub struct Route {
    pub to: To,
    /// The model's name there.
    pub model: String,
}

#[derive(Clone, Debug)]
pub enum To {
    Provider(Arc<Provider>),
    /// The model that is built in.
    Simulated,
}

/// Nothing says where a model is to go; what there is, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrouted(pub String);

impl Config {
    /// Where a request for this model goes: the first route, and if it fails the next.
    ///
    /// Targets with weights are drawn by `draw`. The same number gives the same order: a conversation
    /// whose requests all bring its own number stays where it began.
    pub fn resolve(&self, model: &str, draw: u64) -> Result<Vec<Route>, Unrouted> {
        self.routes(model, || draw)
    }

    /// As [`Config::resolve`], with a number that is only asked for where there are weights.
    pub(crate) fn routes(
        &self,
        model: &str,
        draw: impl FnOnce() -> u64,
    ) -> Result<Vec<Route>, Unrouted> {
        if let Some(route) = self.named(model) {
            return Ok(vec![route]);
        }
        for pattern in &self.models.patterns {
            if let Some(stars) = matched(&pattern.pattern, model) {
                let weighted = pattern.ways.iter().any(|way| way.weight.is_some());
                let ways = ordered(&pattern.ways, if weighted { draw() } else { 0 });
                let route = |way: &&Way| self.follow(way, model, &stars);
                return Ok(ways.iter().filter_map(route).collect());
            }
        }
        let family = PROVIDERS
            .iter()
            .filter(|row| row.family.iter().any(|pattern| matched(pattern, model).is_some()));
        let mut own = family.filter_map(|row| self.provider(row.name));
        let only = || if let [only] = self.providers.as_slice() { Some(only) } else { None };
        match own.next().or_else(only) {
            Some(provider) => {
                Ok(vec![Route { to: To::Provider(Arc::clone(provider)), model: model.into() }])
            }
            None => Err(self.unrouted(model)),
        }
    }

    /// `provider/model`, if there is such a provider.
    fn named(&self, model: &str) -> Option<Route> {
        let (name, model) = model.split_once('/')?;
        let to = self.to(name)?;
        (!model.is_empty()).then(|| Route { to, model: model.into() })
    }

    fn to(&self, name: &str) -> Option<To> {
        if name == SIMULATED {
            return Some(To::Simulated);
        }
        self.provider(name).map(|provider| To::Provider(Arc::clone(provider)))
    }

    fn follow(&self, way: &Way, asked: &str, stars: &[&str]) -> Option<Route> {
        Some(Route { to: self.to(&way.provider)?, model: filled(&way.model, asked, stars) })
    }

    fn unrouted(&self, model: &str) -> Unrouted {
        let names: Vec<_> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
        let there = match names.as_slice() {
            [] => "no provider is configured, and only the built-in models sim/echo and sim/agent are there".into(),
            names => format!("ask for PROVIDER/{model} with one of {}, or give it a line in [models]", names.join(", ")),
        };
        Unrouted(format!("nothing says where the model `{model}` is to go: {there}"))
    }
}

/// What each `*` of the pattern stands for, if the name matches. Earlier ones take as little as they can.
pub(super) fn matched<'m>(pattern: &str, name: &'m str) -> Option<Vec<&'m str>> {
    let mut parts = pattern.split('*');
    let mut rest = name.strip_prefix(parts.next()?)?;
    let mut stars = Vec::new();
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty().then_some(stars);
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            stars.push(rest.strip_suffix(part)?);
            break;
        }
        let at = rest.find(part)?;
        stars.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    Some(stars)
}

/// The model's name at a target.
fn filled(template: &str, asked: &str, stars: &[&str]) -> String {
    if template == "*" {
        return asked.into();
    }
    let template = template.replace("{*}", "*");
    let mut parts = template.split('*');
    let mut model = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        model.push_str(stars.get(at).copied().unwrap_or_default());
        model.push_str(part);
    }
    model
}

/// The targets in the order in which they are tried: each run of weighted ones is drawn.
fn ordered(ways: &[Way], draw: u64) -> Vec<&Way> {
    let mut all = Vec::with_capacity(ways.len());
    for run in ways.chunk_by(|a, b| a.weight.is_some() && b.weight.is_some()) {
        let mut run: Vec<_> = run.iter().collect();
        let total: u64 = run.iter().filter_map(|way| way.weight).map(u64::from).sum();
        let mut left = if total == 0 { 0 } else { scattered(draw) % total };
        let drawn = run.iter().position(|way| {
            let weight = way.weight.map_or(0, u64::from);
            let hit = left < weight;
            left = left.saturating_sub(weight);
            hit
        });
        if let Some(at) = drawn {
            run[..=at].rotate_right(1);
        }
        all.append(&mut run);
    }
    all
}

/// Spreads numbers that are near each other (splitmix64).
fn scattered(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl fmt::Display for Unrouted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unrouted {}

/// The name under which the built-in models are asked for.
pub const SIMULATED: &str = "sim";
