//! `OpenRouter`, a relay to many vendors.

use crate::prelude::*;
use crate::relays::IN_CHAT;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        vendors: IN_CHAT,
        profile: |p| {
            p.media.cross_dialect = MediaByContainer {
                user: media::ALL_KINDS,
                result: media::ALL_KINDS,
                assistant: MediaByKind { image: media_parts::DATA_OR_URL, ..NOTHING },
                ..media_parts::NOWHERE
            };
            p.settings.fields = setting_fields::OPENAI_CHAT;
            p.roles.empty_conversation = EmptyConversation::Rejected;
            // Entries of any vendor are passed on; a model accepts those of its own.
            p.reasoning.conflicting_effort_fields = Some(("reasoning_effort", "reasoning"));
            p.reasoning.rejects_other_seals = true;
            p.reasoning.seals_bind_loop = true;
            p.reasoning.formats_needing_seal = match p.reasoning.seal_issuers {
                ["anthropic"] => &["anthropic-claude-v1"],
                ["google"] => &["google-gemini-v1"],
                _ => reasoning::OPENROUTER_OPENAI_FORMATS,
            };
            if p.reasoning.call_sealing != CallSealing::NotRequired {
                p.reasoning.call_sealing = CallSealing::CallOrReasoning;
            }
            p.tools.web_search = Some(&web_search::OPENROUTER);
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset(
        "openrouter",
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
    )
};

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
