//! Describes which cache breakpoints each target accepts.

use super::TargetSelector;
use super::texts::BEDROCK_OTHER_VENDORS;

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

pub(super) static ROWS: &[(TargetSelector, CacheProfile)] = &[
    (TargetSelector::flavors("anthropic", &["deepseek"]), UNLIMITED),
    (
        TargetSelector::dialect("anthropic"),
        CacheProfile {
            request_breakpoint_field: Some("cache_control"),
            not_on_reasoning: true,
            ..LIMITED
        },
    ),
    (
        TargetSelector {
            flavors: &["", "openai", "azure"],
            ..TargetSelector::models("openai-chat", MODELS_WITHOUT_BREAKPOINTS)
        },
        UNSUPPORTED,
    ),
    (TargetSelector::dialect("openai-chat"), UNLIMITED),
    (TargetSelector::dialect("openai-responses"), UNLIMITED),
    (TargetSelector::dialect("gemini"), UNLIMITED),
    (
        TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS),
        CacheProfile { breakpoint_block_kind: Some("cachePoint"), ..UNLIMITED },
    ),
    (
        TargetSelector::dialect("bedrock"),
        CacheProfile { breakpoint_block_kind: Some("cachePoint"), ..LIMITED },
    ),
];

const LIMITED: CacheProfile = CacheProfile {
    supported: true,
    max_breakpoints: Some(4),
    ttls: &["1h", "5m"],
    breakpoint_block_kind: None,
    not_on_reasoning: true,
    request_breakpoint_field: None,
};
const UNLIMITED: CacheProfile = CacheProfile {
    supported: true,
    max_breakpoints: None,
    ttls: &[],
    breakpoint_block_kind: None,
    not_on_reasoning: false,
    request_breakpoint_field: None,
};
const UNSUPPORTED: CacheProfile = CacheProfile { supported: false, ..UNLIMITED };

/// Models without explicit breakpoints.
pub(super) const MODELS_WITHOUT_BREAKPOINTS: &[&str] = &[
    "^gpt-3",
    "^gpt-4",
    "^gpt-5!",
    "^gpt-5.0",
    "^gpt-5.1",
    "^gpt-5.2",
    "^gpt-5.3",
    "^gpt-5.4",
    "^gpt-5.5",
    "^o1",
    "^o3",
    "^o4",
    "^gpt-5.6-chat",
    "^chatgpt",
];
