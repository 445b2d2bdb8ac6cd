//! What the vendors' own APIs, and careful copies, accept of tool calls and results.

use interlingua_model::SpellingSet;

use super::call_spellings::{ALL_BUT_BLANK_IDS, ALL_SPELLINGS};
use crate::profile::calls::{
    ArgumentForm, AsciiSet, CallIdFormat, CallProfile, ForeignPair, ItemIdFormat, OrphanResults,
    ResultKinds, ResultPlacement, ToolRunner, UniqueIds,
};

pub(crate) const ANY_ID: CallIdFormat = CallIdFormat {
    charset: None,
    min_chars: 0,
    max_chars: usize::MAX,
    reserved_prefix: None,
    forbidden: None,
    omitted: false,
    calls_only: false,
};
pub(crate) const NON_EMPTY_ID: CallIdFormat = CallIdFormat { min_chars: 1, ..ANY_ID };
pub(crate) const UP_TO_64: CallIdFormat = CallIdFormat { max_chars: 64, ..NON_EMPTY_ID };
pub(crate) const UP_TO_40: CallIdFormat = CallIdFormat { max_chars: 40, ..NON_EMPTY_ID };
/// "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
pub(crate) const NINE_ALPHANUMERIC: CallIdFormat = CallIdFormat {
    charset: Some(&AsciiSet::alphanumeric_and(b"")),
    min_chars: 9,
    max_chars: 9,
    ..ANY_ID
};

pub(crate) const MESSAGES: CallProfile = CallProfile {
    result_placement: ResultPlacement::FirstAfterRun,
    orphan_results: OrphanResults::Rejected,
    one_result_per_call: true,
    unique_ids: UniqueIds::Conversation,
    checks_roles: true,
    legacy_calls: false,
    legacy_results: false,
    id_format: CallIdFormat {
        charset: Some(&AsciiSet::alphanumeric_and(b"_-")),
        min_chars: 1,
        reserved_prefix: Some("srvtoolu_"),
        ..ANY_ID
    },
    argument_form: ArgumentForm::Object,
    results_need_name: false,
    ordered_results: false,
    accepts_empty_list: true,
    rejected_spellings: SpellingSet::EMPTY,
    freeform: true,
    has_freeform_results: false,
    item_id_format: None,
    caller_field: Some("caller"),
    repeated_field: Some("toolset_name"),
    stored_state_fields: &[("thread", Some("continue"))],
    foreign_pairs: &[ForeignPair {
        call_kind: "server_tool_use",
        result_kinds: ResultKinds::Suffix("_tool_result", "mcp_tool_result"),
        id_fields: ("id", &["tool_use_id"]),
        id_prefix: Some("srvtoolu_"),
        runner: ToolRunner::Provider,
        only_if: None,
    }],
};

pub(crate) const CHAT: CallProfile = CallProfile {
    result_placement: ResultPlacement::FirstAfterTurn,
    one_result_per_call: false,
    unique_ids: UniqueIds::NotRequired,
    legacy_calls: true,
    legacy_results: true,
    id_format: UP_TO_64,
    argument_form: ArgumentForm::Any,
    accepts_empty_list: false,
    rejected_spellings: ALL_SPELLINGS,
    caller_field: None,
    repeated_field: None,
    stored_state_fields: &[],
    foreign_pairs: &[],
    ..MESSAGES
};

pub(crate) const LENIENT: CallProfile = CallProfile {
    result_placement: ResultPlacement::Anywhere,
    orphan_results: OrphanResults::Accepted,
    id_format: ANY_ID,
    accepts_empty_list: true,
    rejected_spellings: ALL_BUT_BLANK_IDS,
    ..CHAT
};

pub(crate) const RESPONSES: CallProfile = CallProfile {
    result_placement: ResultPlacement::BeforeNextAssistant,
    unique_ids: UniqueIds::PerKind,
    id_format: CallIdFormat { min_chars: 1, ..UP_TO_64 },
    orphan_results: OrphanResults::AfterEarlierCall,
    accepts_empty_list: true,
    rejected_spellings: SpellingSet::EMPTY,
    has_freeform_results: true,
    item_id_format: Some(ItemIdFormat {
        max_chars: 64,
        message_prefix: "msg",
        reasoning_prefix: "rs",
        call_prefix: "fc",
        freeform_prefix: "ctc",
        other_prefixes: &[
            ("web_search_call", "ws"),
            ("image_generation_call", "ig"),
            ("compaction", "cmp"),
            ("local_shell_call", "lsh"),
            ("tool_search_call", "tsc"),
            ("tool_search_output", "tso"),
            ("additional_tools", "at"),
            ("agent_message", "amsg"),
        ],
        id_required_kinds: &["item_reference"],
    }),
    stored_state_fields: &[
        ("previous_response_id", None),
        ("conversation", None),
        ("prompt", None),
    ],
    foreign_pairs: &[
        client_pair("local_shell_call", &["local_shell_call_output"]),
        client_pair("shell_call", &["shell_call_output"]),
        client_pair("apply_patch_call", &["apply_patch_call_output"]),
        client_pair("computer_call", &["computer_call_output"]),
        ForeignPair {
            only_if: Some(("execution", "client")),
            ..client_pair("tool_search_call", &["tool_search_output"])
        },
    ],
    ..CHAT
};

pub(crate) const GEMINI: CallProfile = CallProfile {
    result_placement: ResultPlacement::MatchingCount,
    ordered_results: true,
    unique_ids: UniqueIds::NotRequired,
    id_format: ANY_ID,
    caller_field: None,
    repeated_field: None,
    stored_state_fields: &[],
    foreign_pairs: &[],
    ..MESSAGES
};

pub(crate) const CONVERSE: CallProfile = CallProfile {
    result_placement: ResultPlacement::NextTurn,
    one_result_per_call: false,
    unique_ids: UniqueIds::NotRequired,
    checks_roles: false,
    id_format: CallIdFormat {
        charset: Some(&AsciiSet::alphanumeric_and(b"_.:-")),
        min_chars: 1,
        max_chars: 64,
        ..ANY_ID
    },
    caller_field: None,
    repeated_field: None,
    stored_state_fields: &[],
    foreign_pairs: &[],
    ..MESSAGES
};

pub(crate) const CLAUDE_BEHIND_CONVERSE: CallProfile = CallProfile {
    one_result_per_call: true,
    unique_ids: UniqueIds::Conversation,
    checks_roles: true,
    id_format: CallIdFormat {
        charset: Some(&AsciiSet::alphanumeric_and(b"_-")),
        min_chars: 1,
        max_chars: 64,
        ..ANY_ID
    },
    ..CONVERSE
};

pub(crate) const fn client_pair(
    call: &'static str,
    results: &'static [&'static str],
) -> ForeignPair {
    ForeignPair {
        call_kind: call,
        result_kinds: ResultKinds::List(results),
        id_fields: ("call_id", &["call_id", "id"]),
        id_prefix: None,
        runner: ToolRunner::Client,
        only_if: None,
    }
}
