//! `OpenAI`, the backend of `ChatGPT` subscriptions, and relays of its Responses API.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["gpt-*", "o1*", "o3*", "o4*", "chatgpt-*", "codex-*"],
    alternates: &[AlternateDialect {
        dialect: "openai-responses",
        flavor: Some("openai"),
        base_url: None,
        auth: AuthScheme::Bearer,
    }],
    variants: &[
        Variant { chat: Some(&OPENAI), ..Variant::vendor("openai-chat", "openai") },
        Variant::vendor("openai-responses", "openai"),
        Variant { profile: codex, ..Variant::vendor("openai-responses", "codex") },
        Variant {
            profile: |p| p.fields = openai_responses_fields::RELAY,
            ..Variant::vendor("openai-responses", "relay")
        },
    ],
    ..openai_chat_preset("openai", "openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
};

/// The backend of `ChatGPT` subscriptions.
fn codex(p: &mut Profile) {
    p.calls.stored_state_fields = &[("conversation", None), ("prompt", None)];
    p.fields = openai_responses_fields::CODEX;
    p.settings = SettingsProfile { verbosities: p.settings.verbosities, ..settings::CODEX };
    p.roles.requires_instructions = true;
    p.roles.has_system_role = false;
    p.roles.accepts_string_input = false;
    p.roles.empty_conversation = EmptyConversation::AcceptedWithState(&["conversation", "prompt"]);
}
