//! Describes which cache breakpoints each target accepts.

use crate::facts::facts;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct CacheProfile {
    /// Cache breakpoints are accepted at all.
    pub supported: bool,
    /// Maximum number of breakpoints, including that of the whole request; `None` if unlimited.
    pub max_breakpoints: Option<usize>,
    /// Supported lifetimes, longest first; a breakpoint may not last longer than the one before it.
    /// The last is the default. Empty if the target does not check them.
    pub ttls: &'static [&'static str],
    /// Kind of the breakpoint block, where a breakpoint is a block of its own.
    pub breakpoint_block_kind: Option<&'static str>,
    /// Reasoning blocks cannot have a breakpoint.
    pub not_on_reasoning: bool,
    /// The body field with the breakpoint of the whole request.
    pub request_breakpoint_field: Option<&'static str>,
}
}
