//! Vendors behind relays: what a relay calls their models, and which of a vendor's facts hold in the
//! relay's dialect.
//!
//! A list has every vendor whose models a relay serves; the first row that the name of a model matches
//! applies. Only what is the relay's own stands in its file.

use crate::prelude::*;

/// Relays whose dialect is Chat Completions.
pub(crate) const IN_CHAT: &[RelayedVendor] = &[
    ANTHROPIC,
    GOOGLE,
    // Open-weight models on other servers.
    RelayedVendor { patch: chat_with_openai_checks, ..other_vendor(&["openai/gpt-oss*"]) },
    RelayedVendor {
        models: &["openai/*"],
        api: Some(OwnApi {
            dialect: "openai-responses",
            flavor: None,
            carry: |own, p| p.settings.max_tokens = own.settings.max_tokens,
        }),
        patch: |p| {
            chat_with_openai_checks(p);
            p.reasoning.seal_issuers = &["openai"];
        },
    },
    RelayedVendor {
        patch: |p| {
            chat_with_openai_checks(p);
            p.reasoning.seal_issuers = &["xai"];
        },
        ..other_vendor(&["x-ai/*"])
    },
    // Without a prefix; these models issue no signatures.
    RelayedVendor {
        patch: |p| {
            chat_with_openai_checks(p);
            p.reasoning.seal_issuers = &["google"];
        },
        ..other_vendor(&["gemini-1*", "gemini-2*", "gemma*", "gemini-3-pro-image*"])
    },
    RelayedVendor { patch: chat_with_openai_checks, ..other_vendor(&["*"]) },
];

/// Google's own copy of Chat Completions.
pub(crate) const GEMINI_IN_CHAT: &[RelayedVendor] = &[RelayedVendor { models: &["*"], ..GOOGLE }];

/// Amazon's relay, the base of which is Claude.
pub(crate) const IN_CONVERSE: &[RelayedVendor] = &[RelayedVendor {
    patch: |p| {
        p.cache = CacheProfile { breakpoint_block_kind: Some("cachePoint"), ..cache::UNLIMITED };
        p.calls = calls::CONVERSE;
        p.media = media::BEDROCK;
        p.settings = settings::CONVERSE;
        p.roles = RoleProfile { last_role: LastRole::Any, ..roles::CONVERSE };
        p.texts.min_result_text = TextMinimum::Empty;
        p.texts.reasoning_only_turn = ReasoningOnlyTurn::Accepted;
        p.reasoning = reasoning::BEDROCK_OTHERS_ROW;
        p.tools = tools::BEDROCK;
    },
    ..other_vendor(&[
        "*amazon-*",
        "*meta-*",
        "*mistral-*",
        "*cohere-*",
        "*deepseek-*",
        "*qwen-*",
        "*openai-*",
        "*moonshot*",
        "*minimax-*",
        "*ai21-*",
        "*writer-*",
        "*zai-*",
        "*google-*",
        "*nvidia-*",
        "*twelvelabs-*",
        "*xai-*",
    ])
}];

const ANTHROPIC: RelayedVendor = RelayedVendor {
    models: &["anthropic/*"],
    api: Some(OwnApi {
        dialect: "anthropic",
        flavor: None,
        carry: |own, p| {
            // "unexpected `tool_use_id` found in `tool_result` blocks: …", with the provider name Anthropic
            // <https://github.com/router-for-me/CLIProxyAPI/issues/497>
            p.calls = CallProfile {
                orphan_results: own.calls.orphan_results,
                one_result_per_call: own.calls.one_result_per_call,
                id_format: own.calls.id_format,
                accepts_empty_list: true,
                rejected_spellings: ALL_BUT_NULL_CALL,
                ..p.calls
            };
            // "messages.0: all messages must have non-empty content except for the optional final assistant
            // message", through Chat Completions as well <https://github.com/microsoft/autogen/issues/6083>
            p.texts.min_text = TextMinimum::NonEmpty;
            p.texts.checks_whole_message = true;
            p.roles.allows_empty_user = own.roles.allows_empty_user;
            p.roles.allows_empty_assistant = own.roles.allows_empty_assistant;
            p.roles.allows_empty_last_assistant = own.roles.allows_empty_last_assistant;
            p.roles.last_role = own.roles.last_role;
            p.tools.name_format = own.tools.name_format;
            p.tools.called_name_format = own.tools.name_format;
            p.reasoning.seal_issuers = own.reasoning.seal_issuers;
        },
    }),
    patch: |_| {},
};

const GOOGLE: RelayedVendor = RelayedVendor {
    models: &["google/*"],
    api: Some(OwnApi {
        dialect: "gemini",
        flavor: None,
        carry: |own, p| {
            p.calls.one_result_per_call = own.calls.one_result_per_call;
            p.calls.accepts_empty_list = own.calls.accepts_empty_list;
            p.reasoning.call_sealing = own.reasoning.call_sealing;
            p.reasoning.seal_issuers = own.reasoning.seal_issuers;
        },
    }),
    patch: |p| {
        p.calls.id_format = calls::NON_EMPTY_ID;
        p.calls.rejected_spellings = ALL_BUT_NULL_CALL;
        p.calls.orphan_results = OrphanResults::AmongResults;
    },
};

/// A vendor that has no API of its own with other facts.
const fn other_vendor(models: &'static [&'static str]) -> RelayedVendor {
    RelayedVendor { models, api: None, patch: |_| {} }
}

/// Models whose settings and tools are checked as `OpenAI` does, by the relay or behind it.
fn chat_with_openai_checks(p: &mut Profile) {
    p.calls.id_format = calls::NON_EMPTY_ID;
    p.settings = settings::OPENROUTER;
    p.tools = ToolProfile { max_tools: None, shapes: &tool_shapes::CHAT_OPEN, ..tools::OPENAI };
}
