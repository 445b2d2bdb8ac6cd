//! The rows about calls and results, by dialect, flavor and model.

use super::super::TargetSelector;
use super::spellings::{
    ALL_BUT_BLANK_IDS, ALL_BUT_EMPTY_IDS, ALL_BUT_NULL_CALL, ALL_SPELLINGS, LENIENT_SPELLINGS,
    MORE_LENIENT_SPELLINGS,
};
use super::{
    ArgumentForm, AsciiSet, CallIdFormat, CallProfile, ForeignPair, ItemIdFormat, OrphanResults,
    ResultKinds, ResultPlacement, ToolRunner, UniqueIds,
};

pub(in crate::profile) static ROWS: &[(TargetSelector, CallProfile)] = &[
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        CallProfile {
            id_format: CallIdFormat { calls_only: true, ..NON_EMPTY_ID },
            caller_field: None,
            foreign_pairs: &[],
            ..MESSAGES
        },
    ),
    (TargetSelector::dialect("anthropic"), MESSAGES),
    (
        chat_models(
            &["mistral"],
            &[
                "open-mistral",
                "open-mixtral",
                "mistral-tiny",
                "-2402",
                "-2403",
                "-2405",
                "-2407",
                "-2409",
                "-2410",
                "-2411",
                "-2501",
                "-2503",
                "-2505",
                "pixtral",
                "codestral-mamba",
            ],
        ),
        CallProfile { id_format: NINE_ALPHANUMERIC, ..MISTRAL },
    ),
    (TargetSelector::flavors("openai-chat", &["mistral"]), MISTRAL),
    (
        chat_models(FIRST_PARTY, MODELS_WITH_40_CHAR_IDS),
        CallProfile { id_format: UP_TO_40, ..CHAT },
    ),
    (chat_models(FIRST_PARTY, MODELS_WITH_64_CHAR_IDS), CHAT),
    (chat_models(FIRST_PARTY, OLDER_MODELS), CallProfile { id_format: UP_TO_40, ..CHAT }),
    (TargetSelector::flavors("openai-chat", FIRST_PARTY), CHAT),
    (
        TargetSelector::flavors("openai-chat", &["generic"]),
        CallProfile {
            id_format: UP_TO_40,
            argument_form: ArgumentForm::Json,
            legacy_calls: false,
            ..CHAT
        },
    ),
    (
        chat_models(&["openrouter"], &["anthropic/"]),
        CallProfile {
            orphan_results: OrphanResults::Accepted,
            id_format: NON_EMPTY_ID,
            accepts_empty_list: true,
            rejected_spellings: ALL_BUT_NULL_CALL,
            ..CHAT
        },
    ),
    (
        chat_models(&["openrouter"], &["google/"]),
        CallProfile {
            orphan_results: OrphanResults::AmongResults,
            one_result_per_call: true,
            id_format: NON_EMPTY_ID,
            accepts_empty_list: true,
            rejected_spellings: ALL_BUT_NULL_CALL,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["openrouter"]),
        CallProfile { id_format: NON_EMPTY_ID, ..CHAT },
    ),
    (
        TargetSelector::flavors("openai-chat", &["gemini-compat"]),
        CallProfile {
            orphan_results: OrphanResults::AmongResults,
            one_result_per_call: true,
            id_format: NON_EMPTY_ID,
            accepts_empty_list: true,
            rejected_spellings: LENIENT_SPELLINGS,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["deepseek"]),
        CallProfile {
            orphan_results: OrphanResults::AmongResults,
            id_format: NON_EMPTY_ID,
            accepts_empty_list: true,
            legacy_results: false,
            rejected_spellings: ALL_BUT_NULL_CALL,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["qwen"]),
        CallProfile {
            orphan_results: OrphanResults::AmongResults,
            id_format: NON_EMPTY_ID,
            argument_form: ArgumentForm::Json,
            accepts_empty_list: true,
            rejected_spellings: ALL_BUT_NULL_CALL,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["moonshot"]),
        CallProfile {
            id_format: NON_EMPTY_ID,
            accepts_empty_list: true,
            legacy_results: false,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["glm"]),
        CallProfile {
            unique_ids: UniqueIds::Conversation,
            id_format: NON_EMPTY_ID,
            argument_form: ArgumentForm::Json,
            accepts_empty_list: true,
            legacy_results: false,
            ..CHAT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["ollama"]),
        CallProfile {
            argument_form: ArgumentForm::Json,
            rejected_spellings: MORE_LENIENT_SPELLINGS,
            ..LENIENT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["vllm"]),
        CallProfile {
            argument_form: ArgumentForm::JsonOrNothing,
            legacy_results: false,
            rejected_spellings: &["object arguments", "other arguments", "no call"],
            ..LENIENT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["lm-studio"]),
        CallProfile {
            rejected_spellings: MORE_LENIENT_SPELLINGS,
            legacy_results: false,
            ..LENIENT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["llama.cpp"]),
        CallProfile {
            rejected_spellings: &["no type", "null arguments", "other arguments"],
            ..LENIENT
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["groq"]),
        CallProfile { rejected_spellings: ALL_BUT_EMPTY_IDS, ..LENIENT },
    ),
    // A legacy function message requires a name, and only user messages may have one.
    (
        TargetSelector::flavors("openai-chat", &["xai"]),
        CallProfile { legacy_results: false, ..LENIENT },
    ),
    (
        TargetSelector::flavors("openai-chat", &["cerebras"]),
        CallProfile { legacy_calls: false, ..LENIENT },
    ),
    (TargetSelector::dialect("openai-chat"), CHAT),
    (
        TargetSelector::flavors("openai-responses", &["llama.cpp"]),
        CallProfile {
            result_placement: ResultPlacement::Anywhere,
            orphan_results: OrphanResults::Accepted,
            unique_ids: UniqueIds::NotRequired,
            legacy_calls: false,
            legacy_results: false,
            id_format: ANY_ID,
            freeform: false,
            checks_roles: false,
            item_id_format: None,
            stored_state_fields: &[],
            foreign_pairs: &[],
            ..RESPONSES
        },
    ),
    (
        TargetSelector::flavors("openai-responses", &["codex"]),
        CallProfile {
            stored_state_fields: &[("conversation", None), ("prompt", None)],
            ..RESPONSES
        },
    ),
    (TargetSelector::dialect("openai-responses"), RESPONSES),
    (
        vertex_models(&["gemini-3-pro-image", "gemini-3-1-flash-image", "gemini-3-1-pro-image"]),
        CallProfile { results_need_name: true, ..GEMINI },
    ),
    (vertex_models(&["gemini-2-5"]), GEMINI),
    (
        vertex_models(&["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"]),
        CallProfile { id_format: CallIdFormat { omitted: true, ..ANY_ID }, ..GEMINI },
    ),
    (
        TargetSelector::flavors("gemini", &["vertex"]),
        CallProfile { results_need_name: true, ..GEMINI },
    ),
    (TargetSelector::dialect("gemini"), GEMINI),
    (TargetSelector::models("bedrock", &["claude"]), CLAUDE_BEHIND_CONVERSE),
    (
        TargetSelector::models(
            "bedrock",
            &[
                "amazon-",
                "meta-",
                "mistral-",
                "cohere-",
                "deepseek-",
                "qwen-",
                "openai-",
                "moonshot",
                "minimax-",
                "ai21-",
                "writer-",
                "zai-",
                "google-",
                "nvidia-",
                "twelvelabs-",
                "xai-",
            ],
        ),
        CONVERSE,
    ),
    (TargetSelector::dialect("bedrock"), CLAUDE_BEHIND_CONVERSE),
];

