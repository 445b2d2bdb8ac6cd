//! What the vendors' own APIs, and careful copies, accept of cache breakpoints.

use crate::profile::cache::CacheProfile;

pub(crate) const LIMITED: CacheProfile = CacheProfile {
    supported: true,
    max_breakpoints: Some(4),
    ttls: &["1h", "5m"],
    breakpoint_block_kind: None,
    not_on_reasoning: true,
    request_breakpoint_field: None,
};
pub(crate) const UNLIMITED: CacheProfile = CacheProfile {
    supported: true,
    max_breakpoints: None,
    ttls: &[],
    breakpoint_block_kind: None,
    not_on_reasoning: false,
    request_breakpoint_field: None,
};
