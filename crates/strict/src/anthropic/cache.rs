//! Cache markers: how many, and in which order.

use serde_json::Value;

use super::view;
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

/// A marker and the path of what it stands on.
struct Marker<'v> {
    path: String,
    ttl: &'v str,
}

/// The lifetime of a marker; five minutes unless it says more.
fn ttl(value: &Value) -> Option<&str> {
    let cache = value.field("cache_control").filter(|cache| cache.is_object())?;
    Some(Some(string(cache, "ttl")).filter(|ttl| !ttl.is_empty()).unwrap_or("5m"))
}

/// Every marker, in the order in which the API goes through them.
fn markers(body: &Value) -> Vec<Marker<'_>> {
    let mut found = Vec::new();
    for key in ["tools", "system"] {
        for (at, value) in items(body, key).iter().enumerate() {
            found.extend(ttl(value).map(|ttl| Marker { path: format!("{key}.{at}"), ttl }));
        }
    }
    for block in view::blocks(body) {
        for inner in view::inside(&block) {
            found.extend(ttl(inner.value).map(|ttl| Marker { path: inner.path(), ttl }));
        }
        found.extend(ttl(block.value).map(|ttl| Marker { path: block.path(), ttl }));
    }
    found
}

/// Whether there is any marker, also one for the whole request.
pub(super) fn is_marked(body: &Value) -> bool {
    ttl(body).is_some() || !markers(body).is_empty()
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    let markers = markers(request.body);
    if let Some(fifth) = markers.get(MOST) {
        findings.add(&*fifth.path, many(markers.len()));
    }
}

fn many(count: usize) -> String {
    format!("A maximum of {MOST} blocks with cache_control may be provided. Found {count}.")
}

fn order(request: &Request<'_>, findings: &mut Findings) {
    let markers = markers(request.body);
    let short = markers.iter().position(|marker| marker.ttl == "5m").unwrap_or(markers.len());
    for marker in markers[short..].iter().filter(|marker| marker.ttl == "1h") {
        let path = format!("{}.cache_control.ttl", marker.path);
        let words = format!("{path}: {ORDER}");
        findings.add(path, words);
    }
}

/// One marker for the whole request, which the API puts on its last block.
fn automatic(request: &Request<'_>, findings: &mut Findings) {
    let Some(whole) = ttl(request.body) else { return };
    let markers = markers(request.body);
    if markers.len() == MOST {
        findings.add("cache_control", many(MOST + 1));
    }
    let last = view::blocks(request.body).last().and_then(|block| ttl(block.value));
    if last.is_some_and(|last| last != whole) {
        findings.add("cache_control.ttl", AUTOMATIC);
    }
}

const MOST: usize = 4;
const ORDER: &str = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
const AUTOMATIC: &str =
    "cache_control.ttl: must match the ttl of the cache_control on the last block";

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "too-many-cache-markers",
        status: 400,
        when: "There are more than 4 cache markers, those inside tool results included.",
        words: "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
        evidence: Evidence::Seen,
        source: "G1; Anthropic.SDK#50, sub2api#176",
        check: too_many,
    },
    Rule {
        name: "cache-order",
        status: 400,
        when: "A cache marker of an hour follows one of five minutes.",
        words: "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
        evidence: Evidence::Seen,
        source: "G2; public code 70194207851, 61980901041",
        check: order,
    },
    Rule {
        name: "automatic-cache",
        status: 400,
        when: "Automatic caching meets four markers, or another lifetime on the last block.",
        words: "A maximum of 4 blocks with cache_control may be provided. Found {count}.\ncache_control.ttl: must match the ttl of the cache_control on the last block",
        evidence: Evidence::Inferred,
        source: "G5; documentation of prompt caching",
        check: automatic,
    },
];
