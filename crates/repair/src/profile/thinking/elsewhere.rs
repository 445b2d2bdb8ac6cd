//! Other servers of the Messages API.

use super::open::OPEN;
use super::{Echo, Thinking};

/// Thinks unless it is switched off, ignores signatures, and wants what it thought before its calls.
pub(super) const DEEPSEEK: Thinking = Thinking {
    unasked: true,
    only_switch: true,
    efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
    refuses_strangers: true,
    echo: Echo::WithCalls,
    ..OPEN
};