/// Servers of `OpenAI` models.
const FIRST_PARTY: &[&str] = &["", "openai", "azure"];

/// Models with ids of up to 40 characters, and with names that match newer models.
const MODELS_WITH_40_CHAR_IDS: &[&str] = &[
    "gpt-5-20",
    "gpt-5-chat",
    "gpt-5-1-chat",
    "gpt-5-2-chat",
    "gpt-5-3-chat",
    "gpt-5-4-chat",
    "gpt-5-5-chat",
    "gpt-5-6-chat",
];
const MODELS_WITH_64_CHAR_IDS: &[&str] =
    &["gpt-5-2", "gpt-5-3", "gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-5-7", "gpt-5-8", "gpt-5-9"];
const OLDER_MODELS: &[&str] = &["gpt-3", "gpt-4", "gpt-5", "o1", "o3", "o4"];

const ANY_ID: CallIdFormat = CallIdFormat {
    charset: None,
    min_chars: 0,
    max_chars: usize::MAX,
    reserved_prefix: None,
    forbidden: None,
    omitted: false,
    calls_only: false,
};
const NON_EMPTY_ID: CallIdFormat = CallIdFormat { min_chars: 1, ..ANY_ID };
const UP_TO_64: CallIdFormat = CallIdFormat { max_chars: 64, ..NON_EMPTY_ID };
const UP_TO_40: CallIdFormat = CallIdFormat { max_chars: 40, ..NON_EMPTY_ID };
/// "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
const NINE_ALPHANUMERIC: CallIdFormat = CallIdFormat {
    charset: Some(&AsciiSet::alphanumeric_and(b"")),
    min_chars: 9,
    max_chars: 9,
    ..ANY_ID
};

