//! `OpenRouter`, a relay to many vendors.

use crate::prelude::*;
use crate::relays::{GEMINI_UNSIGNED_MODELS, gemini_in_chat};

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls.id_format = calls::NON_EMPTY_ID;
            p.media.cross_dialect = MediaByContainer {
                user: media::ALL_KINDS,
                result: media::ALL_KINDS,
                assistant: MediaByKind { image: media_parts::DATA_OR_URL, ..NOTHING },
                ..media_parts::NOWHERE
            };
            p.settings = settings::OPENROUTER;
            p.roles.empty_conversation = EmptyConversation::Rejected;
            p.reasoning = ReasoningProfile {
                formats_needing_seal: reasoning::OPENROUTER_OPENAI_FORMATS,
                ..reasoning::OPENROUTER
            };
            p.tools = ToolProfile {
                max_tools: None,
                shapes: &tool_shapes::CHAT_OPEN,
                web_search: Some(&web_search::OPENROUTER),
                ..tools::OPENAI
            };
        },
        models: &[
            (&["anthropic/*"], |p| {
                without_openai_checks(p);
                p.calls.accepts_empty_list = true;
                p.calls.orphan_results = OrphanResults::Accepted;
                p.reasoning.formats_needing_seal = &["anthropic-claude-v1"];
                p.reasoning.seal_issuers = &["anthropic"];
            }),
            (&["google/*"], |p| {
                without_openai_checks(p);
                gemini_in_chat(p);
                p.reasoning.call_sealing = CallSealing::CallOrReasoning;
                p.reasoning.formats_needing_seal = &["google-gemini-v1"];
                p.reasoning.seal_issuers = &["google"];
            }),
            (&["openai/*"], |p| {
                p.settings.max_tokens = settings::RESPONSES_API.max_tokens;
                p.reasoning.seal_issuers = &["openai"];
            }),
            // Open-weight models on other servers.
            (&["openai/gpt-oss*"], |p| p.settings.max_tokens = settings::OPENROUTER.max_tokens),
            (&["x-ai/*"], |p| p.reasoning.seal_issuers = &["xai"]),
            (GEMINI_UNSIGNED_MODELS, |p| {
                p.reasoning.call_sealing = CallSealing::NotRequired;
                p.reasoning.formats_needing_seal = &["google-gemini-v1"];
                p.reasoning.seal_issuers = &["google"];
            }),
        ],
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "openrouter",
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
    )
};

/// Models of vendors that check settings and tools on their own.
fn without_openai_checks(p: &mut Profile) {
    p.calls.rejected_spellings = ALL_BUT_NULL_CALL;
    p.settings = SettingsProfile { fields: setting_fields::OPENAI_CHAT, ..settings::COMPATIBLE };
    p.tools = ToolProfile { web_search: Some(&web_search::OPENROUTER), ..tools::COMPATIBLE };
}

const SPELLING: Flavor = Flavor {
    name: "openrouter",
    reasoning_history: ReasoningHistory::ReasoningDetails,
    reasoning_control: ReasoningControl::Object,
    cache_breakpoint: CacheBreakpointSpelling::CacheControl,
    capabilities: &[
        Capability::RefusalField,
        Capability::SystemParts,
        Capability::AssistantParts,
        Capability::ToolParts,
        Capability::ToolMedia,
        Capability::NonJsonArguments,
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::FileParts,
        Capability::FileUrls,
        Capability::VideoParts,
        Capability::AssistantImages,
        Capability::TopK,
        Capability::Seed,
        Capability::Penalties,
        Capability::Verbosity,
        Capability::User,
        Capability::PromptCacheKey,
    ],
    ..GENERIC
};
