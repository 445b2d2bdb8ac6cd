//! What the vendors' own APIs, and careful copies, accept of texts.

use interlingua_model::EmptyTextHandling;

use crate::profile::texts::{
    MissingContent, ReasoningOnlyTurn, StringContent, TextMinimum, TextProfile,
};

/// Accepts everything.
pub(crate) const BASE: TextProfile = TextProfile {
    min_text: TextMinimum::Empty,
    accepts_blank_beside_call: false,
    checks_whole_message: false,
    min_result_text: TextMinimum::Empty,
    min_system_text: TextMinimum::Empty,
    empty_between_reasoning: EmptyTextHandling::Drop,
    empty_text_sealer: None,
    reasoning_issuer: None,
    reasoning_only_turn: ReasoningOnlyTurn::Accepted,
    reasoning_in_content: false,
    string_results: false,
    failed_result_needs_content: false,
    empty_result_unreliable: false,
    string_content: StringContent::NotRequired,
    missing_content: MissingContent::Accepted,
    rejects_null_fields: false,
};

pub(crate) const CLAUDE: TextProfile = TextProfile {
    min_text: TextMinimum::NonBlank,
    accepts_blank_beside_call: true,
    min_result_text: TextMinimum::NonEmpty,
    min_system_text: TextMinimum::NonEmpty,
    empty_between_reasoning: EmptyTextHandling::ReplaceWithSpace,
    reasoning_issuer: Some("anthropic"),
    reasoning_only_turn: ReasoningOnlyTurn::BeforeAssistant,
    string_results: true,
    empty_result_unreliable: true,
    ..BASE
};

pub(crate) const CONVERSE: TextProfile = TextProfile {
    accepts_blank_beside_call: false,
    string_results: false,
    failed_result_needs_content: true,
    ..CLAUDE
};
