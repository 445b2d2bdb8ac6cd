//! `DeepSeek`.

use crate::prelude::*;
use crate::spelling::anthropic;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["deepseek-*"],
    alternates: &[AlternateDialect {
        dialect: "anthropic",
        flavor: Some("deepseek"),
        base_url: Some("https://api.deepseek.com/anthropic"),
        auth: AuthScheme::XApiKey,
    }],
    variants: &[
        Variant {
            profile: chat,
            models: &[
                (&["deepseek-chat*", "deepseek-v3*"], |p| p.reasoning.reasons_by_default = false),
                (&["*deepseek-vl*", "*deepseek-ocr*", "*vision*"], |p| {
                    let images = MediaByKind { image: media_parts::DATA_OR_URL, ..NOTHING };
                    // Replies are strings.
                    p.media.same_dialect = MediaByContainer {
                        instructions: media_parts::IMAGES,
                        user: media_parts::IMAGES,
                        ..media_parts::NOWHERE
                    };
                    p.media.cross_dialect =
                        MediaByContainer { user: images, result: images, ..media_parts::NOWHERE };
                }),
            ],
            ..Variant::chat(&SPELLING)
        },
        Variant {
            messages: Some(&anthropic::Flavor { allows_unsigned_thinking: true }),
            profile: messages,
            ..Variant::copy("anthropic", "deepseek")
        },
    ],
    ..openai_chat_preset("deepseek", "deepseek", "https://api.deepseek.com", &["DEEPSEEK_API_KEY"])
};

fn chat(p: &mut Profile) {
    p.calls = CallProfile {
        orphan_results: OrphanResults::AmongResults,
        id_format: calls::NON_EMPTY_ID,
        accepts_empty_list: true,
        legacy_results: false,
        rejected_spellings: ALL_BUT_NULL_CALL,
        ..calls::CHAT
    };
    p.fields = openai_chat_fields::DEEPSEEK;
    p.media = MediaProfile {
        same_dialect: media_parts::NOWHERE,
        cross_dialect: media_parts::NOWHERE,
        ..media_parts::UNRESTRICTED
    };
    p.settings.tool_choice.forced_call = ForcedCall::NoObjectWhileReasoning;
    p.settings.response_format.needs_json_word = true;
    p.settings.response_format.json_schema = false;
    p.settings.response_format.cross_dialect_json_schema = false;
    p.roles.has_developer_role = false;
    p.texts.string_content = StringContent::Replies;
    p.texts.missing_content = MissingContent::AbsentRejected;
    p.reasoning = reasoning::DEEPSEEK;
    p.tools.name_format = tools::ASCII_64;
    p.tools.called_name_format = tools::ASCII_64;
    p.tools.unique_names = true;
    p.tools.schema.root = SchemaRoot::ObjectIfPresent;
}

/// Ignores unknown fields and media that the model cannot process.
fn messages(p: &mut Profile) {
    p.cache = cache::UNLIMITED;
    p.calls.id_format = CallIdFormat { calls_only: true, ..calls::NON_EMPTY_ID };
    p.calls.caller_field = None;
    p.calls.foreign_pairs = &[];
    p.fields = anthropic_fields::DEEPSEEK;
    p.media = media::DEEPSEEK;
    p.settings = SettingsProfile {
        max_tokens: MaxTokensLimits {
            required: true,
            accepts_negative: true,
            ..settings::ANY_MAX_TOKENS
        },
        tool_choice: ToolChoiceSupport {
            forced_call: ForcedCall::NotForcedWhileReasoning,
            cross_dialect_lists: true,
            ..settings::ANY_CHOICE
        },
        response_format: settings::JSON_BY_INSTRUCTION,
        ignores_between_tools: true,
        number_format: NumberFormat::Numbers,
        checks_all_numbers: true,
        service_tiers: settings::CLAUDE_BASE.service_tiers,
        fields: setting_fields::DEEPSEEK,
        ..settings::COMPATIBLE
    };
    p.roles = RoleProfile {
        empty_conversation: EmptyConversation::Rejected,
        separate_leading_instructions: true,
        encodes_empty: false,
        ..roles::BASE
    };
    p.texts = TextProfile { string_results: true, ..texts::BASE };
    // Reasons unless it is switched off, ignores signatures, and requires reasoning before calls.
    p.reasoning = ReasoningProfile {
        reasons_by_default: true,
        only_switch_disables: true,
        efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
        rejects_other_seals: true,
        echo: ReasoningEcho::WithCallsMayBeEmpty,
        ..reasoning::UNRESTRICTED
    };
    p.tools = ToolProfile {
        typed_tools_have_names: true,
        unique_names: true,
        shapes: &tool_shapes::DEEPSEEK,
        ..tools::COMPATIBLE
    };
}

/// "minimal" is treated as low, "medium" and "xhigh" as high, "ultra" as max.
const SPELLING: Flavor = Flavor {
    name: "deepseek",
    reasoning_history: ReasoningHistory::Field("reasoning_content"),
    reasoning_control: ReasoningControl::ThinkingAndEffort,
    effort_aliases: &[("minimal", "low"), ("medium", "high"), ("xhigh", "high"), ("ultra", "max")],
    capabilities: &[
        Capability::NonJsonArguments,
        Capability::StreamOptions,
        Capability::Penalties,
        Capability::User,
    ],
    ..GENERIC
};
