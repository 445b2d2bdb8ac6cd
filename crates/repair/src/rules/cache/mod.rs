//! Rules about cache breakpoints.

mod cache_lifetime;
mod cache_limit;
mod cache_place;
mod cache_unknown;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit};

pub(super) const RULES: &[ConversationRule] = &[
    fit("cache-unknown", cache_unknown::apply).requires(Feature::CacheBreakpoints),
    fit("cache-place", cache_place::apply),
    fit("cache-limit", cache_limit::apply).requires(Feature::CacheBreakpoints),
    fit("cache-lifetime", cache_lifetime::apply).requires(Feature::CacheBreakpoints),
];
