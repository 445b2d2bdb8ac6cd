//! Servers of Chat Completions about which nothing is known: as strict as any of them may be.

use crate::prelude::*;

pub(super) const VARIANT: Variant = Variant {
    profile,
    // "messages.0.content: Input should be a valid string"
    ..Variant::chat(&Flavor { supports_user_parts: false, ..GENERIC })
};

/// What every server accepts. Files of providers of which a little more is known begin with it.
pub(super) fn profile(p: &mut Profile) {
    p.calls.id_format = calls::UP_TO_40;
    p.calls.argument_form = ArgumentForm::Json;
    p.calls.legacy_calls = false;
    p.fields = openai_chat_fields::GENERIC;
    p.media = MediaProfile {
        same_dialect: media_parts::NOWHERE,
        cross_dialect: media_parts::NOWHERE,
        ..media_parts::UNRESTRICTED
    };
    p.settings = SettingsProfile {
        tool_choice: ToolChoiceSupport {
            without_tools: ChoiceWithoutTools::OnlyNone,
            by_name: false,
            cross_dialect_by_name: false,
            ..settings::ANY_CHOICE
        },
        response_format: ResponseFormatSupport { json_object: false, ..settings::ANY_FORMAT },
        sampling: settings::CHAT_RANGES,
        max_user_id_chars: 128,
        conflicts: &[
            settings::STREAM_OPTIONS_WITHOUT_STREAM,
            settings::TOP_LOGPROBS_RANGE,
            settings::LOGPROBS_WITH_TOOLS,
        ],
        renamed_fields: settings::UNKNOWN_FIELDS,
        fields: setting_fields::OPENAI_CHAT,
        ..settings::COMPATIBLE
    };
    p.roles = RoleProfile {
        empty_conversation: EmptyConversation::Rejected,
        merge_policy: MergePolicy::AtEnd,
        ..roles::CHAT_TEMPLATE
    };
    p.texts.string_content = StringContent::AllMessages;
    p.texts.missing_content = MissingContent::Rejected;
    p.reasoning.replay = ReasoningReplay::Dropped;
    p.reasoning.rejected_fields = reasoning::REASONING_FIELDS;
    p.tools.name_format = tools::ASCII_64;
    p.tools.called_name_format = tools::ASCII_64;
    p.tools.shapes = &tool_shapes::CHAT_CLOSED;
    p.tools.accepts_empty_list = false;
}