const MESSAGES: CallProfile = CallProfile {
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
    cross_dialect_id_format: None,
    argument_form: ArgumentForm::Object,
    results_need_name: false,
    ordered_results: false,
    accepts_empty_list: true,
    rejected_spellings: &[],
    freeform: true,
    freeform_result_key: None,
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

const CHAT: CallProfile = CallProfile {
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

const MISTRAL: CallProfile = CallProfile {
    one_result_per_call: true,
    unique_ids: UniqueIds::Turn,
    legacy_calls: false,
    legacy_results: false,
    id_format: CallIdFormat { min_chars: 1, forbidden: Some("null"), ..ANY_ID },
    cross_dialect_id_format: Some(NINE_ALPHANUMERIC),
    accepts_empty_list: true,
    rejected_spellings: &[
        "no id",
        "empty id",
        "null arguments",
        "other arguments",
        "no call",
        "empty call",
        "null call",
    ],
    ..CHAT
};

const LENIENT: CallProfile = CallProfile {
    result_placement: ResultPlacement::Anywhere,
    orphan_results: OrphanResults::Accepted,
    id_format: ANY_ID,
    accepts_empty_list: true,
    rejected_spellings: ALL_BUT_BLANK_IDS,
    ..CHAT
};

const RESPONSES: CallProfile = CallProfile {
    result_placement: ResultPlacement::BeforeNextAssistant,
    unique_ids: UniqueIds::PerKind,
    id_format: CallIdFormat { min_chars: 1, ..UP_TO_64 },
    orphan_results: OrphanResults::AfterEarlierCall,
    accepts_empty_list: true,
    rejected_spellings: &[],
    freeform_result_key: Some("custom output"),
    item_id_format: Some(ItemIdFormat {
        max_chars: 64,
        message_prefix: "msg",
        reasoning_prefix: "rs",
        call_prefix: "fc",
        freeform_prefix: "ctc",
        freeform_result_key: "custom output",
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

const GEMINI: CallProfile = CallProfile {
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

const CONVERSE: CallProfile = CallProfile {
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

const CLAUDE_BEHIND_CONVERSE: CallProfile = CallProfile {
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

/// Models on other servers of the dialect.
const fn chat_models(
    flavors: &'static [&'static str],
    models: &'static [&'static str],
) -> TargetSelector {
    TargetSelector::new("openai-chat", flavors, models)
}

const fn vertex_models(models: &'static [&'static str]) -> TargetSelector {
    TargetSelector::new("gemini", &["vertex"], models)
}

const fn client_pair(call: &'static str, results: &'static [&'static str]) -> ForeignPair {
    ForeignPair {
        call_kind: call,
        result_kinds: ResultKinds::List(results),
        id_fields: ("call_id", &["call_id", "id"]),
        id_prefix: None,
        runner: ToolRunner::Client,
        only_if: None,
    }
}
