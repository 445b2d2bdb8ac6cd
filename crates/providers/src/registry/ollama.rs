//! Ollama.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    variants: &[Variant {
        profile: |p| {
            p.calls = CallProfile {
                argument_form: ArgumentForm::Json,
                rejected_spellings: MORE_LENIENT_SPELLINGS,
                ..calls::LENIENT
            };
            p.fields = openai_chat_fields::OLLAMA;
            let inline = MediaByKind {
                image: media_parts::DATA_ONLY,
                audio: media_parts::DATA_ONLY,
                ..NOTHING
            };
            p.media.same_dialect = media_parts::OLLAMA_CONTAINERS;
            p.media.cross_dialect =
                MediaByContainer { user: inline, result: inline, ..media_parts::NOWHERE };
            p.media.image_types = Some(&["image/jpeg", "image/png", "image/webp"]);
            p.media.image_type_aliases = &["image/jpg"];
            p.settings.tool_choice.cross_dialect_by_name = false;
            p.roles = RoleProfile {
                accepts_any_role: true,
                has_developer_role: true,
                ..roles::CHAT_TEMPLATE
            };
            p.texts.string_content = StringContent::Instructions;
            p.texts.missing_content = MissingContent::Rejected;
            p.reasoning.efforts =
                Some(&["minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none"]);
            p.reasoning.off_mode = OffMode::EffortNone;
            p.reasoning.request_fields = reasoning::EFFORT_FIELD;
            p.reasoning.ignored_fields = reasoning::IGNORED_THINKING_FIELDS;
            p.tools.schema.properties_need_object = true;
        },
        ..Variant::chat(&SPELLING)
    }],
    ..openai_chat_preset("ollama", "ollama", "http://127.0.0.1:11434/v1", &[])
};

/// "invalid message content type: <nil>" for a null content; "invalid tool call arguments".
const SPELLING: Flavor = Flavor {
    name: "ollama",
    content_without_text: ContentWithoutText::Omitted,
    reasoning_history: ReasoningHistory::Field("reasoning"),
    capabilities: &[
        Capability::ToolMessageName,
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::Seed,
        Capability::Penalties,
    ],
    ..GENERIC
};
