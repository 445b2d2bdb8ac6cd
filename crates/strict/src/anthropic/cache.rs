//! Rules about cache breakpoints: their number and order.

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

/// A cache breakpoint with its path and lifetime.
struct CacheBreakpoint<'v> {
    path: String,
    ttl: &'v str,
}

/// The lifetime of a breakpoint; five minutes by default.
fn ttl(value: &Value) -> Option<&str> {
    let cache_control =
        value.field("cache_control").filter(|cache_control| cache_control.is_object())?;
    Some(Some(str_field(cache_control, "ttl")).filter(|ttl| !ttl.is_empty()).unwrap_or("5m"))
}

/// All cache breakpoints, in the order in which the API processes them.
fn breakpoints(body: &Value) -> Vec<CacheBreakpoint<'_>> {
    let mut breakpoints = Vec::new();
    for key in ["tools", "system"] {
        for (at, value) in array_field(body, key).iter().enumerate() {
            breakpoints
                .extend(ttl(value).map(|ttl| CacheBreakpoint { path: format!("{key}.{at}"), ttl }));
        }
    }
    for block in view::blocks(body) {
        for inner in view::result_blocks(&block) {
            breakpoints
                .extend(ttl(inner.value).map(|ttl| CacheBreakpoint { path: inner.path(), ttl }));
        }
        breakpoints.extend(ttl(block.value).map(|ttl| CacheBreakpoint { path: block.path(), ttl }));
    }
    breakpoints
}

/// Whether there is any cache breakpoint, including one for the whole request.
pub(super) fn has_cache_breakpoint(body: &Value) -> bool {
    ttl(body).is_some() || !breakpoints(body).is_empty()
}

fn too_many_cache_markers(request: &Request<'_>, cx: &mut CheckContext) {
    let breakpoints = breakpoints(request.body);
    if let Some(first_excess) = breakpoints.get(MAX_BREAKPOINTS) {
        cx.reject(&*first_excess.path, too_many_message(breakpoints.len()));
    }
}

fn too_many_message(count: usize) -> String {
    format!(
        "A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. Found {count}."
    )
}

fn cache_order(request: &Request<'_>, cx: &mut CheckContext) {
    let breakpoints = breakpoints(request.body);
    let first_short = breakpoints
        .iter()
        .position(|breakpoint| breakpoint.ttl == "5m")
        .unwrap_or(breakpoints.len());
    for breakpoint in breakpoints[first_short..].iter().filter(|breakpoint| breakpoint.ttl == "1h")
    {
        let path = format!("{}.cache_control.ttl", breakpoint.path);
        let message = format!("{path}: {CACHE_ORDER_ERROR}");
        cx.reject(path, message);
    }
}

/// Automatic caching is one breakpoint for the whole request, which the API sets on its last block.
fn automatic_cache(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(request_ttl) = ttl(request.body) else { return };
    let breakpoints = breakpoints(request.body);
    if breakpoints.len() == MAX_BREAKPOINTS {
        cx.reject("cache_control", too_many_message(MAX_BREAKPOINTS + 1));
    }
    let last = view::blocks(request.body).last().and_then(|block| ttl(block.value));
    if last.is_some_and(|last| last != request_ttl) {
        cx.reject("cache_control.ttl", AUTOMATIC_CACHE_ERROR);
    }
}

const MAX_BREAKPOINTS: usize = 4;
const CACHE_ORDER_ERROR: &str = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
const AUTOMATIC_CACHE_ERROR: &str =
    "cache_control.ttl: must match the ttl of the cache_control on the last block";

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "too-many-cache-markers",
        status: 400,
        condition: "There are more than 4 cache breakpoints, including those inside tool results.",
        error_message: "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
        evidence: Evidence::Observed,
        source: "G1; Anthropic.SDK#50, sub2api#176",
        check: too_many_cache_markers,
    },
    Rule {
        name: "cache-order",
        status: 400,
        condition: "A one-hour cache breakpoint follows a five-minute one.",
        error_message: "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
        evidence: Evidence::Observed,
        source: "G2; public code 70194207851, 61980901041",
        check: cache_order,
    },
    Rule {
        name: "automatic-cache",
        status: 400,
        condition: "Automatic caching is used with four breakpoints, or with another lifetime on the last block.",
        error_message: "A maximum of 4 blocks with cache_control may be provided. Found {count}.\ncache_control.ttl: must match the ttl of the cache_control on the last block",
        evidence: Evidence::Inferred,
        source: "G5; documentation of prompt caching",
        check: automatic_cache,
    },
];
