//! Rules about cache breakpoints: their number and order.

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

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

pub(super) fn too_many_cache_markers(request: &Request<'_>, cx: &mut CheckContext) {
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

pub(super) fn cache_order(request: &Request<'_>, cx: &mut CheckContext) {
    let breakpoints = breakpoints(request.body);
    let first_short = breakpoints
        .iter()
        .position(|breakpoint| breakpoint.ttl == "5m")
        .unwrap_or(breakpoints.len());
    for breakpoint in breakpoints[first_short..].iter().filter(|breakpoint| breakpoint.ttl == "1h")
    {
        let path = format!("{}.cache_control.ttl", breakpoint.path);
        cx.reject_filled(path, &[]);
    }
}

/// Automatic caching is one breakpoint for the whole request, which the API sets on its last block.
pub(super) fn automatic_cache(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(request_ttl) = ttl(request.body) else { return };
    let breakpoints = breakpoints(request.body);
    if breakpoints.len() == MAX_BREAKPOINTS {
        cx.reject("cache_control", too_many_message(MAX_BREAKPOINTS + 1));
    }
    let last = view::blocks(request.body).last().and_then(|block| ttl(block.value));
    if last.is_some_and(|last| last != request_ttl) {
        cx.reject("cache_control.ttl", cx.case("automatic-cache"));
    }
}

const MAX_BREAKPOINTS: usize = 4;
